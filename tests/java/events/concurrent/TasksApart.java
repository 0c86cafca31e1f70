// Tasks of one pool have nothing to do with each other, in whatever order they run.
// expect: none

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import schedule.Schedule;

class TasksApart {
    static final ExecutorService POOL = Executors.newFixedThreadPool(2);

    static void block(Cell mine, int turn) {
        Schedule.turn(turn);
        int before = mine.value;
        Schedule.turn(5 - turn);
        mine.value = before + 1;
        Schedule.pass();
    }

    public static void main(String[] args) throws InterruptedException {
        POOL.execute(new Task(1));
        POOL.execute(new Task(2));
        POOL.shutdown();
        POOL.awaitTermination(1, TimeUnit.MINUTES);
    }

    static class Task implements Runnable {
        private final Cell mine = new Cell();
        private final int turn;

        Task(int turn) {
            this.turn = turn;
        }

        @Override
        public void run() {
            block(mine, turn);
        }
    }

    static class Cell {
        int value = -1;
    }
}
