import java.util.List;
import java.util.Vector;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.Stream;

/** A set on top of a vector. Each call of the vector is synchronized, and yet an element may be in the set twice. */
class Set<E> {
    private final Vector<E> elements = new Vector<>();

    /** Meant to be one step: look whether it is there, then add it. */
    void add(E element) {
        if (!elements.contains(element)) {
            elements.add(element);
        }
    }

    int size() {
        return elements.size();
    }

    public static void main(String[] args) throws InterruptedException {
        List<Set<Integer>> sets = Stream.generate(Set<Integer>::new).limit(Adder.SETS).toList();
        CyclicBarrier together = new CyclicBarrier(2);
        Adder first = new Adder("first", sets, together);
        Adder second = new Adder("second", sets, together);
        first.start();
        second.start();
        first.join();
        second.join();
        int elements = sets.stream().mapToInt(Set::size).sum();
        System.out.println(Adder.SETS * Adder.NUMBERS + " different elements, " + elements + " in the sets");
    }

    /** Adds the same numbers to one set after the other; the other thread does the same at the same time. */
    static class Adder extends Thread {
        static final int SETS = 300;
        static final int NUMBERS = 50;
        private final List<Set<Integer>> sets;
        private final CyclicBarrier together;

        Adder(String name, List<Set<Integer>> sets, CyclicBarrier together) {
            super(name);
            this.sets = sets;
            this.together = together;
        }

        @Override
        public void run() {
            try {
                for (Set<Integer> set : sets) {
                    together.await();
                    for (int number = 0; number < NUMBERS; number++) set.add(number);
                }
            } catch (InterruptedException | BrokenBarrierException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
