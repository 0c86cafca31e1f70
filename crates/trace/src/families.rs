//! Names that are made up when somebody asks: the elements of an array, `double[]#3[0]`, `double[]#3[1]` and so on, have
//! numbers in a row, and no text until it is needed. A family costs as much as one name.

use std::sync::OnceLock;

/// Members of a table of names that differ by an index only.
#[derive(Clone)]
struct Family {
    /// The number of its first member, and how many there are.
    first: u32,
    count: u32,
    /// The index of the first member.
    from: u32,
    /// What stands before the brackets, as a position in the list of stems.
    stem: u32,
    /// Names with a text of their own, and members of families, that come before it.
    texts_before: u32,
    members_before: u32,
    /// Texts that somebody has asked for.
    texts: OnceLock<Box<[OnceLock<Box<str>>]>>,
}

impl Family {
    fn contains(&self, id: u32) -> bool {
        id - self.first < self.count
    }

    /// How many members there are up to its last one.
    fn members(&self) -> u32 {
        self.members_before + self.count
    }
}

/// The stem of families, see [`Families::stem`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StemId(u32);

#[derive(Clone)]
struct Stem {
    text: Box<str>,
    /// How many families have it.
    families: u32,
}

/// All families of a table, by number.
#[derive(Clone, Default)]
pub(crate) struct Families {
    stems: Vec<Stem>,
    /// Stems that no family has any more.
    free_stems: Vec<StemId>,
    families: Vec<Family>,
    /// The bytes of all stems.
    stem_bytes: u64,
}

/// What a family costs, and each of its members: engines have a few bytes for each, whoever uses them.
const COST_OF_A_FAMILY: u64 = 64;
const COST_OF_A_MEMBER: u64 = 8;

impl Families {
    /// How many names they have together.
    #[inline(always)]
    pub(crate) fn len(&self) -> u32 {
        self.families.last().map_or(0, Family::members)
    }

    /// The bytes that they take, roughly, here and elsewhere.
    pub(crate) fn cost(&self) -> u64 {
        let members = u64::from(self.len()) * COST_OF_A_MEMBER;
        self.stem_bytes + self.families.len() as u64 * COST_OF_A_FAMILY + members
    }

    /// The family whose first member this is: its stem, the index of the first, and how many there are.
    pub(crate) fn beginning_at(&self, id: u32) -> Option<(&str, u32, u32)> {
        let family = self.last_up_to(id).filter(|family| family.first == id)?;
        Some((&self.stems[family.stem as usize].text, family.from, family.count))
    }

    /// The stem of the latest family, if this is its text.
    pub(crate) fn latest_stem(&self, text: &str) -> Option<StemId> {
        let stem = self.families.last()?.stem;
        (*self.stems[stem as usize].text == *text).then_some(StemId(stem))
    }

    pub(crate) fn stem(&mut self, text: &str) -> StemId {
        self.stem_bytes += text.len() as u64 + size_of::<Stem>() as u64;
        let stem = Stem { text: text.into(), families: 0 };
        match self.free_stems.pop() {
            Some(free) => {
                self.stems[free.0 as usize] = stem;
                free
            }
            None => {
                self.stems.push(stem);
                StemId(self.stems.len() as u32 - 1)
            }
        }
    }

    /// Gives the numbers of the family that begins there to another of as many members.
    pub(crate) fn rename(&mut self, first: u32, stem: StemId, from: u32) -> bool {
        let found = self.families.binary_search_by_key(&first, |family| family.first);
        let Ok(at) = found else { return false };
        self.stems[stem.0 as usize].families += 1;
        let family = &mut self.families[at];
        family.from = from;
        family.texts = OnceLock::new();
        let before = std::mem::replace(&mut family.stem, stem.0);
        let old = &mut self.stems[before as usize];
        old.families -= 1;
        if old.families == 0 {
            self.stem_bytes -= old.text.len() as u64 + size_of::<Stem>() as u64;
            old.text = Box::default();
            self.free_stems.push(StemId(before));
        }
        true
    }

    /// Adds a family; `texts` names with a text of their own come before it. Gives the number of its first member.
    pub(crate) fn add(&mut self, stem: StemId, from: u32, count: u32, texts: u32) -> u32 {
        let members_before = self.len();
        let first = texts + members_before;
        let texts_before = texts;
        let StemId(stem) = stem;
        self.stems[stem as usize].families += 1;
        let texts = OnceLock::new();
        self.families.push(Family {
            first,
            count,
            from,
            stem,
            texts_before,
            members_before,
            texts,
        });
        first
    }

    fn last_up_to(&self, id: u32) -> Option<&Family> {
        let next = self.families.partition_point(|family| family.first <= id);
        next.checked_sub(1).map(|at| &self.families[at])
    }

    /// The position of a name among those that have a text of their own; `Err` has the text of those that have none.
    #[inline(always)]
    pub(crate) fn rank(&self, id: u32) -> Result<u32, &str> {
        if self.families.is_empty() { Ok(id) } else { self.rank_beside_families(id) }
    }

    #[cold]
    fn rank_beside_families(&self, id: u32) -> Result<u32, &str> {
        match self.last_up_to(id) {
            Some(family) if family.contains(id) => Err(self.text(family, id)),
            Some(family) => Ok(id - family.members()),
            None => Ok(id),
        }
    }

    /// The reverse for names that have a text.
    #[inline(always)]
    pub(crate) fn id_of_rank(&self, rank: u32) -> u32 {
        if self.families.is_empty() { rank } else { self.id_beside_families(rank) }
    }

    #[cold]
    fn id_beside_families(&self, rank: u32) -> u32 {
        let next = self.families.partition_point(|family| family.texts_before <= rank);
        rank + next.checked_sub(1).map_or(0, |at| self.families[at].members())
    }

    fn text<'a>(&'a self, family: &'a Family, id: u32) -> &'a str {
        let texts =
            family.texts.get_or_init(|| (0..family.count).map(|_| OnceLock::new()).collect());
        let at = id - family.first;
        texts[at as usize].get_or_init(|| self.member(family, at).into_boxed_str())
    }

    fn member(&self, family: &Family, at: u32) -> String {
        format!("{}[{}]", self.stems[family.stem as usize].text, family.from + at)
    }

    /// A member's text, made up without keeping it.
    pub(crate) fn made_up(&self, id: u32) -> Option<String> {
        let family = self.last_up_to(id).filter(|family| family.contains(id))?;
        Some(self.member(family, id - family.first))
    }
}
