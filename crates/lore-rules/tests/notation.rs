//! Properties of dice notation that must hold for every input.
//!
//! Texts are generated at random; no test may depend on the internals of the parser.

use std::collections::HashMap;

use lore_rules::dice::{DiceStream, Seed};
use lore_rules::notation::{
    Ast, Distribution, MAX_CHARACTERS, ParseError, Rolled, TermRoll, distribution, parse, roll,
};
use proptest::prelude::*;
use proptest::sample::select;

fn stream(seed: u64) -> DiceStream {
    DiceStream::new(Seed::from_random(seed))
}

/// Common dice and unusual ones.
const ALL_FACES: [&str; 10] = ["d1", "d2", "D6", "d 8", "d10", "d20", "d%", "dF", "df", "d1000000"];

/// Dice with any combination of rules, some of which would never end.
fn dice(most: u32, faces: &'static [&'static str]) -> impl Strategy<Value = String> {
    let count = prop_oneof![Just(String::new()), (1..=most).prop_map(|count| count.to_string())];
    let faces = select(faces);
    let condition = (select(vec!["", "=", "<", "<=", ">", ">="]), 0..9_u32)
        .prop_map(|(sign, number)| format!("{sign}{number}"));
    let rule = prop_oneof![
        (select(vec!["r", "RR", "ro", "x", "!", "XO "]), condition)
            .prop_map(|(word, condition)| format!("{word}{condition}")),
        (select(vec!["k", "kh", "KL ", "dh", "dl", "min", "mi", "ma ", "max"]), 1..9_u32)
            .prop_map(|(word, number)| format!("{word}{number}")),
        select(vec!["!", "xo", "kh", ">=-2", "=1", " < 3", "min-1"]).prop_map(str::to_owned),
    ];
    let label = select(vec!["", "[fire]", "[ two words ]", "[é # (]"]);
    (count, faces, prop::collection::vec(rule, 0..4), label)
        .prop_map(|(count, faces, rules, label)| format!("{count}{faces}{}{label}", rules.concat()))
}

/// Whole expressions, nearly all of which are valid.
fn expression() -> impl Strategy<Value = String> {
    let number = (0..=1_000_000_000_u64).prop_map(|number| number.to_string());
    let leaf = prop_oneof![4 => dice(30, &ALL_FACES), 1 => number, 1 => Just("3[luck]".to_owned())];
    let nested = leaf.prop_recursive(4, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), select(vec!["+", " - ", "−", "*", "×", "/", "÷"]), inner.clone())
                .prop_map(|(left, sign, right)| format!("{left}{sign}{right}")),
            inner.clone().prop_map(|inner| format!("( {inner} )")),
            inner.prop_map(|inner| format!("-{inner}")),
        ]
    });
    let comment = select(vec!["", " # for the gate", "#"]);
    (nested, comment).prop_map(|(text, comment)| format!("{text}{comment}"))
}

/// Text of the tokens that expressions are made of, in any order.
fn rubble() -> impl Strategy<Value = String> {
    let pieces = vec![
        "d",
        "1",
        "20",
        "999999999",
        "(",
        ")",
        "[",
        "]",
        "#",
        "+",
        "-",
        "−",
        "*",
        "/",
        "÷",
        "k",
        "kh",
        "dl",
        "r",
        "ro",
        "x",
        "xo",
        "!",
        "min",
        "max",
        "<",
        ">=",
        "=",
        "%",
        "F",
        " ",
        "é",
        "\u{0}",
    ];
    prop::collection::vec(select(pieces), 0..60).prop_map(|pieces| pieces.concat())
}

fn check_error(text: &str, error: &ParseError) {
    assert!(text.is_char_boundary(error.position), "{text:?}: {error:?}");
    assert!(!error.expected().is_empty() && error.hint().ends_with('.'));
}

/// Parses, prints and rolls a text, and checks everything that must hold for any text.
fn check(text: &str, seed: u64) -> Option<(Ast, Option<Rolled>)> {
    let ast = match parse(text) {
        Ok(ast) => ast,
        Err(error) => {
            check_error(text, &error);
            return None;
        }
    };
    let printed = ast.to_string();
    assert!(printed.chars().count() <= MAX_CHARACTERS);
    assert_eq!(parse(&printed).as_ref(), Ok(&ast), "{text:?} printed as {printed:?}");
    let rolled = roll(&ast, &mut stream(seed));
    assert_eq!(rolled, roll(&ast, &mut stream(seed)), "{text:?}");
    for term in rolled.iter().flat_map(|rolled| &rolled.terms) {
        check_term(term);
    }
    Some((ast, rolled.ok()))
}

fn check_term(term: &TermRoll) {
    let kept = || term.dice.iter().filter(|die| die.kept);
    if term.dice.is_empty() {
        return assert_eq!(term.notation, term.subtotal.to_string());
    }
    let counts = term.dice.iter().any(|die| die.success.is_some());
    if counts {
        let wins = kept().filter(|die| die.success == Some(true)).count();
        assert_eq!(Ok(term.subtotal), i64::try_from(wins));
    } else if kept().next().is_some() {
        assert!(term.subtotal == kept().map(|die| die.value).sum::<i64>());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>(), seed in any::<u64>()) {
        check(&text, seed);
    }

    #[test]
    fn any_rubble_is_read_or_refused(text in rubble(), seed in any::<u64>()) {
        check(&text, seed);
    }

    #[test]
    fn what_is_printed_reads_back(text in expression(), seed in any::<u64>()) {
        check(&text, seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn rolls_lie_within_the_odds(text in dice(3, &["d2", "d4", "dF"]), seed in any::<u64>()) {
        if let Some((ast, Some(rolled))) = check(&text, seed) && let Ok(odds) = distribution(&ast) {
            prop_assert!((odds.min()..=odds.max()).contains(&rolled.total), "{text}");
            prop_assert!(odds.exactly(rolled.total).value() > 0.0, "{text}: {}", rolled.total);
            let all = odds.at_most(rolled.total).value() + odds.at_least(rolled.total + 1).value();
            prop_assert!((all - 1.0).abs() < 1e-12, "{text}");
        }
    }
}

/// Returns the chi-square statistic of rolls against the odds, and its degrees of freedom. Results
/// that are expected fewer than five times are combined.
fn deviation(ast: &Ast, odds: &Distribution, rolls: u64) -> (f64, usize) {
    let mut seen = HashMap::new();
    let mut dice = stream(2_025);
    for _ in 0..rolls {
        let total = roll(ast, &mut dice).map(|rolled| rolled.total);
        *seen.entry(total).or_insert(0_u64) += 1;
    }
    let (mut sum, mut classes, mut rare) = (0.0, 0_usize, (0.0, 0_u64));
    for (result, chance) in odds.outcomes() {
        let (expected, found) = (chance * rolls as f64, seen.remove(&Ok(result)).unwrap_or(0));
        if expected < 5.0 {
            rare = (rare.0 + expected, rare.1 + found);
            continue;
        }
        sum += (found as f64 - expected).powi(2) / expected;
        classes += 1;
    }
    assert!(seen.is_empty(), "{ast} rolled what has no odds: {seen:?}");
    if rare.0 > 0.5 {
        sum += (rare.1 as f64 - rare.0).powi(2) / rare.0;
        classes += 1;
    }
    (sum, classes - 1)
}

// The bound is five standard deviations above the mean of a chi-square distribution. The dice are
// fixed, so the result never changes.
#[test]
fn rolls_follow_the_odds() {
    for text in [
        "4d6kh3+2",
        "2d20dl1",
        "2d20kl1",
        "3d6!",
        "5d10>=8",
        "2d6r1+1d8[cold]-2",
        "(2d4+1)*3",
        "4dF",
        "3d6ro<3",
        "2d4!>=3",
        "4d6!kh3",
        "5d6xo>=5dl1dh1",
        "3d8min3max6",
        "5d10>=8!",
        "d6*d4-d3",
        "2d6r>3",
        "10d4r<=3",
    ] {
        let ast = parse(text).expect(text);
        let (sum, freedom) = deviation(&ast, &distribution(&ast).expect(text), 20_000);
        let limit = freedom as f64 + 5.0 * (2.0 * freedom as f64).sqrt();
        assert!(sum <= limit, "{text}: {sum} with {freedom} degrees of freedom");
    }
}

#[test]
fn the_printed_seed_rolls_the_same_dice() {
    let ast = parse("4d6kh3+2").expect("an expression");
    let roll = roll(&ast, &mut stream(42)).expect("a roll");
    let faces: Vec<i64> =
        roll.terms.iter().flat_map(|term| &term.dice).map(|die| die.face).collect();
    assert_eq!((faces, roll.total), (vec![6, 2, 5, 2], 15));
}
