// Elements of arrays of every type, one lost update each.
// expect: violation ArrayElements.booleans
// expect: violation ArrayElements.bytes
// expect: violation ArrayElements.shorts
// expect: violation ArrayElements.chars
// expect: violation ArrayElements.ints
// expect: violation ArrayElements.longs
// expect: violation ArrayElements.floats
// expect: violation ArrayElements.doubles
// expect: violation ArrayElements.objects
// trace: T1|r(boolean[]#1[1])
// trace: T2|w(boolean[]#1[1])
// trace: T1|w(boolean[]#1[1])
// trace: T1|r(double[]#1[1])
// trace: T2|w(double[]#1[1])
// trace: T1|w(double[]#1[1])

import schedule.Schedule;

class ArrayElements {
    static final boolean[] BOOLEANS = new boolean[3];
    static final byte[] BYTES = new byte[3];
    static final short[] SHORTS = new short[3];
    static final char[] CHARS = new char[3];
    static final int[] INTS = new int[3];
    static final long[] LONGS = new long[3];
    static final float[] FLOATS = new float[3];
    static final double[] DOUBLES = new double[3];
    static final Object[] OBJECTS = new Object[3];

    static void booleans() {
        Schedule.turn(1);
        Schedule.use(BOOLEANS[1] ? 1 : 0);
        Schedule.turn(3);
        BOOLEANS[1] = true;
    }

    static void bytes() {
        Schedule.turn(4);
        Schedule.use(BYTES[1]);
        Schedule.turn(6);
        BYTES[1] = 5;
    }

    static void shorts() {
        Schedule.turn(7);
        Schedule.use(SHORTS[1]);
        Schedule.turn(9);
        SHORTS[1] = 5;
    }

    static void chars() {
        Schedule.turn(10);
        Schedule.use(CHARS[1]);
        Schedule.turn(12);
        CHARS[1] = 'x';
    }

    static void ints() {
        Schedule.turn(13);
        Schedule.use(INTS[1]);
        Schedule.turn(15);
        INTS[1] = 5;
    }

    static void longs() {
        Schedule.turn(16);
        Schedule.use(LONGS[1]);
        Schedule.turn(18);
        LONGS[1] = 5L;
    }

    static void floats() {
        Schedule.turn(19);
        Schedule.use((long) FLOATS[1]);
        Schedule.turn(21);
        FLOATS[1] = 1.5f;
    }

    static void doubles() {
        Schedule.turn(22);
        Schedule.use((long) DOUBLES[1]);
        Schedule.turn(24);
        DOUBLES[1] = 1.5;
    }

    static void objects() {
        Schedule.turn(25);
        Schedule.use(OBJECTS[1] == null ? 0 : 1);
        Schedule.turn(27);
        OBJECTS[1] = "x";
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
            booleans();
            bytes();
            shorts();
            chars();
            ints();
            longs();
            floats();
            doubles();
            objects();
        }
    }

    static class Second extends Thread {
        Second() {
            super("T2");
        }

        @Override
        public void run() {
            Schedule.turn(2);
            BOOLEANS[1] = true;
            Schedule.turn(5);
            BYTES[1] = 5;
            Schedule.turn(8);
            SHORTS[1] = 5;
            Schedule.turn(11);
            CHARS[1] = 'x';
            Schedule.turn(14);
            INTS[1] = 5;
            Schedule.turn(17);
            LONGS[1] = 5L;
            Schedule.turn(20);
            FLOATS[1] = 1.5f;
            Schedule.turn(23);
            DOUBLES[1] = 1.5;
            Schedule.turn(26);
            OBJECTS[1] = "x";
        }
    }
}
