// The second thread uses other fields than the block, the third the same: what the block did is known to it all the same.
// expect: violation GroupHandedOnTwice.block

import java.util.ArrayList;
import java.util.List;
import schedule.Schedule;

class GroupHandedOnTwice {
    static final List<Body> HANDS = new ArrayList<>();

    /** Made in a transaction of its own, and handed on by what is not recorded. */
    static Body made() {
        Body body = new Body();
        body.move();
        body.push();
        return body;
    }

    static void block() {
        Body body = HANDS.get(0);
        body.move();
        Schedule.turn(4);
        Schedule.use(body.x);
    }

    public static void main(String[] args) {
        Schedule.run(new First(), new Second(), new Third());
    }

    static class First extends Thread {
        First() {
            super("T1");
        }

        @Override
        public void run() {
            Schedule.turn(1);
            HANDS.add(made());
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
            HANDS.get(0).push();
        }
    }

    static class Third extends Thread {
        Third() {
            super("T3");
        }

        @Override
        public void run() {
            Schedule.turn(3);
            HANDS.get(0).move();
        }
    }

    static class Body {
        int x = 1, y = 1;
        int fx = 1, fy = 1;

        void move() {
            x++;
            y++;
        }

        void push() {
            fx++;
            fy++;
        }
    }
}
