//! What the natives say of fields: asked from inside `java.lang`, where the probe is.

mod common;
mod wire;

use common::{Program, jdks};
use std::fs;

/// Asks about every site for an object and a class, and prints what is known.
const ASK: &str = "
package java.lang;
public class Ask {
    public static void all(Object o, Class<?> c) {
        for (int site = 0; site < 64; site++) {
            Class<?> declaring = InterloperNative.declaring(o, c, site);
            if (declaring == null) continue;
            Class<?> root = InterloperNative.root(declaring);
            System.out.println(declaring.getName() + ' ' + InterloperNative.flags(declaring, site)
                + ' ' + (root == null ? null : root.getName()));
        }
        InterloperNative.className(1, null, false);
        InterloperNative.threadName(1, null);
        InterloperNative.note(null);
        InterloperNative.note(\"asked\");
    }
}";

/// Fields that hide each other, come from an interface, or belong to the JDK.
const HIDING: &str = "
interface Limits { int[] MOST = {3}; }
class Base { int f; static int s; }
class Sub extends Base implements Limits { int f; volatile int g; }
class Own extends java.util.AbstractList<String> {
    public String get(int i) { return null; }
    public int size() { return modCount; }
}
class Main {
    static int touch(Sub b) { return b.f + ((Base) b).f + b.g; }
    static int statics() { return Sub.s; }
    public static void main(String[] arguments) throws Exception {
        var all = Class.forName(\"java.lang.Ask\").getMethod(\"all\", Object.class, Class.class);
        Sub b = new Sub();
        System.out.println(touch(b) + statics() + new Own().size());
        all.invoke(null, b, null);
        System.out.println(\"own\");
        all.invoke(null, new Own(), null);
        System.out.println(\"nothing\");
        all.invoke(null, null, null);
    }
}";

#[test]
fn a_site_means_the_field_that_the_jvm_resolves() {
    for jdk in jdks() {
        let program = Program::new(&jdk, HIDING, "");
        fs::create_dir_all(program.path("seen/java/lang")).expect("made");
        let probe = concat!(env!("CARGO_MANIFEST_DIR"), "/probe/InterloperNative.class");
        fs::copy(probe, program.path("seen/java/lang/InterloperNative.class")).expect("copied");
        fs::write(program.path("seen/java/lang/Ask.java"), ASK).expect("written");
        let patch = "--patch-module=java.base=seen";
        program.tool("javac", &[patch, "-d", "asking", "seen/java/lang/Ask.java"]);
        let (printed, heard) = program.run(&["--patch-module=java.base=asking"]);
        let mut parts = printed.split("\nown\n");
        let mut of_sub: Vec<&str> = parts.next().unwrap_or_default().lines().skip(1).collect();
        of_sub.sort_unstable();
        of_sub.dedup();
        assert_eq!(of_sub, ["Base 0 Base", "Base 8 Base", "Sub 0 Base", "Sub 64 Base"]);
        assert_eq!(parts.next(), Some("java.util.AbstractList 132 null\nnothing"));
        assert!(heard[0].notes().contains(&"asked"));
    }
}
