//! Order that goes one way only: from who gives a signal to who has waited for it.
//!
//! A signal is a write of a variable of its own, and who waits reads those of all others: this is how it is recorded.

#[derive(Clone, Default)]
pub struct Signals(Vec<Signal>);

#[derive(Clone)]
struct Signal {
    thread: usize,
    kind: Kind,
}

/// Who gives a signal, or waits for it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Alone,
    /// One of several readers: their signals are not for each other.
    Shared,
}

impl Signals {
    /// The number of a new one.
    pub fn give(&mut self, thread: usize, kind: Kind) -> usize {
        self.0.push(Signal { thread, kind });
        self.0.len() - 1
    }

    /// The numbers of those that a thread has waited for.
    pub fn awaited(&self, thread: usize, kind: Kind) -> Vec<usize> {
        let counts = |signal: &Signal| {
            signal.thread != thread && (kind == Kind::Alone || signal.kind == Kind::Alone)
        };
        let signals = self.0.iter().enumerate();
        signals.filter(|(_, signal)| counts(signal)).map(|(number, _)| number).collect()
    }
}
