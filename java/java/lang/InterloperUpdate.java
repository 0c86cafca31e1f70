package java.lang;

import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.function.UnaryOperator;
import jdk.internal.vm.annotation.Hidden;

/**
 * What an atomic's `updateAndGet` and the like get in place of the program's function. That is the program's own code, for which no window
 * can be open; but from its end on there is only the compare-and-set, and that belongs into the window of the update. So the window is
 * opened when the function is done, with the variable held, and closed if the function is called once more. Stack traces do not show it.
 */
@SuppressWarnings({"rawtypes", "unchecked"})
final class InterloperUpdate
        implements IntUnaryOperator, IntBinaryOperator, LongUnaryOperator, LongBinaryOperator, UnaryOperator, BinaryOperator {
    private final Object function;
    private final InterloperThread c;
    private final Object of;
    private final int site;
    /** Whether the variable is a field of the object, not what the object is there for. */
    private final boolean isField;

    private InterloperUpdate(Object function, InterloperThread c, Object of, int site, boolean isField) {
        this.function = function;
        this.c = c;
        this.of = of;
        this.site = site;
        this.isField = isField;
    }

    /** The function itself if it cannot be helped: the update is told when it is over then. */
    static Object of(Object function, InterloperThread c, Object of, int site, boolean isField) {
        if (function == null || of == null) return function;
        try {
            return new InterloperUpdate(function, c, of, site, isField);
        } catch (OutOfMemoryError e) {
            return function;
        }
    }

    /** Before the function. */
    private void leave() {
        if (c.open != 0) InterloperOwnership.close(c);
    }

    /** After it. What is written is for others to see. */
    private void hold() {
        InterloperOwnership.shows(c);
        if (isField) InterloperFields.hold(of, c, site);
        else InterloperFields.hold(InterloperMap.of(of, c, site), c);
    }

    @Override
    @Hidden
    public int applyAsInt(int value) {
        leave();
        int result = ((IntUnaryOperator) function).applyAsInt(value);
        hold();
        return result;
    }

    @Override
    @Hidden
    public int applyAsInt(int value, int given) {
        leave();
        int result = ((IntBinaryOperator) function).applyAsInt(value, given);
        hold();
        return result;
    }

    @Override
    @Hidden
    public long applyAsLong(long value) {
        leave();
        long result = ((LongUnaryOperator) function).applyAsLong(value);
        hold();
        return result;
    }

    @Override
    @Hidden
    public long applyAsLong(long value, long given) {
        leave();
        long result = ((LongBinaryOperator) function).applyAsLong(value, given);
        hold();
        return result;
    }

    @Override
    @Hidden
    public Object apply(Object value) {
        leave();
        Object result = ((UnaryOperator) function).apply(value);
        hold();
        return result;
    }

    @Override
    @Hidden
    public Object apply(Object value, Object given) {
        leave();
        Object result = ((BinaryOperator) function).apply(value, given);
        hold();
        return result;
    }

    /** Two interfaces have one; nobody calls it. */
    @Override
    public InterloperUpdate andThen(Function after) {
        throw new UnsupportedOperationException();
    }
}
