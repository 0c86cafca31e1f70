import java.util.concurrent.SynchronousQueue;

/** One thread makes objects and hands them to another, which hands them back, so often that the recorder's counts start again. */
class ManyHands {
    private static final int TIMES = 20_000;
    private static final SynchronousQueue<Parcel> THERE = new SynchronousQueue<>();
    private static final SynchronousQueue<Parcel> BACK = new SynchronousQueue<>();

    public static void main(String[] args) throws InterruptedException {
        Thread other = new Thread(() -> {
            for (int i = 0; i < TIMES; i++) forward();
        });
        other.start();
        long sum = 0;
        for (int i = 0; i < TIMES; i++) {
            THERE.put(new Parcel(i));
            sum += BACK.take().weight();
        }
        other.join();
        System.out.println(sum);
    }

    private static void forward() {
        try {
            Parcel parcel = THERE.take();
            parcel.stamp();
            parcel.address();
            parcel.fill();
            BACK.put(parcel);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Its fields are in groups, because different methods write them. */
    private static final class Parcel {
        private int stamps, postage, street, town, contents, padding;

        Parcel(int contents) {
            this.contents = contents;
        }

        void stamp() {
            stamps++;
            postage += stamps;
        }

        void address() {
            street++;
            town += street;
        }

        void fill() {
            contents++;
            padding += contents;
        }

        int weight() {
            return stamps + postage + street + town + contents + padding;
        }
    }
}
