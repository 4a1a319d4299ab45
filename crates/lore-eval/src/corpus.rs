//! Texts and questions in JSON lines, grouped by store.

use std::fs;
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A text to save.
#[derive(Debug, Deserialize)]
pub(crate) struct Item {
    /// The id in the corpus.
    pub(crate) id: String,
    store: String,
    /// The conversation or document that the text is part of.
    pub(crate) session: Option<String>,
    /// When it was said or when it happened.
    pub(crate) date: Option<String>,
    /// The text.
    pub(crate) text: String,
}

/// A question.
#[derive(Debug, Deserialize)]
pub(crate) struct Question {
    /// The id in the set.
    pub(crate) qid: String,
    store: String,
    /// The question as a user would ask it.
    pub(crate) query: String,
    /// The ids of the texts that answer it.
    pub(crate) gold: Vec<String>,
    /// The category, for a separate row in the report.
    pub(crate) category: Option<String>,
}

/// A store: its texts in order, and the questions about it.
pub(crate) struct Store {
    pub(crate) name: String,
    pub(crate) items: Vec<Item>,
    pub(crate) questions: Vec<Question>,
}

/// Reads both files. Stores are in the order of their first text.
pub(crate) fn read(corpus: &Path, queries: &Path) -> anyhow::Result<Vec<Store>> {
    let mut stores: Vec<Store> = Vec::new();
    for item in lines::<Item>(corpus)? {
        match stores.iter_mut().find(|store| store.name == item.store) {
            Some(store) => store.items.push(item),
            None => stores.push(Store {
                name: item.store.clone(),
                items: vec![item],
                questions: Vec::new(),
            }),
        }
    }
    for question in lines::<Question>(queries)? {
        stores
            .iter_mut()
            .find(|store| store.name == question.store)
            .with_context(|| format!("{}: no text is in {:?}", question.qid, question.store))?
            .questions
            .push(question);
    }
    Ok(stores)
}

fn lines<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Vec<T>> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            serde_json::from_str(line).with_context(|| format!("{}:{}", path.display(), at + 1))
        })
        .collect()
}
