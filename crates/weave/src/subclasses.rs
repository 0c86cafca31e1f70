//! Calls of the JDK through a class of the program: `MyLock extends ReentrantLock`.
//!
//! The instruction names a class of which nothing is known here, not even whether it extends anything. Name and
//! descriptor tell whose method it may be; the probe asks the receiver before it is told anything ([`Guard`]).
//! Calls of other names, or with other parameters, cost nothing.
//!
//! Deviations: a method that a subclass overrides counts as the JDK's. Conditions, `StampedLock`, `Exchanger` and
//! atomic arrays are known by the JDK's own names only. Which blocks are atomic is decided before anything runs, so
//! waiting through such a class does not count there.

use crate::calls::{self, Effect};
use crate::probe::Probe;
use interloper_jvm::{InvokeKind, MemberRef};

/// Which class the receiver must be an instance of; `InterloperProbe.only` knows the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Guard {
    /// A `ReentrantLock`, or a part of a read-write lock.
    Lock = 1,
    ReadWriteLock,
    Semaphore,
    Latch,
    Barrier,
    Phaser,
    Future,
    CompletableFuture,
    AtomicInteger,
    AtomicLong,
    AtomicBoolean,
    AtomicReference,
}

/// Methods of a class: each name with all its descriptors.
struct Methods {
    guard: Guard,
    /// Behind `java/util/concurrent/`.
    class: &'static str,
    methods: &'static [(&'static str, &'static [&'static str])],
}

const TIMED_BOOLEAN: &str = "(JLjava/util/concurrent/TimeUnit;)Z";
const OBJECT: &str = "()Ljava/lang/Object;";
const TIMED_OBJECT: &str = "(JLjava/util/concurrent/TimeUnit;)Ljava/lang/Object;";

const METHODS: &[Methods] = &[
    Methods {
        guard: Guard::Lock,
        class: "locks/Lock",
        methods: &[
            ("lock", &["()V"]),
            ("lockInterruptibly", &["()V"]),
            ("tryLock", &["()Z", TIMED_BOOLEAN]),
            ("unlock", &["()V"]),
            ("newCondition", &["()Ljava/util/concurrent/locks/Condition;"]),
        ],
    },
    Methods {
        guard: Guard::ReadWriteLock,
        class: "locks/ReentrantReadWriteLock",
        methods: &[
            (
                "readLock",
                &[
                    "()Ljava/util/concurrent/locks/Lock;",
                    "()Ljava/util/concurrent/locks/ReentrantReadWriteLock$ReadLock;",
                ],
            ),
            (
                "writeLock",
                &[
                    "()Ljava/util/concurrent/locks/Lock;",
                    "()Ljava/util/concurrent/locks/ReentrantReadWriteLock$WriteLock;",
                ],
            ),
        ],
    },
    Methods {
        guard: Guard::Semaphore,
        class: "Semaphore",
        methods: &[
            ("acquire", &["()V", "(I)V"]),
            ("acquireUninterruptibly", &["()V", "(I)V"]),
            ("tryAcquire", &["()Z", "(I)Z", TIMED_BOOLEAN, "(IJLjava/util/concurrent/TimeUnit;)Z"]),
            ("release", &["()V", "(I)V"]),
        ],
    },
    Methods {
        guard: Guard::Latch,
        class: "CountDownLatch",
        methods: &[
            ("countDown", &["()V"]),
            ("await", &["()V", TIMED_BOOLEAN]),
            ("getCount", &["()J"]),
        ],
    },
    Methods {
        guard: Guard::Barrier,
        class: "CyclicBarrier",
        methods: &[("await", &["()I", "(JLjava/util/concurrent/TimeUnit;)I"])],
    },
    Methods {
        guard: Guard::Phaser,
        class: "Phaser",
        methods: &[
            ("arriveAndAwaitAdvance", &["()I"]),
            ("arrive", &["()I"]),
            ("arriveAndDeregister", &["()I"]),
            ("awaitAdvance", &["(I)I"]),
            ("awaitAdvanceInterruptibly", &["(I)I", "(IJLjava/util/concurrent/TimeUnit;)I"]),
        ],
    },
    Methods {
        guard: Guard::Future,
        class: "CompletableFuture",
        methods: &[
            ("join", &[OBJECT]),
            ("get", &[TIMED_OBJECT]),
            ("getNow", &["(Ljava/lang/Object;)Ljava/lang/Object;"]),
            ("resultNow", &[OBJECT]),
        ],
    },
    Methods {
        guard: Guard::Future,
        class: "ForkJoinTask",
        methods: &[
            ("invoke", &[OBJECT]),
            ("quietlyInvoke", &["()V"]),
            ("quietlyJoin", &["()V", TIMED_BOOLEAN]),
            ("quietlyJoinUninterruptibly", &[TIMED_BOOLEAN]),
        ],
    },
    Methods {
        guard: Guard::CompletableFuture,
        class: "CompletableFuture",
        methods: &[
            ("complete", &["(Ljava/lang/Object;)Z"]),
            ("completeExceptionally", &["(Ljava/lang/Throwable;)Z"]),
        ],
    },
];

/// The atomics by the type of their value.
const ATOMICS: [(&str, Guard, &str); 4] = [
    ("I", Guard::AtomicInteger, "atomic/AtomicInteger"),
    ("J", Guard::AtomicLong, "atomic/AtomicLong"),
    ("Z", Guard::AtomicBoolean, "atomic/AtomicBoolean"),
    ("Ljava/lang/Object;", Guard::AtomicReference, "atomic/AtomicReference"),
];

/// What a call of a class that is not the JDK's may be; none for most.
pub(crate) fn effect(kind: InvokeKind, call: &MemberRef<'_>) -> Option<Effect> {
    if is_get(kind, call) {
        return Some(Effect::Around(Probe::Getting, Probe::Got));
    }
    let (_, class) = found(kind, call)?;
    let class = format!("java/util/concurrent/{class}").into();
    calls::effect(InvokeKind::Virtual, &MemberRef { class, ..call.clone() })
}

/// Whether the class that a call names is only a guess.
pub(crate) fn is_guess(kind: InvokeKind, call: &MemberRef<'_>) -> bool {
    is_get(kind, call) || found(kind, call).is_some()
}

/// What the receiver of a call is asked for before the probe is told.
pub(crate) fn guard(kind: InvokeKind, call: &MemberRef<'_>) -> Option<Guard> {
    found(kind, call).map(|(guard, _)| guard)
}

/// `get()` is a method of `AtomicReference` and of `Future`: the probe has to tell them apart.
fn is_get(kind: InvokeKind, call: &MemberRef<'_>) -> bool {
    may_be(kind, call) && call.name == "get" && call.descriptor == OBJECT
}

fn may_be(kind: InvokeKind, call: &MemberRef<'_>) -> bool {
    matches!(kind, InvokeKind::Virtual | InvokeKind::Interface) && !is_of_jdk(&call.class)
}

/// Whether a class is the JDK's, as far as its name tells.
pub(crate) fn is_of_jdk(class: &str) -> bool {
    ["java/", "javax/", "jdk/", "sun/", "["].iter().any(|it| class.starts_with(it))
}

fn found(kind: InvokeKind, call: &MemberRef<'_>) -> Option<(Guard, &'static str)> {
    if !may_be(kind, call) || is_get(kind, call) {
        return None;
    }
    let has = |methods: &&Methods| {
        methods.methods.iter().any(|(name, descriptors)| {
            *name == call.name && descriptors.contains(&&*call.descriptor)
        })
    };
    let known = METHODS.iter().find(has).map(|it| (it.guard, it.class));
    known.or_else(|| {
        let atomic = ATOMICS.iter().find(|it| is_of_atomic(&call.name, &call.descriptor, it.0));
        atomic.map(|(_, guard, class)| (*guard, *class))
    })
}

/// Whether an atomic whose value has this type has such a method.
fn is_of_atomic(name: &str, descriptor: &str, value: &str) -> bool {
    let (parameters, result) = match name {
        "get" | "getPlain" | "getOpaque" | "getAcquire" => (0, value),
        "set" | "lazySet" | "setPlain" | "setOpaque" | "setRelease" => (1, "V"),
        "compareAndSet"
        | "weakCompareAndSetPlain"
        | "weakCompareAndSetAcquire"
        | "weakCompareAndSetRelease"
        | "weakCompareAndSetVolatile" => (2, "Z"),
        "getAndSet" | "getAndAdd" | "addAndGet" => (1, value),
        "getAndIncrement" | "getAndDecrement" | "incrementAndGet" | "decrementAndGet" => (0, value),
        _ => return false,
    };
    let inner = descriptor.strip_prefix('(').and_then(|it| it.strip_suffix(result));
    let inner = inner.and_then(|it| it.strip_suffix(')'));
    inner.is_some_and(|inner| {
        inner.len() == parameters * value.len()
            && (0..parameters).all(|i| inner[i * value.len()..].starts_with(value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::tests::call;

    fn asked(class: &str, name: &str, descriptor: &str) -> Option<Guard> {
        guard(InvokeKind::Virtual, &call(class, name, descriptor))
    }

    #[test]
    fn name_and_descriptor_tell_whose_method_it_may_be() {
        assert_eq!(asked("a/MyLock", "lock", "()V"), Some(Guard::Lock));
        assert_eq!(asked("a/MyLock", "lock", "(I)V"), None);
        assert_eq!(asked("a/Door", "open", "()V"), None);
        assert_eq!(asked("a/Count", "compareAndSet", "(JJ)Z"), Some(Guard::AtomicLong));
        assert_eq!(asked("a/Count", "getAndAdd", "(I)I"), Some(Guard::AtomicInteger));
        assert_eq!(asked("a/Count", "getAndAdd", "(I)J"), None);
        let objects = "(Ljava/lang/Object;Ljava/lang/Object;)Z";
        assert_eq!(asked("a/Node", "compareAndSet", objects), Some(Guard::AtomicReference));
    }

    #[test]
    fn the_probe_itself_asks_what_is_got_from() {
        assert_eq!(asked("a/Own", "get", OBJECT), None);
        let got = effect(InvokeKind::Virtual, &call("a/Own", "get", OBJECT));
        assert_eq!(got, Some(Effect::Around(Probe::Getting, Probe::Got)));
    }

    #[test]
    fn classes_of_the_jdk_are_known_by_themselves() {
        assert_eq!(asked("java/util/concurrent/locks/ReentrantLock", "lock", "()V"), None);
        assert_eq!(asked("java/nio/channels/FileChannel", "lock", "()V"), None);
        let special = guard(InvokeKind::Special, &call("a/MyLock", "lock", "()V"));
        assert_eq!(special, None);
    }

    #[test]
    fn every_method_of_the_table_has_an_effect() {
        for methods in METHODS {
            for (name, descriptors) in methods.methods {
                for descriptor in *descriptors {
                    let guessed = call("a/Own", name, descriptor);
                    assert!(effect(InvokeKind::Virtual, &guessed).is_some(), "{name}{descriptor}");
                }
            }
        }
    }
}
