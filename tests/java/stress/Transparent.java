import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** Prints what a program can see of itself; the same with and without the agent. */
class Transparent {
    public static void main(String[] args) throws Exception {
        System.out.println(ObjectStreamClass.lookup(Plain.class).getSerialVersionUID());
        System.out.println(ObjectStreamClass.lookup(Derived.class).getSerialVersionUID());
        System.out.println(((Derived) copy(new Derived(3, 4))).sum());
        System.out.println(names(Plain.class) + names(Derived.class) + names(Point.class));
        System.out.println(Arrays.stream(Plain.class.getDeclaredMethods()).map(it -> it.getName()).sorted().collect(Collectors.joining(",")));
        System.out.println(new Point(1, 2).equals(new Point(1, 2)) + " " + new Point(1, 2) + " " + Point.class.getRecordComponents().length);
        System.out.println(Level.valueOf("HIGH").next() + " " + Level.values().length);
        System.out.println(new Plain(5).clone().sum());
        new Plain(1).trace();
        new Derived(1, 2).locked();
        thrown(() -> new AtomicInteger().updateAndGet(it -> 1 / it));
        Pair pair = new Pair(null);
        thrown(() -> pair.sum(null));
        thrown(() -> pair.next(null));
    }

    private static void thrown(Runnable by) {
        try {
            by.run();
        } catch (RuntimeException e) {
            System.out.println(e.getMessage());
            for (StackTraceElement frame : e.getStackTrace()) System.out.println(frame);
        }
    }

    private static Object copy(Object object) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return in.readObject();
        }
    }

    /** The fields that tools for persistence look at. */
    private static String names(Class<?> type) {
        return Arrays.stream(type.getDeclaredFields())
            .filter(it -> !it.isSynthetic() && !Modifier.isTransient(it.getModifiers()))
            .map(Field::getName).collect(Collectors.joining(",", "[", "]"));
    }

    /** Without a serialVersionUID: it is computed from what the class consists of. */
    @SuppressWarnings("serial")
    static class Plain implements Serializable, Cloneable {
        int first;

        Plain(int first) {
            this.first = first;
        }

        int sum() {
            return first;
        }

        @Override
        public Plain clone() throws CloneNotSupportedException {
            return (Plain) super.clone();
        }

        void trace() {
            for (StackTraceElement frame : new Throwable().getStackTrace()) System.out.println(frame);
        }
    }

    @SuppressWarnings("serial")
    static class Derived extends Plain {
        int second;

        Derived(int first, int second) {
            super(first);
            this.second = second;
        }

        @Override
        int sum() {
            return first + second;
        }

        synchronized void locked() {
            try {
                int[] none = null;
                second = none[first];
            } catch (NullPointerException e) {
                System.out.println(e.getMessage() + " " + e.getStackTrace()[0]);
            }
        }
    }

    /** Its methods are small. */
    static class Pair {
        int first, second;
        final Pair other;

        Pair(Pair of) {
            other = of == null ? null : of.other;
        }

        /** One that is there only to be called with null. */
        Pair(Pair of, int first) {
            other = of.other;
        }

        int sum(Pair with) {
            return first + second
                + with.second;
        }

        Pair next(Pair of) {
            if (first + second + first > 0) return null;
            return new Pair(of, 1);
        }
    }

    record Point(int x, int y) {}

    enum Level {
        LOW, HIGH;

        Level next() {
            return values()[(ordinal() + 1) % values().length];
        }
    }
}
