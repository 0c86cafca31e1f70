//! Calls of the probe in classes of the JDK: where threads are started and joined, where tasks are
//! handed over, run and completed.
//!
//! Hooks stand where the thing is sure to happen and before others can see that it did: a
//! thread is `starting` just before the JVM is asked to start it (a second `start` that fails is not
//! told), a task is `done` before its result is set. Methods are found by class, name and descriptor;
//! one that this version of the JDK does not have is passed over.
//!
//! What is told may be told twice for one task (a `FutureTask` in a pool is run by two methods) and
//! may be null. Fork-join hooks are also called by the carriers of virtual threads, for their continuations:
//! the probe has to turn those away.
//!
//! Executors are `done` by each of their threads that ends, barriers by the last to arrive; `asked` is told what an object says of its being
//! done or not.
//!
//! `CompletableFuture`: what completes one is told, and so is the handing over of dependent functions
//! and the results they find. Not told: results that `allOf`, `anyOf`, copies and the stage inside of `thenCompose` find
//! complete at once.
//!
//! Futures that have failed are told of inside (`failed`), where it is known that the exception is theirs and no interrupt or timeout.

use interloper_jvm::rewrite::{ClassEdit, CodeEdit, NewConstants, Refusal, Snippet};
use interloper_jvm::{ClassFile, Code, Instruction, Local, Member};
use std::collections::BTreeMap;

/// Where in a method a hook stands.
#[derive(Debug, Clone, Copy)]
enum Place {
    Entry,
    Returns,
    /// Before calls of a method with this name.
    Before(&'static str),
}

/// What a hook tells.
#[derive(Debug, Clone, Copy)]
enum Operand {
    This,
    /// The argument in this local variable.
    Argument(u16),
    /// What is on top of the stack.
    Top,
    /// The boolean on top of the stack, and `this`.
    Answer,
    /// A field of `this`, of type `CompletableFuture`.
    Field(&'static str),
}

/// One call of the probe.
struct Hook {
    class: &'static str,
    method: &'static str,
    /// How the descriptor begins.
    descriptor: &'static str,
    place: Place,
    probe: &'static str,
    operand: Operand,
}

const fn hook(
    (class, method, descriptor): (&'static str, &'static str, &'static str),
    place: Place,
    probe: &'static str,
    operand: Operand,
) -> Hook {
    Hook { class, method, descriptor, place, probe, operand }
}

/// The class of the probe that they call.
const PROBE: &str = "java/lang/InterloperProbe";

const THREAD: &str = "java/lang/Thread";
const VIRTUAL: &str = "java/lang/VirtualThread";
const POOL: &str = "java/util/concurrent/ThreadPoolExecutor";
const SCHEDULED: &str = "java/util/concurrent/ScheduledThreadPoolExecutor";
const FUTURE: &str = "java/util/concurrent/FutureTask";
const FORK_JOIN: &str = "java/util/concurrent/ForkJoinTask";
const QUEUE: &str = "java/util/concurrent/ForkJoinPool$WorkQueue";
const FORK_JOIN_POOL: &str = "java/util/concurrent/ForkJoinPool";
const ABSTRACT: &str = "java/util/concurrent/AbstractExecutorService";
const PER_TASK: &str = "java/util/concurrent/ThreadPerTaskExecutor";
const BARRIER: &str = "java/util/concurrent/CyclicBarrier";
const COMPLETABLE: &str = "java/util/concurrent/CompletableFuture";
const DELAYS: &str = "java/util/concurrent/DelayScheduler";
const FLOCK: &str = "jdk/internal/misc/ThreadFlock";

/// The parameters of the method that runs two tasks.
const TWO_TASKS: &str = "(Ljava/util/concurrent/ForkJoinTask;Ljava/util/concurrent/ForkJoinTask;)V";

/// Where functions are called at once, as what they depend on is complete.
const UNI_HANDLE: Place = Place::Before("uniHandle");
const UNI_WHEN: Place = Place::Before("uniWhenComplete");
const UNI_FAILED: Place = Place::Before("uniExceptionally");
const APPLY: Place = Place::Before("apply");
const BI_APPLY: Place = Place::Before("biApply");
const BI_ACCEPT: Place = Place::Before("biAccept");
const BI_RUN: Place = Place::Before("biRun");

/// All hooks but those of dependent functions.
const HOOKS: &[Hook] = &[
    hook((THREAD, "start", "()V"), Place::Before("start0"), "starting", Operand::This),
    hook((THREAD, "start", "(Ljdk/"), Place::Before("start0"), "starting", Operand::This),
    hook((THREAD, "join", "(J)V"), Place::Returns, "joined", Operand::This),
    hook((THREAD, "join", "(JI)V"), Place::Returns, "joined", Operand::This),
    hook((THREAD, "join", "(Ljava/time/Duration;)Z"), Place::Returns, "joined", Operand::This),
    hook(
        (VIRTUAL, "start", "(Ljdk/"),
        Place::Before("submitRunContinuation"),
        "starting",
        Operand::This,
    ),
    hook(
        (VIRTUAL, "start", "(Ljdk/"),
        Place::Before("externalSubmitRunContinuationOrThrow"),
        "starting",
        Operand::This,
    ),
    hook((POOL, "execute", "("), Place::Entry, "submitted", Operand::Argument(1)),
    hook((POOL, "runWorker", "("), Place::Before("run"), "begins", Operand::Top),
    hook((SCHEDULED, "delayedExecute", "("), Place::Entry, "submitted", Operand::Argument(1)),
    hook((SCHEDULED, "reExecutePeriodic", "("), Place::Entry, "submitted", Operand::Argument(1)),
    hook((FUTURE, "run", "()V"), Place::Entry, "begins", Operand::This),
    hook((FUTURE, "set", "("), Place::Entry, "done", Operand::This),
    hook((FUTURE, "setException", "("), Place::Entry, "done", Operand::This),
    hook((FUTURE, "isDone", "()Z"), Place::Returns, "asked", Operand::Answer),
    hook((FUTURE, "report", "("), Place::Entry, "failed", Operand::This),
    hook((FORK_JOIN, "getThrowableException", "("), Place::Entry, "failed", Operand::This),
    hook((FORK_JOIN, "reportException", "(Z)"), Place::Entry, "failed", Operand::This),
    hook((COMPLETABLE, "get", "("), Place::Before("reportGet"), "failed", Operand::This),
    hook((COMPLETABLE, "join", "("), Place::Before("reportJoin"), "failed", Operand::This),
    hook((COMPLETABLE, "getNow", "("), Place::Before("reportJoin"), "failed", Operand::This),
    hook((COMPLETABLE, "isCompletedExceptionally", "("), Place::Returns, "asked", Operand::Answer),
    hook((FORK_JOIN, "isDone", "()Z"), Place::Returns, "asked", Operand::Answer),
    hook((FORK_JOIN, "isCompletedNormally", "()Z"), Place::Returns, "asked", Operand::Answer),
    hook((FORK_JOIN, "isCompletedAbnormally", "()Z"), Place::Returns, "asked", Operand::Answer),
    hook((COMPLETABLE, "isDone", "()Z"), Place::Returns, "asked", Operand::Answer),
    hook((FORK_JOIN, "invokeAll", TWO_TASKS), Place::Returns, "running", Operand::Argument(0)),
    hook((FORK_JOIN, "invokeAll", TWO_TASKS), Place::Returns, "running", Operand::Argument(1)),
    hook((FORK_JOIN_POOL, "invoke", "("), Place::Returns, "running", Operand::Argument(1)),
    hook((ABSTRACT, "doInvokeAny", "("), Place::Before("get"), "running", Operand::Top),
    // A thread that ends is not counted any more some time before it does.
    hook((POOL, "decrementWorkerCount", "("), Place::Entry, "done", Operand::This),
    hook((POOL, "compareAndDecrementWorkerCount", "("), Place::Entry, "done", Operand::This),
    hook((POOL, "awaitTermination", "("), Place::Returns, "asked", Operand::Answer),
    hook((POOL, "isTerminated", "()Z"), Place::Returns, "asked", Operand::Answer),
    hook((FORK_JOIN_POOL, "deregisterWorker", "("), Place::Entry, "done", Operand::This),
    hook((FORK_JOIN_POOL, "awaitTermination", "("), Place::Returns, "asked", Operand::Answer),
    hook((FORK_JOIN_POOL, "isTerminated", "()Z"), Place::Returns, "asked", Operand::Answer),
    hook((PER_TASK, "taskComplete", "("), Place::Entry, "done", Operand::This),
    hook((PER_TASK, "awaitTermination", "(J"), Place::Returns, "asked", Operand::Answer),
    hook((PER_TASK, "isTerminated", "()Z"), Place::Returns, "asked", Operand::Answer),
    hook((BARRIER, "dowait", "("), Place::Before("nextGeneration"), "done", Operand::This),
    hook((QUEUE, "push", "("), Place::Entry, "submitted", Operand::Argument(1)),
    hook((QUEUE, "lockedPush", "("), Place::Entry, "submitted", Operand::Argument(1)),
    hook((DELAYS, "pend", "("), Place::Entry, "submitted", Operand::Argument(1)),
    hook((FORK_JOIN, "doExec", "("), Place::Before("exec"), "running", Operand::This),
    hook((FORK_JOIN, "setDone", "("), Place::Entry, "done", Operand::This),
    hook((FORK_JOIN, "trySetThrown", "("), Place::Entry, "done", Operand::This),
    hook((COMPLETABLE, "internalComplete", "("), Place::Entry, "done", Operand::This),
    hook((COMPLETABLE, "completeNull", "("), Place::Entry, "done", Operand::This),
    hook((COMPLETABLE, "completeValue", "("), Place::Entry, "done", Operand::This),
    hook((COMPLETABLE, "completeThrowable", "("), Place::Entry, "done", Operand::This),
    hook((COMPLETABLE, "completeRelay", "("), Place::Entry, "done", Operand::This),
    hook((COMPLETABLE, "internalComplete", "("), Place::Returns, "settled", Operand::This),
    hook((COMPLETABLE, "completeNull", "("), Place::Returns, "settled", Operand::This),
    hook((COMPLETABLE, "completeValue", "("), Place::Returns, "settled", Operand::This),
    hook((COMPLETABLE, "completeThrowable", "("), Place::Returns, "settled", Operand::This),
    hook((COMPLETABLE, "completeRelay", "("), Place::Returns, "settled", Operand::This),
    hook((COMPLETABLE, "unipush", "("), Place::Entry, "submitted", Operand::Argument(1)),
    hook((COMPLETABLE, "bipush", "("), Place::Entry, "submitted", Operand::Argument(2)),
    hook((COMPLETABLE, "orpush", "("), Place::Entry, "submitted", Operand::Argument(2)),
    hook((COMPLETABLE, "uniApplyNow", "("), Place::Entry, "running", Operand::This),
    hook((COMPLETABLE, "uniAcceptNow", "("), Place::Entry, "running", Operand::This),
    hook((COMPLETABLE, "uniRunNow", "("), Place::Entry, "running", Operand::This),
    hook((COMPLETABLE, "uniHandleStage", "("), UNI_HANDLE, "running", Operand::This),
    hook((COMPLETABLE, "uniWhenCompleteStage", "("), UNI_WHEN, "running", Operand::This),
    hook((COMPLETABLE, "uniExceptionallyStage", "("), UNI_FAILED, "running", Operand::This),
    hook((COMPLETABLE, "uniComposeStage", "("), APPLY, "running", Operand::This),
    hook((COMPLETABLE, "uniComposeExceptionallyStage", "("), APPLY, "running", Operand::This),
    hook((COMPLETABLE, "biApplyStage", "("), BI_APPLY, "running", Operand::This),
    hook((COMPLETABLE, "biApplyStage", "("), BI_APPLY, "found", Operand::Argument(2)),
    hook((COMPLETABLE, "biAcceptStage", "("), BI_ACCEPT, "running", Operand::This),
    hook((COMPLETABLE, "biAcceptStage", "("), BI_ACCEPT, "found", Operand::Argument(2)),
    hook((COMPLETABLE, "biRunStage", "("), BI_RUN, "running", Operand::This),
    hook((COMPLETABLE, "biRunStage", "("), BI_RUN, "found", Operand::Argument(2)),
    // Of a virtual thread, its carrier tells that it has ended.
    hook((FLOCK, "onExit", "("), Place::Entry, "joined", Operand::Argument(1)),
    hook((FLOCK, "onExit", "("), Place::Entry, "done", Operand::This),
    hook((FLOCK, "awaitAll", "("), Place::Returns, "asked", Operand::Answer),
    hook(("java/util/Timer", "sched", "("), Place::Entry, "submitted", Operand::Argument(1)),
    hook(("java/util/TimerThread", "mainLoop", "("), Place::Before("run"), "begins", Operand::Top),
];

/// How the names of classes begin that hold a dependent function, and where they keep what it
/// depends on.
const DEPENDENT: &[(&str, &[&str])] = &[
    ("java/util/concurrent/CompletableFuture$Uni", &["src"]),
    ("java/util/concurrent/CompletableFuture$Bi", &["src", "snd"]),
];

/// The same of those that need only one of two.
const EITHER: &str = "java/util/concurrent/CompletableFuture$Or";

/// Internal names of the classes that need hooks.
pub const HOOKED: &[&str] = &[
    THREAD,
    VIRTUAL,
    POOL,
    SCHEDULED,
    FUTURE,
    FORK_JOIN,
    FORK_JOIN_POOL,
    ABSTRACT,
    PER_TASK,
    BARRIER,
    QUEUE,
    COMPLETABLE,
    DELAYS,
    FLOCK,
    "java/util/Timer",
    "java/util/TimerThread",
    "java/util/concurrent/CompletableFuture$BiAccept",
    "java/util/concurrent/CompletableFuture$BiApply",
    "java/util/concurrent/CompletableFuture$BiRelay",
    "java/util/concurrent/CompletableFuture$BiRun",
    "java/util/concurrent/CompletableFuture$OrAccept",
    "java/util/concurrent/CompletableFuture$OrApply",
    "java/util/concurrent/CompletableFuture$OrRun",
    "java/util/concurrent/CompletableFuture$UniAccept",
    "java/util/concurrent/CompletableFuture$UniApply",
    "java/util/concurrent/CompletableFuture$UniCompose",
    "java/util/concurrent/CompletableFuture$UniComposeExceptionally",
    "java/util/concurrent/CompletableFuture$UniExceptionally",
    "java/util/concurrent/CompletableFuture$UniHandle",
    "java/util/concurrent/CompletableFuture$UniRelay",
    "java/util/concurrent/CompletableFuture$UniRun",
    "java/util/concurrent/CompletableFuture$UniWhenComplete",
];

/// Puts the hooks into a class; none if it has no method that needs one.
pub fn weave(bytes: &[u8]) -> Result<Option<Vec<u8>>, Refusal> {
    let class = ClassFile::parse(bytes)?;
    let mut hooks: Vec<Hook> = vec![];
    for it in HOOKS.iter().filter(|it| it.class == class.name) {
        hooks.push(hook((it.class, it.method, it.descriptor), it.place, it.probe, it.operand));
    }
    for (_, fields) in DEPENDENT.iter().filter(|(start, _)| class.name.starts_with(start)) {
        let fire = ("", "tryFire", "(I)");
        hooks.push(hook(fire, Place::Entry, "running", Operand::This));
        for field in *fields {
            hooks.push(hook(fire, Place::Entry, "running", Operand::Field(field)));
        }
    }
    if class.name.starts_with(EITHER) {
        for probe in ["running", "either"] {
            hooks.push(hook(("", "tryFire", "(I)"), Place::Entry, probe, Operand::This));
        }
    }
    let mut edit = ClassEdit::new(&class);
    let mut changed = false;
    for (index, method) in class.methods.iter().enumerate() {
        let (name, descriptor) = (class.member_name(method), class.member_descriptor(method));
        let mut here = hooks
            .iter()
            .filter(|it| name == it.method && descriptor.starts_with(it.descriptor))
            .peekable();
        if here.peek().is_none() {
            continue;
        }
        let Some(code) = class.code(method)? else { continue };
        let hooked = hook_method(&class, method, &code, here, edit.constants())?;
        if !hooked.is_empty() {
            edit.edit_code(index, &hooked)?;
            changed = true;
        }
    }
    Ok(changed.then(|| edit.finish()))
}

fn hook_method<'a, 'h>(
    class: &ClassFile<'a>,
    method: &Member<'a>,
    code: &Code<'a>,
    hooks: impl Iterator<Item = &'h Hook>,
    constants: &mut NewConstants<'_>,
) -> Result<CodeEdit, Refusal> {
    let body = class.body(method, code)?;
    let mut edit = CodeEdit::for_code(code);
    edit.need_stack(2);
    let mut entry = Snippet::new();
    let mut before = BTreeMap::new();
    for hook in hooks {
        if let Place::Entry = hook.place {
            entry = hook.tell(entry, &class.name, constants)?;
            continue;
        }
        for located in &body.instructions {
            let meant = match (hook.place, located.instruction) {
                (Place::Returns, Instruction::Return(_)) => true,
                (Place::Before(callee), Instruction::Invoke(_, index)) => {
                    class.pool.method(index).is_ok_and(|it| it.name == callee)
                }
                _ => false,
            };
            if meant {
                // There may be several in one place.
                let told = before.remove(&located.pc).unwrap_or_default();
                before.insert(located.pc, hook.tell(told, &class.name, constants)?);
            }
        }
    }
    before.into_iter().for_each(|(pc, snippet)| edit.before(pc, snippet));
    if !entry.is_empty() {
        edit.at_entry(entry);
    }
    Ok(edit)
}

impl Hook {
    fn tell(
        &self,
        snippet: Snippet,
        class: &str,
        constants: &mut NewConstants<'_>,
    ) -> Result<Snippet, Refusal> {
        const FUTURE_TYPE: &str = "Ljava/util/concurrent/CompletableFuture;";
        let snippet = match self.operand {
            Operand::This => snippet.load_reference(Local(0)),
            Operand::Argument(local) => snippet.load_reference(Local(local)),
            Operand::Top => snippet.dup(),
            Operand::Answer => snippet.dup().load_reference(Local(0)),
            Operand::Field(name) => {
                let field = constants.field(class, name, FUTURE_TYPE)?;
                snippet.load_reference(Local(0)).get_field(field)
            }
        };
        let descriptor = match self.probe {
            "starting" | "joined" => "(Ljava/lang/Thread;)V",
            "asked" => "(ZLjava/lang/Object;)V",
            _ => "(Ljava/lang/Object;)V",
        };
        Ok(snippet.invoke_static(constants.method(PROBE, self.probe, descriptor)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_with_hooks_is_listed() {
        for hook in HOOKS {
            assert!(HOOKED.contains(&hook.class), "{}", hook.class);
        }
        for (start, _) in DEPENDENT {
            assert!(HOOKED.iter().any(|it| it.starts_with(start)), "{start}");
        }
    }
}
