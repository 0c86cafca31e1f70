// What a method starts is found out by loading its class, which may run code of the program, and may fail.
// expect: none
// options: --atomic methods
// prints: loaded, and went on without what is missing

import java.io.IOException;
import java.io.InputStream;

class StartsInLoader {
    static int count;

    public static void main(String[] args) throws Exception {
        Class<?> part = new Loader().loadClass("StartsInLoader$Part");
        ((Runnable) part.getDeclaredConstructor().newInstance()).run();
    }

    /** Loads all but the main class anew, and starts something on the way. */
    static class Loader extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            count++;
            if (name.endsWith("Step")) tick();
            if (name.endsWith("Missing")) throw new IllegalStateException(name);
            if (!name.startsWith("StartsInLoader$")) return super.loadClass(name, resolve);
            Class<?> known = findLoadedClass(name);
            return known != null ? known : define(name);
        }

        /** It comes to this only while it is being found out what a step is. */
        private void tick() {
            count++;
            new Ticker().start();
            count++;
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream file = getResourceAsStream(name + ".class")) {
                byte[] bytes = file.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    static class Ticker {
        void start() {
            count++;
        }
    }

    public static class Part implements Runnable {
        private int steps;

        public Part() {}

        @Override
        public void run() {
            go(false);
            go(false);
            if (steps == 4) System.out.println("loaded, and went on without what is missing");
        }

        private void go(boolean further) {
            steps++;
            new Step().start();
            if (further) new Missing().start();
            steps++;
        }
    }

    public static class Step {
        void start() {}
    }

    public static class Missing extends Step {}
}
