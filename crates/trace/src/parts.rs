//! Names of objects' parts, `Account#3.balance`, that are made up when somebody asks. A program makes objects all the time, each with fields
//! that are variables until it dies: a name is three numbers here, and giving a variable to another object is to write them anew.

use std::sync::OnceLock;

/// A text that many names have in common: of a class, or of a member, with the dot before it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WordId(pub u32);

/// The name of a part of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// The class of the object.
    pub class: WordId,
    /// The number of the object; 0: it needs none.
    pub number: u32,
    /// The member.
    pub member: WordId,
}

/// No part.
const NONE: Part = Part { class: WordId(u32::MAX), number: 0, member: WordId(u32::MAX) };

/// How many neighbours are kept together.
const PAGE: usize = 256;

#[derive(Clone)]
struct Page {
    parts: [Part; PAGE],
    /// Texts that somebody has asked for.
    texts: OnceLock<Box<[OnceLock<Box<str>>]>>,
}

/// The names of parts in a table, by number.
#[derive(Clone, Default)]
pub(crate) struct Parts {
    words: Vec<Box<str>>,
    pages: Vec<Option<Box<Page>>>,
    /// The bytes of all of it.
    bytes: u64,
}

impl Parts {
    pub(crate) fn word(&mut self, text: &str) -> WordId {
        self.bytes += (text.len() + size_of::<Box<str>>()) as u64;
        self.words.push(text.into());
        WordId(self.words.len() as u32 - 1)
    }

    /// The name of a number, if it is one of these.
    #[inline(always)]
    fn get(&self, id: u32) -> Option<(&Page, usize)> {
        let (page, at) = (id as usize / PAGE, id as usize % PAGE);
        let page = self.pages.get(page)?.as_deref()?;
        (page.parts[at] != NONE).then_some((page, at))
    }

    #[inline(always)]
    pub(crate) fn contains(&self, id: u32) -> bool {
        self.get(id).is_some()
    }

    /// Gives a number a name, or another.
    pub(crate) fn put(&mut self, id: u32, part: Part) {
        let (page, at) = (id as usize / PAGE, id as usize % PAGE);
        if page >= self.pages.len() {
            self.pages.resize(page + 1, None);
        }
        let page = self.pages[page].get_or_insert_with(|| {
            self.bytes += size_of::<Page>() as u64;
            Box::new(Page { parts: [NONE; PAGE], texts: OnceLock::new() })
        });
        page.parts[at] = part;
        if let Some(texts) = page.texts.get_mut() {
            texts[at] = OnceLock::new();
        }
    }

    /// The text of a number, if it is one of these. It is kept.
    pub(crate) fn text(&self, id: u32) -> Option<&str> {
        let (page, at) = self.get(id)?;
        let texts = page.texts.get_or_init(|| (0..PAGE).map(|_| OnceLock::new()).collect());
        Some(texts[at].get_or_init(|| self.made_up(page.parts[at]).into_boxed_str()))
    }

    /// The same, without keeping it.
    pub(crate) fn passing_text(&self, id: u32) -> Option<String> {
        let (page, at) = self.get(id)?;
        Some(self.made_up(page.parts[at]))
    }

    fn made_up(&self, Part { class, number, member }: Part) -> String {
        let word = |WordId(word): WordId| self.words.get(word as usize).map_or("", |text| text);
        match number {
            0 => format!("{}{}", word(class), word(member)),
            _ => format!("{}#{number}{}", word(class), word(member)),
        }
    }

    /// The bytes that they take, roughly.
    pub(crate) fn cost(&self) -> u64 {
        self.bytes
    }
}
