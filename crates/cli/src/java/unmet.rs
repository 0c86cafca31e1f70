//! Names that the user has given and that nothing in the program has: what is said of them.

use interloper_weave::{Config, Naming, NamingKind};

/// How many names are told in one line.
const MOST_NAMES: usize = 5;

/// A line for each kind of name that was not met in any JVM; `met` are the lines that the JVMs have left.
pub fn warnings(config: &Config, met: &str) -> Vec<String> {
    let unmet = config.unmet(met);
    let kinds = [
        NamingKind::Include,
        NamingKind::Only,
        NamingKind::Annotation,
        NamingKind::AtomicMethod,
        NamingKind::NotAtomic,
    ];
    kinds.into_iter().filter_map(|kind| warning(kind, &unmet)).collect()
}

fn warning(kind: NamingKind, unmet: &[Naming]) -> Option<String> {
    let (option, why) = match kind {
        NamingKind::Include => ("--instrument", "no class of such a name was loaded"),
        NamingKind::Only => ("--only", "no class of such a name was loaded"),
        NamingKind::Annotation => (
            "--atomic",
            "nothing that was instrumented has this annotation (if its retention is SOURCE, it is not in class files)",
        ),
        NamingKind::AtomicMethod => ("--atomic", "no method of such a name was instrumented"),
        NamingKind::NotAtomic => {
            ("--not-atomic or --spec", "no method or block of such a name was instrumented")
        }
    };
    let at = if kind == NamingKind::Annotation { "@" } else { "" };
    let of_kind: Vec<&Naming> = unmet.iter().filter(|it| it.kind == kind).collect();
    let named: Vec<String> = of_kind.iter().map(|it| format!("{at}{}", it.name)).collect();
    (!named.is_empty()).then(|| format!("{option} {}: {why}", some(named)))
}

/// The first of these names, and how many more there are.
pub fn some(names: Vec<String>) -> String {
    let more = match names.len().saturating_sub(MOST_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let first: Vec<String> = names.into_iter().take(MOST_NAMES).collect();
    format!("{}{more}", first.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_by_the_option_that_gave_them() {
        let mut text = String::from("include a.B\natomic-annotation c.D\natomic-method a.B.c\n");
        assert_eq!(warnings(&Config::default(), ""), [""; 0]);
        (0..7).for_each(|i| text += &format!("not-atomic a.B.m{i}\n"));
        let config = Config::parse(&text).unwrap();
        let told = warnings(&config, "include a.B\nnot-atomic a.B.m0\n");
        let begin = [
            "--atomic @c.D: nothing",
            "--atomic a.B.c: no method",
            "--not-atomic or --spec a.B.m1, a.B.m2, a.B.m3, a.B.m4, a.B.m5 and 1 more: no method",
        ];
        assert_eq!(told.len(), begin.len(), "{told:?}");
        for (told, begin) in told.iter().zip(begin) {
            assert!(told.starts_with(begin), "{told}");
        }
    }
}
