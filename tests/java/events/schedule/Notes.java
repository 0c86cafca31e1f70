package schedule;

import java.util.BitSet;
import java.util.SplittableRandom;

/** What the blocks of a thread read and write of some arrays, which are numbered as in a trace; a line for each block and element. */
public final class Notes {
    private final String thread;
    private final int length;
    private final BitSet read = new BitSet(), written = new BitSet();
    private final StringBuilder lines = new StringBuilder();
    private int block;
    private long sink;

    public Notes(String thread, int length) {
        this.thread = thread;
        this.length = length;
    }

    public void read(int array, int index) {
        read.set(array * length + index);
    }

    public void write(int array, int index) {
        written.set(array * length + index);
    }

    /** Keeps a value from being optimised away. */
    public void use(int value) {
        sink += value;
    }

    public int[] indices(SplittableRandom random, int count, int below) {
        int[] indices = new int[count];
        for (int i = 0; i < count; i++) indices[i] = random.nextInt(below);
        return indices;
    }

    /** The block has ended. */
    public void end() {
        tell(read, " r int[]#");
        tell(written, " w int[]#");
        read.clear();
        written.clear();
        block++;
    }

    private void tell(BitSet set, String what) {
        for (int i = set.nextSetBit(0); i >= 0; i = set.nextSetBit(i + 1)) {
            lines.append(thread).append(' ').append(block).append(what).append(i / length + 1).append('[').append(i % length).append("]\n");
        }
    }

    @Override
    public String toString() {
        return lines.toString();
    }
}
