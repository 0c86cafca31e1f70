//! The calls of the probe: names, types, and how they are put into snippets.

use interloper_jvm::rewrite::{NewConstants, Refusal, Snippet};
use interloper_jvm::{Local, PoolIndex};

/// The class of what a thread has at hand, "the context".
pub(crate) const CONTEXT: &str = "java/lang/InterloperThread";

/// The class of what a site has to go through an array.
pub(crate) const RUN: &str = "java/lang/InterloperRun";

/// The class that begins blocks which may turn out not to be atomic.
const STARTS: &str = "java/lang/InterloperStarts";

/// object, context, site
const OBJECT: &str = "(Ljava/lang/Object;Ljava/lang/InterloperThread;I)V";
/// object, function, context, site → function
const FUNCTION: &str =
    "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/InterloperThread;I)Ljava/lang/Object;";
/// object, context, site → since
const OBJECT_FIRST: &str = "(Ljava/lang/Object;Ljava/lang/InterloperThread;I)I";
/// object, context, site, since, the first one's site
const OBJECT_LAST: &str = "(Ljava/lang/Object;Ljava/lang/InterloperThread;III)V";
/// condition, object, context, site
const OBJECT_IF: &str = "(ZLjava/lang/Object;Ljava/lang/InterloperThread;I)V";
/// object, stamp, context, site
const STAMP: &str = "(Ljava/lang/Object;JLjava/lang/InterloperThread;I)V";
/// stamp or number, object, context, site
const STAMP_RESULT: &str = "(JLjava/lang/Object;Ljava/lang/InterloperThread;I)V";
/// object, index or number, context, site
const ELEMENT: &str = "(Ljava/lang/Object;ILjava/lang/InterloperThread;I)V";
/// handle, object, context, site
const HANDLE: &str = "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/InterloperThread;I)V";
/// handle, array, index, context, site
const HANDLE_ELEMENT: &str =
    "(Ljava/lang/Object;Ljava/lang/Object;ILjava/lang/InterloperThread;I)V";
/// object, context, site, since → since
const OBJECT_ROUND: &str = "(Ljava/lang/Object;Ljava/lang/InterloperThread;II)I";
/// object, index, context, site, since → since
const ELEMENT_ROUND: &str = "(Ljava/lang/Object;ILjava/lang/InterloperThread;ILjava/lang/InterloperRun;)Ljava/lang/InterloperRun;";
/// class, context, site, since → since
const STATIC_ROUND: &str = "(Ljava/lang/Class;Ljava/lang/InterloperThread;II)I";
/// class, context, site
const STATIC: &str = "(Ljava/lang/Class;Ljava/lang/InterloperThread;I)V";
/// context, number
const NUMBER: &str = "(Ljava/lang/InterloperThread;I)V";
/// context
const BARE: &str = "(Ljava/lang/InterloperThread;)V";
/// context → number
const COUNT: &str = "(Ljava/lang/InterloperThread;)I";
/// context → condition
const CONDITION: &str = "(Ljava/lang/InterloperThread;)Z";
/// object, context, site → condition
const LOOK: &str = "(Ljava/lang/Object;Ljava/lang/InterloperThread;I)Z";
/// two objects
const PAIR: &str = "(Ljava/lang/Object;Ljava/lang/Object;)V";

macro_rules! probes {
    ($($class:ident { $($probe:ident $name:literal $descriptor:expr;)* })*) => {
        /// A method of the probe.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Probe { $($($probe,)*)* }

        impl Probe {
            /// All of them.
            const ALL: &[Probe] = &[$($(Probe::$probe,)*)*];

            /// Class, name and descriptor.
            fn method(self) -> (&'static str, &'static str, &'static str) {
                match self {
                    $($(Probe::$probe => {
                        (concat!("java/lang/", stringify!($class)), $name, $descriptor)
                    })*)*
                }
            }
        }
    };
}

probes! {
    InterloperProbe {
        Here "here" "()Ljava/lang/InterloperThread;";
        Begin "begin" "(Ljava/lang/InterloperThread;I)I";
        BeginLeaf "beginLeaf" "(Ljava/lang/InterloperThread;I)I";
        Depth "depth" COUNT;
        End "end" NUMBER;
        IsPlain "isPlain" CONDITION;
        BeginTold "beginTold" BARE;
        CloseTold "closeTold" BARE;
        Since "since" COUNT;
        EndLeaf "endLeaf" NUMBER;
        CloseLeaf "closeLeaf" NUMBER;
        Caught "caught" NUMBER;
        Leave "leave" BARE;
        Close "close" BARE;
        Poll "poll" BARE;
        BeginBlock "beginBlock" NUMBER;
        EndBlock "endBlock" BARE;
    }
    InterloperCopies {
        LeavingCopy "leaving" "(Ljava/lang/Throwable;)V";
    }
    InterloperFields {
        ReadTold "readTold" LOOK;
        WriteTold "writeTold" LOOK;
        ReadsTold "readsTold" LOOK;
        WritesTold "writesTold" LOOK;
        Read "read" OBJECT;
        Write "write" OBJECT;
        ReadStatic "readStatic" STATIC;
        WriteStatic "writeStatic" STATIC;
        ReadSince "readSince" OBJECT_ROUND;
        WriteSince "writeSince" OBJECT_ROUND;
        ReadStaticSince "readStaticSince" STATIC_ROUND;
    }
    InterloperTogether {
        ReadFirst "readFirst" OBJECT_FIRST;
        WriteFirst "writeFirst" OBJECT_FIRST;
        ReadNext "readNext" OBJECT_ROUND;
        WriteNext "writeNext" OBJECT_ROUND;
        ReadLast "readLast" OBJECT_LAST;
        WriteLast "writeLast" OBJECT_LAST;
    }
    InterloperElements {
        ReadElement "readElement" ELEMENT;
        WriteElement "writeElement" ELEMENT;
        ReadElementAgain "readElementAgain" ELEMENT;
        WriteElementAgain "writeElementAgain" ELEMENT;
        ReadElementSince "readElementSince" ELEMENT_ROUND;
        WriteElementSince "writeElementSince" ELEMENT_ROUND;
        ReadElementAgainSince "readElementAgainSince" ELEMENT_ROUND;
        WriteElementAgainSince "writeElementAgainSince" ELEMENT_ROUND;
        Nowhere "nowhere" "()Ljava/lang/InterloperRun;";
    }
    InterloperMade {
        Cloned "cloned" PAIR;
        Made "made" OBJECT;
        MadeArray "madeArray" "(Ljava/lang/Object;Ljava/lang/InterloperThread;)V";
        HandingOver "handingOver" BARE;
        Putting "putting" OBJECT;
    }
    InterloperAtomics {
        AtomicRead "atomicRead" OBJECT;
        AtomicWrite "atomicWrite" OBJECT;
        AtomicUpdate "atomicUpdate" OBJECT;
        AtomicTry "atomicTry" OBJECT;
        AtomicReadElement "atomicReadElement" ELEMENT;
        AtomicWriteElement "atomicWriteElement" ELEMENT;
        AtomicUpdateElement "atomicUpdateElement" ELEMENT;
        AtomicTryElement "atomicTryElement" ELEMENT;
        Updating "updating" FUNCTION;
        Updated "updated" OBJECT;
        UpdatedElement "updatedElement" ELEMENT;
        Tried "tried" "(ZLjava/lang/InterloperThread;I)V";
    }
    InterloperCalls {
        Entered "entered" OBJECT;
        Exiting "exiting" OBJECT;
        Waiting "waiting" OBJECT;
        Waited "waited" OBJECT;
        Notifying "notifying" OBJECT;
        Locked "locked" OBJECT;
        LockedIf "lockedIf" OBJECT_IF;
        Unlocking "unlocking" OBJECT;
        ReadLocked "readLocked" OBJECT;
        ReadLockedIf "readLockedIf" OBJECT_IF;
        ReadUnlocking "readUnlocking" OBJECT;
        WriteLocked "writeLocked" OBJECT;
        WriteLockedIf "writeLockedIf" OBJECT_IF;
        WriteUnlocking "writeUnlocking" OBJECT;
        Views "views" PAIR;
        Condition "condition" PAIR;
        Awaiting "awaiting" OBJECT;
        AwaitingUnlessInterrupted "awaitingUnlessInterrupted" OBJECT;
        Awaited "awaited" OBJECT;
        Acquiring "acquiring" OBJECT;
        AcquiringSome "acquiringSome" ELEMENT;
        Releasing "releasing" OBJECT;
        Released "released" OBJECT;
        Signalled "signalled" OBJECT;
        SignalledIf "signalledIf" OBJECT_IF;
        Arriving "arriving" OBJECT;
        Arrived "arrived" OBJECT;
        Unstamping "unstamping" STAMP;
        Restamping "restamping" STAMP;
        ReadStamped "readStamped" STAMP_RESULT;
        WriteStamped "writeStamped" STAMP_RESULT;
        Glanced "glanced" STAMP_RESULT;
        ValidatedIf "validatedIf" OBJECT_IF;
        CountingDown "countingDown" OBJECT;
        CountedDown "countedDown" OBJECT;
        Counted "counted" STAMP_RESULT;
        Completing "completing" OBJECT;
        Finding "finding" OBJECT;
        PhaseArriving "phaseArriving" OBJECT;
        PhaseMeeting "phaseMeeting" OBJECT;
        PhasePassed "phasePassed" "(ILjava/lang/Object;Ljava/lang/InterloperThread;I)V";
        Exchanging "exchanging" HANDLE;
        Exchanged "exchanged" HANDLE;
        InvokedAll "invokedAll" HANDLE;
        HandleGet "handleGet" HANDLE;
        HandleSet "handleSet" HANDLE;
        HandleRead "handleRead" HANDLE;
        HandleWrite "handleWrite" HANDLE;
        HandleUpdate "handleUpdate" HANDLE;
        HandleUpdating "handleUpdating"
            "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/InterloperThread;I)Ljava/lang/Object;";
        HandleUpdated "handleUpdated" HANDLE;
        HandleTry "handleTry" HANDLE;
        HandleTried "handleTried"
            "(ZLjava/lang/Object;Ljava/lang/Object;Ljava/lang/InterloperThread;I)V";
        HandleGetElement "handleGetElement" HANDLE_ELEMENT;
        HandleSetElement "handleSetElement" HANDLE_ELEMENT;
        HandleReadElement "handleReadElement" HANDLE_ELEMENT;
        HandleWriteElement "handleWriteElement" HANDLE_ELEMENT;
        HandleUpdateElement "handleUpdateElement" HANDLE_ELEMENT;
        HandleTryElement "handleTryElement" HANDLE_ELEMENT;
        HandleTriedElement "handleTriedElement"
            "(ZLjava/lang/Object;Ljava/lang/Object;ILjava/lang/InterloperThread;I)V";
        Only "only" "(Ljava/lang/Object;I)Ljava/lang/Object;";
        Getting "getting" OBJECT;
        Got "got" OBJECT;
        SameInt "same" "(II)Z";
        SameLong "same" "(JJ)Z";
        SameFloat "same" "(FF)Z";
        SameDouble "same" "(DD)Z";
        SameReference "same" "(Ljava/lang/Object;Ljava/lang/Object;)Z";
    }
}

impl Probe {
    /// What it takes and gives.
    pub(crate) fn descriptor(self) -> &'static str {
        self.method().2
    }
}

/// The constants for the probe's methods that a class has by now.
#[derive(Debug, Default)]
pub(crate) struct ProbeConstants {
    known: Vec<Option<PoolIndex>>,
}

/// Makes snippets for a method. What the constant pool refuses is remembered, not said at once: the
/// method is then not edited at all.
pub(crate) struct Maker<'m, 'a> {
    pub(crate) constants: &'m mut NewConstants<'a>,
    pub(crate) probes: &'m mut ProbeConstants,
    pub(crate) refused: Option<Refusal>,
}

impl Maker<'_, '_> {
    /// The constant, or any if there is no place for it.
    fn or_refuse(&mut self, constant: Result<PoolIndex, Refusal>) -> PoolIndex {
        constant.unwrap_or_else(|refusal| {
            self.refused.get_or_insert(refusal);
            PoolIndex(0)
        })
    }

    /// Calls the probe with what is on the stack.
    pub(crate) fn call(&mut self, snippet: Snippet, probe: Probe) -> Snippet {
        let (class, name, descriptor) = probe.method();
        self.probes.known.resize(Probe::ALL.len(), None);
        let constant = match self.probes.known[probe as usize] {
            Some(constant) => constant,
            None => {
                let constant = self.constants.method(class, name, descriptor);
                let constant = self.or_refuse(constant);
                // One that was refused is not kept: the next method may be spared it.
                self.probes.known[probe as usize] = Some(constant).filter(|it| it.0 != 0);
                constant
            }
        };
        snippet.invoke_static(constant)
    }

    /// → number
    pub(crate) fn number(&mut self, snippet: Snippet, number: u32) -> Snippet {
        let value = number as i32;
        // Small numbers need no constant; which ones is for the snippet to know.
        let constant = match i16::try_from(value) {
            Ok(_) => PoolIndex(0),
            Err(_) => {
                let constant = self.constants.integer(value);
                self.or_refuse(constant)
            }
        };
        snippet.push_int(value, || constant)
    }

    /// Something that needs constants of its own.
    pub(crate) fn with_constants(
        &mut self,
        put: impl FnOnce(&mut NewConstants<'_>) -> Result<Snippet, Refusal>,
    ) -> Snippet {
        put(self.constants).unwrap_or_else(|refusal| {
            self.refused.get_or_insert(refusal);
            Snippet::new()
        })
    }

    /// Calls the probe with what is on the stack, the context and a number.
    pub(crate) fn call_at(
        &mut self,
        snippet: Snippet,
        probe: Probe,
        context: Local,
        number: u32,
    ) -> Snippet {
        let snippet = self.number(snippet.load_reference(context), number);
        self.call(snippet, probe)
    }

    /// Begins the block of a method of this class, unless one of the named classes is a thread's: → what
    /// was saved
    pub(crate) fn begin_unless(
        &mut self,
        snippet: Snippet,
        (context, method): (Local, u32),
        class: &str,
        names: &str,
    ) -> Snippet {
        let snippet = self.number(snippet.load_reference(context), method);
        let snippet = self.class(snippet, class);
        let names = self.constants.string(names);
        let snippet = snippet.load_constant(self.or_refuse(names));
        let descriptor = "(Ljava/lang/InterloperThread;ILjava/lang/Class;Ljava/lang/String;)I";
        let begin = self.constants.method(STARTS, "begin", descriptor);
        snippet.invoke_static(self.or_refuse(begin))
    }

    /// → class
    pub(crate) fn class(&mut self, snippet: Snippet, name: &str) -> Snippet {
        let constant = self.constants.class(name);
        snippet.load_constant(self.or_refuse(constant))
    }

    /// → the running thread
    pub(crate) fn current_thread(&mut self, snippet: Snippet) -> Snippet {
        let constant =
            self.constants.method("java/lang/Thread", "currentThread", "()Ljava/lang/Thread;");
        snippet.invoke_static(self.or_refuse(constant))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interloper_jvm::{AccessFlags, ClassFile};

    #[test]
    fn the_compiled_probe_has_what_woven_code_calls() {
        for probe in Probe::ALL {
            let (class, name, descriptor) = probe.method();
            let file = class.replace("java/lang/", "/../agent/probe/") + ".class";
            let bytes = std::fs::read(env!("CARGO_MANIFEST_DIR").to_owned() + &file).unwrap();
            let class = ClassFile::parse(&bytes).unwrap();
            let called = AccessFlags(AccessFlags::PUBLIC.0 | AccessFlags::STATIC.0);
            let is_there = class.methods.iter().any(|it| {
                class.member_name(it) == name
                    && class.member_descriptor(it) == descriptor
                    && it.access.contains(called)
            });
            assert!(is_there, "{}.{name}{descriptor}", class.name);
        }
    }
}
