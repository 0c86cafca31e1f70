//! Which classes are woven, and that the JVM takes them.

mod common;
mod wire;

use common::{Program, jdks};
use interloper_tap::message::Message;

#[test]
fn objects_get_one_state_field_however_deep_their_class() {
    const SHAPES: &str = "
    class Main {
        static class Shape { int x; }
        static class Circle extends Shape { int r; }
        static class Task extends Thread { int n; }
        static int fields(Class<?> c) {
            int count = 0;
            for (; c != null; c = c.getSuperclass())
                for (var f : c.getDeclaredFields()) if (f.getName().equals(\"$interloper$\")) count++;
            return count;
        }
        public static void main(String[] arguments) {
            System.out.print(fields(Shape.class) + \" \" + fields(Circle.class));
            System.out.println(\" \" + fields(Task.class));
        }
    }";
    for jdk in jdks() {
        let (printed, _) = Program::new(&jdk, SHAPES, "").run(&[]);
        assert_eq!(printed, "1 1 1");
    }
}

#[test]
fn classes_of_the_jdk_are_woven_on_request_only() {
    const VECTOR: &str = "
    class Main {
        public static void main(String[] arguments) {
            var v = new java.util.Vector<String>();
            v.add(\"a\");
            System.out.println(v.size() + new java.util.ArrayList<>(v).size());
        }
    }";
    for jdk in jdks() {
        let (_, heard) = Program::new(&jdk, VECTOR, "").run(&[]);
        assert!(heard[0].class("java/util/Vector").is_none());
        // ArrayList is loaded before the agent can weave: it is changed afterwards.
        let config = "include java.util.Vector\ninclude java.util.ArrayList\n";
        let (printed, heard) = Program::new(&jdk, VECTOR, config).run(&["-Xcheck:jni"]);
        assert_eq!(printed, "2");
        assert!(heard[0].class("java/util/Vector").is_some());
        assert!(heard[0].class("java/util/ArrayList").is_some());
    }
}

/// Some of the classes that are loaded early are not linked by then: the JVM tells nothing of their fields.
#[test]
fn no_early_class_is_refused_by_the_jvm() {
    const HELLO: &str = "
    class Main {
        public static void main(String[] arguments) {
            System.out.println(new StringBuffer(\"a\").append(1));
        }
    }";
    for jdk in jdks() {
        let config = "include java.util.*\ninclude java.lang.StringBuffer\n";
        let (printed, heard) = Program::new(&jdk, HELLO, config).run(&[]);
        assert_eq!(printed, "a1");
        let refused = |message: &&Message| matches!(message, Message::Skipped { reason, .. } if reason.contains("refuses"));
        assert_eq!(heard[0].messages.iter().find(refused), None);
        assert!(heard[0].class("java/lang/StringBuffer").is_some());
    }
}

#[test]
fn the_whole_of_java_can_be_woven() {
    const POOL: &str = "
    class Main {
        public static void main(String[] arguments) throws Exception {
            var pool = java.util.concurrent.Executors.newFixedThreadPool(2);
            var letters = java.util.List.of(\"a\", \"b\");
            System.out.println(pool.submit(() -> String.join(\",\", letters)).get());
            pool.shutdown();
        }
    }";
    for jdk in jdks() {
        let (printed, heard) = Program::new(&jdk, POOL, "include java.*\n").run(&[]);
        assert_eq!(printed, "a,b");
        assert!(heard[0].class("java/util/HashMap").is_some());
        let refused = |message: &Message| match message {
            Message::Skipped { what, .. } => what == "java.lang.String",
            _ => false,
        };
        assert!(heard[0].messages.iter().any(refused));
    }
}

#[test]
fn another_agent_can_retransform_woven_classes() {
    const AGENT: &str = "
    class Main {
        static class Shape { int x; }
        static class Circle extends Shape { int r; int area() { return r * r; } }
        static java.lang.instrument.Instrumentation tools;
        public static void premain(String argument, java.lang.instrument.Instrumentation given) {
            tools = given;
        }
        public static void main(String[] arguments) throws Exception {
            Circle c = new Circle();
            c.r = 3;
            tools.retransformClasses(Shape.class, Circle.class);
            System.out.println(c.area());
        }
    }";
    for jdk in jdks() {
        let program = Program::new(&jdk, AGENT, "");
        let manifest = "Premain-Class: Main\nCan-Retransform-Classes: true\n";
        std::fs::write(program.path("manifest"), manifest).expect("written");
        program.tool("jar", &["cfm", "agent.jar", "manifest", "-C", ".", "Main.class"]);
        let (printed, heard) = program.run(&["-javaagent:agent.jar"]);
        assert_eq!(printed, "9");
        assert!(heard[0].class("Main$Circle").is_some());
    }
}

#[test]
fn what_was_asked_for_by_name_and_cannot_be_is_noted() {
    const LOCKS: &str = "
    class Main {
        static int x;
        static void step() { x++; x++; }
        public static void main(String[] arguments) {
            step();
            System.out.println(new java.util.concurrent.locks.StampedLock().isReadLocked());
        }
    }";
    let (early, late) = ("java.lang.String", "java.util.concurrent.locks.StampedLock");
    let config = format!(
        "include {early}\ninclude {late}\ninclude java.util.Vecto\natomic-method Main.step\natomic-method Main.stop\n"
    );
    for jdk in jdks() {
        let program = Program::new(&jdk, LOCKS, &config);
        let (printed, heard) = program.run(&[]);
        assert_eq!(printed, "false");
        for name in [early, late] {
            let says = format!("{name} was asked for, but it is not instrumented: ");
            assert!(heard[0].notes().iter().any(|note| note.starts_with(&says)), "{says}");
        }
        let met = std::fs::read_to_string(program.path("run/met")).expect("written");
        let mut met: Vec<&str> = met.lines().collect();
        met.sort_unstable();
        let expected =
            ["atomic-method Main.step", &format!("include {early}"), &format!("include {late}")];
        assert_eq!(met, expected);
    }
}

#[test]
fn what_is_excluded_is_left_alone() {
    const TWO: &str = "
    class Main {
        static int x;
        public static void main(String[] arguments) { x = x + 1; System.out.println(Other.f()); }
    }
    class Other { static int y; static int f() { return y = y + 1; } }";
    for jdk in jdks() {
        let (printed, heard) = Program::new(&jdk, TWO, "exclude Other\n").run(&[]);
        assert_eq!(printed, "1");
        assert!(heard[0].class("Main").is_some() && heard[0].class("Other").is_none());
    }
}
