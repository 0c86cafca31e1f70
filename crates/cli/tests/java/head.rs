//! What the head of a program says is expected of it. The form is in `tests/java/events/README.md`.

use std::path::Path;

/// The head of a program.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The blocks that must be found, in order; nothing else may be.
    pub violations: Vec<String>,
    /// Options for `run` and `record`.
    pub options: Vec<String>,
    /// The oldest JDK that can run it.
    pub jdk: u32,
    /// Events of the trace, in this order.
    pub trace: Vec<String>,
    /// Text that no event contains.
    pub absent: Vec<String>,
    /// Lines of the program's output.
    pub prints: Vec<String>,
    /// What is expected is known not to come yet.
    pub pending: bool,
}

impl Head {
    /// Reads the head of a file; panics if it does not say what to expect.
    pub fn read(file: &Path) -> Head {
        let text = std::fs::read_to_string(file).unwrap();
        Head::parse(&text).unwrap_or_else(|why| panic!("{}: {why}", file.display()))
    }

    fn parse(text: &str) -> Result<Head, String> {
        let mut head = Head::default();
        let mut expects = false;
        for line in text.lines().map_while(|line| line.strip_prefix("// ")) {
            let Some((key, value)) = line.split_once(": ") else { continue };
            match (key, value.split_once(' ')) {
                ("expect", None) if value == "none" => {}
                ("expect", Some(("violation", label))) => head.violations.push(label.to_string()),
                ("expect", _) => return Err(format!("`{value}` cannot be expected")),
                ("options", _) => head.options.extend(value.split(' ').map(str::to_string)),
                ("jdk", _) => head.jdk = value.parse().map_err(|_| format!("no JDK: {value}"))?,
                ("trace", _) => head.trace.push(value.to_string()),
                ("absent", _) => head.absent.push(value.to_string()),
                ("pending", _) => head.pending = true,
                ("prints", _) => head.prints.push(value.to_string()),
                _ => continue,
            }
            expects |= key == "expect";
        }
        head.violations.sort();
        expects.then_some(head).ok_or_else(|| "the head expects nothing".to_string())
    }

    /// Why a trace is not what the head wants, if so.
    pub fn misses(&self, events: &[String]) -> Option<String> {
        let mut rest = events.iter();
        for wanted in &self.trace {
            if !rest.any(|event| event == wanted) {
                return Some(format!("`{wanted}` is missing, or comes too early"));
            }
        }
        let unwanted = |text: &&String| events.iter().any(|event| event.contains(text.as_str()));
        self.absent.iter().find(unwanted).map(|text| format!("`{text}` is in the trace"))
    }
}

#[test]
fn a_head_is_read_up_to_the_first_line_of_code() {
    let text = "// Story: with a colon.\n// expect: violation B.m\n// expect: violation A.<init>\n\
                // options: --atomic public\n// jdk: 21\n// trace: T1|end\n\n// expect: none\n";
    let head = Head::parse(text).unwrap();
    assert_eq!(head.violations, ["A.<init>", "B.m"]);
    assert_eq!(head.options, ["--atomic", "public"]);
    assert_eq!((head.jdk, &head.trace[..]), (21, &["T1|end".to_string()][..]));
    assert!(Head::parse("// nothing: here\n").is_err());
    assert!(Head::parse("// expect: rain\n").is_err());
}

#[test]
fn the_order_of_the_trace_counts() {
    let head = Head::parse("// expect: none\n// trace: a\n// trace: b\n// absent: z\n").unwrap();
    let events = |text: &str| text.split(' ').map(str::to_string).collect::<Vec<_>>();
    assert_eq!(head.misses(&events("x a x b")), None);
    assert!(head.misses(&events("x b x a")).unwrap().contains("`b`"));
    assert!(head.misses(&events("a b xz")).unwrap().contains("`z`"));
}
