import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A small suite, with tests that run in parallel. Of its 24 tests all pass. */
@Execution(ExecutionMode.CONCURRENT)
class SuiteTest {
    private static int finished;
    private int value;

    @BeforeEach
    void set() {
        value = 1;
    }

    @AfterEach
    void count() {
        synchronized (SuiteTest.class) {
            finished++;
        }
    }

    @Test
    void adds() {
        assertEquals(2, value + 1);
    }

    @Test
    void throwsWhatItShould() {
        assertThrows(ArithmeticException.class, () -> value /= value - 1);
    }

    @RepeatedTest(20)
    void sums() {
        assertEquals(4_950, IntStream.range(0, 100).parallel().sum());
    }

    @Nested
    class Inner {
        @Test
        void seesTheOuter() {
            value++;
            assertEquals(2, value);
        }

        @Test
        void hasItsOwnOuter() {
            assertEquals(1, value);
        }
    }
}
