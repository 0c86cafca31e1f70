//! A JVM's life with the agent, as the reader hears of it; and without a reader.

mod common;
mod wire;

use common::{Program, jdks, success};
use interloper_tap::log;
use interloper_tap::message::Message;

const TWO_THREADS: &str = "
class Main {
    static int total;
    int balance;
    void deposit(int amount) { balance = balance + amount; total = total + amount; }
    public static void main(String[] arguments) throws Exception {
        Main account = new Main();
        Thread bob = new Thread(() -> account.deposit(1), \"bob\");
        bob.start();
        bob.join();
        account.deposit(2);
        System.out.println(account.balance);
    }
}";

#[test]
fn classes_threads_accesses_and_the_end_are_told() {
    for jdk in jdks() {
        let (printed, heard) = Program::new(&jdk, TWO_THREADS, "").run(&["-Xcheck:jni"]);
        assert_eq!(printed, "3");
        let [heard] = heard.as_slice() else { panic!("{} JVMs", heard.len()) };
        let Some(Message::Hello(hello)) = heard.messages.first() else { panic!("no hello") };
        assert_eq!(hello.command, "Main");
        assert!(matches!(heard.messages.last(), Some(Message::Bye { .. })));
        let class = heard.class("Main").expect("woven");
        let balance = class.sites.iter().filter(|site| site.member == "balance");
        let sites: Vec<u32> = balance.map(|site| site.id).collect();
        assert!(heard.entries().any(|(word, _)| {
            log::tag(*word) == log::ACCESS && sites.contains(&log::site(*word))
        }));
        assert!(heard.threads().contains(&"bob"), "{:?}", heard.threads());
        let exits = heard.entries().filter(|(word, _)| log::tag(*word) == log::EXIT);
        assert!(exits.count() >= 1, "the end of bob");
    }
}

#[test]
fn jvms_that_the_program_starts_are_heard_too() {
    const PARENT: &str = "
    class Main {
        public static void main(String[] arguments) throws Exception {
            if (System.getProperty(\"child\") != null) return;
            String java = System.getProperty(\"java.home\") + \"/bin/java\";
            Process child = new ProcessBuilder(java, \"-Dchild=1\", \"-cp\", \".\", \"Main\").start();
            System.out.println(child.waitFor());
        }
    }";
    for jdk in jdks() {
        let (printed, heard) = Program::new(&jdk, PARENT, "").run(&[]);
        assert_eq!((printed.as_str(), heard.len()), ("0", 2));
        assert!(heard.iter().all(|jvm| jvm.class("Main").is_some()));
    }
}

#[test]
fn without_a_reader_the_program_runs_and_one_line_says_so() {
    for jdk in jdks() {
        let program = Program::new(&jdk, TWO_THREADS, "");
        let output = program.command(&[]).output().expect("java starts");
        assert_eq!(success(&output), "3");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(stderr.starts_with("interloper: this JVM is not checked: "), "{stderr}");
        std::fs::remove_dir_all(program.path("run")).expect("removed");
        let output = program.command(&[]).output().expect("java starts");
        assert_eq!(success(&output), "3");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(stderr.contains("process that it was to report to has ended"), "{stderr}");
    }
}

#[test]
fn a_bad_configuration_is_named_and_strict_runs_refuse_it() {
    for jdk in jdks() {
        let program = Program::new(&jdk, TWO_THREADS, "color red\n");
        let output = program.command(&[]).output().expect("java starts");
        assert_eq!(success(&output), "3");
        assert!(String::from_utf8_lossy(&output.stderr).contains("color red"));
        let strict = program.command(&[]).env("INTERLOPER_STRICT", "1").output();
        assert!(!strict.expect("java starts").status.success());
    }
}

#[test]
fn the_program_goes_on_when_the_reader_goes_away() {
    for jdk in jdks() {
        let program = Program::new(&jdk, TWO_THREADS, "");
        let listener = std::os::unix::net::UnixListener::bind(program.path("run/socket"));
        let listener = listener.expect("bound");
        let reader = std::thread::spawn(move || drop(listener.accept()));
        let output = program.command(&[]).output().expect("java starts");
        assert_eq!(success(&output), "3");
        reader.join().expect("no panic");
    }
}
