/** Exceptions thrown everywhere: from blocks, monitors, constructors, initialisers, finally, and by the JVM itself. */
class Exceptions {
    private static final int TIMES = 5_000;
    private int caught;
    private int[] array = new int[3];

    public static void main(String[] args) throws InterruptedException {
        Exceptions shared = new Exceptions();
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                for (int time = 0; time < TIMES; time++) shared.one(time);
            });
        }
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
        System.out.println(shared.caught);
    }

    private void one(int time) {
        try {
            switch (time % 8) {
                case 0: throw new IllegalStateException();
                case 1: ((Exceptions) null).caught++; break;
                case 2: array[time + 3]++; break;
                case 3: locked(); break;
                case 4: nested(5); break;
                case 5: new Failing(); break;
                case 6: ((Object[]) new String[1])[0] = this; break;
                default: Broken.value++; break;
            }
        } catch (RuntimeException | LinkageError e) {
            count();
        }
    }

    private synchronized void count() {
        caught++;
    }

    private synchronized void locked() {
        synchronized (array) {
            throw new IllegalArgumentException();
        }
    }

    private int nested(int level) {
        try {
            if (level == 0) throw new IllegalArgumentException();
            return nested(level - 1);
        } finally {
            synchronized (array) {
                array[0]++;
            }
            if (level == 2) throw new IllegalStateException();
        }
    }

    static class Failing {
        int value;

        Failing() {
            value = 1;
            if (value > 0) throw new IllegalStateException();
        }
    }

    static class Broken {
        static int value = Integer.parseInt("no number");
    }
}
