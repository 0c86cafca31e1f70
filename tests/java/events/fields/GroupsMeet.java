// Between two changes of one object's fields by a block, another thread changes others, and then one of the same.
// expect: violation GroupsMeet.block

import schedule.Schedule;

class GroupsMeet {
    static final Body BODY = new Body();

    static void block() {
        Schedule.turn(1);
        BODY.move();
        Schedule.turn(3);
        Schedule.use(BODY.x);
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
            BODY.push();
            BODY.x = 7;
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
