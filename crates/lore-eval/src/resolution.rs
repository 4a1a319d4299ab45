//! Evaluates the resolution of names: each name in the left record set is resolved among those in
//! the right one.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::ensure;
use clap::Args;
use lore_resolve::{Family, Profile, Query, Resolver};

use crate::records::{Record, read_pairs, read_records};

#[derive(Args)]
pub(crate) struct Options {
    /// The records that are asked for
    #[arg(long)]
    left: PathBuf,
    /// The records that are known
    #[arg(long)]
    right: PathBuf,
    /// Pairs of ids that mean the same
    #[arg(long)]
    gold: PathBuf,
    /// The type of the records, such as Person; guessed from the names by default
    #[arg(long = "type")]
    type_name: Option<String>,
    /// The columns of the names, separated by commas; found by their titles by default
    #[arg(long)]
    name_column: Option<String>,
    /// The least probability of a match
    #[arg(long, default_value_t = 0.5)]
    at: f64,
    /// Shows this many wrong and missed matches
    #[arg(long, default_value_t = 0)]
    show: usize,
}

/// The result for one name.
struct Outcome<'a> {
    asked: &'a Record,
    picked: Option<&'a Record>,
    right: bool,
    wanted: bool,
}

#[expect(clippy::print_stdout, reason = "this is the program's answer")]
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let left = read_records(&options.left, options.name_column.as_deref())?;
    let right = read_records(&options.right, options.name_column.as_deref())?;
    let gold = links(read_pairs(&options.gold)?, &left, &right);
    ensure!(!gold.is_empty(), "no gold pair names a left and a right record");
    let (type_name, profile) = match &options.type_name {
        Some(name) => (name.clone(), Profile::of(name)),
        None => guess(&left, &right),
    };
    let known = known(&right, profile);
    let begin = Instant::now();
    let outcomes = resolve(&left, &right, &known, &gold, options.at);
    let each = begin.elapsed() / u32::try_from(left.len().max(1))?;
    let picked = outcomes.iter().filter(|outcome| outcome.picked.is_some()).count();
    let correct = outcomes.iter().filter(|outcome| outcome.right).count();
    let (precision, recall) = (share(correct, picked), share(correct, gold.len()));
    let f1 = 2.0 * precision * recall / (precision + recall).max(f64::MIN_POSITIVE);
    println!("{} asked, {} known, {} linked, as {type_name}", left.len(), right.len(), gold.len());
    println!("precision {precision:.3}  recall {recall:.3}  F1 {f1:.3}  ({each:.0?} each)");
    for outcome in outcomes.iter().filter(|outcome| is_wrong(outcome)).take(options.show) {
        let picked = outcome.picked.map_or("nothing", |record| record.name.as_str());
        println!("  {:?} -> {picked:?} ({})", outcome.asked.name, wanted(outcome, &gold, &right));
    }
    Ok(())
}

fn known(records: &[Record], profile: Profile) -> Resolver<usize> {
    let mut known = Resolver::new();
    known.set_profile("record", profile);
    for (place, record) in records.iter().enumerate() {
        known.insert(place, "record", &record.name, &[]);
    }
    known
}

fn resolve<'a>(
    left: &'a [Record],
    right: &'a [Record],
    known: &Resolver<usize>,
    gold: &HashMap<&str, HashSet<&str>>,
    at: f64,
) -> Vec<Outcome<'a>> {
    let outcomes = left.iter().map(|asked| {
        let found = known.resolve(&Query::new(&asked.name));
        let pick = found.candidates.iter().find(|candidate| candidate.objection.is_none());
        let pick = pick.filter(|candidate| candidate.probability >= at);
        let picked = pick.and_then(|candidate| right.get(candidate.key));
        let wanted = gold.get(asked.id.as_str());
        let right =
            picked.zip(wanted).is_some_and(|(picked, wanted)| wanted.contains(picked.id.as_str()));
        Outcome { asked, picked, right, wanted: wanted.is_some() }
    });
    outcomes.collect()
}

/// Returns the matching right ids of each left id. Gold files may have either order of columns.
fn links<'a>(
    pairs: Vec<(String, String)>,
    left: &'a [Record],
    right: &'a [Record],
) -> HashMap<&'a str, HashSet<&'a str>> {
    let ids = |records: &'a [Record]| -> HashSet<&'a str> {
        records.iter().map(|record| record.id.as_str()).collect()
    };
    let (left, right) = (ids(left), ids(right));
    let mut links: HashMap<&str, HashSet<&str>> = HashMap::new();
    let forward = pairs.iter().filter(|(one, _)| left.contains(one.as_str())).count();
    let backward = pairs.iter().filter(|(_, one)| left.contains(one.as_str())).count();
    for (one, other) in &pairs {
        let (from, to) = if forward >= backward { (one, other) } else { (other, one) };
        let found = left.get(from.as_str()).zip(right.get(to.as_str()));
        if let Some((from, to)) = found {
            links.entry(from).or_default().insert(to);
        }
    }
    links
}

/// Guesses the type of the records from their names: codes, long titles, personal names, or
/// anything else.
fn guess(left: &[Record], right: &[Record]) -> (String, Profile) {
    let names: Vec<&str> = left.iter().chain(right).map(|record| record.name.as_str()).collect();
    let of = |test: &dyn Fn(&str) -> bool| {
        share(names.iter().filter(|name| test(name)).count(), names.len())
    };
    let words: usize = names.iter().map(|name| name.split_whitespace().count()).sum();
    let words = share(words, names.len());
    let has_digit = |name: &str| Family::Thing.is_likely(name);
    let is_short = |name: &str| {
        let count = name.split_whitespace().count();
        (1..=3).contains(&count) && !has_digit(name)
    };
    let given = |name: &str| Family::Person.is_likely(name);
    let (name, family) = if of(&has_digit) > 0.25 && words > 3.0 {
        ("Project (guessed)", Family::Thing)
    } else if words > 5.0 {
        ("title (guessed)", Family::Title)
    } else if of(&is_short) > 0.8 && of(&given) > 0.3 {
        ("Person (guessed)", Family::Person)
    } else {
        ("Organization (guessed)", Family::Organization)
    };
    (name.to_owned(), Profile::of_family(family))
}

fn is_wrong(outcome: &Outcome<'_>) -> bool {
    !outcome.right && (outcome.picked.is_some() || outcome.wanted)
}

fn wanted(outcome: &Outcome<'_>, gold: &HashMap<&str, HashSet<&str>>, right: &[Record]) -> String {
    let ids = gold.get(outcome.asked.id.as_str());
    let record =
        right.iter().find(|record| ids.is_some_and(|ids| ids.contains(record.id.as_str())));
    record.map_or("nothing is meant".to_owned(), |record| format!("{:?} is meant", record.name))
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}
