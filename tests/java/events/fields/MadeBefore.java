// What a thread did to an object before any other saw it cuts nobody's block: hand-over of a finished object.
// expect: none

import schedule.Schedule;

class MadeBefore {
    static final Object MONITOR = new Object();
    static Cell shared;

    static void fill() {
        Cell mine = new Cell();
        mine.value = 1;
        Schedule.turn(1);
        synchronized (MONITOR) {
            shared = mine;
        }
    }

    static void take() {
        Schedule.turn(2);
        Cell taken;
        synchronized (MONITOR) {
            taken = shared;
        }
        taken.value++;
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
            fill();
        }
    }

    static class Second extends Thread {
        Second() {
            super("T2");
        }

        @Override
        public void run() {
            take();
        }
    }

    static class Cell {
        int value = -1;
    }
}
