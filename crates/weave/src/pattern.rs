//! Patterns for names of classes and methods.

use std::fmt;

/// Which classes: `java.util.*` is everything in that package and below, `java.util.Vector` that class
/// and its nested classes, `*` everything. Names are taken with dots and with slashes alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// With dots, without the `.*` at the end.
    name: String,
    /// Whether the name is a package.
    package: bool,
}

impl Pattern {
    /// A pattern; none if the text is no name (`*` stands at the end only, behind a dot).
    pub fn parse(text: &str) -> Option<Pattern> {
        let text = text.replace('/', ".");
        let (name, package) = match text.strip_suffix('*') {
            Some("") => ("", true),
            Some(rest) => (rest.strip_suffix('.')?, true),
            None => (&*text, false),
        };
        let odd = |c: char| c == '*' || c.is_whitespace() || c.is_control();
        let whole = !name.split('.').any(str::is_empty) || (package && text == "*");
        (whole && !name.contains(odd)).then(|| Pattern { name: name.to_owned(), package })
    }

    /// Whether it is a class's full name, and this one's.
    pub fn names(&self, class_name: &str) -> bool {
        !self.package && self.name.len() == class_name.len() && self.matches(class_name)
    }

    /// Whether a class is one of these.
    pub fn matches(&self, class_name: &str) -> bool {
        if self.name.is_empty() {
            return true;
        }
        let Some((start, rest)) = class_name.split_at_checked(self.name.len()) else {
            return false;
        };
        let dotted = |byte: u8| if byte == b'/' { b'.' } else { byte };
        let same = start.bytes().map(dotted).eq(self.name.bytes());
        same && match rest.as_bytes().first() {
            None => !self.package,
            Some(b'.' | b'/') => self.package,
            Some(b'$') => !self.package,
            Some(_) => false,
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.package, &*self.name) {
            (true, "") => f.write_str("*"),
            (true, name) => write!(f, "{name}.*"),
            (false, name) => f.write_str(name),
        }
    }
}

/// Which methods: `com.acme.Account.withdraw`, the same with a descriptor behind it
/// (`com.acme.Account.withdraw(I)V`, the result may be left out), or the beginning of such a text with
/// `*` behind it. The class is written as the JVM does: nested ones with `$`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodPattern {
    text: String,
    /// Whether anything may follow.
    open: bool,
}

impl MethodPattern {
    /// A pattern; none if the text names no method of a class.
    pub fn parse(text: &str) -> Option<MethodPattern> {
        let (text, open) = match text.strip_suffix('*') {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let odd = |c: char| c == '*' || c.is_whitespace() || c.is_control();
        let named = open || text.split('(').next().is_some_and(|name| name.contains('.'));
        let whole = named && !text.contains(odd) && !text.starts_with('.');
        (whole && (open || !text.ends_with('.')))
            .then(|| MethodPattern { text: text.to_owned(), open })
    }

    /// Whether a method is one of these; its label is `com.acme.Account.withdraw`.
    pub fn matches(&self, label: &str, descriptor: &str) -> bool {
        let text = &*self.text;
        if let Some(rest) = text.strip_prefix(label) {
            let parameters = descriptor.rfind(')').map_or(descriptor, |end| &descriptor[..=end]);
            let exact = rest.is_empty() || rest == descriptor || rest == parameters;
            exact || (self.open && descriptor.starts_with(rest))
        } else {
            self.open && label.starts_with(text)
        }
    }
}

impl fmt::Display for MethodPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.text, if self.open { "*" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(pattern: &str, name: &str) -> bool {
        Pattern::parse(pattern).unwrap().matches(name)
    }

    #[test]
    fn a_package_has_all_that_is_below_it() {
        assert!(class("java.*", "java/util/Vector"));
        assert!(class("java.util.*", "java.util.Vector$Itr"));
        assert!(class("java.util.*", "java.util.concurrent.Phaser"));
        assert!(!class("java.util.*", "java.utility.Vector"));
        assert!(!class("java.*", "javax/swing/JFrame"));
        assert!(class("*", "Anything"));
    }

    #[test]
    fn a_class_has_its_nested_classes() {
        assert!(class("a.Account", "a/Account"));
        assert!(class("a.Account", "a/Account$1"));
        assert!(!class("a.Account", "a/Accounts"));
        assert!(!class("a.Account", "a/Account/B"));
        assert!(!class("a.Account", "a/Acc"));
        let named = |pattern: &str, name| Pattern::parse(pattern).unwrap().names(name);
        assert!(named("a.Account", "a/Account") && !named("a.Account", "a/Account$1"));
        assert!(!named("a.*", "a.Account"));
    }

    #[test]
    fn what_is_no_pattern() {
        for text in ["", ".", "a..b", "a*", "*.b", "a b", ".*", "a.*.b"] {
            assert_eq!(Pattern::parse(text), None, "{text}");
        }
        for text in ["", "withdraw", "a.b ", "a.*.b", "a.", ".a"] {
            assert_eq!(MethodPattern::parse(text), None, "{text}");
        }
    }

    #[test]
    fn methods_by_name_descriptor_and_beginning() {
        let matches = |pattern: &str| {
            let pattern = MethodPattern::parse(pattern).unwrap();
            pattern.matches("a.Account.withdraw", "(I)V")
        };
        for pattern in [
            "a.Account.withdraw",
            "a.Account.withdraw(I)",
            "a.Account.withdraw(I)V",
            "a.Account.withdraw(*",
            "a.Account.with*",
            "a.*",
        ] {
            assert!(matches(pattern), "{pattern}");
            assert_eq!(MethodPattern::parse(pattern).unwrap().to_string(), pattern);
        }
        for pattern in
            ["a.Account.withdraw(J)", "a.Account.withdra", "a.Account.withdrawAll", "b.*"]
        {
            assert!(!matches(pattern), "{pattern}");
        }
    }
}
