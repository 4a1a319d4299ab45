//! Times of reading, rolling and counting expressions, for somebody who asks.
//!
//! Run with `cargo test -p lore-rules --release --test notation_speed -- --ignored --nocapture`.
//! Nothing here may fail because a machine is slow.

use std::hint::black_box;
use std::time::Instant;

use lore_rules::dice::{DiceStream, Seed};
use lore_rules::notation::{distribution, parse, roll};

const ROUNDS: u32 = 200_000;

#[test]
#[ignore = "prints times, checks nothing"]
fn reading_and_rolling() {
    for text in ["1d20+5", "4d6kh3+2", "2d6r1+1d8[cold]-2", "5d10>=8", "3d6!"] {
        let mut times = [0.0; 3];
        for (time, run) in times.iter_mut().zip([parse_only, roll_only, parse_and_roll]) {
            let start = Instant::now();
            run(text);
            *time = start.elapsed().as_secs_f64() * 1e9 / f64::from(ROUNDS);
        }
        let [parse, roll, both] = times;
        eprintln!("{text:20} parse {parse:6.0} ns  roll {roll:6.0} ns  both {both:6.0} ns");
    }
}

#[test]
#[ignore = "prints times, checks nothing"]
fn counting() {
    for text in [
        "4d6kh3+2",
        "3d6!",
        "5d10>=8",
        "10d6!",
        "10d10!",
        "10d10>=8!",
        "4d6!kh3",
        "100d6",
        "1000d6",
        "1000d20",
        "100d6kh50",
        "20d20kh10",
        "2d1000kh1",
        "1000d6kh1",
        "40d6!",
        "1000d100kh500",
        "d100!",
        "d100!>50",
        "d100*d100",
        "1000d100",
        "100d6dl1dh1",
        "6d6!dl1",
        "6d6!>=5kh3",
        "20d6!",
        "1000d6>=5",
        "300d100*2d6",
        "100d10!>=8",
    ] {
        let ast = parse(text).expect("a valid expression");
        let start = Instant::now();
        let odds = distribution(black_box(&ast)).map(|odds| odds.len());
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
    let ast = parse(text).expect("a valid expression");
    for seed in 0..ROUNDS {
        black_box(roll(&ast, &mut stream(seed))).ok();
    }
}

fn parse_and_roll(text: &str) {
    for seed in 0..ROUNDS {
        let ast = parse(black_box(text)).expect("a valid expression");
        black_box(roll(&ast, &mut stream(seed))).ok();
    }
}

fn stream(seed: u32) -> DiceStream {
    DiceStream::new(Seed::from_random(u64::from(seed)))
}
