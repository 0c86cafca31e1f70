import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.concurrent.atomic.AtomicInteger;

/** An agent as others have it: sees every class, hands it back as it is, and says so at the end. */
public class Counting {
    public static void premain(String options, Instrumentation instrumentation) {
        AtomicInteger seen = new AtomicInteger();
        instrumentation.addTransformer(new ClassFileTransformer() {
            @Override
            public byte[] transform(ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] bytes) {
                if (!"HotCounters".equals(name)) return null;
                seen.incrementAndGet();
                return bytes.clone();
            }
        });
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("seen by the other agent: " + seen.get())));
    }
}
