//! Prints the results as Markdown.

#![expect(clippy::print_stdout, reason = "the report is what this program is for")]

use crate::calls::{Cell, Pace};
use crate::checks::{SHARE, Verdict, find};
use crate::proc;
use crate::rss::{CALLS, Memory, SESSIONS};
use crate::servers::Kind;
use crate::starts::Start;

/// Prints the heading: the machine and the method.
pub(crate) fn opening(pace: Pace) {
    println!("# Protocol benchmark\n");
    println!("Machine: {}.", proc::machine());
    println!(
        "Closed loop, same request and answer bytes for all but axum, which sends the request \
         back.\nBest of {} interleaved rounds of {:?} in each number; the client shares the cores.\n",
        pace.rounds, pace.window
    );
}

/// Prints the table of calls.
pub(crate) fn calls(cells: &[Cell]) {
    println!(
        "| call | tool | server | req/s | p50 µs | p99 µs | CPU µs/req | req/s ÷ rmcp | CPU ÷ rmcp | ≥ {SHARE} |"
    );
    println!("|---|---|---|--:|--:|--:|--:|--:|--:|---|");
    for cell in cells {
        let best = cell.best;
        let bare = find(cells, cell.way, cell.tool, Kind::Rmcp).unwrap_or(best);
        let share = best.rate / bare.rate;
        let aim = match cell.kind {
            Kind::Lorewell if share >= SHARE => "ok",
            Kind::Lorewell => "miss",
            Kind::Rmcp | Kind::Axum => "",
        };
        println!(
            "| {} | {} | {} | {:.0} | {:.1} | {:.1} | {:.1} | {share:.2} | {:.2} | {aim} |",
            cell.way.label(),
            cell.tool.name(),
            cell.kind.label(),
            best.rate,
            best.p50,
            best.p99,
            best.cpu,
            best.cpu / bare.cpu,
        );
    }
    println!();
}

/// Prints the table of starts.
pub(crate) fn starts(starts: &[Start]) {
    println!("| start | server | best ms | median ms |");
    println!("|---|---|--:|--:|");
    for start in starts {
        let milliseconds = |time: std::time::Duration| time.as_secs_f64() * 1e3;
        println!(
            "| {} | {} | {:.1} | {:.1} |",
            start.label,
            start.kind.label(),
            milliseconds(start.best),
            milliseconds(start.median)
        );
    }
    println!();
}

/// Prints the table of memory usage.
pub(crate) fn memory(found: &[Memory]) {
    println!(
        "| memory (VmRSS) | server | idle MB | after {CALLS} calls MB | KiB per session of \
         {SESSIONS} | µs to open one |"
    );
    println!("|---|---|--:|--:|--:|--:|");
    for memory in found {
        let megabytes = |kib: u64| kib as f64 / 1024.0;
        let (each, opening) = memory.sessions.map_or(("".into(), "".into()), |sessions| {
            let opening = sessions.opening.as_secs_f64() * 1e6;
            (format!("{:.1}", sessions.each), format!("{opening:.0}"))
        });
        println!(
            "| {} | {} | {:.1} | {:.1} | {each} | {opening} |",
            memory.label,
            memory.kind.label(),
            megabytes(memory.idle),
            megabytes(memory.after_calls)
        );
    }
    println!();
}

/// Prints a list of checks or aims with their results.
pub(crate) fn verdicts(title: &str, verdicts: &[Verdict], words: [&str; 2]) {
    println!("{title}\n");
    let [good, bad] = words;
    for verdict in verdicts {
        println!("- {}: {}", if verdict.holds { good } else { bad }, verdict.text);
    }
    println!();
}

/// Prints whether an aim is reached.
pub(crate) fn aim(holds: bool, what: &str) {
    println!("- {}: {what}", if holds { "ok" } else { "miss" });
}
