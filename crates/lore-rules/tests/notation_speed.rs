//! Timings of parsing, rolling and computing odds, run on demand.
//!
//! Run with `cargo test -p lore-rules --release --test notation_speed -- --ignored --nocapture`.
//! Nothing here may fail because a machine is slow.

use std::hint::black_box;
use std::time::Instant;

use lore_rules::dice::{DiceStream, Seed};
use lore_rules::notation::{distribution, parse, roll};

const ROUNDS: u32 = 2_000;

#[test]
#[ignore = "prints times, checks nothing"]
fn reading_and_rolling() {
    for text in ["1d20+5", "4d6kh3+2", "2d6r1+1d8[cold]-2", "5d10>=8", "3d6!"] {
        let [parse, roll, both] =
            [parse_only, roll_only, parse_and_roll].map(|run| best(run, text));
        eprintln!("{text:20} parse {parse:6.0} ns  roll {roll:6.0} ns  both {both:6.0} ns");
    }
}

/// Returns the time of one round in nanoseconds: the fastest of many runs, which is the one least
/// disturbed by other processes.
fn best(run: fn(&str), text: &str) -> f64 {
    let time = |_| {
        let start = Instant::now();
        run(text);
        start.elapsed().as_secs_f64() * 1e9 / f64::from(ROUNDS)
    };
    (0..200).map(time).fold(f64::INFINITY, f64::min)
}

#[test]
#[ignore = "prints times, checks nothing"]
fn counting() {
    for text in [
        "4d6kh3+2",
        "5d10>=8",
        "3d6!",
        "20d6!",
        "4d6!kh3",
        "2d1000kh1",
        "100d6dl1dh1",
        "1000d6",
        "1000d100",
        "1000d100kh500",
        "6d6!>=5kh3",
    ] {
        let start = Instant::now();
        let odds = parse(text).map(|ast| distribution(&ast).map(|odds| odds.len()));
        let time = start.elapsed().as_secs_f64() * 1e3;
        eprintln!("{text:20} {time:10.3} ms  {odds:?}");
    }
}

fn parse_only(text: &str) {
    for _ in 0..ROUNDS {
        black_box(parse(black_box(text))).ok();
    }
}

fn roll_only(text: &str) {
    let Ok(ast) = parse(text) else { return };
    for seed in 0..ROUNDS {
        black_box(roll(&ast, &mut stream(seed))).ok();
    }
}

fn parse_and_roll(text: &str) {
    for seed in 0..ROUNDS {
        black_box(parse(black_box(text)).map(|ast| roll(&ast, &mut stream(seed)))).ok();
    }
}

fn stream(seed: u32) -> DiceStream {
    DiceStream::new(Seed::from_random(u64::from(seed)))
}
