// Two threads use fields of one object that are written by different methods: they are in nobody's way.
// expect: none
// trace: T1|w(GroupsApart$Body#1.x)

import schedule.Schedule;

class GroupsApart {
    static final Body BODY = new Body();

    static void block() {
        Schedule.turn(1);
        BODY.move();
        Schedule.turn(3);
        BODY.move();
        Schedule.turn(5);
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
            Schedule.turn(4);
            BODY.push();
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
