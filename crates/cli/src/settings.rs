//! `interloper.toml`: the one file of settings, with a section for each command that has some.

use crate::failure::Failure;
use serde::de::value::{SeqAccessDeserializer, StrDeserializer};
use serde::de::{DeserializeOwned, Error, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::path::Path;

/// The file that is read if it is there.
pub const FILE: &str = "interloper.toml";

/// The file. Who reads it names the type of the sections that it looks at; the others may hold anything.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[serde(bound = "Scan: DeserializeOwned + Default, Run: DeserializeOwned + Default")]
pub struct File<Scan = IgnoredAny, Run = IgnoredAny> {
    /// Of `interloper scan`.
    pub scan: Scan,
    /// Of `interloper run`, `record` and `refine`.
    pub run: Run,
}

/// Reads the file that was `named`, or the one in the working folder; if that is not there, nothing is set.
pub fn read<Scan, Run>(named: Option<&Path>) -> Result<File<Scan, Run>, Failure>
where
    Scan: DeserializeOwned + Default,
    Run: DeserializeOwned + Default,
{
    let path = named.unwrap_or(Path::new(FILE));
    if named.is_none() && !path.exists() {
        return Ok(File::default());
    }
    let wrong = |error: &str| Failure::Usage(format!("{}: {error}", path.display()));
    let text = read_text(path).map_err(|error| wrong(&error.to_string()))?;
    // the error names line and column, and shows the line
    toml::from_str(&text).map_err(|error: toml::de::Error| wrong(error.to_string().trim_end()))
}

/// The text of a file that a person has written, without the mark of byte order that some editors put before it.
pub fn read_text(path: &Path) -> io::Result<String> {
    let text = std::fs::read_to_string(path)?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text))
}

/// A list of texts; of one, the text alone will do.
pub fn texts<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    struct Expected<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Expected<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a text or a list of texts")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Vec<T>, E> {
            Ok(vec![T::deserialize(StrDeserializer::new(text))?])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, texts: A) -> Result<Vec<T>, A::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(texts))
        }
    }
    from.deserialize_any(Expected(PhantomData))
}

/// The same where it matters whether anything was said.
pub fn some_texts<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<Vec<T>>, D::Error> {
    texts(from).map(Some)
}
