// Who starts or joins threads lets others in, whatever their class is called and however far it is from Thread.
// expect: none
// options: --atomic methods
// trace: main|w(StartsByAnyName$Cell#1.value)
// trace: T1|w(StartsByAnyName$Cell#1.value)
// trace: main|r(StartsByAnyName$Cell#1.value)

import schedule.Schedule;

class StartsByAnyName {
    static final Cell CELL = new Cell();

    static Worker starts() {
        CELL.value = 1;
        Worker worker = new Worker();
        worker.start();
        Schedule.end(worker);
        Schedule.use(CELL.value);
        return worker;
    }

    static void joins(Worker worker) throws InterruptedException {
        CELL.value = 3;
        CELL.ready = true;
        worker.join();
        Schedule.use(CELL.value);
    }

    public static void main(String[] args) throws InterruptedException {
        starts();
        CELL.ready = false;
        Worker second = new Waiter();
        second.start();
        joins(second);
    }

    static class Job extends Thread {
        Job() {
            super("T1");
        }
    }

    static class Worker extends Job {
        @Override
        public void run() {
            CELL.value = 2;
        }
    }

    static class Waiter extends Worker {
        @Override
        public void run() {
            while (!CELL.ready) Thread.onSpinWait();
            super.run();
        }
    }

    static class Cell {
        int value = -1;
        volatile boolean ready = true;
    }
}
