// An increment of a field of a field of an array's element: each access is one event, in its order.
// expect: violation CompoundAccess.block

import schedule.Schedule;

class CompoundAccess {
    static final Node[] NODES = {new Node(), new Node()};

    static void block() {
        Schedule.turn(1);
        NODES[1].next.count += NODES[0].next.count++;
        Schedule.turn(3);
        NODES[1].next.count--;
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
            NODES[1].next.count *= 2;
        }
    }

    static class Node {
        final Leaf next = new Leaf();
    }

    static class Leaf {
        long count = 1;
    }
}
