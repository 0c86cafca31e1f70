//! The tables, with the bars.

use crate::measure::{Cost, Mode, Row};
use crate::table::{Align, Table, grouped, rounded};
use std::time::Duration;

/// At most so many times the time alone, as a geometric mean over the kernels.
fn bar(mode: Mode) -> Option<f64> {
    match mode {
        Mode::Alone => None,
        Mode::Ownership => Some(2.5),
        Mode::Record => Some(5.0),
        Mode::Run => Some(8.0),
    }
}

/// No kernel may be slower than so many times under `run`.
const WORST: f64 = 20.0;
/// No program may be slower than so many times under `run`.
const PROGRAM: f64 = 5.0;
/// Hello World may take so much longer.
const START_UP: Duration = Duration::from_millis(120);

fn columns(modes: &[Mode]) -> Vec<(String, Align)> {
    let mut columns = vec![(String::new(), Align::Left), ("alone, s".into(), Align::Right)];
    let others = modes.iter().filter(|mode| **mode != Mode::Alone);
    columns.extend(others.map(|mode| (format!("{}, ×", mode.name()), Align::Right)));
    columns.extend(modes.iter().map(|mode| (format!("{}, MB", mode.name()), Align::Right)));
    columns
}

/// How many times the time alone, by mode; the first mode is alone.
fn slowdowns(row: &Row) -> Vec<Option<f64>> {
    let seconds = |cost: &Option<(Duration, Cost)>| cost.map(|(steady, _)| steady.as_secs_f64());
    let alone = row.costs.first().and_then(seconds);
    let slowdown = |cost| Some(seconds(cost)? / alone.filter(|alone| *alone > 0.0)?);
    row.costs.iter().skip(1).map(slowdown).collect()
}

fn cells(row: &Row) -> Vec<String> {
    let alone = row.costs.first().copied().flatten();
    let mut cells = vec![row.name.to_string()];
    cells.push(alone.map_or("—".into(), |(steady, _)| rounded(steady.as_secs_f64())));
    cells.extend(slowdowns(row).into_iter().map(|it| it.map_or("—".into(), rounded)));
    let peak = |cost: &Option<(Duration, Cost)>| {
        cost.map_or("—".into(), |(_, it)| grouped(it.peak / 1_000_000))
    };
    cells.extend(row.costs.iter().map(peak));
    cells
}

/// The geometric mean, if there is anything.
fn mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let logs: Vec<f64> = numbers.map(f64::ln).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

/// The kernels and their geometric means.
pub fn kernels(rows: &[Row], modes: &[Mode]) -> Table {
    let mut table =
        Table::new("Kernels: CPU time in the steady state, and peak memory", columns(modes));
    let slowdowns: Vec<Vec<Option<f64>>> = rows.iter().map(slowdowns).collect();
    rows.iter().for_each(|row| table.row(cells(row)));
    let mut means = vec!["geometric mean".to_string(), String::new()];
    for (i, mode) in modes.iter().skip(1).enumerate() {
        let mean = mean(slowdowns.iter().filter_map(|it| it[i]));
        means.push(mean.map_or("—".into(), rounded));
        let missed = bar(*mode).zip(mean).filter(|(bar, mean)| mean > bar);
        if let Some((bar, _)) = missed {
            table.note(format!(
                "The bar is missed: {} at most {bar} times, as a geometric mean.",
                mode.name()
            ));
        }
        let worst = slowdowns.iter().filter_map(|it| it[i]).fold(0.0, f64::max);
        if *mode == Mode::Run && worst > WORST {
            table.note(format!("The bar is missed: no kernel above {WORST} times."));
        }
    }
    table.row(means);
    table
}

/// The programs.
pub fn programs(rows: &[Row], modes: &[Mode]) -> Table {
    let mut table =
        Table::new("Programs: CPU time in the steady state, and peak memory", columns(modes));
    for row in rows {
        table.row(cells(row));
        let run = modes.iter().skip(1).zip(slowdowns(row)).find(|(mode, _)| **mode == Mode::Run);
        if run.and_then(|(_, it)| it).is_some_and(|it| it > PROGRAM) {
            table.note(format!(
                "The bar is missed: {} under run at most {PROGRAM} times.",
                row.name
            ));
        }
    }
    table
}

/// Hello World.
pub fn start_up(costs: &[(Mode, Option<Cost>)]) -> Table {
    let columns = ["", "wall, ms", "CPU, ms", "peak, MB"];
    let align = |(i, head): (usize, &str)| {
        (head.to_string(), if i == 0 { Align::Left } else { Align::Right })
    };
    let mut table =
        Table::new("Start-up of Hello World", columns.into_iter().enumerate().map(align).collect());
    let alone = costs.iter().find(|(mode, _)| *mode == Mode::Alone).and_then(|(_, cost)| *cost);
    for (mode, cost) in costs {
        let Some(cost) = cost else {
            table.row(vec![mode.name().to_string(), "—".into()]);
            continue;
        };
        let numbers =
            [cost.wall.as_millis() as u64, cost.cpu.as_millis() as u64, cost.peak / 1_000_000];
        table.row([mode.name().to_string()].into_iter().chain(numbers.map(grouped)).collect());
        if alone.is_some_and(|alone| cost.wall > alone.wall + START_UP) {
            table.note(format!(
                "The bar is missed: {} at most {} ms more.",
                mode.name(),
                START_UP.as_millis()
            ));
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_geometric() {
        assert_eq!(mean([2.0, 8.0].into_iter()).map(f64::round), Some(4.0));
        assert_eq!(mean([].into_iter()), None);
    }

    #[test]
    fn slowdowns_are_against_alone() {
        let cost = Cost { cpu: Duration::ZERO, wall: Duration::ZERO, peak: 0 };
        let of = |seconds| Some((Duration::from_secs(seconds), cost));
        let row = Row { name: "x", costs: vec![of(2), None, of(6)] };
        assert_eq!(slowdowns(&row), [None, Some(3.0)]);
    }
}
