//! Classes that were loaded before the agent could weave them: sent through the hook once more.

use crate::frame::{Frame, Local};
use crate::names::{internal_name, is_hidden};
use crate::probe;
use crate::session::Session;
use interloper_weave::hooks;

/// Sends the hooked classes of the JDK, and whatever else is wanted, through the hook.
pub fn early_classes(session: &Session, frame: &Frame<'_>) {
    let wanted: Vec<(String, Local<'_>)> = frame
        .loaded_classes()
        .into_iter()
        .filter_map(|class| {
            let signature = frame.signature(class)?;
            let name = internal_name(&signature)?;
            wants(session, frame, class, name).then(|| (name.to_owned(), class))
        })
        .collect();
    session.tell_met();
    let classes: Vec<Local<'_>> = wanted.iter().map(|(_, class)| *class).collect();
    if classes.is_empty() || frame.retransform(&classes).is_ok() {
        return;
    }
    // One class that cannot be changed spoils the whole set: find it.
    for (name, class) in wanted {
        if let Err(error) = frame.retransform(&[class]) {
            session.skipped(
                &name,
                &format!("loaded early, and the JVM refuses to change it ({error:?})"),
            );
        }
    }
}

fn wants<'f>(session: &Session, frame: &Frame<'f>, class: Local<'f>, name: &str) -> bool {
    if is_hidden(name) || name.starts_with(probe::PREFIX) {
        return false;
    }
    if hooks::HOOKED.contains(&name) {
        return true;
    }
    session.weaver.meet(name);
    let from_jdk = session.is_of_jdk(frame, frame.loader(class));
    if !session.weaver.config().wants(name, from_jdk) {
        session.explain_refusal(name);
        return false;
    }
    let modifiable = frame.is_modifiable(class);
    if !modifiable {
        session.skipped(name, "the JVM lets nobody change it");
    }
    modifiable
}
