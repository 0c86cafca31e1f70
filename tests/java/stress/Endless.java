/** Works until it is killed; prints its process id and then, from time to time, that it is at work. */
class Endless {
    private static final int[] SHARED = new int[16];

    public static void main(String[] args) throws InterruptedException {
        System.out.println("pid " + ProcessHandle.current().pid());
        for (int i = 0; i < 2; i++) new Thread(Endless::work).start();
        while (true) {
            Thread.sleep(300);
            System.out.println("at work");
        }
    }

    private static void work() {
        for (int i = 0; ; i = (i + 1) & 15) {
            step(i);
            if (i == 0) Thread.yield();
        }
    }

    private static synchronized void step(int i) {
        SHARED[i]++;
    }
}
