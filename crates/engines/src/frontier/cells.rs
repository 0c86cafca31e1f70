//! Which cell of the memory a variable has.
//!
//! As long as every access is about one variable, a variable's cell has the variable's number, and nothing here is used. Where there
//! are accesses of several, or may be, variables share a cell if they have the same past: those that were accessed together, and
//! only together, since they were first mentioned or last written. What is true of one of them is true of all, so
//! an access of all of them costs as much as one of a single variable. An access of some of them takes these out into a
//! cell of their own; a write, which makes their past the same, brings together what was apart.

use super::lists::Lists;
use super::memory::AHEAD;
use super::wide::Wide;
use interloper_trace::{Event, VarRange, prefetch};
use smallvec::SmallVec;

/// A cell of the memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CellId(pub(super) u32);

impl CellId {
    #[inline(always)]
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The cell of a variable, and whether others have it, too, or had it once.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Home(u32);

impl Home {
    /// The variable was not mentioned yet.
    const NONE: Home = Home(0);

    fn new(cell: CellId, shared: bool) -> Home {
        Home((cell.0 + 1) << 1 | u32::from(shared))
    }

    fn cell(self) -> Option<CellId> {
        (self.0 >> 1).checked_sub(1).map(CellId)
    }

    fn is_shared(self) -> bool {
        self.0 & 1 != 0
    }
}

/// Variables of an access that have the same cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// The cell; `None` if they were not mentioned before.
    pub(super) cell: Option<CellId>,
    /// The first of them, and where in the access it comes.
    pub(super) var: u32,
    pub(super) at: u16,
    /// How many they are.
    count: u32,
    /// Whether no other variable has the cell.
    pub(super) whole: bool,
}

/// So many cells of one access are few.
const FEW: usize = 4;

/// The cells of all variables.
pub(super) struct Cells {
    /// By variable.
    homes: Vec<Home>,
    /// By number.
    cells: Vec<Wide>,
    /// By cell: while an access is looked at, its part, plus one.
    parts: Vec<u32>,
    free: Vec<CellId>,
}

impl Cells {
    /// Each of the variables that there are has one of these cells for itself.
    pub(super) fn of_their_own(cells: Vec<Wide>) -> Cells {
        let homes = (0..cells.len() as u32).map(|cell| Home::new(CellId(cell), false)).collect();
        Cells { homes, parts: vec![0; cells.len()], cells, free: vec![] }
    }

    /// A cell.
    #[inline(always)]
    pub(super) fn get(&self, cell: CellId) -> &Wide {
        &self.cells[cell.index()]
    }

    /// A cell, to be changed.
    #[inline(always)]
    pub(super) fn get_mut(&mut self, cell: CellId) -> &mut Wide {
        &mut self.cells[cell.index()]
    }

    /// The cell of an access: of its variable, if that has it for itself, or of all its variables, if these are all who have it.
    #[inline(always)]
    pub(super) fn of(&mut self, event: &Event) -> Option<&mut Wide> {
        let cell = match event.more {
            0 => self.own(event.operand),
            _ => self.common(event)?.0,
        };
        self.cells.get_mut(cell as usize)
    }

    /// The cells of an access of several variables, if these are few, and no other variables have them.
    #[inline(always)]
    pub(super) fn few(&self, event: &Event) -> Option<SmallVec<[CellId; FEW]>> {
        self.homes.get(event.operand.max(event.operand_at(event.more)) as usize)?;
        let mut cells = SmallVec::new();
        let mut at = 0;
        while at <= u32::from(event.more) {
            let home = self.homes[event.operand_at(at as u16) as usize];
            let count = 1 + self.alike(event, at + 1, home);
            let cell = home.cell().filter(|cell| self.get(*cell).count() == count)?;
            if cells.len() == FEW {
                return None;
            }
            cells.push(cell);
            at += count;
        }
        Some(cells)
    }

    /// All cells.
    pub(super) fn all(&mut self) -> &mut [Wide] {
        &mut self.cells
    }

    /// The cell of a variable if it is its own, else a number that no cell has. Both as fast as can be.
    #[inline(always)]
    pub(super) fn own(&self, var: u32) -> u32 {
        let home = self.homes.get(var as usize).copied().unwrap_or(Home::NONE);
        if home.is_shared() { u32::MAX } else { (home.0 >> 1).wrapping_sub(1) }
    }

    /// Asks for memory that events some way behind the first of these will look up: where it stands which cell a variable has, the cell of
    /// one that comes earlier, and the list of a still earlier one. One at a time, while other work goes on: that is a
    /// little faster than many at once. (Operands that are no variables ask for something, too: cheaper than to tell them apart.)
    #[inline(always)]
    pub(super) fn ask_for(&self, events: &[Event], lists: &Lists) {
        let operand = |at: usize| events.get(at).map_or(0, |event| event.operand);
        self.homes.get(operand(2 * AHEAD) as usize).inspect(|&home| prefetch(home));
        self.any(operand(AHEAD)).inspect(|&cell| prefetch(cell));
        let soon = self.any(operand(AHEAD / 4)).and_then(|cell| cell.next_in_list(lists));
        soon.inspect(|&record| prefetch(record));
    }

    /// The cell of a variable, or none, or some other.
    #[inline(always)]
    pub(super) fn any(&self, var: u32) -> Option<&Wide> {
        let cell = self.homes.get(var as usize).map_or(0, |home| (home.0 >> 1).saturating_sub(1));
        self.cells.get(cell as usize)
    }

    /// The cell of an access of several variables, if these are all who have it, and it is all that they have. Once they are
    /// known to be at equal distances, they need not all be looked at: others at these distances would begin or end elsewhere.
    #[inline(always)]
    pub(super) fn common(&mut self, event: &Event) -> Option<CellId> {
        let home = *self.homes.get(event.operand as usize)?;
        let last = *self.homes.get(event.operand_at(event.more) as usize)?;
        let cell = home.cell().filter(|_| last == home)?;
        let (count, stride) = (u32::from(event.more) + 1, event.stride);
        let known = self.get(cell);
        if !known.is_even(count, stride) {
            if known.count() != count || self.alike(event, 1, home) != count - 1 {
                return None;
            }
            self.get_mut(cell).set_even(stride);
        }
        Some(cell)
    }

    /// Finds the variables of an access, by their cells.
    pub(super) fn gather(&mut self, event: &Event, parts: &mut Vec<Part>) {
        let largest = event.operand.max(event.operand_at(event.more)) as usize;
        if largest >= self.homes.len() {
            self.homes.resize(largest + 1, Home::NONE);
        }
        parts.clear();
        let mut unseen = None;
        let (mut next, end) = (0, u32::from(event.more) + 1);
        while next < end {
            let at = next as u16;
            let var = event.operand_at(at);
            let home = self.homes[var as usize];
            next += 1;
            next += self.alike(event, next, home);
            let count = next - u32::from(at);
            match home.cell() {
                None => {
                    let part = Part { cell: None, var, at, count: 0, whole: true };
                    let part = *unseen.get_or_insert_with(|| add(parts, part));
                    parts[part].count += count;
                }
                Some(cell) => {
                    let number = &mut self.parts[cell.index()];
                    if *number == 0 {
                        let part = Part { cell: Some(cell), var, at, count: 0, whole: false };
                        *number = add(parts, part) as u32 + 1;
                    }
                    let part = &mut parts[*number as usize - 1];
                    part.count += count;
                    part.whole = part.count == self.cells[cell.index()].count();
                }
            }
        }
    }

    /// How many of the variables from one on have the same home. This is most of what accesses of many variables cost.
    #[inline(always)]
    fn alike(&self, event: &Event, from: u32, home: Home) -> u32 {
        if from > u32::from(event.more) {
            return 0;
        }
        let from = from as u16;
        let rest = usize::from(event.more - from) + 1;
        let first = event.operand_at(from) as usize;
        let count = match event.stride {
            1 => self.homes[first..first + rest].iter().take_while(|it| **it == home).count(),
            stride @ 2.. => {
                let homes = self.homes[first..].iter().step_by(stride as usize).take(rest);
                homes.take_while(|it| **it == home).count()
            }
            _ => (from..=event.more)
                .take_while(|at| self.homes[event.operand_at(*at) as usize] == home)
                .count(),
        };
        count as u32
    }

    /// The access is not made like this.
    pub(super) fn forget(&mut self, parts: &[Part]) {
        for cell in parts.iter().filter_map(|part| part.cell) {
            self.parts[cell.index()] = 0;
        }
    }

    /// Makes each part have a cell for itself. `homes` gets to know these, in the order of the parts.
    pub(super) fn take_out(
        &mut self,
        event: &Event,
        parts: &[Part],
        homes: &mut Vec<CellId>,
        lists: &mut Lists,
    ) {
        homes.clear();
        for part in parts {
            let to = match part.cell {
                Some(cell) if part.whole => cell,
                Some(from) => {
                    self.cells[from.index()].leave(part.count);
                    let copy = self.cells[from.index()].copy(part.count, lists);
                    self.new_cell(copy)
                }
                None => self.new_cell(Wide::new(part.count)),
            };
            homes.push(to);
        }
        let stays = |(part, home): (&Part, &CellId)| part.cell == Some(*home);
        if event.more == 0 || !parts.iter().zip(&*homes).all(stays) {
            self.move_in(event, parts, homes);
        }
        self.forget(parts);
    }

    fn move_in(&mut self, event: &Event, parts: &[Part], homes: &[CellId]) {
        let unseen = parts.iter().position(|part| part.cell.is_none());
        for at in 0..=event.more {
            let home = &mut self.homes[event.operand_at(at) as usize];
            let part = match home.cell() {
                // Its number, which the old cell still has.
                Some(cell) => (self.parts[cell.index()] as usize).checked_sub(1),
                None => unseen,
            };
            if let Some(part) = part {
                *home = Home::new(homes[part], parts[part].count > 1);
            }
        }
    }

    /// Gives all variables of the access one cell. Those that nobody has any more are given back.
    pub(super) fn bring_together(&mut self, event: &Event, parts: &[Part]) -> CellId {
        if let [Part { cell: Some(cell), whole: true, .. }] = *parts {
            self.parts[cell.index()] = 0;
            if event.more == 0 {
                self.homes[event.operand as usize] = Home::new(cell, false);
            }
            return cell;
        }
        for part in parts {
            let Some(cell) = part.cell else { continue };
            self.cells[cell.index()].leave(part.count);
            self.parts[cell.index()] = 0;
            if part.whole {
                self.free.push(cell);
            }
        }
        let to = self.new_cell(Wide::new(u32::from(event.more) + 1));
        for at in 0..=event.more {
            self.homes[event.operand_at(at) as usize] = Home::new(to, event.more > 0);
        }
        to
    }

    /// Variables go, and with them what nobody else has.
    pub(super) fn move_out(&mut self, vars: VarRange, lists: &mut Lists) {
        let Cells { homes, cells, free, .. } = self;
        let end = homes.len().min(vars.end() as usize);
        for home in homes.get_mut(vars.first.index()..end).unwrap_or_default() {
            let Some(cell) = std::mem::replace(home, Home::NONE).cell() else { continue };
            let left = &mut cells[cell.index()];
            left.leave(1);
            if left.count() == 0 {
                left.clear(lists);
                free.push(cell);
            }
        }
    }

    fn new_cell(&mut self, cell: Wide) -> CellId {
        match self.free.pop() {
            Some(id) => {
                self.cells[id.index()] = cell;
                id
            }
            None => {
                self.cells.push(cell);
                self.parts.push(0);
                CellId(self.cells.len() as u32 - 1)
            }
        }
    }
}

fn add(parts: &mut Vec<Part>, part: Part) -> usize {
    parts.push(part);
    parts.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use interloper_trace::{SiteId, ThreadId, VarId};

    /// An access of so many variables.
    fn access(first: u32, count: u16, stride: i8) -> Event {
        let event = Event::read(ThreadId(0), VarId(first), SiteId::UNKNOWN);
        if count == 1 { event } else { event.and_more(count - 1, stride) }
    }

    /// Makes an access of its variables, and of no others.
    fn take_out(cells: &mut Cells, event: &Event) {
        let (mut parts, mut homes) = (vec![], vec![]);
        cells.gather(event, &mut parts);
        cells.take_out(event, &parts, &mut homes, &mut Lists::default());
    }

    /// The variables from 10 on, which are known to have a cell at equal distances.
    fn five() -> Cells {
        let mut cells = Cells::of_their_own(vec![]);
        take_out(&mut cells, &access(10, 5, 1));
        assert!(cells.common(&access(10, 5, 1)).is_some());
        let again = cells.common(&access(10, 5, 1));
        assert_eq!(cells.common(&access(14, 5, -1)), again);
        cells
    }

    #[test]
    fn those_who_stay_are_not_at_equal_distances() {
        for gone in 11..14 {
            let mut cells = five();
            take_out(&mut cells, &access(gone, 1, 0));
            assert_eq!(cells.common(&access(10, 4, 1)), None, "{gone}");
            assert_eq!(cells.common(&access(11, 4, 1)), None, "{gone}");
        }
        let mut cells = five();
        cells.move_out(VarRange { first: VarId(12), count: 1 }, &mut Lists::default());
        assert_eq!(cells.common(&access(10, 4, 1)), None);
        assert_eq!(cells.common(&access(11, 4, 1)), None);
    }

    #[test]
    fn those_who_are_taken_out_are_not_at_the_distances_of_before() {
        let mut cells = five();
        take_out(&mut cells, &access(10, 3, 2));
        assert_eq!(cells.common(&access(10, 3, 1)), None);
        assert_eq!(cells.common(&access(12, 3, 1)), None);
        let even = cells.common(&access(10, 3, 2));
        assert!(even.is_some() && cells.common(&access(14, 3, -2)) == even);
        let odd = cells.common(&access(11, 2, 2));
        assert!(odd.is_some() && odd != even);
        assert_eq!(cells.common(&access(10, 2, 2)), None);
    }

    #[test]
    fn a_few_cells_are_found_if_no_others_have_them() {
        let mut cells = five();
        take_out(&mut cells, &access(15, 2, 1));
        take_out(&mut cells, &access(17, 1, 0));
        let few = cells.few(&access(10, 8, 1)).expect("all of them");
        let own = |cells: &mut Cells, event| cells.common(&event).expect("one");
        let expected = [own(&mut cells, access(10, 5, 1)), own(&mut cells, access(15, 2, 1))];
        assert_eq!(few[..], [expected[0], expected[1], CellId(cells.own(17))]);
        assert_eq!(cells.few(&access(11, 7, 1)), None, "10 has one of them");
        assert_eq!(cells.few(&access(10, 9, 1)), None, "18 was never mentioned");
        (10..15).for_each(|var| take_out(&mut cells, &access(var, 1, 0)));
        assert_eq!(cells.few(&access(10, 4, 1)).map(|few| few.len()), Some(FEW));
        assert_eq!(cells.few(&access(10, 5, 1)), None, "too many");
    }
}
