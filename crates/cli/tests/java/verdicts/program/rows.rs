//! Small methods of cells: accesses of fields of two cells, one after the other, with nothing in between that others could come between.

use super::CELLS;
use super::access::{Access, Object, Touch, field_of};
use super::habits::Habits;
use crate::verdicts::random::Random;

/// What the methods are called, to begin with. They are no blocks.
pub const NAME: &str = "row";

/// A call of such a method.
pub struct Row {
    /// The cells, which may be the same.
    pub one: u32,
    pub other: u32,
    /// Whether it is the other one's field.
    touches: Vec<(bool, char, Touch)>,
    /// Before which of them the method might return; it never does.
    way_out: usize,
}

impl Row {
    pub fn random(random: &mut Random, habits: &Habits) -> Row {
        let mut cell = || habits.cell(random) % CELLS;
        let (one, other) = (cell(), cell());
        let touches = 2 + random.below(6);
        let touch = |_| (random.percent(50), field_of(random), Touch::random(random));
        let touches: Vec<_> = (0..touches).map(touch).collect();
        let way_out = random.below(2 * touches.len() as u32) as usize;
        Row { one, other, touches, way_out }
    }

    /// Methods that do the same have the same name.
    pub fn name(&self) -> String {
        let touches = self.touches.iter().map(|(other, field, touch)| {
            let touch = match touch {
                Touch::Read => 'R',
                Touch::Write => 'W',
                Touch::Update => 'U',
            };
            format!("{touch}{}{field}", if *other { "o" } else { "" })
        });
        format!("{NAME}{}{}", self.way_out, touches.collect::<String>())
    }

    /// The method, in the class of cells.
    pub fn method(&self, class: &str) -> String {
        let mut out = format!("int {}({class} o) {{ int r = 0;", self.name());
        for (i, (other, field, touch)) in self.touches.iter().enumerate() {
            if i == self.way_out {
                out += " if (r < 0) return r;";
            }
            let owner = if *other { "o." } else { "" };
            out += &format!(" {}", touch.source(&format!("{owner}{field}")));
        }
        out + " return r; }"
    }

    pub fn call(&self) -> String {
        format!("r += c{}.{}(c{});", self.one, self.name(), self.other)
    }

    pub fn accesses(&self) -> impl Iterator<Item = Access> {
        self.touches.iter().map(|(other, field, touch)| {
            let object = Object::Fixed(if *other { self.other } else { self.one });
            Access::Field { object, field: *field, touch: *touch }
        })
    }
}
