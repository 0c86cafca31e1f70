// A copy that a class inherits from one of the JDK is an object of its own, and can be made while another thread takes the original.
// expect: none
// options: --atomic CopyInherited.block

import java.util.ArrayList;
import schedule.Schedule;

class CopyInherited {
    static final int COPIES = 20_000;
    static final Listed ORIGINAL = new Listed();
    static final Listed COPY;

    static {
        ORIGINAL.value = 1;
        COPY = (Listed) ORIGINAL.clone();
    }

    static void block() {
        Schedule.turn(1);
        int before = COPY.value;
        Schedule.turn(3);
        COPY.value = before + 1;
    }

    public static void main(String[] args) {
        Schedule.run(new First(), new Second());
        Schedule.run(new Counting(), new Counting(), new Copying());
    }

    static class Listed extends ArrayList<String> {
        private static final long serialVersionUID = 1;
        int value;
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
            ORIGINAL.value = 2;
            Schedule.pass();
        }
    }

    static class Counting extends Thread {
        @Override
        public void run() {
            for (int i = 0; i < COPIES; i++) ORIGINAL.value++;
        }
    }

    /** By reflection, so that no probe sees it. */
    static class Copying extends Thread {
        @Override
        public void run() {
            try {
                for (int i = 0; i < COPIES; i++) ((Listed) ArrayList.class.getMethod("clone").invoke(ORIGINAL)).value++;
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
