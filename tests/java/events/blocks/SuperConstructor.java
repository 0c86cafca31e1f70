// Fields set before and after the call of another constructor; anonymous and inner classes with their hidden fields.
// expect: violation SuperConstructor$Child.<init>

import schedule.Schedule;

class SuperConstructor {
    static final Cell CELL = new Cell();

    public static void main(String[] args) {
        Schedule.run(new First(), new Second());
    }

    static class First extends Thread {
        First() {
            super("T1");
        }

        @Override
        public void run() {
            Schedule.use(new Child(1).sum + new Child().sum);
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
            Schedule.turn(5);
            CELL.value = 6;
        }
    }

    static class Parent {
        final int first;

        Parent(int turn) {
            Schedule.turn(turn);
            first = CELL.value;
        }
    }

    static class Child extends Parent {
        final int sum;

        Child() {
            this(CELL.value > 0 ? 4 : 5);
        }

        Child(int turn) {
            super(turn);
            Schedule.turn(turn + 2);
            sum = first + CELL.value;
        }
    }

    static class Cell {
        int value = -1;
    }
}
