//! Calls of the JDK that synchronise, and what the probe is told about them.
//!
//! Calls are known by class, name and, where that says more, descriptor, as they are written in the
//! instruction. A call through a class that extends one of these (`MyLock extends ReentrantLock`) is not
//! known by its instruction alone: that is for `subclasses.rs`.
//!
//! Deviations: `Condition.signal` has no probe, as its lock orders all that it orders. Variable handles and field
//! updaters are in `handles.rs`.

use crate::handles::Access;
use crate::probe::Probe;
use crate::subclasses;
use interloper_jvm::{InvokeKind, MemberRef};

/// What is put around a call. "Receiver" is the first argument of static methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// The receiver, before the call.
    Before(Probe),
    /// The receiver, after the call.
    After(Probe),
    /// The receiver, after the call; with the result before it if that is a boolean.
    AfterIf(Probe, Probe),
    /// The receiver, before and after the call.
    Around(Probe, Probe),
    /// The same; after the call with the result before it if that is a boolean.
    AroundIf(Probe, Probe, Probe),
    /// The receiver and the result, after the call.
    Result(Probe),
    /// The result and the receiver, after the call.
    Value(Probe),
    /// The receiver and the first argument, before the call.
    Argument(Probe),
    /// The receiver and the first argument, before the call; the result and the receiver, after it.
    Both(Probe, Probe),
    /// The receiver, before the call; the result and the receiver, after it.
    AroundValue(Probe, Probe),
    /// The running thread, after the call.
    Thread(Probe),
    /// The receiver, before the call; opens a window that is closed after it.
    Window(Probe),
    /// The receiver and the function that is the last argument, before the call, which gets another function that
    /// opens a window; the receiver, after the call, where that is closed.
    Applies(Probe),
    /// The receiver before the call, the result after it; a window in between.
    Try(Probe),
    /// The same, where the result is not success but what was found in place of what was expected.
    Exchange(Probe),
    /// An access through a handle: the receiver and where the variable is.
    Handle(Access),
}

impl Effect {
    /// Whether an exception can leave the probe waiting for the end of the call.
    pub(crate) fn spans_call(self) -> bool {
        matches!(
            self,
            Effect::Around(..)
                | Effect::AroundIf(..)
                | Effect::Both(..)
                | Effect::Window(_)
                | Effect::Applies(_)
                | Effect::Try(_)
                | Effect::Exchange(_)
                | Effect::Handle(_)
        )
    }

    /// Whether the receiver is needed after the call.
    pub(crate) fn keeps_receiver(self) -> bool {
        !matches!(
            self,
            Effect::Before(_)
                | Effect::Argument(_)
                | Effect::Window(_)
                | Effect::Try(_)
                | Effect::Exchange(_)
                | Effect::Thread(_)
        )
    }

    /// Whether the probe gets the first argument behind the receiver, a number: the index of an element, or how many permits.
    pub(crate) fn takes_number(self) -> bool {
        let (Effect::Window(probe)
        | Effect::AroundIf(probe, ..)
        | Effect::Applies(probe)
        | Effect::Try(probe)
        | Effect::Exchange(probe)) = self
        else {
            return false;
        };
        matches!(
            probe,
            Probe::AtomicReadElement
                | Probe::AtomicWriteElement
                | Probe::AtomicUpdateElement
                | Probe::AtomicTryElement
                | Probe::UpdatedElement
                | Probe::AcquiringSome
        )
    }
}

/// What is to be put around a call; none for most.
pub(crate) fn effect(kind: InvokeKind, call: &MemberRef<'_>) -> Option<Effect> {
    let (name, descriptor) = (&*call.name, &*call.descriptor);
    if let Some(effect) = of_objects(kind, call) {
        return Some(effect);
    }
    if kind == InvokeKind::Special {
        // `super.lock()` in a class that overrides it is part of the call that is seen from outside.
        return None;
    }
    if let Some(access) = Access::of(kind, call) {
        return Some(Effect::Handle(access));
    }
    let Some(class) = call.class.strip_prefix("java/util/concurrent/") else {
        return match kind == InvokeKind::Interface && puts(call) {
            true => Some(Effect::Before(Probe::Putting)),
            false => subclasses::effect(kind, call),
        };
    };
    if let Some(class) = class.strip_prefix("atomic/") {
        return atomic(class, name, descriptor);
    }
    if let Some(class) = class.strip_prefix("locks/") {
        return of_locks(class, name);
    }
    if class == "Semaphore" {
        return of_semaphores(name, descriptor);
    }
    of_synchronizers(class, name)
}

/// Whether the call is one that every object has: `wait`, `notify`, `clone`.
fn of_objects(kind: InvokeKind, call: &MemberRef<'_>) -> Option<Effect> {
    if matches!(kind, InvokeKind::Static | InvokeKind::Dynamic) {
        return None;
    }
    match (&*call.name, &*call.descriptor) {
        // They are final in Object, so that whatever class is named they are these.
        ("wait", "()V" | "(J)V" | "(JI)V") => Some(Effect::Around(Probe::Waiting, Probe::Waited)),
        ("notify" | "notifyAll", "()V") => Some(Effect::Before(Probe::Notifying)),
        // Only Object's own makes copies. A class of the program may inherit it from one of the JDK's (`ArrayList.clone`), where no probe sees it.
        ("clone", "()Ljava/lang/Object;") => Some(Effect::Result(Probe::Cloned)),
        _ => None,
    }
}

fn of_locks(class: &str, name: &str) -> Option<Effect> {
    use Probe::*;
    let (locked, locked_if, unlocking) = match class {
        "Lock" | "ReentrantLock" => (Locked, LockedIf, Unlocking),
        "ReentrantReadWriteLock$ReadLock" => (ReadLocked, ReadLockedIf, ReadUnlocking),
        "ReentrantReadWriteLock$WriteLock" => (WriteLocked, WriteLockedIf, WriteUnlocking),
        _ => return of_other_locks(class, name),
    };
    match name {
        "lock" | "lockInterruptibly" | "tryLock" => Some(Effect::AfterIf(locked, locked_if)),
        "unlock" => Some(Effect::Before(unlocking)),
        "newCondition" => Some(Effect::Result(Condition)),
        _ => None,
    }
}

fn of_other_locks(class: &str, name: &str) -> Option<Effect> {
    match (class, name) {
        ("ReadWriteLock" | "ReentrantReadWriteLock", "readLock" | "writeLock") => {
            Some(Effect::Result(Probe::Views))
        }
        (
            "Condition"
            | "AbstractQueuedSynchronizer$ConditionObject"
            | "AbstractQueuedLongSynchronizer$ConditionObject",
            _,
        ) => of_conditions(name),
        ("StampedLock", _) => of_stamped_locks(name),
        ("LockSupport", "unpark") => Some(Effect::Around(Probe::Releasing, Probe::Released)),
        ("LockSupport", "park" | "parkNanos" | "parkUntil") => {
            Some(Effect::Thread(Probe::Signalled))
        }
        _ => None,
    }
}

fn of_conditions(name: &str) -> Option<Effect> {
    let awaiting = match name {
        "awaitUninterruptibly" => Probe::Awaiting,
        "await" | "awaitNanos" | "awaitUntil" => Probe::AwaitingUnlessInterrupted,
        _ => return None,
    };
    Some(Effect::Around(awaiting, Probe::Awaited))
}

/// Held by stamps, not by threads: only the order is told. A stamp of 0 is none. What gives up a lock without a stamp
/// (`tryUnlockRead`) may fail, and is not told.
fn of_stamped_locks(name: &str) -> Option<Effect> {
    use Probe::*;
    Some(match name {
        "unlock" | "unlockRead" | "unlockWrite" | "tryConvertToOptimisticRead" => {
            Effect::Argument(Unstamping)
        }
        "readLock" | "readLockInterruptibly" | "tryReadLock" => Effect::Value(ReadStamped),
        "writeLock" | "writeLockInterruptibly" | "tryWriteLock" | "tryConvertToWriteLock" => {
            Effect::Value(WriteStamped)
        }
        "tryConvertToReadLock" => Effect::Both(Restamping, ReadStamped),
        "tryOptimisticRead" => Effect::Value(Glanced),
        "validate" => Effect::AfterIf(ValidatedIf, ValidatedIf),
        "asReadLock" | "asWriteLock" | "asReadWriteLock" => Effect::Result(Views),
        _ => return None,
    })
}

fn of_semaphores(name: &str, descriptor: &str) -> Option<Effect> {
    // The number comes first where it is not one.
    let acquiring =
        if descriptor.starts_with("(I") { Probe::AcquiringSome } else { Probe::Acquiring };
    match name {
        "release" => Some(Effect::Around(Probe::Releasing, Probe::Released)),
        "acquire" | "acquireUninterruptibly" | "tryAcquire" => {
            Some(Effect::AroundIf(acquiring, Probe::Signalled, Probe::SignalledIf))
        }
        _ => None,
    }
}

fn of_synchronizers(class: &str, name: &str) -> Option<Effect> {
    let sink = Effect::AfterIf(Probe::Signalled, Probe::SignalledIf);
    // Results of type boolean of these are values, not success.
    let value = Effect::After(Probe::Signalled);
    let barrier = Effect::Around(Probe::Arriving, Probe::Arrived);
    Some(match (class, name) {
        ("CountDownLatch", "countDown") => Effect::Around(Probe::CountingDown, Probe::CountedDown),
        ("CountDownLatch", "await") => sink,
        ("CountDownLatch", "getCount") => Effect::Value(Probe::Counted),
        ("CyclicBarrier", "await") => barrier,
        ("Phaser", "arriveAndAwaitAdvance") => {
            Effect::AroundValue(Probe::PhaseMeeting, Probe::PhasePassed)
        }
        ("Phaser", "arrive" | "arriveAndDeregister") => Effect::Before(Probe::PhaseArriving),
        ("Phaser", "awaitAdvance" | "awaitAdvanceInterruptibly") => {
            Effect::Value(Probe::PhasePassed)
        }
        ("Exchanger", "exchange") => Effect::Both(Probe::Exchanging, Probe::Exchanged),
        (
            "ExecutorService"
            | "AbstractExecutorService"
            | "ThreadPoolExecutor"
            | "ForkJoinPool"
            | "ScheduledExecutorService"
            | "ScheduledThreadPoolExecutor",
            "invokeAll",
        ) => Effect::Value(Probe::InvokedAll),
        ("Future" | "FutureTask" | "RunnableFuture" | "ScheduledFuture", "get") => value,
        ("ForkJoinTask" | "RecursiveAction" | "RecursiveTask", "get" | "join" | "invoke") => value,
        (
            "ForkJoinTask" | "RecursiveAction" | "RecursiveTask",
            "quietlyJoin" | "quietlyInvoke" | "quietlyJoinUninterruptibly",
        ) => sink,
        ("CompletableFuture", "complete" | "completeExceptionally" | "cancel") => {
            Effect::Before(Probe::Completing)
        }
        ("CompletableFuture", "get" | "join") => value,
        // Only what is there before is sure to be what they give.
        ("CompletableFuture", "getNow" | "resultNow") => Effect::Before(Probe::Finding),
        _ => return None,
    })
}

/// A reference and a stamp or mark, which change together.
fn pair(name: &str) -> Option<Effect> {
    Some(match name {
        "get" | "getReference" | "getStamp" | "isMarked" => Effect::Window(Probe::AtomicRead),
        "set" => Effect::Window(Probe::AtomicWrite),
        "compareAndSet" | "weakCompareAndSet" | "attemptStamp" | "attemptMark" => {
            Effect::Try(Probe::AtomicTry)
        }
        _ => return None,
    })
}

fn atomic(class: &str, name: &str, descriptor: &str) -> Option<Effect> {
    let element = match class {
        "AtomicInteger" | "AtomicLong" | "AtomicBoolean" | "AtomicReference" => false,
        "AtomicIntegerArray" | "AtomicLongArray" | "AtomicReferenceArray" => true,
        "AtomicStampedReference" | "AtomicMarkableReference" => return pair(name),
        _ => return None,
    };
    let either = |whole: Probe, part: Probe| if element { part } else { whole };
    let update = either(Probe::AtomicUpdate, Probe::AtomicUpdateElement);
    Some(match name {
        "get" | "getAcquire" | "getOpaque" | "getPlain" => {
            Effect::Window(either(Probe::AtomicRead, Probe::AtomicReadElement))
        }
        "intValue" | "longValue" | "doubleValue" | "floatValue" if !element => {
            Effect::Window(Probe::AtomicRead)
        }
        "set" | "lazySet" | "setOpaque" | "setPlain" | "setRelease" => {
            Effect::Window(either(Probe::AtomicWrite, Probe::AtomicWriteElement))
        }
        "compareAndSet"
        | "weakCompareAndSet"
        | "weakCompareAndSetPlain"
        | "weakCompareAndSetAcquire"
        | "weakCompareAndSetRelease"
        | "weakCompareAndSetVolatile" => {
            Effect::Try(either(Probe::AtomicTry, Probe::AtomicTryElement))
        }
        _ if name.starts_with("compareAndExchange") => {
            Effect::Exchange(either(Probe::AtomicTry, Probe::AtomicTryElement))
        }
        "getAndUpdate" | "updateAndGet" | "getAndAccumulate" | "accumulateAndGet" => {
            Effect::Applies(either(Probe::Updated, Probe::UpdatedElement))
        }
        _ if name.starts_with("getAnd") || name.ends_with("AndGet") => Effect::Window(update),
        _ => return None,
    })
    .filter(|_| !element || descriptor.starts_with("(I"))
}

/// Whether a call waits for other threads, wakes them, or starts them: a method that makes such a call
/// itself has steps that others come between on purpose.
pub(crate) fn meets_others(kind: InvokeKind, call: &MemberRef<'_>) -> bool {
    let (class, name) = (&*call.class, &*call.name);
    // `super.await()` waits as well.
    let kind = if kind == InvokeKind::Special { InvokeKind::Virtual } else { kind };
    match effect(kind, call) {
        // Semaphores are used as locks, too.
        Some(Effect::Around(Probe::Releasing, _)) => {}
        Some(Effect::Around(..) | Effect::Before(Probe::Notifying))
            if !subclasses::is_guess(kind, call) =>
        {
            return true;
        }
        _ => {}
    }
    if is_thread_of_jdk(class) {
        return matches!(name, "start" | "join" | "startVirtualThread");
    }
    if is_of_tasks(call) || is_parallel(call) {
        return true;
    }
    let Some(class) = class.strip_prefix("java/util/concurrent/") else {
        return false;
    };
    match class {
        "locks/Condition" => name.starts_with("signal") || name.starts_with("await"),
        "locks/LockSupport" => name.starts_with("park") || name == "unpark",
        "CountDownLatch" => name == "await" || name == "countDown",
        "Phaser" => name.starts_with("await") || name.starts_with("arrive"),
        "Exchanger" => name == "exchange",
        "BlockingQueue"
        | "BlockingDeque"
        | "TransferQueue"
        | "ArrayBlockingQueue"
        | "LinkedBlockingQueue"
        | "LinkedBlockingDeque"
        | "PriorityBlockingQueue"
        | "DelayQueue"
        | "SynchronousQueue"
        | "LinkedTransferQueue" => {
            name.starts_with("take") || name.starts_with("put") || name == "transfer"
        }
        "ExecutorService" | "ThreadPoolExecutor" | "ForkJoinPool" | "ScheduledExecutorService" => {
            matches!(name, "invokeAll" | "invokeAny" | "awaitTermination" | "invoke" | "close")
        }
        _ => matches!(
            of_synchronizers(class, name),
            Some(Effect::After(Probe::Signalled) | Effect::AfterIf(Probe::Signalled, _))
        ),
    }
}

/// Whether a call hands fork-join tasks to others, or waits for one quietly. It names the program's own class of tasks, but its type gives it away.
fn is_of_tasks(call: &MemberRef<'_>) -> bool {
    match &*call.name {
        "fork" => call.descriptor == "()Ljava/util/concurrent/ForkJoinTask;",
        "quietlyJoin" | "quietlyInvoke" => call.descriptor == "()V",
        "invokeAll" => matches!(
            &*call.descriptor,
            "(Ljava/util/concurrent/ForkJoinTask;Ljava/util/concurrent/ForkJoinTask;)V"
                | "([Ljava/util/concurrent/ForkJoinTask;)V"
                | "(Ljava/util/Collection;)Ljava/util/Collection;"
        ),
        _ => false,
    }
}

/// Whether a call divides work among the threads of the common pool, or asks for that.
fn is_parallel(call: &MemberRef<'_>) -> bool {
    match (&*call.class, &*call.name) {
        ("java/util/Arrays", name) => name.starts_with("parallel"),
        // the number is the least that is worth it
        ("java/util/concurrent/ConcurrentHashMap", _) => call.descriptor.starts_with("(JL"),
        (class, "parallel") => class.starts_with("java/util/stream/"),
        // of any collection
        (_, "parallelStream") => call.descriptor == "()Ljava/util/stream/Stream;",
        _ => false,
    }
}

/// Whether classes that extend this one of the JDK are threads', or tasks' that others wait for by `join`.
pub(crate) fn is_joined_of_jdk(class: &str) -> bool {
    let is_task = |class| {
        matches!(
            class,
            "ForkJoinTask"
                | "RecursiveTask"
                | "RecursiveAction"
                | "CountedCompleter"
                | "CompletableFuture"
        )
    };
    is_thread_of_jdk(class) || class.strip_prefix("java/util/concurrent/").is_some_and(is_task)
}

/// Whether a class of the JDK is a thread's, or makes threads.
pub(crate) fn is_thread_of_jdk(class: &str) -> bool {
    subclasses::is_of_jdk(class)
        && (class.ends_with("Thread") || class.starts_with("java/lang/Thread"))
}

/// Whether a call starts a thread or waits for its end, if the class that it names is a thread's or a task's: one of the
/// program, of which nothing is known here.
pub(crate) fn meets_others_if_joined(kind: InvokeKind, call: &MemberRef<'_>) -> bool {
    let named = match &*call.name {
        "start" => call.descriptor == "()V",
        "join" => {
            let (threads, tasks) = (["()V", "(J)V", "(JI)V"], "()Ljava/lang/Object;");
            let descriptor = &*call.descriptor;
            threads.contains(&descriptor)
                || ["(Ljava/time/Duration;)Z", tasks].contains(&descriptor)
        }
        _ => false,
    };
    // No interface is a thread's or a task's.
    let of_object = matches!(kind, InvokeKind::Virtual | InvokeKind::Special);
    named && of_object && !call.interface && !subclasses::is_of_jdk(&call.class)
}

/// The classes of [`is_function`].
pub(crate) const FUNCTIONS: [&str; 3] =
    ["java/lang/Math", "java/lang/StrictMath", "java/lang/String"];

/// Whether a call is known to compute something and to run no code but the JDK's.
pub(crate) fn is_function(member: &MemberRef<'_>) -> bool {
    match &*member.class {
        "java/lang/Math" | "java/lang/StrictMath" => true,
        "java/lang/String" => matches!(&*member.name, "length" | "charAt" | "isEmpty"),
        _ => false,
    }
}

/// Collections that are synchronized by themselves, and what hands tasks to a thread of its own.
const SYNCHRONIZED: [&str; 6] =
    ["Vector", "Stack", "Hashtable", "Properties", "Collections", "Timer"];

/// How the names begin of calls that put something into a collection.
const PUTS: [&str; 10] =
    ["put", "add", "offer", "push", "set", "replace", "merge", "compute", "insert", "schedule"];

/// Calls of concurrent collections and the like that only look, or take something out.
const LOOKS: [&str; 20] = [
    "get",
    "getOrDefault",
    "contains",
    "containsKey",
    "containsValue",
    "isEmpty",
    "size",
    "peek",
    "poll",
    "take",
    "iterator",
    "keySet",
    "entrySet",
    "values",
    "firstKey",
    "lastKey",
    "isDone",
    "isShutdown",
    "isTerminated",
    "<init>",
];

/// Whether a call may hand objects to other threads in ways that are not seen: queues, maps and executors are made for that, and the
/// old collections are synchronized by themselves. What is known as an interface may be any of these: see `Probe::Putting`.
pub(crate) fn may_hand_over(member: &MemberRef<'_>) -> bool {
    match member.class.strip_prefix("java/util/concurrent/") {
        Some("TimeUnit" | "ThreadLocalRandom") => false,
        Some(_) => !LOOKS.contains(&&*member.name),
        None => {
            let class = member.class.strip_prefix("java/util/");
            class.is_some_and(|class| SYNCHRONIZED.contains(&class)) && puts(member)
        }
    }
}

/// Whether a call puts something into a collection, by its name.
fn puts(member: &MemberRef<'_>) -> bool {
    let is_collection = member.class.strip_prefix("java/util/").is_some_and(|it| !it.contains('/'));
    is_collection && PUTS.iter().any(|it| member.name.starts_with(it))
}

/// Whether a call gives an array that nobody else knows.
pub(crate) fn makes_array(kind: InvokeKind, member: &MemberRef<'_>) -> bool {
    match (kind, &*member.class, &*member.name) {
        (InvokeKind::Static, "java/util/Arrays", "copyOf" | "copyOfRange") => true,
        (InvokeKind::Virtual, "java/lang/String", "toCharArray" | "getBytes") => {
            member.descriptor.contains(")[")
        }
        _ => false,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn call(class: &str, name: &str, descriptor: &str) -> MemberRef<'static> {
        MemberRef {
            class: class.to_owned().into(),
            name: name.to_owned().into(),
            descriptor: descriptor.to_owned().into(),
            interface: false,
        }
    }

    fn virtual_effect(class: &str, name: &str, descriptor: &str) -> Option<Effect> {
        effect(InvokeKind::Virtual, &call(class, name, descriptor))
    }

    #[test]
    fn waits_are_known_whatever_class_is_named() {
        let waits = Some(Effect::Around(Probe::Waiting, Probe::Waited));
        assert_eq!(virtual_effect("a/Account", "wait", "(J)V"), waits);
        assert_eq!(virtual_effect("a/Account", "wait", "(I)V"), None);
    }

    #[test]
    fn who_divides_work_meets_others() {
        let meets = |class: &str, name: &str, descriptor: &str| {
            meets_others(InvokeKind::Interface, &call(class, name, descriptor))
        };
        let (streams, stream) = ("()Ljava/util/stream/IntStream;", "()Ljava/util/stream/Stream;");
        assert!(meets("java/util/stream/IntStream", "parallel", streams));
        assert!(meets("java/util/List", "parallelStream", stream));
        assert!(meets("a/Names", "parallelStream", stream));
        assert!(meets("java/util/Arrays", "parallelSort", "([I)V"));
        let (map, each) =
            ("java/util/concurrent/ConcurrentHashMap", "Ljava/util/function/BiConsumer;)V");
        assert!(meets(map, "forEach", &format!("(J{each}")));
        assert!(!meets(map, "forEach", &format!("({each}")));
        assert!(!meets("java/util/stream/IntStream", "sequential", streams));
        assert!(!meets("java/util/List", "stream", stream));
        assert!(!meets("java/util/Arrays", "sort", "([I)V"));
        assert!(!meets("a/Gears", "parallel", "()V"));
    }

    #[test]
    fn calls_that_may_copy_are_clones() {
        let clones = Some(Effect::Result(Probe::Cloned));
        let descriptor = "()Ljava/lang/Object;";
        assert_eq!(virtual_effect("[I", "clone", descriptor), clones);
        assert_eq!(virtual_effect("a/B", "clone", descriptor), clones);
        assert_eq!(virtual_effect("a/B", "clone", "()La/B;"), None);
        let special = call("a/B", "clone", descriptor);
        assert_eq!(effect(InvokeKind::Special, &special), clones);
    }

    #[test]
    fn what_puts_something_somewhere_may_hand_it_over() {
        let may = |class: &str, name: &str| may_hand_over(&call(class, name, "()V"));
        assert!(may("java/util/concurrent/ConcurrentHashMap", "computeIfAbsent"));
        assert!(may("java/util/Vector", "addElement"));
        assert!(may("java/util/Timer", "schedule"));
        assert!(!may("java/util/concurrent/ConcurrentHashMap", "get"));
        assert!(!may("java/util/concurrent/TimeUnit", "toMillis"));
        assert!(!may("java/util/Vector", "elementAt"));
        assert!(!may("java/util/ArrayList", "add"));
        let put = call("java/util/Map", "put", "(Ljava/lang/Object;)V");
        let asks = Some(Effect::Before(Probe::Putting));
        assert_eq!(effect(InvokeKind::Interface, &put), asks);
    }

    #[test]
    fn copies_are_arrays_of_ones_own() {
        let makes = |kind, class: &str, name: &str, descriptor: &str| {
            makes_array(kind, &call(class, name, descriptor))
        };
        assert!(makes(InvokeKind::Static, "java/util/Arrays", "copyOf", "([II)[I"));
        assert!(makes(InvokeKind::Virtual, "java/lang/String", "getBytes", "()[B"));
        assert!(!makes(InvokeKind::Virtual, "java/lang/String", "getBytes", "(II[BI)V"));
        assert!(!makes(InvokeKind::Static, "java/util/Arrays", "asList", "([Ljava/lang/Object;)V"));
    }

    #[test]
    fn functions_open_windows_themselves() {
        let class = "java/util/concurrent/atomic/AtomicInteger";
        let descriptor = "(Ljava/util/function/IntUnaryOperator;)I";
        assert_eq!(
            virtual_effect(class, "updateAndGet", descriptor),
            Some(Effect::Applies(Probe::Updated))
        );
        assert_eq!(
            virtual_effect(class, "incrementAndGet", "()I"),
            Some(Effect::Window(Probe::AtomicUpdate))
        );
        assert_eq!(virtual_effect(class, "toString", "()Ljava/lang/String;"), None);
    }

    #[test]
    fn calls_by_super_meet_others_too() {
        let barrier = call("java/util/concurrent/CyclicBarrier", "await", "()I");
        assert!(meets_others(InvokeKind::Special, &barrier));
        assert_eq!(effect(InvokeKind::Special, &barrier), None);
    }

    #[test]
    fn start_and_join_may_be_a_threads() {
        let may = |class: &str, name: &str, descriptor: &str| {
            meets_others_if_joined(InvokeKind::Virtual, &call(class, name, descriptor))
        };
        assert!(may("a/Worker", "start", "()V"));
        assert!(may("a/Worker", "join", "(J)V"));
        assert!(!may("a/Worker", "start", "(I)V"));
        assert!(!may("a/Worker", "join", "()Ljava/lang/String;"));
        assert!(may("a/Task", "join", "()Ljava/lang/Object;"));
        assert!(!may("java/util/Timer", "start", "()V"));
    }

    #[test]
    fn several_permits_are_more_than_one() {
        let acquiring = |descriptor| {
            let effect = virtual_effect("java/util/concurrent/Semaphore", "tryAcquire", descriptor);
            let Some(Effect::AroundIf(probe, ..)) = effect else { return None };
            Some(probe)
        };
        assert_eq!(acquiring("()Z"), Some(Probe::Acquiring));
        assert_eq!(acquiring("(JLjava/util/concurrent/TimeUnit;)Z"), Some(Probe::Acquiring));
        assert_eq!(acquiring("(I)Z"), Some(Probe::AcquiringSome));
        assert_eq!(acquiring("(IJLjava/util/concurrent/TimeUnit;)Z"), Some(Probe::AcquiringSome));
    }

    #[test]
    fn an_exchange_may_fail() {
        let class = "java/util/concurrent/atomic/AtomicBoolean";
        assert_eq!(
            virtual_effect(class, "compareAndExchangeAcquire", "(ZZ)Z"),
            Some(Effect::Exchange(Probe::AtomicTry))
        );
    }

    #[test]
    fn a_method_that_meets_others_is_known_by_its_class() {
        let meets =
            |class: &str, name: &str| meets_others(InvokeKind::Virtual, &call(class, name, "()V"));
        assert!(meets("java/util/concurrent/Exchanger", "exchange"));
        assert!(meets("java/util/concurrent/Phaser", "arriveAndAwaitAdvance"));
        assert!(!meets("java/util/concurrent/locks/StampedLock", "tryConvertToReadLock"));
    }

    #[test]
    fn stamps_and_marks_change_with_their_references() {
        let class = "java/util/concurrent/atomic/AtomicMarkableReference";
        let read = Some(Effect::Window(Probe::AtomicRead));
        assert_eq!(virtual_effect(class, "isMarked", "()Z"), read);
        let tried = Some(Effect::Try(Probe::AtomicTry));
        assert_eq!(virtual_effect(class, "attemptMark", "(Ljava/lang/Object;Z)Z"), tried);
    }

    #[test]
    fn those_who_start_or_join_threads_meet_others() {
        let meets =
            |class: &str, name: &str| meets_others(InvokeKind::Virtual, &call(class, name, "()V"));
        assert!(meets("java/lang/Thread", "start"));
        assert!(meets("java/util/concurrent/locks/Condition", "signalAll"));
        assert!(meets("java/util/concurrent/Future", "get"));
        assert!(meets("java/lang/Object", "notifyAll"));
        assert!(!meets("a/MyThread", "start"));
        let fork = call("a/Task", "fork", "()Ljava/util/concurrent/ForkJoinTask;");
        assert!(meets_others(InvokeKind::Virtual, &fork));
        assert!(!meets("a/Knife", "fork"));
        // Semaphores are used as locks, too, and who sleeps does not wait for anybody.
        assert!(!meets("java/util/concurrent/Semaphore", "acquire"));
        assert!(!meets("java/lang/Thread", "sleep"));
        assert!(!meets("java/util/concurrent/locks/Lock", "lock"));
    }
}
