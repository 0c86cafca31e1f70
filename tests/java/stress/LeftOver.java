import java.lang.reflect.Array;

/** Daemon threads share arrays of ever new classes while the JVM ends beside them. */
public class LeftOver {
    /** As many dimensions as an array can have. */
    private static final int MOST = 255;
    private static volatile Object[] shared;
    private static volatile int rounds;

    static int use(Object[] array) {
        array[0] = null;
        return array.length;
    }

    public static void main(String[] arguments) {
        for (int i = 0; i < 2; i++) {
            Thread daemon = new Thread(LeftOver::share);
            daemon.setDaemon(true);
            daemon.start();
        }
        int until = 20 + Integer.parseInt(arguments[0]);
        while (rounds < until) Thread.onSpinWait();
        System.out.println("over");
    }

    private static void share() {
        Class<?>[] kinds = {int.class, long.class, byte.class, char.class, short.class, float.class, double.class, boolean.class};
        for (Class<?> kind : kinds) {
            for (int dimensions = 2; dimensions <= MOST; dimensions++) {
                Object[] other = shared;
                if (other != null) use(other);
                int[] lengths = new int[dimensions];
                lengths[0] = 1;
                Object[] made = (Object[]) Array.newInstance(kind, lengths);
                use(made);
                shared = made;
                rounds++;
            }
        }
    }
}
