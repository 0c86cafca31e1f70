import java.util.Arrays;

/** Loops that leave windows open: what is found out in one round must be forgotten when something else takes its place. */
public class Loops {
    int[] own = new int[10], other = new int[10];
    final int[] kept = new int[10];
    int count;
    static int shared = 3;
    Loops next;

    static int sum(int[] a) {
        int sum = 0;
        for (int i = 0; i < a.length; i++) sum += a[i];
        return sum;
    }

    /** The array in the variable is another one in the middle of the loop. */
    static int turns(int[] a, int[] b) {
        int[] current = a;
        int sum = 0;
        for (int i = 0; i < a.length; i++) {
            current[i] += i;
            sum += current[i];
            if (i == 4) current = b;
        }
        return sum;
    }

    /** Between the rounds of the outer loop. */
    static int rows(int[][] rows) {
        int sum = 0;
        for (int r = 0; r < rows.length; r++) {
            int[] row = rows[r];
            for (int i = 1; i < row.length - 1; i++) row[i] = (row[i - 1] + row[i + 1]) / 2 + r;
            for (int i = row.length - 1; i >= 0; i--) sum += row[i];
        }
        return sum;
    }

    /** The same variable of the JVM for several of the language. */
    static int reused(int[] a, int[] b) {
        int sum = 0;
        for (int i = 0; i < 3; i++) {
            { int[] x = a; for (int k = 0; k < 5; k++) sum += x[k]; }
            { int[] x = b; for (int k = 0; k < 5; k++) sum += x[k]; }
            { long x = 5; for (int k = 0; k < 5; k++) sum += x; }
        }
        return sum;
    }

    /** Fields, of which one is written in the loop. */
    int fields() {
        int sum = 0;
        for (int i = 0; i < 10; i++) {
            sum += own[i] + kept[i] + shared;
            other[i] = sum;
            if (i == 5) own = other;
            count += sum;
        }
        return sum;
    }

    /** A list: another object each time. */
    static int chain(Loops first) {
        int sum = 0;
        for (Loops it = first; it != null; it = it.next) sum += it.count;
        Loops last = first;
        while (last.next != null) last = last.next;
        return sum * 31 + last.count;
    }

    /** An exception in the middle, caught in the loop and outside. */
    static int broken(int[] a, int[] b) {
        int sum = 0;
        for (int i = 0; i < 15; i++) {
            try {
                sum += a[i];
                b[i] = sum;
            } catch (ArrayIndexOutOfBoundsException e) {
                a = b;
                sum++;
            }
        }
        try {
            for (int i = 9; ; i--) sum += a[i];
        } catch (ArrayIndexOutOfBoundsException e) {
            sum += 1000;
        }
        return sum;
    }

    /** Calls in a loop within one without. */
    int calls(int[] a) {
        int sum = 0;
        for (int i = 0; i < 4; i++) {
            for (int k = 0; k < 4; k++) sum += a[k] + count;
            sum += sum(a);
        }
        do sum += a[0] + 1; while (sum % 7 != 0);
        return sum;
    }

    static long wide(long[] a, double[] d) {
        long sum = 0;
        for (int i = 0; i < a.length; i++) {
            a[i] = i;
            d[i] = a[i] / 2.0;
            sum += (long) d[i];
        }
        for (int i = 0; i < a.length; i += 3) sum += a[i];
        return sum;
    }

    static int nothing(int[] a) {
        int sum = 0;
        try {
            for (int i = 0; i < 3; i++) sum += a[i];
        } catch (NullPointerException e) {
            sum = -1;
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        int[] a = new int[10], b = new int[10];
        Arrays.setAll(a, i -> i * i);
        Arrays.setAll(b, i -> 3 * i);
        for (int round = 0; round < 3; round++) {
            System.out.println(sum(a) + " " + turns(a, b) + " " + turns(b, a) + " " + reused(a, b));
            System.out.println(rows(new int[][] { a.clone(), b.clone(), new int[1], new int[0] }));
            Loops it = new Loops();
            it.next = new Loops();
            it.count = it.next.count = round + 1;
            System.out.println(it.fields() + " " + it.fields() + " " + chain(it) + " " + it.calls(a));
            System.out.println(broken(a, b) + " " + wide(new long[9], new double[9]) + " " + nothing(null) + " " + nothing(a));
        }
        System.out.println("end");
    }
}
