import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.Callable;

/** The same class from three hundred class loaders, most of which can be forgotten at once; two threads use each. */
class Loaders {
    public static void main(String[] args) throws Exception {
        URL[] here = {Loaders.class.getProtectionDomain().getCodeSource().getLocation()};
        long sum = 0;
        for (int i = 0; i < 300; i++) {
            try (URLClassLoader loader = new URLClassLoader(here, ClassLoader.getPlatformClassLoader())) {
                sum += use(loader.loadClass("Loaders$Loaded"));
            }
            if (i % 100 == 0) System.gc();
        }
        System.out.println(sum);
    }

    private static int use(Class<?> loaded) throws Exception {
        @SuppressWarnings("unchecked")
        Callable<Integer> callable = (Callable<Integer>) loaded.getConstructor().newInstance();
        int[] seen = new int[1];
        Thread thread = new Thread(() -> seen[0] = call(callable));
        thread.start();
        thread.join();
        return seen[0] + call(callable);
    }

    private static int call(Callable<Integer> callable) {
        try {
            return callable.call();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Counts its calls, in a static field that each loader has anew. */
    public static class Loaded implements Callable<Integer> {
        private static int calls;

        public Loaded() {}

        @Override
        public synchronized Integer call() {
            return ++calls;
        }
    }
}
