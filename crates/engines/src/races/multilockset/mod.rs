//! The multilockset algorithm (Wang and Stoller, 2006, section 5.4, figure 3).
//!
//! Of each variable: the locks held at all writes, the *least* sets of locks held at reads, and the
//! periods in which it was written and read. A race is possible if a write can overlap with another
//! access ([`super::overlap`]) and either no lock is common to all writes, or some read held none
//! of those that are. So a writer that holds two locks lets readers use either.
//!
//! **Guarantee.** If some schedule of the trace's events (each thread's own order kept; locks,
//! start, join and barriers respected) lets two conflicting plain accesses run at the same time,
//! the variable is reported, at the later one of them at the latest. For these two have no lock in
//! common and their periods are concurrent, so that either no lock is common to all writes, or the
//! read of the two held none of them. Events that did not happen in this run are not considered;
//! nor are accesses before the `escape` of their object.
//!
//! False alarms there are: the sets do not tell which locks were held in which period, nor by whom.
//! A thread that reads without a lock what it alone writes, under two locks of which all others
//! hold one when they read, is reported (figure 4 with t2, t3 and t4). The guarantee needs no
//! absence of deadlocks, but two accesses that only a deadlock keeps apart are reported as well.
//!
//! **Deviations.** As printed, the update of `ReadSets` removes the sets that are part of the new
//! one, which the test before it has excluded; the text says what is meant: the least sets stay. Of
//! those, only locks that are held at all writes so far are kept, which makes no difference and few
//! sets. Beyond 32 sets two are merged ([`antichain`]). The period sets are kept short
//! ([`super::overlap`]).
//!
//! **Cost.** Constant time for an access that tells nothing new. Memory by variables, by their
//! least sets of locks (at most 32) and, until overlapping accesses have been seen, by the
//! concurrent periods that accessed them.

mod antichain;
mod table;

pub(crate) use table::Table;

use super::hands::Grip;
use super::overlap::Order;
use super::report::list;
use super::scene::Scene;
use super::watch::{Detector, Watch};
use super::{Touch, watch};
use crate::engine::{Engine, Guarantee, Stat};
use interloper_findings::Sink;
use interloper_trace::{Batch, Names, VarId};

struct Many(Table);

impl Default for Many {
    fn default() -> Many {
        Many(Table::new(Order::Periods))
    }
}

impl Detector for Many {
    const NAME: &'static str = "multilockset";
    const GUARANTEE: Guarantee = Guarantee {
        promise: "complete: warns of every race that another schedule of the same events can show",
        all_clear: "no schedule of these events has a race; other events may",
    };
    const ORDER: Order = Order::Periods;

    #[inline(always)]
    fn glance(&self, _key: usize, touch: &Touch<Grip>, scene: &Scene) -> watch::Glance {
        self.0.glance(touch, |set| scene.hands.surely_hold(touch.thread, set))
    }

    fn access(&mut self, _key: usize, touch: &Touch<Grip>, scene: &mut Scene) -> watch::News {
        self.0.feed(touch, &mut scene.locksets, &scene.periods)
    }

    fn renew(&mut self, key: usize) {
        self.0.renew(VarId(key as u32));
    }

    #[inline(always)]
    fn touch(&self, key: usize) -> u32 {
        self.0.touch(VarId(key as u32))
    }

    fn why(&self, key: usize, scene: &Scene, names: &Names) -> String {
        let writes = self.0.write_set(VarId(key as u32));
        let locks = writes.map(|set| scene.locksets.locks(set)).unwrap_or_default();
        match &locks[..] {
            [] => "no lock is held at all writes, and one can overlap with another access".into(),
            locks => {
                let locks = list(locks, names);
                format!(
                    "all writes hold {locks}, but some read does not, \
                     and reads can overlap with writes"
                )
            }
        }
    }
}

/// The multilockset engine. See the head of `races/multilockset/mod.rs`.
#[derive(Default)]
pub struct Multilockset(Watch<Many>);

impl Multilockset {
    /// A new engine, before any event.
    pub fn new() -> Multilockset {
        Multilockset::default()
    }
}

watch::delegate!(Multilockset);
