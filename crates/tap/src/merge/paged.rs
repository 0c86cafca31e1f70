//! Things by number, where numbers are given one after the other, and most of them are taken back some time. Neighbours are mostly asked for
//! one after the other, so they are kept together.

use super::Hashed;

/// How many neighbours. If one of them is left, it takes the room of all.
const PAGE: usize = 16;

struct Page<T> {
    things: [Option<T>; PAGE],
    count: usize,
}

/// A table of things.
pub(super) struct Paged<T> {
    pages: Hashed<usize, Box<Page<T>>>,
}

impl<T> Default for Paged<T> {
    fn default() -> Paged<T> {
        Paged { pages: Hashed::default() }
    }
}

impl<T> Paged<T> {
    pub(super) fn get(&self, number: u32) -> Option<&T> {
        let page = self.pages.get(&(number as usize / PAGE))?;
        page.things[number as usize % PAGE].as_ref()
    }

    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        let page = self.pages.get_mut(&(number as usize / PAGE))?;
        page.things[number as usize % PAGE].as_mut()
    }

    /// Puts a thing there, unless there is one.
    pub(super) fn add(&mut self, number: u32, thing: T) {
        let new = || Box::new(Page { things: std::array::from_fn(|_| None), count: 0 });
        let page = self.pages.entry(number as usize / PAGE).or_insert_with(new);
        let place = &mut page.things[number as usize % PAGE];
        if place.is_none() {
            *place = Some(thing);
            page.count += 1;
        }
    }

    /// Takes out what is there.
    pub(super) fn remove(&mut self, number: u32) -> Option<T> {
        let number = number as usize;
        let page = self.pages.get_mut(&(number / PAGE))?;
        let thing = page.things[number % PAGE].take()?;
        page.count -= 1;
        if page.count == 0 {
            self.pages.remove(&(number / PAGE));
        }
        Some(thing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_there_until_it_is_taken_out() {
        let mut paged = Paged::default();
        let numbers = [0, 1, 15, 16, 17, u32::MAX - 2];
        for number in numbers {
            assert_eq!(paged.get(number), None);
            assert_eq!(paged.remove(number), None);
            paged.add(number, number + 1);
            paged.add(number, 0);
        }
        *paged.get_mut(17).unwrap() += 1;
        assert_eq!(numbers.map(|it| paged.get(it).copied().unwrap() - it), [1, 1, 1, 1, 2, 1]);
        assert_eq!(numbers.map(|it| paged.remove(it).unwrap() - it), [1, 1, 1, 1, 2, 1]);
        assert!(numbers.iter().all(|&it| paged.get(it).is_none()));
        assert!(paged.pages.is_empty());
    }
}
