//! The engines as a library: feed events, get findings.
//!
//! `cargo run -p interloper-engines --example lost_update`

use interloper_engines::{Checker, Frontier, Velodrome};
use interloper_trace::{Event, Names};

fn main() {
    let mut names = Names::default();
    let (alice, bob) = (names.thread("alice"), names.thread("bob"));
    let balance = names.var("balance");
    let withdraw = names.label("Account.withdraw");
    let (enters, looks, takes) = (
        names.site("Account.java:10"),
        names.site("Account.java:12"),
        names.site("Account.java:14"),
    );

    let mut checker =
        Checker::new([Box::new(Frontier::new()) as _, Box::new(Velodrome::new()) as _]);
    for event in [
        Event::begin(alice, withdraw, enters),
        Event::read(alice, balance, looks),
        Event::begin(bob, withdraw, enters),
        Event::read(bob, balance, looks),
        Event::write(bob, balance, takes),
        Event::end(bob, takes),
        Event::write(alice, balance, takes),
        Event::end(alice, takes),
    ] {
        checker.push(event, &names);
    }

    checker.finish(&names);
    for outcome in checker.outcomes(&names) {
        for finding in &outcome.findings {
            println!("{}: event {}: {}", outcome.engine, finding.event, finding.message);
            for step in &finding.steps {
                println!("    {} {} at {}", step.thread, step.action, step.at);
            }
        }
    }
}
