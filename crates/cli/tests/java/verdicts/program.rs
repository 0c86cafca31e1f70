//! Random programs of some threads that use a few variables, inside and outside of methods, monitors and locks.

use super::random::Random;
use std::fmt::Write;

pub const CELLS: u32 = 3;
pub const ELEMENTS: u32 = 6;
const METHODS: usize = 4;

/// What is accessed: `cell` has fields `a`, `b`, a volatile `v`, and `next`, another cell.
#[derive(Clone, Copy)]
pub enum Access {
    Field {
        cell: u32,
        field: char,
        write: bool,
    },
    Increment {
        cell: u32,
        field: char,
    },
    Element {
        index: u32,
        write: bool,
    },
    Volatile {
        cell: u32,
        write: bool,
    },
    Static {
        write: bool,
    },
    /// Of an atomic variable.
    Atomic(Call),
    /// A new cell is the next one.
    MakeNext {
        cell: u32,
    },
    FieldOfNext {
        cell: u32,
        field: char,
        write: bool,
    },
}

/// A call of an atomic variable's method.
#[derive(Clone, Copy)]
pub enum Call {
    Get,
    Set,
    Add,
    /// An exchange that succeeds, and one that fails.
    Exchange,
    Fail,
}

impl Access {
    fn random(random: &mut Random) -> Access {
        let (cell, write) = (random.below(CELLS), random.percent(50));
        let field = if random.percent(50) { 'a' } else { 'b' };
        match random.below(15) {
            0..4 => Access::Field { cell, field, write },
            4 => Access::Increment { cell, field },
            5..8 => Access::Element { index: random.below(ELEMENTS), write },
            8 => Access::Volatile { cell, write },
            9 => Access::Static { write },
            10 => Access::MakeNext { cell },
            11..13 => Access::Atomic(
                [Call::Get, Call::Set, Call::Add, Call::Exchange, Call::Fail]
                    [random.below(5) as usize],
            ),
            _ => Access::FieldOfNext { cell, field, write },
        }
    }

    fn source(self) -> String {
        let access = |what: String, write: bool| {
            if write { format!("{what} = 1;") } else { format!("r += {what};") }
        };
        match self {
            Access::Field { cell, field, write } => access(format!("c{cell}.{field}"), write),
            Access::Increment { cell, field } => format!("c{cell}.{field}++;"),
            Access::Element { index, write } => access(format!("e[{index}]"), write),
            Access::Volatile { cell, write } => access(format!("c{cell}.v"), write),
            Access::Static { write } => access("s".to_string(), write),
            Access::Atomic(Call::Get) => "r += n.get();".to_string(),
            Access::Atomic(Call::Set) => "n.set(0);".to_string(),
            Access::Atomic(Call::Add) => "n.getAndAdd(0);".to_string(),
            Access::Atomic(Call::Exchange) => "n.compareAndSet(0, 0);".to_string(),
            Access::Atomic(Call::Fail) => "n.compareAndSet(7, 0);".to_string(),
            Access::MakeNext { cell } => format!("c{cell}.next = new Cell(1);"),
            Access::FieldOfNext { cell, field, write } => {
                access(format!("c{cell}.next.{field}"), write)
            }
        }
    }
}

pub enum Item {
    Access(Access),
    /// Others may run.
    Turn,
    Call(usize),
    Loop(u32, Vec<Item>),
    Monitor(u32, Vec<Item>),
    /// A lock of `java.util.concurrent`.
    Lock(Vec<Item>),
    /// What is thrown within is caught.
    Try(Vec<Item>),
    Throw,
    /// All elements, one after the other; others may run in between.
    Walk {
        write: bool,
        turns: bool,
    },
}

/// A program: what its methods do, and its threads.
pub struct Program {
    pub methods: Vec<Vec<Item>>,
    pub threads: Vec<Vec<Item>>,
}

impl Program {
    pub fn random(random: &mut Random) -> Program {
        let mut methods: Vec<Vec<Item>> = Vec::new();
        for method in (0..METHODS).rev() {
            methods.insert(0, items(random, 1, method + 1..METHODS));
        }
        let (count, calls) = (2 + random.below(2), 25 + random.below(40));
        let threads = (0..count).map(|_| {
            let mut thread = Vec::new();
            for _ in 0..=random.below(3) {
                if random.percent(calls) {
                    thread.push(Item::Call(random.below(METHODS as u32) as usize));
                } else {
                    thread.extend(items(random, 1, 0..METHODS));
                }
            }
            thread.push(Item::Turn);
            thread
        });
        Program { threads: threads.collect(), methods }
    }

    /// A class of this name with a method `go` that does everything in the given order.
    pub fn source(&self, name: &str, order: &[usize]) -> String {
        let order: Vec<String> = order.iter().map(usize::to_string).collect();
        let mut out = format!(
            "class {name} {{
  static final class Cell {{ int a, b; volatile int v; Cell next; Cell(int a) {{ this.a = a; }} }}
  static final int[] e = new int[{ELEMENTS}];
  static int s;
  static final java.util.concurrent.atomic.AtomicInteger n = new java.util.concurrent.atomic.AtomicInteger();
  static final java.util.concurrent.locks.ReentrantLock l = new java.util.concurrent.locks.ReentrantLock();
  static final schedule.Order order = new schedule.Order({});\n",
            order.join(",")
        );
        for cell in 0..CELLS {
            let make = format!("static {{ c{cell}.next = new Cell(0); }}");
            writeln!(out, "  static final Cell c{cell} = new Cell(0); {make}").unwrap();
        }
        for (number, method) in self.methods.iter().enumerate() {
            writeln!(out, "  static void m{number}(int me) {{ int r = 0;").unwrap();
            write_items(method, 2, &mut out);
            out += "    schedule.Order.use(r); }\n";
        }
        for (number, thread) in self.threads.iter().enumerate() {
            writeln!(
                out,
                "  static final class T{number} extends Thread {{ public void run() {{
    int me = {number}, r = 0; order.turn(me);
    try {{"
            )
            .unwrap();
            write_items(thread, 3, &mut out);
            out += "      schedule.Order.use(r);\n";
            out += "    } catch (IllegalStateException x) { }\n    order.pass(me); } }\n";
        }
        let threads: Vec<String> =
            (0..self.threads.len()).map(|number| format!("new T{number}()")).collect();
        let threads = threads.join(", ");
        out + &format!(
            "  static void go() throws Exception {{
    Thread[] threads = {{{threads}}};
    for (Thread t : threads) t.start();
    for (Thread t : threads) t.join();
  }}\n}}\n"
        )
    }
}

fn items(random: &mut Random, depth: u32, calls: std::ops::Range<usize>) -> Vec<Item> {
    let mut out = Vec::new();
    for _ in 0..=random.below(3) {
        match random.below(100) {
            kind if kind < 50 || depth >= 3 => {
                out.extend((0..=random.below(3)).map(|_| Item::Access(Access::random(random))));
                if random.percent(80) {
                    out.push(Item::Turn);
                }
            }
            0..65 if !calls.is_empty() => {
                let method = calls.start as u32 + random.below(calls.len() as u32);
                out.push(Item::Call(method as usize));
            }
            0..78 => {
                let times = 2 + random.below(2);
                out.push(Item::Loop(times, items(random, depth + 1, calls.clone())));
            }
            78..86 => {
                let cell = random.below(CELLS);
                out.push(Item::Monitor(cell, items(random, depth + 1, calls.clone())));
            }
            86..89 => out.push(Item::Lock(items(random, depth + 1, calls.clone()))),
            89..92 => out.push(Item::Try(items(random, depth + 1, calls.clone()))),
            92 => out.push(Item::Throw),
            93..97 => {
                out.push(Item::Walk { write: random.percent(50), turns: random.percent(40) });
            }
            _ => out.push(Item::Turn),
        }
    }
    out
}

fn write_items(items: &[Item], depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    let times = |times: u32| format!("for (int i{depth} = 0; i{depth} < {times}; i{depth}++)");
    for item in items {
        let line = match item {
            Item::Access(access) => access.source(),
            Item::Turn => "order.turn(me);".to_string(),
            Item::Call(method) => format!("m{method}(me);"),
            Item::Loop(count, _) => times(*count) + " {",
            Item::Monitor(cell, _) => format!("synchronized (c{cell}) {{"),
            Item::Lock(_) => "l.lock(); try {".to_string(),
            Item::Try(_) => "try {".to_string(),
            // The compiler must not know that nothing follows.
            Item::Throw => "if (me >= 0) throw new IllegalStateException();".to_string(),
            Item::Walk { write, turns } => {
                let access = if *write { "e[i] = 1;" } else { "r += e[i];" };
                let turn = if *turns { " order.turn(me);" } else { "" };
                format!("for (int i = 0; i < {ELEMENTS}; i++) {{ {access}{turn} }}")
            }
        };
        writeln!(out, "{indent}{line}").unwrap();
        let (within, end) = match item {
            Item::Loop(_, within) | Item::Monitor(_, within) => (within, ""),
            Item::Lock(within) => (within, " finally { l.unlock(); }"),
            Item::Try(within) => (within, " catch (IllegalStateException x) { }"),
            _ => continue,
        };
        write_items(within, depth + 1, out);
        writeln!(out, "{indent}}}{end}").unwrap();
    }
}
