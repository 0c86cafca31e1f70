//! From figures to tables: speed, growth, and the bars that were set.

use crate::measure::{Figure, Format, LOOP, PATTERNS, START_UP};
use crate::table::{Align, Table, grouped, rounded};

const FRONTIER: &str = "frontier";
const VELODROME: &str = "velodrome";
/// Engines that stream, with a bar on their speed.
const STREAMING: [&str; 4] = ["eraser", "multilockset", "atomizer", "hb"];
/// Engines that judge at the end, with the CPU seconds they may take.
const OFFLINE: [(&str, f64); 2] = [("reduction", 3.0), ("blocks", 10.0)];

impl Figure {
    /// Million events per CPU second.
    fn rate(&self) -> f64 {
        // No time at all can only be a clock too coarse.
        self.events as f64 / self.cost.cpu.as_secs_f64().max(1e-6) / 1e6
    }

    /// Peak memory in MB, of a million bytes.
    fn megabytes(&self) -> f64 {
        self.cost.peak as f64 / 1e6
    }

    fn is(&self, engine: &str, format: Format) -> bool {
        self.job.engine == engine && self.job.format == format
    }
}

fn columns(left: &[&str], right: &[&str]) -> Vec<(String, Align)> {
    let left = left.iter().map(|head| (head.to_string(), Align::Left));
    left.chain(right.iter().map(|head| (head.to_string(), Align::Right))).collect()
}

/// Speed and memory on the traces of full length.
pub fn speed(figures: &[Figure], events: u64) -> Table {
    let columns = columns(
        &["shape", "format", "engine"],
        &["events", "million events per CPU second", "peak memory, MB"],
    );
    let mut table = Table::new("Speed and memory", columns);
    for figure in figures.iter().filter(|figure| figure.job.events == events) {
        let job = &figure.job;
        table.row(vec![
            job.shape.clone(),
            job.format.to_string(),
            job.engine.clone(),
            grouped(figure.events),
            rounded(figure.rate()),
            rounded(figure.megabytes()),
        ]);
    }
    table
}

/// Time per event at several lengths of one shape.
pub fn growth(figures: &[Figure], shape: &str, lengths: &[u64]) -> Table {
    let heads: Vec<String> = lengths.iter().map(|&n| format!("{} events", grouped(n))).collect();
    let right: Vec<&str> =
        ["start-up, ms"].into_iter().chain(heads.iter().map(String::as_str)).collect();
    let mut table = Table::new(
        format!("Growth: nanoseconds of CPU time per event, shape {shape}"),
        columns(&["format", "engine"], &right),
    );
    for start in figures.iter().filter(|figure| figure.job.shape == START_UP) {
        let start_up = start.cost.cpu.as_secs_f64();
        let mut row = vec![start.job.format.to_string(), start.job.engine.clone()];
        row.push(rounded(start_up * 1e3));
        for &length in lengths {
            let wanted = |figure: &&Figure| {
                let job = &figure.job;
                (job.shape.as_str(), job.events) == (shape, length)
                    && figure.is(&start.job.engine, start.job.format)
            };
            let nanoseconds = |figure: &Figure| {
                (figure.cost.cpu.as_secs_f64() - start_up) * 1e9 / figure.events as f64
            };
            row.push(figures.iter().find(wanted).map(nanoseconds).map_or("-".into(), rounded));
        }
        table.row(row);
    }
    table.note(
        "Start-up, the cost of checking a trace of a few events, is subtracted here and nowhere",
    );
    table.note(
        "else. To make the names of the variables known is not: short traces have as many of them.",
    );
    table
}

/// The side on which a figure must be.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Limit {
    AtLeast(f64),
    Below(f64),
}

impl Limit {
    fn is_met(self, value: f64) -> bool {
        match self {
            Limit::AtLeast(least) => value >= least,
            Limit::Below(bound) => value < bound,
        }
    }

    fn words(self) -> String {
        match self {
            Limit::AtLeast(least) => format!("at least {least}"),
            Limit::Below(bound) => format!("below {bound}"),
        }
    }

    /// The value that is worst for this limit.
    fn worst(self, values: impl Iterator<Item = (f64, String)>) -> Option<(f64, String)> {
        values.reduce(|one, other| {
            let worse = match self {
                Limit::AtLeast(_) => other.0 < one.0,
                Limit::Below(_) => other.0 > one.0,
            };
            if worse { other } else { one }
        })
    }
}

/// The bars, with what was measured and whether it is enough.
pub fn bars(figures: &[Figure], events: u64) -> Table {
    let all = figures;
    let figures: Vec<&Figure> =
        figures.iter().filter(|figure| figure.job.events == events).collect();
    let mut table = Table::new(
        "Bars",
        vec![
            ("bar".into(), Align::Left),
            ("asked".into(), Align::Right),
            ("measured".into(), Align::Right),
            ("where".into(), Align::Left),
            ("result".into(), Align::Left),
        ],
    );
    let mut bar = |what: &str, limit: Limit, values: Vec<(f64, String)>| {
        let (measured, place, mark) = match limit.worst(values.into_iter()) {
            None => ("-".into(), "-".into(), "not measured"),
            Some((value, place)) => {
                (rounded(value), place, if limit.is_met(value) { "met" } else { "NOT MET" })
            }
        };
        table.row(vec![what.into(), limit.words(), measured, place, mark.into()]);
    };
    let rates = |engine: &str, format: Format, shape: Option<&str>| {
        let wanted = |figure: &&&Figure| {
            figure.is(engine, format) && shape.is_none_or(|shape| shape == figure.job.shape)
        };
        let value = |figure: &&Figure| (figure.rate(), place(figure));
        figures.iter().filter(wanted).map(value).collect::<Vec<_>>()
    };
    let (text, binary) = (Format::Text, Format::Binary);
    let first = Some("locked");
    bar("frontier, text, locked: M/s", Limit::AtLeast(15.0), rates(FRONTIER, text, first));
    bar("frontier, text, every shape: M/s", Limit::AtLeast(6.0), rates(FRONTIER, text, None));
    bar("frontier, binary, locked: M/s", Limit::AtLeast(50.0), rates(FRONTIER, binary, first));
    bar("velodrome, text, locked: M/s", Limit::AtLeast(6.0), rates(VELODROME, text, first));
    let to_frontier = "velodrome to frontier, every shape: ratio";
    bar(to_frontier, Limit::AtLeast(0.1), ratios(&figures));
    let peaks = figures.iter().filter(|figure| figure.job.engine == FRONTIER);
    let peaks = peaks.map(|figure| (figure.megabytes(), place(figure))).collect();
    bar("frontier, every shape: peak MB", Limit::Below(200.0), peaks);
    for engine in STREAMING {
        let what = format!("{engine}, text, locked: M/s");
        bar(&what, Limit::AtLeast(10.0), rates(engine, text, first));
    }
    for (engine, seconds) in OFFLINE {
        let of = |value: fn(&Figure) -> f64| {
            let wanted =
                |figure: &&&Figure| figure.job.engine == engine && figure.job.shape == PATTERNS;
            let value = |figure: &&Figure| (value(figure), place(figure));
            figures.iter().filter(wanted).map(value).collect::<Vec<_>>()
        };
        let cpu = of(|figure| figure.cost.cpu.as_secs_f64());
        bar(&format!("{engine}, patterns: CPU seconds"), Limit::Below(seconds), cpu);
        bar(&format!("{engine}, patterns: peak MB"), Limit::Below(1000.0), of(Figure::megabytes));
        let (time, memory) = ten_times(all, engine, events);
        bar(&format!("{engine}, ten times the loop: times the time"), Limit::Below(12.0), time);
        bar(&format!("{engine}, ten times the loop: times the memory"), Limit::Below(1.1), memory);
    }
    table.note("M/s: million events per CPU second. Of several shapes the worst is shown.");
    table
}

/// A value, and where it was measured.
type Values = Vec<(f64, String)>;

/// How much more a loop of ten times the iterations costs: time and memory.
fn ten_times(figures: &[Figure], engine: &str, events: u64) -> (Values, Values) {
    let of = |events: u64| {
        let wanted = move |figure: &&Figure| {
            figure.job.engine == engine && figure.job.shape == LOOP && figure.job.events == events
        };
        figures.iter().filter(wanted)
    };
    let (mut time, mut memory) = (vec![], vec![]);
    for (short, long) in of(events / 10).flat_map(|s| of(events).map(move |l| (s, l))) {
        if short.job.format == long.job.format {
            let seconds = |figure: &Figure| figure.cost.cpu.as_secs_f64().max(1e-6);
            time.push((seconds(long) / seconds(short), place(long)));
            memory.push((long.megabytes() / short.megabytes(), place(long)));
        }
    }
    (time, memory)
}

fn place(figure: &Figure) -> String {
    format!("{}, {}", figure.job.shape, figure.job.format)
}

/// Velodrome's speed as a share of the frontier's on the same trace.
fn ratios(figures: &[&Figure]) -> Vec<(f64, String)> {
    let ratio = |figure: &&Figure| {
        let same_trace = |other: &&&Figure| {
            other.job.shape == figure.job.shape && other.is(FRONTIER, figure.job.format)
        };
        let frontier = figures.iter().find(same_trace)?;
        Some((figure.rate() / frontier.rate(), place(figure)))
    };
    figures.iter().filter(|figure| figure.job.engine == VELODROME).filter_map(ratio).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{Cost, Job};
    use std::time::Duration;

    fn figure(shape: &str, format: Format, engine: &str, events: u64, ms: u64, mb: u64) -> Figure {
        let (shape, engine) = (shape.to_string(), engine.to_string());
        Figure {
            job: Job { shape, events, format, engine },
            events,
            cost: Cost { cpu: Duration::from_millis(ms), peak: mb * 1_000_000 },
        }
    }

    /// The row of the table that begins with these words, blanks closed up.
    fn row(table: &Table, start: &str) -> String {
        let text = table.render(false);
        let line = text.lines().find(|line| line.starts_with(start)).unwrap_or_default();
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn speed_is_events_per_cpu_second_of_full_traces_only() {
        let short = figure("locked", Format::Text, FRONTIER, 100_000, 10, 5);
        let full = figure("locked", Format::Text, FRONTIER, 10_000_000, 500, 42);
        let text = speed(&[short, full], 10_000_000).render(false);
        assert!(text.lines().last().unwrap().ends_with(" 42.0"), "{text}");
        assert!(text.contains(" 20.0 ") && !text.contains(" 100,000 "), "{text}");
    }

    #[test]
    fn growth_subtracts_the_start_up_of_the_same_engine_and_format() {
        let figures = [
            figure(START_UP, Format::Text, FRONTIER, 1, 2, 5),
            figure(START_UP, Format::Text, VELODROME, 1, 4, 5),
            figure("locked", Format::Text, FRONTIER, 100_000, 12, 5),
            figure("locked", Format::Text, VELODROME, 100_000, 24, 5),
            figure("wide", Format::Text, FRONTIER, 1_000_000, 77, 5),
        ];
        let table = growth(&figures, "locked", &[100_000, 1_000_000]);
        assert_eq!(row(&table, "text    frontier"), "text frontier 2.00 100 -");
        assert_eq!(row(&table, "text    velodrome"), "text velodrome 4.00 200 -");
    }

    #[test]
    fn ten_times_the_loop_is_compared_with_the_loop() {
        let figures = [
            figure(LOOP, Format::Binary, "blocks", 1_000, 100, 50),
            figure(LOOP, Format::Binary, "blocks", 10_000, 1_300, 50),
            figure(LOOP, Format::Binary, "reduction", 1_000, 10, 50),
            figure(LOOP, Format::Binary, "reduction", 10_000, 100, 100),
        ];
        let table = bars(&figures, 10_000);
        let time = row(&table, "blocks, ten times the loop: times the time");
        assert!(time.ends_with("below 12 13.0 loop, binary NOT MET"), "{time}");
        let memory = row(&table, "blocks, ten times the loop: times the memory");
        assert!(memory.ends_with("below 1.1 1.00 loop, binary met"), "{memory}");
        let memory = row(&table, "reduction, ten times the loop: times the memory");
        assert!(memory.ends_with("2.00 loop, binary NOT MET"), "{memory}");
    }

    #[test]
    fn bars_show_the_worst_and_are_strict() {
        let figures = [
            figure("locked", Format::Text, FRONTIER, 6_000_000, 400, 50),
            figure("wide", Format::Text, FRONTIER, 6_000_000, 1_001, 200),
            figure("locked", Format::Text, VELODROME, 6_000_000, 1_000, 700),
            figure("wide", Format::Text, VELODROME, 6_000_000, 10_011, 900),
        ];
        let table = bars(&figures, 6_000_000);
        let frontier = row(&table, "frontier, text, locked");
        assert!(frontier.ends_with("at least 15 15.0 locked, text met"), "{frontier}");
        let all = row(&table, "frontier, text, every");
        assert!(all.ends_with("at least 6 5.99 wide, text NOT MET"), "{all}");
        let velodrome = row(&table, "velodrome, text, locked");
        assert!(velodrome.ends_with("at least 6 6.00 locked, text met"), "{velodrome}");
        let ratio = row(&table, "velodrome to frontier");
        assert!(ratio.ends_with("at least 0.1 0.100 wide, text NOT MET"), "{ratio}");
        let peak = row(&table, "frontier, every");
        assert!(peak.ends_with("below 200 200 wide, text NOT MET"), "{peak}");
        let streaming = row(&table, "eraser");
        assert!(streaming.ends_with("- - not measured"), "{streaming}");
        let binary = row(&table, "frontier, binary");
        assert!(binary.ends_with("- - not measured"), "{binary}");
    }
}
