//! The hooks in real JDKs: every class has them, links, and the probe is called as it should be.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Stub, classes_in, compile, java, jdks, run, skip, stub, unpack};
use interloper_weave::hooks;
use std::path::Path;

/// Starts threads and tasks in many ways.
const TASKS: &str = r#"
    import java.util.concurrent.*;
    public class Tasks {
        public static void main(String[] args) throws Exception {
            say("thread");
            Thread thread = new Thread(() -> {});
            thread.start(); thread.join();
            try { thread.start(); } catch (IllegalThreadStateException e) { say("again"); }
            say("pool");
            ExecutorService pool = Executors.newFixedThreadPool(1);
            pool.submit(() -> 7).get();
            Callable<Integer> seven = () -> 7;
            if (pool.invokeAny(java.util.List.of(seven)) != 7 || !pool.invokeAll(java.util.List.of(seven)).get(0).isDone()) throw new Error();
            pool.shutdown(); pool.awaitTermination(9, TimeUnit.SECONDS);
            say("scheduled");
            ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
            timer.schedule(() -> 7, 1, TimeUnit.MILLISECONDS).get();
            timer.shutdown(); timer.awaitTermination(9, TimeUnit.SECONDS);
            say("forkjoin");
            ForkJoinPool forks = new ForkJoinPool(1);
            forks.submit(() -> 7).get();
            forks.invoke(new RecursiveAction() {
                @Override
                protected void compute() { invokeAll(new Nothing(), new Nothing()); }
            });
            new CyclicBarrier(1, () -> { }).await();
            forks.shutdown(); forks.awaitTermination(9, TimeUnit.SECONDS);
            say("completable");
            CompletableFuture<Integer> future = new CompletableFuture<>();
            CompletableFuture<Integer> next = future.thenApply(n -> n + 1);
            future.complete(7);
            next.join();
            CompletableFuture<Integer> first = new CompletableFuture<>(), second = new CompletableFuture<>();
            CompletableFuture<Integer> both = first.thenCombine(second, Integer::sum), any = first.applyToEither(second, n -> n);
            first.thenCompose(n -> second).handle((n, e) -> n).exceptionally(e -> 1).thenAccept(n -> { }).thenRun(() -> { });
            CompletableFuture.allOf(first, second); first.complete(1); second.complete(2);
            if (both.join() != 3 || any.join() != 1) throw new Error();
            say("virtual");
            try {
                Thread light = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, (Runnable) () -> { });
                light.join();
            } catch (NoSuchMethodException e) { }
            say("end");
        }
        static class Nothing extends RecursiveAction {
            @Override
            protected void compute() { }
        }
        static void say(String text) {
            try { Thread.sleep(50); } catch (InterruptedException e) { }
            System.out.println(text);
        }
    }
"#;

/// What came with virtual threads, and with delays of fork-join pools.
const NEWER: [&str; 4] = [
    "java/lang/VirtualThread",
    "java/util/concurrent/ThreadPerTaskExecutor",
    "java/util/concurrent/DelayScheduler",
    "jdk/internal/misc/ThreadFlock",
];

#[test]
fn threads_and_tasks_are_told() {
    let jdks = jdks();
    if jdks.is_empty() {
        return skip("no JDK");
    }
    for jdk in jdks {
        let folder = tempfile::tempdir().unwrap();
        let old = folder.path().join("old");
        unpack(&jdk, &old);
        unpack_flock(&jdk, &old);
        let root = classes_in(&old)[0].clone();
        let root = root.ancestors().find(|it| it.join("java/lang/Object.class").exists());
        let root = root.unwrap().to_owned();
        let patch = stub(&jdk, folder.path(), Stub::Checks);
        let mut missing = vec![];
        for class in hooks::HOOKED {
            let path = root.join(format!("{class}.class"));
            let woven = std::fs::read(path).ok().and_then(|bytes| hooks::weave(&bytes).unwrap());
            let Some(woven) = woven else {
                missing.push(*class);
                continue;
            };
            let path = patch.join(format!("{class}.class"));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, woven).unwrap();
        }
        let home = jdk.display().to_string();
        // Not every JDK has them.
        let virtual_threads = root.join("java/lang/VirtualThread.class").exists();
        let is_absent = |it: &&str| !root.join(format!("{it}.class")).exists();
        let expected: Vec<&str> = NEWER.into_iter().filter(is_absent).collect();
        assert_eq!(missing, expected, "{home}");
        let out = compile(&jdk, folder.path(), "Tasks", TASKS);
        let printed = java(&jdk, &patch, &["-Dhooks=true"], &out, "Tasks");
        check(&home, &printed, virtual_threads);
    }
}

/// Of a JDK without separate modules, `unpack` takes only what is public.
fn unpack_flock(jdk: &Path, into: &Path) {
    if !jdk.join("jmods/java.base.jmod").exists() {
        let (into, image) = (into.to_str().unwrap(), jdk.join("lib/modules"));
        let include = "--include=regex:/java\\.base/jdk/internal/misc/ThreadFlock\\.class";
        run(jdk, "jimage", &["extract", "--dir", into, include, image.to_str().unwrap()]);
    }
}

/// What is told in each part of the program.
fn check(home: &str, printed: &str, virtual_threads: bool) {
    let part = |name: &str| {
        let from = printed.split_once(&format!("{name}\n")).unwrap().1;
        let ends = ["again", "pool", "scheduled", "forkjoin", "completable", "virtual", "end"];
        from.lines().map_while(|it| (!ends.contains(&it)).then(|| it.trim())).collect::<Vec<_>>()
    };
    assert_eq!(part("thread"), ["starting", "joined"], "{home}: {printed}");
    assert_eq!(part("again"), [""; 0], "{home}: {printed}");
    for name in ["pool", "scheduled", "forkjoin"] {
        let told = part(name);
        let at = |what: &str| told.iter().position(|it| *it == what);
        let begun = if name == "forkjoin" { "running" } else { "begins" };
        let order = (at("submitted"), at(begun), at("done"));
        assert!(order.0 < order.1 && order.1 < order.2 && order.0.is_some(), "{name} {printed}");
        assert_eq!(told.last(), Some(&"asked"), "{name} {printed}");
    }
    let told: Vec<_> =
        part("virtual").into_iter().filter(|it| ["starting", "joined"].contains(it)).collect();
    // The threads that carry it are started, too.
    assert_eq!(told.contains(&"starting"), virtual_threads, "{home}: {printed}");
    assert_eq!(told.last() == Some(&"joined"), virtual_threads, "{home}: {printed}");
    let told = part("completable");
    // The function is handed over; the future is done; the function finds that; its own is done.
    assert_eq!(told[..3], ["submitted", "done", "settled"], "{home}: {printed}");
    let rest = ["running", "running", "done", "settled"];
    assert_eq!(told[3..7], rest, "{home}: {printed}");
}
