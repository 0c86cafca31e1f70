//! All small programs of a kind, each once: threads that change places make no other program, nor do
//! objects that change names.

use super::program::Program;

/// Accesses of the objects, as words.
fn accesses(objects: &[char]) -> Vec<String> {
    let of = |object: &char| [format!("r{object}"), format!("w{object}")];
    objects.iter().flat_map(of).collect()
}

/// Every sequence of so many words.
fn sequences(words: &[String], length: usize) -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        let longer = |start: &Vec<String>| -> Vec<Vec<String>> {
            words
                .iter()
                .map(|word| [start.as_slice(), std::slice::from_ref(word)].concat())
                .collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// How much of what is possible is generated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    Small,
    Large,
}

/// What a thread can do with so many accesses of A and B: outside transactions, within one, and with
/// windows that stay open until the last access.
fn scripts(length: usize, extent: Extent) -> Vec<String> {
    let mut scripts = Vec::new();
    for words in sequences(&accesses(&['A', 'B']), length) {
        let plain = words.join(" ");
        if length > 1 || extent == Extent::Large {
            scripts.push(format!("[ {plain} ]"));
        }
        if length > 1 && extent == Extent::Large {
            scripts.push(words.join("+ "));
        }
        scripts.push(plain);
    }
    scripts
}

/// Two threads of so many accesses each, with both objects FRESH.
pub fn from_the_start(first: usize, second: usize, extent: Extent) -> Vec<Program> {
    let mut programs = Vec::new();
    for (index, one) in scripts(first, extent).iter().enumerate() {
        for (other_index, other) in scripts(second, extent).iter().enumerate() {
            let is_again = first == second && other_index < index;
            let renamed = one.find('B') < one.find('A') && one.contains('B') || !one.contains('A');
            let meet = |object: char| one.contains(object) && other.contains(object);
            if !is_again && !renamed && (meet('A') || meet('B')) {
                programs.push(Program::new(&format!("{one} | {other}"), ""));
            }
        }
    }
    programs
}

/// A thread ends and another one gets its slot, while a third uses the same object all the time.
pub fn with_slots_used_again() -> Vec<Program> {
    let mut programs = Vec::new();
    for words in sequences(&accesses(&['A']), 4) {
        let text = format!("{} x | <0 {} | {} {}", words[0], words[1], words[2], words[3]);
        programs.extend(["0", "2"].map(|prelude| Program::new(&text, prelude)));
    }
    programs
}

/// What happens one after the other before the threads run side by side, all with object A.
struct Before {
    scripts: Vec<String>,
    order: String,
}

fn befores(threads: usize, length: usize) -> Vec<Before> {
    let mut words = Vec::new();
    for thread in 0..threads {
        words.extend(accesses(&['A']).iter().map(|access| format!("{thread}{access}")));
    }
    let mut befores = Vec::new();
    for sequence in sequences(&words, length) {
        let mut before = Before { scripts: vec![String::new(); threads], order: String::new() };
        let mut highest = 0;
        for word in &sequence {
            let thread = usize::from(word.as_bytes()[0] - b'0');
            if thread > highest {
                break;
            }
            highest = highest.max(thread + 1);
            before.scripts[thread] += &format!("{} ", &word[1..]);
            before.order.push_str(&word[..1]);
        }
        if before.order.len() == length {
            befores.push(before);
        }
    }
    befores
}

/// So many accesses of A each (`last`), after `length` accesses of A one after the other. `within`: the first thread
/// does all that in a transaction.
pub fn after_accesses(threads: usize, length: usize, within: bool, last: usize) -> Vec<Program> {
    let last: Vec<String> =
        sequences(&accesses(&['A']), last).iter().map(|words| words.join(" ")).collect();
    let mut programs = Vec::new();
    for before in befores(threads, length) {
        for last in sequences(&last, threads) {
            let parts = before.scripts.iter().zip(&last);
            let mut scripts: Vec<String> =
                parts.map(|(before, last)| format!("{before}{last}")).collect();
            let mut order = before.order.clone();
            if within {
                scripts[0] = format!("[ {} ]", scripts[0]);
                order.insert(0, '0');
            }
            programs.push(Program::new(&scripts.join(" | "), &order));
        }
    }
    programs
}

/// A thread accesses A in two rounds of a loop while another accesses it once, after `length` accesses of A
/// one after the other.
pub fn loops_after_accesses(length: usize) -> Vec<Program> {
    let accesses = accesses(&['A']);
    let mut programs = Vec::new();
    for before in befores(2, length) {
        for (looping, other) in [(0, 1), (1, 0)] {
            for words in sequences(&accesses, 3) {
                let mut scripts = before.scripts.clone();
                let (first, second) = (&words[0], &words[1]);
                scripts[looping] += &format!("{first}+ p {second}~+ p {first}~");
                scripts[other] += &words[2];
                programs.push(Program::new(&scripts.join(" | "), &before.order));
            }
        }
    }
    programs
}
