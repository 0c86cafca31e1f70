//! Locations as traces record them: `Account.java:12`, `src/x.c:12:5`, `com.acme.Account.withdraw(Account.java:12)`, or a
//! bare number.

use crate::frame::Frame;

/// A place in a source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Location {
    /// The file as recorded, with `/` between folders.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, if recorded.
    pub column: Option<usize>,
}

impl Location {
    /// Reads a recorded location; `None` if it names no line of a file.
    pub fn parse(at: &str) -> Option<Location> {
        match Frame::parse(at) {
            Some(frame) => Location::of_frame(&frame),
            None => Location::of_path(at),
        }
    }

    /// The file of a frame is in the folder of its package.
    fn of_frame(frame: &Frame<'_>) -> Option<Location> {
        let location = Location::of_path(frame.place)?;
        let folder = frame.folder();
        match folder.is_empty() || location.path.contains('/') {
            true => Some(location),
            false => Some(Location { path: format!("{folder}/{}", location.path), ..location }),
        }
    }

    fn of_path(at: &str) -> Option<Location> {
        let (front, last) = split_digits(at)?;
        let (path, line, column) = match split_digits(front) {
            Some((path, line)) => (path, line, Some(last)),
            None => (front, last, None),
        };
        let (line, column) = (number(line)?, column.map_or(Some(0), number)?);
        let path = path.replace('\\', "/");
        if inner_path(&path).is_empty() || line == 0 {
            return None;
        }
        Some(Location { path, line, column: (column > 0).then_some(column) })
    }

    /// The path's folders and file without anything that leads out of a folder or is absolute.
    pub fn inner_path(&self) -> String {
        inner_path(&self.path)
    }

    /// The file's name without its folders.
    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// A path made relative: no root, no drive, no `.` and `..`.
pub(crate) fn inner_path(path: &str) -> String {
    let mut kept: Vec<&str> = vec![];
    for (i, part) in path.split('/').enumerate() {
        match part {
            "" | "." => {}
            ".." => {
                kept.pop();
            }
            drive if i == 0 && is_drive(drive) => {}
            part => kept.push(part),
        }
    }
    kept.join("/")
}

fn is_drive(part: &str) -> bool {
    matches!(part.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic())
}

/// Splits `front:123`.
fn split_digits(text: &str) -> Option<(&str, &str)> {
    let (front, last) = text.rsplit_once(':')?;
    let digits = !last.is_empty() && last.bytes().all(|b| b.is_ascii_digit());
    digits.then_some((front, last))
}

/// The number of a line or column. No file has more than 2³¹, and readers of reports keep them so.
fn number(digits: &str) -> Option<usize> {
    digits.parse::<i32>().ok().and_then(|number| number.try_into().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location(path: &str, line: usize, column: Option<usize>) -> Option<Location> {
        Some(Location { path: path.into(), line, column })
    }

    #[test]
    fn reads_what_traces_record() {
        assert_eq!(Location::parse("Account.java:12"), location("Account.java", 12, None));
        assert_eq!(Location::parse("a/b/X.java:7"), location("a/b/X.java", 7, None));
        assert_eq!(Location::parse("src/x.c:12:5"), location("src/x.c", 12, Some(5)));
        assert_eq!(Location::parse(r"C:\x\Y.java:3"), location("C:/x/Y.java", 3, None));
    }

    #[test]
    fn frames_name_a_file_in_the_folder_of_the_package() {
        let parse = |at: &str| Location::parse(at);
        let account = location("com/acme/Account.java", 12, None);
        assert_eq!(parse("com.acme.Account.withdraw(Account.java:12)"), account);
        assert_eq!(parse("com.acme.Account$Log.<init>(Account.java:12)"), account);
        assert_eq!(parse("Main.main(Main.java:3)"), location("Main.java", 3, None));
        assert_eq!(parse("com.acme.Account.withdraw(Account.java)"), None);
    }

    #[test]
    fn what_is_no_line_of_a_file_is_none() {
        for at in
            ["", "345", ":12", "/:3", "..:3", "X.java", "X.java:", "X.java:0", "X.java:+3", "12:"]
        {
            assert_eq!(Location::parse(at), None, "{at:?}");
        }
    }

    #[test]
    fn numbers_that_no_file_has_are_refused() {
        assert_eq!(Location::parse("x:2147483647:2147483647").map(|at| at.line), Some(2147483647));
        for big in ["2147483648", "18446744073709551615", "99999999999999999999999"] {
            for at in [format!("x:{big}"), format!("x:{big}:5"), format!("x:5:{big}")] {
                assert_eq!(Location::parse(&at), None, "{at}");
            }
        }
    }

    #[test]
    fn paths_are_made_relative() {
        assert_eq!(inner_path("/etc/passwd"), "etc/passwd");
        assert_eq!(inner_path("../../etc/./passwd"), "etc/passwd");
        assert_eq!(inner_path("C:/x/../y.c"), "y.c");
    }
}
