/** The shortest tour through some towns, by branch and bound: all threads look at the shortest length so far all the time. */
final class Tour {
    private static final int TOWNS = 12;
    private final int[][] distance = new int[TOWNS][TOWNS];
    private int next = 1;
    private int shortest = Integer.MAX_VALUE;

    private Tour() {
        for (int i = 0; i < TOWNS; i++) {
            for (int j = 0; j < TOWNS; j++) {
                int dx = i * 37 % 101 - j * 37 % 101;
                int dy = i * 53 % 89 - j * 53 % 89;
                distance[i][j] = (int) Math.round(Math.sqrt(dx * dx + dy * dy) * 10);
            }
        }
    }

    public static void main(String[] args) {
        Kernel.measure(args, () -> new Tour().solve());
    }

    private long solve() {
        Kernel.together(new Share());
        return shortest;
    }

    /** Takes the next first town and searches from there. */
    private final class Share implements Kernel.Part {
        @Override
        public void of(int thread) {
            for (int town = take(); town < TOWNS; town = take()) new Path(town).search();
        }
    }

    private synchronized int take() {
        return next++;
    }

    private synchronized void found(int length) {
        if (length < shortest) shortest = length;
    }

    /** A path from town 0, as long as it may still become the shortest tour. */
    private final class Path {
        private final int[] towns = new int[TOWNS];
        private int length;
        private int visited;
        private int size;

        Path(int first) {
            size = 1;
            visited = 1;
            step(first);
        }

        private void step(int town) {
            length += distance[towns[size - 1]][town];
            towns[size++] = town;
            visited |= 1 << town;
        }

        private void back() {
            int town = towns[--size];
            visited &= ~(1 << town);
            length -= distance[towns[size - 1]][town];
        }

        void search() {
            if (length >= shortest) return;
            if (size == TOWNS) {
                found(length + distance[towns[size - 1]][0]);
                return;
            }
            for (int town = 1; town < TOWNS; town++) {
                if ((visited & 1 << town) != 0) continue;
                step(town);
                search();
                back();
            }
        }
    }
}
