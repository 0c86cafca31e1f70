//! Things by number, where numbers are given one after the other, and most of them are taken back some time.

/// How many neighbours are kept together.
const PAGE: usize = 256;

struct Page<T> {
    things: [Option<T>; PAGE],
    count: usize,
}

/// A table of things: as much memory as the numbers in use take, and a pointer for each 256 numbers up to the highest.
pub(super) struct Paged<T> {
    pages: Vec<Option<Box<Page<T>>>>,
}

impl<T> Default for Paged<T> {
    fn default() -> Paged<T> {
        Paged { pages: vec![] }
    }
}

impl<T> Paged<T> {
    pub(super) fn get(&self, number: u32) -> Option<&T> {
        let page = self.pages.get(number as usize / PAGE)?.as_deref()?;
        page.things[number as usize % PAGE].as_ref()
    }

    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        let page = self.pages.get_mut(number as usize / PAGE)?.as_deref_mut()?;
        page.things[number as usize % PAGE].as_mut()
    }

    /// Puts a thing there, unless there is one.
    pub(super) fn add(&mut self, number: u32, thing: T) {
        let page = number as usize / PAGE;
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        let new = || Box::new(Page { things: std::array::from_fn(|_| None), count: 0 });
        let page = self.pages[page].get_or_insert_with(new);
        let place = &mut page.things[number as usize % PAGE];
        if place.is_none() {
            *place = Some(thing);
            page.count += 1;
        }
    }

    /// Takes out what is there.
    pub(super) fn remove(&mut self, number: u32) -> Option<T> {
        let place = self.pages.get_mut(number as usize / PAGE)?;
        let page = place.as_deref_mut()?;
        let thing = page.things[number as usize % PAGE].take()?;
        page.count -= 1;
        if page.count == 0 {
            *place = None;
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
        let numbers = [0, 1, 255, 256, 257, 70_000];
        for number in numbers {
            assert_eq!(paged.get(number), None);
            assert_eq!(paged.remove(number), None);
            paged.add(number, number + 1);
            paged.add(number, 0);
        }
        *paged.get_mut(257).unwrap() += 1;
        assert_eq!(numbers.map(|it| paged.get(it).copied().unwrap() - it), [1, 1, 1, 1, 2, 1]);
        assert_eq!(numbers.map(|it| paged.remove(it).unwrap() - it), [1, 1, 1, 1, 2, 1]);
        assert!(numbers.iter().all(|&it| paged.get(it).is_none()));
        assert!(paged.pages.iter().all(Option::is_none));
    }
}
