//! Evaluates retrieval: questions whose answers are known texts.

#![expect(clippy::print_stdout, reason = "the report is what this program is for")]

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Map, Value, json};

use crate::client::Client;
use crate::corpus::{self, Item, Store};
use crate::metrics::{self, CUTS, Scores};

/// The options of the evaluation.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Texts, one JSON object a line: {id, store, session?, date?, text}
    #[arg(long, value_name = "FILE")]
    corpus: PathBuf,
    /// Questions, one JSON object a line: {qid, store, query, gold[], category?}
    #[arg(long, value_name = "FILE")]
    queries: PathBuf,
    /// Lorewell's program [default: beside this one]
    #[arg(long, value_name = "FILE")]
    lorewell: Option<PathBuf>,
    /// Write each question's ranking to this file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    rankings: Option<PathBuf>,
}

/// The number of results requested: the widest cutoff.
const LIMIT: usize = 20;

/// Saves every text, asks every question and prints the scores.
pub(crate) fn run(options: Options) -> anyhow::Result<()> {
    let program = crate::program(options.lorewell)?;
    let stores = corpus::read(&options.corpus, &options.queries)?;
    let mut report = Report::default();
    for store in &stores {
        ask_store(&program, store, &mut report)
            .with_context(|| format!("store {:?}", store.name))?;
    }
    report.print();
    if let Some(path) = options.rankings {
        std::fs::write(path, report.rankings.join("\n") + "\n")?;
    }
    Ok(())
}

/// The results so far.
#[derive(Default)]
struct Report {
    by_category: BTreeMap<String, Vec<Scores>>,
    all: Vec<Scores>,
    texts: usize,
    saving: Duration,
    asking: Duration,
    asking_cpu: f64,
    rankings: Vec<String>,
}

fn ask_store(program: &Path, store: &Store, report: &mut Report) -> anyhow::Result<()> {
    let home = tempfile::tempdir()?;
    let mut client = Client::open(program, home.path())?;
    let begun = Instant::now();
    let mut ids = HashMap::new();
    for item in &store.items {
        let saved = client.call("kn_experience", &save(item)).with_context(|| item.id.clone())?;
        let id = saved.get("id").and_then(Value::as_str).context("a saved text has no id")?;
        ids.insert(id.to_owned(), item.id.clone());
    }
    report.texts += store.items.len();
    report.saving += begun.elapsed();
    let (begun, cpu) = (Instant::now(), client.cpu_seconds()?);
    for question in &store.questions {
        let ask = json!({ "action": "recall", "topic": question.query, "limit": LIMIT });
        let answer = client.call("kn_intel", &ask).with_context(|| question.qid.clone())?;
        let ranking = ranking(&answer, &ids);
        let scores = metrics::score(&ranking, &question.gold);
        report.note(question.category.as_deref(), scores);
        let line = json!({ "qid": question.qid, "ranking": ranking, "gold": question.gold });
        report.rankings.push(line.to_string());
    }
    report.asking += begun.elapsed();
    report.asking_cpu += client.cpu_seconds()? - cpu;
    Ok(())
}

fn save(item: &Item) -> Value {
    let mut arguments = Map::new();
    arguments.insert("action".into(), json!("save"));
    arguments.insert("type".into(), json!("pattern"));
    arguments.insert("content".into(), json!(item.text));
    if let Some(session) = &item.session {
        arguments.insert("session".into(), json!(session));
    }
    if let Some(date) = &item.date {
        arguments.insert("occurred_at".into(), json!(date));
    }
    Value::Object(arguments)
}

/// Returns the corpus ids of the results, best first.
fn ranking(answer: &Value, ids: &HashMap<String, String>) -> Vec<String> {
    let results = answer.get("results").and_then(Value::as_array);
    let found = results.into_iter().flatten().filter_map(|result| result.get("id")?.as_str());
    found.filter_map(|id| ids.get(id).cloned()).collect()
}

impl Report {
    fn note(&mut self, category: Option<&str>, scores: Scores) {
        self.all.push(scores);
        if let Some(category) = category {
            self.by_category.entry(category.to_owned()).or_default().push(scores);
        }
    }

    fn print(&self) {
        let cuts = CUTS.map(|cut| format!("r@{cut}")).join(" | ");
        println!("| questions | n | {cuts} | MRR | nDCG@10 |");
        println!("|---|--:|--:|--:|--:|--:|--:|");
        for (category, scores) in &self.by_category {
            row(category, scores);
        }
        row("all", &self.all);
        let asked = self.all.len().max(1) as f64;
        println!(
            "\n{} texts saved in {:.1} s; a recall took {:.2} ms, {:.2} ms of it processor time.",
            self.texts,
            self.saving.as_secs_f64(),
            self.asking.as_secs_f64() * 1e3 / asked,
            self.asking_cpu * 1e3 / asked,
        );
    }
}

fn row(label: &str, scores: &[Scores]) {
    let mean = metrics::mean(scores);
    let recall = mean.recall.map(percent).join(" | ");
    let (mrr, ndcg) = (percent(mean.reciprocal_rank), percent(mean.ndcg));
    println!("| {label} | {} | {recall} | {mrr} | {ndcg} |", scores.len());
}

fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}
