import java.util.ArrayList;
import java.util.List;

/** Shares ever more arrays between two threads until the memory is used up. */
class OutOfMemory {
    private static final List<long[]> KEPT = new ArrayList<>();

    public static void main(String[] args) {
        for (int i = 0; i < 2; i++) {
            Thread thread = new Thread(OutOfMemory::fill);
            thread.setDaemon(true);
            thread.start();
        }
        fill();
    }

    private static void fill() {
        while (true) keep(new long[1_000]);
    }

    private static synchronized void keep(long[] numbers) {
        numbers[0]++;
        KEPT.add(numbers);
        KEPT.get(KEPT.size() / 2)[0]++;
    }
}
