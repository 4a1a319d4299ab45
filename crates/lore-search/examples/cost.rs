//! Measures the cost of a search: `cargo run --release -p lore-search --example cost [COUNT…]`.
//!
//! Searches stores of generated conversations (10 k, 100 k and 1 M texts, or the given numbers)
//! with questions of 6 to 10 words. Words are drawn from the vocabulary of the embedding table with
//! the frequencies of natural language, so common stems have posting lists as long as in real
//! stores. Times are CPU times of this thread if the system reports them, else wall-clock times.

#![allow(
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a command for people, over data it made itself"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, fs};

use lore_core::names::Word;
use lore_core::{NodeId, PrincipalId, Role, TextId, Timestamp, Viewer, WorldId};
use lore_search::{Analysis, DocKey, Document, Entry, Index, Meta, Query};
use lore_text::wordpiece::whole_words;

const QUESTIONS: usize = 60;
const TURNS: usize = 20;
/// The time a search may take in milliseconds, by number of texts.
const AIMS: [(usize, f64); 3] = [(10_000, 2.0), (100_000, 10.0), (1_000_000, 60.0)];
/// How often each question is asked, because CPU time is counted in steps of milliseconds.
const REPEATED: u32 = 8;

fn main() {
    let counts: Vec<usize> = env::args().skip(1).filter_map(|count| count.parse().ok()).collect();
    let counts = if counts.is_empty() { vec![10_000, 100_000, 1_000_000] } else { counts };
    println!(
        "{:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "texts", "analyse", "open", "put", "mean", "median", "p95", "memory", "per text"
    );
    println!(
        "{:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "", "us/text", "us/text", "us/text", "ms", "ms", "ms", "MB", "bytes"
    );
    counts.into_iter().for_each(measure);
}

fn measure(count: usize) {
    let mut writer = Writer::new();
    let mut index = Index::new();
    let viewer = Viewer { principal: PrincipalId(1), world: WorldId(1), role: Role::Owner };
    let (mut analysing, mut asked) = (Duration::ZERO, Vec::new());
    for number in 0..count {
        let body = writer.turn();
        if number % (count / QUESTIONS).max(1) == 0 {
            asked.push(writer.question(&body));
        }
        let (entry, time) = timed(|| entry(number, &body));
        analysing += time;
        index.put(entry);
    }
    let (_, opening) = timed(|| index.search(&viewer, &Query::new("hello", 1)));
    let more: Vec<Entry> =
        (count..count + 2_000).map(|number| entry(number, &writer.turn())).collect();
    let (_, putting) = timed(|| more.into_iter().for_each(|entry| index.put(entry)));
    // The first search looks up words of similar meaning once per stem. That is not to be measured.
    asked.iter().for_each(|question| drop(index.search(&viewer, &Query::new(question, 10))));
    let mut times: Vec<Duration> = asked
        .iter()
        .map(|question| {
            let query = Query::new(question, 10);
            timed(|| (0..REPEATED).for_each(|_| drop(index.search(&viewer, &query)))).1 / REPEATED
        })
        .collect();
    times.sort();
    let at = |share: f64| milliseconds(times[((times.len() - 1) as f64 * share) as usize]);
    let mean = milliseconds(times.iter().sum::<Duration>()) / times.len() as f64;
    let each = |time: Duration, texts: usize| milliseconds(time) * 1000.0 / texts as f64;
    let bytes = index.statistics().bytes;
    println!(
        "{count:>9} {:>9.1} {:>9.1} {:>9.1} {mean:>9.2} {:>9.2} {:>9.2} {:>9.0} {:>9}",
        each(analysing, count),
        each(opening, count),
        each(putting, 2_000),
        at(0.5),
        at(0.95),
        bytes as f64 / 1e6,
        bytes / count,
    );
    if let Some((_, aim)) = AIMS.iter().find(|(texts, _)| *texts == count) {
        let word = if mean <= *aim { "ok" } else { "miss" };
        println!("- {word}: a search among {count} texts ≤ {aim} ms CPU: {mean:.2}");
    }
}

fn entry(number: usize, body: &str) -> Entry {
    let session = number / TURNS;
    let at = Timestamp::from_second(1_600_000_000 + session as i64 * 40_000).unwrap_or_default();
    let author = ["Mara", "Anselm"][number % 2];
    let document =
        Document { author: Some(author), occurred_at: Some(at), body, ..Document::default() };
    let kind = Word::new("kind", "note").unwrap_or_else(|_| unreachable!("a good word"));
    let mut meta = Meta::new(kind, at);
    meta.session = Some(format!("session {session}"));
    meta.position = number as i64;
    meta.author = Some(author.to_owned());
    meta.occurred_at = Some(at);
    let id = number as i64 + 1;
    let key = DocKey::text(NodeId(id), TextId(id));
    Entry { key, analysis: Arc::new(Analysis::of_text(&document)), vector: None, meta }
}

/// Generates texts with word frequencies as in natural language.
struct Writer {
    words: Vec<&'static str>,
    shares: Vec<f64>,
    state: u64,
}

impl Writer {
    fn new() -> Self {
        let words: Vec<_> =
            whole_words().map(|(word, _)| word).filter(|word| word.len() > 1).collect();
        let mut sum = 0.0;
        let shares = (0..words.len())
            .map(|rank| {
                sum += 1.0 / (rank as f64 + 2.7);
                sum
            })
            .collect();
        Self { words, shares, state: 0x2545_F491_4F6C_DD1D }
    }

    fn random(&mut self) -> f64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn word(&mut self) -> &'static str {
        let at = self.random() * self.shares.last().copied().unwrap_or(1.0);
        let rank = self.shares.partition_point(|share| *share < at);
        self.words.get(rank).copied().unwrap_or("the")
    }

    fn turn(&mut self) -> String {
        let length = 8 + (self.random() * 30.0) as usize;
        let words: Vec<_> = (0..length).map(|_| self.word()).collect();
        words.join(" ") + if self.random() < 0.2 { "?" } else { "." }
    }

    /// Returns a question: a fixed beginning and six to ten words, half of them from the text.
    fn question(&mut self, body: &str) -> String {
        let length = 6 + (self.random() * 5.0) as usize;
        let own: Vec<_> = body.split(' ').collect();
        let words: Vec<_> = (0..length)
            .map(|at| if at % 2 == 0 { self.word() } else { own[at * 7 % own.len()] })
            .collect();
        format!("what did Mara {}", words.join(" "))
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn timed<T>(act: impl FnOnce() -> T) -> (T, Duration) {
    let (wall, cpu) = (Instant::now(), cpu_time());
    let result = act();
    let time = match (cpu, cpu_time()) {
        (Some(before), Some(after)) => after - before,
        _ => wall.elapsed(),
    };
    (result, time)
}

/// Returns the CPU time of this thread, if the system reports it.
fn cpu_time() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}
