// A volatile flag that is seen to be set comes after the write.
// expect: violation VolatileEdge.block
// options: --atomic VolatileEdge.block

import schedule.Schedule;

class VolatileEdge {
    static final Cell CELL = new Cell();
    static volatile boolean flag;

    static void block() {
        Schedule.turn(1);
        flag = true;
        Schedule.turn(3);
        Schedule.use(CELL.value);
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
            block();
        }
    }

    static class Second extends Thread {
        Second() {
            super("T2");
        }

        @Override
        public void run() {
            Schedule.turn(2);
            while (!flag) Thread.onSpinWait();
            CELL.value = 1;
        }
    }

    static class Cell {
        int value = -1;
    }
}
