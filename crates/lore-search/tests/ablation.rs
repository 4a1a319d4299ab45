//! How well texts are found in the evaluation corpus, reason by reason.
//!
//! `cargo test -p lore-search --test ablation -- --nocapture` prints the table. Nothing
//! is tuned to this corpus; the test only holds the direction of what each reason does.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking, and this one prints a table"
)]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use lore_core::names::Word;
use lore_core::{NodeId, PrincipalId, Role, TextId, Timestamp, Viewer, WorldId};
use lore_search::{Analysis, DocKey, Document, Entry, Hit, Index, Meta, Query};
use lore_text::analysis::stem_list;
use lore_text::time::{Plain, chat_prefix};
use serde_json::Value;

/// Stores in which people talk.
const CHATS: [&str; 3] = ["garden", "reef", "ferry"];
/// Stores of longer texts: documents, and talks with a machine.
const LONG: [&str; 4] = ["prose", "almanac", "helper", "adviser"];

#[test]
fn each_reason_helps_where_it_should() {
    let corpus = Corpus::read();
    let rows = [
        ("BM25, exact stems", corpus.evaluate(&corpus.plain_bm25())),
        ("+ words of like meaning", corpus.evaluate(&corpus.ranked(Structure::No, 0))),
        ("+ neighbours", corpus.evaluate(&corpus.ranked(Structure::Yes, 0))),
        ("+ vectors", corpus.evaluate(&corpus.ranked(Structure::Yes, 1))),
        ("+ author", corpus.evaluate(&corpus.ranked(Structure::Yes, 2))),
        ("+ date", corpus.evaluate(&corpus.ranked(Structure::Yes, 3))),
        ("+ is no question", corpus.evaluate(&corpus.ranked(Structure::Yes, 4))),
        ("+ information", corpus.evaluate(&corpus.ranked(Structure::Yes, 5))),
        ("+ when", corpus.evaluate(&corpus.ranked(Structure::Yes, 6))),
        ("+ session", corpus.evaluate(&corpus.ranked(Structure::Yes, 7))),
        ("+ other answers", corpus.evaluate(&corpus.ranked(Structure::Yes, 8))),
    ];
    print(&rows);
    let [plain, like, neighbours, vectors, .., whole] = rows.map(|(_, figures)| figures);
    assert!(like.everywhere() > plain.everywhere(), "words of like meaning find more");
    assert!(neighbours.of(&CHATS) > like.of(&CHATS) + 0.02, "neighbours explain turns");
    assert!(vectors.of(&LONG) > neighbours.of(&LONG), "vectors find what is put otherwise");
    assert!(vectors.everywhere() > neighbours.everywhere() - 0.01, "vectors do little harm");
    assert!(whole.of(&CHATS) > plain.of(&CHATS) + 0.1, "all reasons together");
    assert!(whole.everywhere() > plain.everywhere() + 0.05, "all reasons together");
    for (store, recall) in &plain.recall {
        assert!(whole.recall[store][1] >= recall[1] - 0.02, "{store} must not get worse");
    }
}

#[test]
fn vectors_find_what_shares_no_word() {
    let corpus = Corpus::read();
    let with = corpus.ranked(Structure::Yes, 8);
    let paraphrases: Vec<&Question> = corpus
        .questions
        .iter()
        .filter(|question| {
            let asked: HashSet<String> = stem_list(&question.text).into_iter().collect();
            question.gold.iter().all(|gold| {
                stem_list(&corpus.texts[gold].body).iter().all(|stem| !asked.contains(stem))
            })
        })
        .collect();
    assert!(paraphrases.len() >= 8, "the corpus has questions in other words");
    let found = paraphrases.iter().filter(|question| {
        let ranked = &with[&question.id];
        question.gold.iter().any(|gold| ranked.iter().take(10).any(|id| id == gold))
    });
    let found = found.count();
    println!("paraphrases found among the first ten: {found} of {}", paraphrases.len());
    assert!(found * 2 >= paraphrases.len(), "{found} of {}", paraphrases.len());
}

struct Text {
    id: String,
    store: String,
    session: Option<String>,
    date: Option<Timestamp>,
    body: String,
    number: i64,
}

struct Question {
    id: String,
    store: String,
    text: String,
    gold: Vec<String>,
}

struct Corpus {
    texts: BTreeMap<String, Text>,
    questions: Vec<Question>,
}

/// Whether an index is told of sessions, authors and dates.
#[derive(Clone, Copy, PartialEq)]
enum Structure {
    Yes,
    No,
}

/// The ids of the texts that answer each question, best first.
type Answers = HashMap<String, Vec<String>>;

impl Corpus {
    fn read() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/eval/retrieval");
        let lines = |name: &str| -> Vec<Value> {
            let text = fs::read_to_string(folder.join(name)).unwrap();
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let string = |value: &Value| value.as_str().map(str::to_owned);
        let texts = lines("corpus.jsonl").into_iter().zip(1..).map(|(line, number)| Text {
            id: string(&line["id"]).unwrap(),
            store: string(&line["store"]).unwrap(),
            session: string(&line["session"]),
            date: string(&line["date"]).map(|date| format!("{date}T00:00:00Z").parse().unwrap()),
            body: string(&line["text"]).unwrap(),
            number,
        });
        let questions = lines("queries.jsonl").into_iter().map(|line| Question {
            id: string(&line["qid"]).unwrap(),
            store: string(&line["store"]).unwrap(),
            text: string(&line["query"]).unwrap(),
            gold: line["gold"].as_array().unwrap().iter().filter_map(string).collect(),
        });
        let corpus = Self {
            texts: texts.map(|text| (text.id.clone(), text)).collect(),
            questions: questions.collect(),
        };
        assert!(corpus.texts.len() >= 400 && corpus.questions.len() >= 150);
        corpus
    }

    fn of_store<'a>(&'a self, store: &'a str) -> impl Iterator<Item = &'a Text> {
        self.texts.values().filter(move |text| text.store == store)
    }

    fn stores(&self) -> HashSet<&str> {
        self.texts.values().map(|text| text.store.as_str()).collect()
    }

    /// The usual formula over exact stems, written out as a yardstick.
    fn plain_bm25(&self) -> Answers {
        let mut answers = Answers::new();
        for store in self.stores() {
            let texts: Vec<(&str, Vec<String>)> = self
                .of_store(store)
                .map(|text| (text.id.as_str(), stem_list(&text.body)))
                .collect();
            let mean = texts.iter().map(|(_, stems)| stems.len()).sum::<usize>() as f32
                / texts.len() as f32;
            for question in self.questions.iter().filter(|question| question.store == store) {
                let asked: HashSet<String> = stem_list(&question.text).into_iter().collect();
                let mut scored: Vec<(f32, &str)> = Vec::new();
                for (id, stems) in &texts {
                    let score = asked.iter().map(|stem| {
                        let count = |stems: &[String]| stems.iter().filter(|s| *s == stem).count();
                        let df = texts.iter().filter(|(_, s)| count(s) > 0).count() as f32;
                        let idf = (1.0 + (texts.len() as f32 - df + 0.5) / (df + 0.5)).ln();
                        let tf = count(stems) as f32;
                        idf * 2.2 * tf / (tf + 1.2 * (0.25 + 0.75 * stems.len() as f32 / mean))
                    });
                    scored.push((score.sum(), id));
                }
                scored.retain(|(score, _)| *score > 0.0);
                scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
                let ids = scored.into_iter().map(|(_, id)| id.to_owned()).collect();
                answers.insert(question.id.clone(), ids);
            }
        }
        answers
    }

    /// What the index answers when words and the first `reasons` other reasons count.
    fn ranked(&self, structure: Structure, reasons: usize) -> Answers {
        let viewer = Viewer { principal: PrincipalId(1), world: WorldId(1), role: Role::Owner };
        let mut answers = Answers::new();
        for store in self.stores() {
            let mut index = Index::new();
            let mut ids = HashMap::new();
            for text in self.of_store(store) {
                index.put(entry(text, structure));
                ids.insert(text.number, text.id.clone());
            }
            for question in self.questions.iter().filter(|question| question.store == store) {
                let mut hits = index.search(&viewer, &Query::new(&question.text, 1000)).hits;
                let score = |hit: &Hit| some_parts(hit, reasons);
                hits.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.key.cmp(&b.key)));
                let found = hits.iter().map(|hit| ids[&hit.key.node.0].clone()).collect();
                answers.insert(question.id.clone(), found);
            }
        }
        answers
    }

    fn evaluate(&self, answers: &Answers) -> Figures {
        let mut sums: BTreeMap<String, ([f64; 3], f64)> = BTreeMap::new();
        for question in &self.questions {
            let ranked = &answers[&question.id];
            let (sum, count) = sums.entry(question.store.clone()).or_default();
            *count += 1.0;
            for (sum, cut) in sum.iter_mut().zip([5, 10, 20]) {
                let top: HashSet<&String> = ranked.iter().take(cut).collect();
                let found = question.gold.iter().filter(|gold| top.contains(gold)).count();
                *sum += found as f64 / question.gold.len() as f64;
            }
        }
        let counts = sums.iter().map(|(store, (_, count))| (store.clone(), *count)).collect();
        let recall = sums.into_iter().map(|(store, (sum, count))| (store, sum.map(|s| s / count)));
        Figures { recall: recall.collect(), counts }
    }
}

/// Recall of the first 5, 10 and 20 in each store.
struct Figures {
    recall: BTreeMap<String, [f64; 3]>,
    counts: BTreeMap<String, f64>,
}

impl Figures {
    /// Recall of the first ten over some stores, each question counting the same.
    fn of(&self, stores: &[&str]) -> f64 {
        self.mean(stores, 1)
    }

    fn everywhere(&self) -> f64 {
        let stores: Vec<&str> = self.recall.keys().map(String::as_str).collect();
        self.of(&stores)
    }

    fn mean(&self, stores: &[&str], cut: usize) -> f64 {
        let total: f64 = stores.iter().map(|store| self.counts[*store]).sum();
        stores.iter().map(|store| self.recall[*store][cut] * self.counts[*store]).sum::<f64>()
            / total
    }
}

fn entry(text: &Text, structure: Structure) -> Entry {
    let kind = Word::new("kind", "note").unwrap();
    let mut meta = Meta::new(kind, Timestamp::UNIX_EPOCH);
    let key = DocKey::text(NodeId(text.number), TextId(text.number));
    let mut document = Document { body: &text.body, ..Document::default() };
    if structure == Structure::Yes && text.session.is_some() {
        let prefix = chat_prefix(&text.body, Plain::IsAuthor);
        document.author = prefix.author;
        document.occurred_at = text.date.or(prefix.occurred_at);
        meta.session.clone_from(&text.session);
        meta.position = text.number;
        meta.author = prefix.author.map(str::to_owned);
        meta.occurred_at = document.occurred_at;
    }
    Entry { key, analysis: Arc::new(Analysis::of_text(&document)), vector: None, meta }
}

fn some_parts(hit: &Hit, reasons: usize) -> f32 {
    let p = &hit.parts;
    let others =
        [p.vector, p.author, p.date, p.question, p.information, p.when, p.session, p.shared];
    p.lexical + others.into_iter().take(reasons).sum::<f32>()
}

fn print(rows: &[(&str, Figures)]) {
    let stores: Vec<String> = rows[0].1.recall.keys().cloned().collect();
    println!(
        "{:<26}{:>18}{}",
        "recall @5/10/20",
        "all",
        stores.iter().map(|s| format!("{s:>18}")).collect::<String>()
    );
    for (name, figures) in rows {
        let all: Vec<&str> = stores.iter().map(String::as_str).collect();
        let cell = |stores: &[&str]| {
            let at = |cut| figures.mean(stores, cut) * 100.0;
            format!("{:>18}", format!("{:.1}/{:.1}/{:.1}", at(0), at(1), at(2)))
        };
        let each: String = all.iter().map(|store| cell(&[store])).collect();
        println!("{name:<26}{}{each}", cell(&all));
    }
}
