// What has a method lock() is no lock for that.
// expect: none
// options: --atomic LockNamedAlike.block
// absent: Door

import schedule.Schedule;

class LockNamedAlike {
    static final Cell CELL = new Cell();
    static final Door DOOR = new Door();

    static void block() {
        Schedule.turn(1);
        DOOR.lock();
        DOOR.unlock();
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
            if (!DOOR.tryLock()) throw new IllegalStateException();
            DOOR.unlock();
            CELL.value = 1;
        }
    }

    static class Door {
        void lock() {}

        void unlock() {}

        boolean tryLock() {
            return true;
        }
    }

    static class Cell {
        int value = -1;
    }
}
