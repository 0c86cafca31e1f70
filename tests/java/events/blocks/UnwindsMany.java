// An exception leaves many blocks at once, some of which have a finally; all are over.
// expect: none
// trace: T1|begin(UnwindsMany.deep)
// trace: T1|begin(UnwindsMany.deep)
// trace: T1|begin(UnwindsMany.deep)
// trace: T1|end
// trace: T1|end
// trace: T1|end
// trace: T2|w(UnwindsMany$Cell#1.value)

import schedule.Schedule;

class UnwindsMany {
    static final Cell CELL = new Cell();

    static void deep(int level) {
        try {
            if (level == 0) throw new IllegalArgumentException();
            deep(level - 1);
        } finally {
            CELL.left++;
        }
    }

    public static void main(String[] args) {
        Schedule.run(new First(), new Second());
    }

    static class First extends Thread {
        First() {
            super("T1");
        }

        @Override
        public void run() {
            try {
                Schedule.turn(1);
                deep(10);
            } catch (IllegalArgumentException e) {
                Schedule.use(CELL.value);
                Schedule.turn(3);
                CELL.value = 1;
            }
        }
    }

    static class Second extends Thread {
        Second() {
            super("T2");
        }

        @Override
        public void run() {
            Schedule.turn(2);
            CELL.value = 5;
            Schedule.use(CELL.left);
        }
    }

    static class Cell {
        int value;
        int left;
    }
}
