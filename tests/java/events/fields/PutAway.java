// A block puts what it has made into a map whose lock is not seen, changes it once more, and ends; then another thread reads it.
// expect: violation PutAway.block

import schedule.Schedule;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

class PutAway {
    static final Cell other = new Cell();
    static final Map<String, Cell> map = Collections.synchronizedMap(new HashMap<>());

    static void block() {
        Schedule.turn(1);
        other.value = 1;
        Schedule.turn(3);
        Schedule.use(map.get("cell").value);
    }

    static void make() {
        Schedule.turn(2);
        Schedule.use(other.value);
        Cell cell = new Cell();
        map.put("cell", cell);
        cell.value = 2;
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
            make();
            Schedule.pass();
        }
    }

    static class Cell {
        int value;
    }
}
