// Fields of every type, one lost update each; long and double take two places on the stack.
// expect: violation FieldTypes.booleanValue
// expect: violation FieldTypes.byteValue
// expect: violation FieldTypes.shortValue
// expect: violation FieldTypes.charValue
// expect: violation FieldTypes.intValue
// expect: violation FieldTypes.longValue
// expect: violation FieldTypes.floatValue
// expect: violation FieldTypes.doubleValue
// expect: violation FieldTypes.objectValue

import schedule.Schedule;

class FieldTypes {
    static final Cell CELL = new Cell();

    static void booleanValue() {
        Schedule.turn(1);
        Schedule.use(CELL.booleanValue ? 1 : 0);
        Schedule.turn(3);
        CELL.booleanValue = true;
    }

    static void byteValue() {
        Schedule.turn(4);
        Schedule.use(CELL.byteValue);
        Schedule.turn(6);
        CELL.byteValue = 5;
    }

    static void shortValue() {
        Schedule.turn(7);
        Schedule.use(CELL.shortValue);
        Schedule.turn(9);
        CELL.shortValue = 5;
    }

    static void charValue() {
        Schedule.turn(10);
        Schedule.use(CELL.charValue);
        Schedule.turn(12);
        CELL.charValue = 'x';
    }

    static void intValue() {
        Schedule.turn(13);
        Schedule.use(CELL.intValue);
        Schedule.turn(15);
        CELL.intValue = 5;
    }

    static void longValue() {
        Schedule.turn(16);
        Schedule.use(CELL.longValue);
        Schedule.turn(18);
        CELL.longValue = 5L;
    }

    static void floatValue() {
        Schedule.turn(19);
        Schedule.use((long) CELL.floatValue);
        Schedule.turn(21);
        CELL.floatValue = 1.5f;
    }

    static void doubleValue() {
        Schedule.turn(22);
        Schedule.use((long) CELL.doubleValue);
        Schedule.turn(24);
        CELL.doubleValue = 1.5;
    }

    static void objectValue() {
        Schedule.turn(25);
        Schedule.use(CELL.objectValue == null ? 0 : 1);
        Schedule.turn(27);
        CELL.objectValue = "x";
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
            booleanValue();
            byteValue();
            shortValue();
            charValue();
            intValue();
            longValue();
            floatValue();
            doubleValue();
            objectValue();
        }
    }

    static class Second extends Thread {
        Second() {
            super("T2");
        }

        @Override
        public void run() {
            Schedule.turn(2);
            CELL.booleanValue = true;
            Schedule.turn(5);
            CELL.byteValue = 5;
            Schedule.turn(8);
            CELL.shortValue = 5;
            Schedule.turn(11);
            CELL.charValue = 'x';
            Schedule.turn(14);
            CELL.intValue = 5;
            Schedule.turn(17);
            CELL.longValue = 5L;
            Schedule.turn(20);
            CELL.floatValue = 1.5f;
            Schedule.turn(23);
            CELL.doubleValue = 1.5;
            Schedule.turn(26);
            CELL.objectValue = "x";
        }
    }

    static class Cell {
        boolean booleanValue;
        byte byteValue;
        short shortValue;
        char charValue;
        int intValue;
        long longValue;
        float floatValue;
        double doubleValue;
        Object objectValue;
    }
}
