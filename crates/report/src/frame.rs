//! Locations as Java writes them in stack traces: `com.acme.Account.withdraw(Account.java:12)`.

use crate::words::name;

/// A method, and where in its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Frame<'a> {
    /// With package and class: `com.acme.Account.withdraw`.
    pub method: &'a str,
    /// What stands in the brackets: `Account.java:12`, or `Account.java` where no line is known.
    pub place: &'a str,
}

impl<'a> Frame<'a> {
    /// Reads a location; `None` if it is of another form.
    pub fn parse(at: &'a str) -> Option<Frame<'a>> {
        let (method, place) = at.strip_suffix(')')?.rsplit_once('(')?;
        let (class, own) = method.rsplit_once('.')?;
        (!class.is_empty() && !own.is_empty() && !place.is_empty())
            .then_some(Frame { method, place })
    }

    /// The folder of the package, as source folders have it: `com/acme`; empty for the package without a name.
    pub fn folder(&self) -> String {
        let class = self.method.rsplit_once('.').map_or("", |(class, _)| class);
        class.rsplit_once('.').map_or(String::new(), |(package, _)| package.replace('.', "/"))
    }

    /// The method without its package: `Account.withdraw`.
    pub fn short_method(&self) -> &'a str {
        let dots = self.method.rmatch_indices('.').nth(1);
        dots.map_or(self.method, |(dot, _)| &self.method[dot + 1..])
    }
}

/// A location for people, safe to print: without the package, which the file's name and the names of blocks tell well
/// enough, and without the method if that is the `known` one.
pub(crate) fn short(at: &str, known: Option<&str>) -> String {
    match Frame::parse(at) {
        Some(frame) if known == Some(frame.method) => name(frame.place),
        Some(frame) => name(&format!("{}({})", frame.short_method(), frame.place)),
        None => name(at),
    }
}

/// A location in the least room, safe to print: of a frame the place only.
pub(crate) fn brief(at: &str) -> String {
    name(Frame::parse(at).map_or(at, |frame| frame.place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_a_method_and_a_place() {
        let frame = Frame::parse("com.acme.Account$Log.<init>(Account.java:12)").unwrap();
        assert_eq!(frame.method, "com.acme.Account$Log.<init>");
        assert_eq!(frame.place, "Account.java:12");
        assert_eq!(frame.folder(), "com/acme");
        assert_eq!(frame.short_method(), "Account$Log.<init>");
        let frame = Frame::parse("Main.main(Main.java:3)").unwrap();
        assert_eq!((frame.folder().as_str(), frame.short_method()), ("", "Main.main"));
    }

    #[test]
    fn other_locations_are_no_frames() {
        for at in ["", "Account.java:12", "f(x.c:3)", "a.b()", ".b(x:1)", "a.(x:1)", "a.b(x:1) "] {
            assert_eq!(Frame::parse(at), None, "{at:?}");
        }
    }

    #[test]
    fn what_is_known_is_not_said_again() {
        let at = "com.acme.Account.withdraw(Account.java:12)";
        assert_eq!(short(at, None), "Account.withdraw(Account.java:12)");
        assert_eq!(short(at, Some("com.acme.Account.withdraw")), "Account.java:12");
        assert_eq!(brief(at), "Account.java:12");
        assert_eq!(brief("x.c:7"), "x.c:7");
        assert_eq!(short("x.c:7", Some("x.c")), "x.c:7");
        assert_eq!(short("A.b(\x1b)", None), "A.b(\\u{1b})");
    }
}
