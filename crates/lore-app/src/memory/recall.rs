//! Recall: finds what is known about a question.
//!
//! Searches the whole world: knowledge, experiences, projects, and what other doors wrote. Words
//! and meaning determine the order, and the relevance of an experience only nudges it. What is
//! superseded comes after what superseded it.

use std::collections::{HashMap, HashSet};

use lore_core::{Node, NodeId, Provenance, Text, TextKind, Uid};
use lore_rules::memory::decay::{self, nudge};
use lore_search::{Filter, MatchKind, Query, Unit, snippet};
use lore_store::Answered;

use super::access;
use super::answer_budget::{AnswerBudget, Piece};
use super::call::MemoryCall;
use super::cleaning::name_from;
use super::experience::Fading;
use super::graph::main_texts;
use super::kinds::{
    CONTEXT, EXPERIENCE, LASTING_NODE, MESSAGE, PROMOTED, PROMOTED_TO, property, word,
};
use super::parts::{is_main, may_be_part};
use super::project::Outcome;
use super::refusal::Reply;
use super::supersession::{Replacement, current_replacement, with_later_replacements};
use crate::pages::{ENTRY, POST};
use crate::play::log::NOTE;

/// The maximum length of a shown text, in characters.
const SHOWN_MAX: usize = 2_000;
/// The number of hits read in addition to the limit and half of it. Fresher hits and replacements
/// may move up from there.
const MORE: usize = 10;
/// If faded experiences are to be left out, this many times the limit is read in addition.
const SPARE: usize = 3;
/// The factor for the score of what is superseded.
const SUPERSEDED: f64 = 0.5;

/// The input of a recall.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// What it is about. If missing, the newest come first.
    pub topic: Option<String>,
    /// The maximum number of memories.
    pub limit: usize,
    /// The minimum relevance that experiences must have left, from 0 to 1.
    pub min_relevance: f64,
    /// The budget of the answer, if there is one.
    pub answer_budget: Option<AnswerBudget>,
}

/// One recalled thing.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// Its node.
    pub node: Node,
    /// How it fades, if it is an experience.
    pub fading: Option<Fading>,
    /// The text that is shown.
    pub body: Option<Shown>,
    /// The title of that text, if it has one, such as of a post or a step of a project.
    pub title: Option<String>,
    /// Who said it, when, and in which conversation.
    pub provenance: Provenance,
    /// The relevance left: 1 for what does not fade or has a lasting node.
    pub relevance: f64,
    /// The score it is ranked by: how well it answers, adjusted by freshness and validity. `None`
    /// if there was no question.
    pub score: Option<f64>,
    /// What superseded it, if anything did.
    pub replacement: Option<Replacement>,
    /// Whether it matches the question, rather than filling up the list.
    pub(super) answers: bool,
    /// The share of the question's words, weighted by rarity, that its text itself contains.
    pub(super) own_words: f32,
    rank: f64,
    exact: bool,
}

/// A text as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The text, or the excerpt of it that matches.
    pub text: String,
    /// Whether this is only a part of the text.
    pub is_cut: bool,
}

impl Shown {
    fn of(text: String, question: &str) -> Self {
        if fits(&text) {
            return Self { text, is_cut: false };
        }
        Self { text: snippet(&text, question, SHOWN_MAX).text, is_cut: true }
    }
}

impl Memory {
    /// Returns the lasting node of an experience that was promoted.
    pub fn kept_as(&self) -> Option<Uid> {
        property(&self.node, PROMOTED_TO)?.parse().ok()
    }

    /// Returns the text, or the name if there is none.
    pub fn words(&self) -> &str {
        self.body.as_ref().map_or(&self.node.name, |body| &body.text)
    }

    /// Whether only a part of the text is shown.
    pub fn is_cut(&self) -> bool {
        self.body.as_ref().is_some_and(|body| body.is_cut)
    }

    /// Whether it is superseded and there was no question that it might still answer.
    fn is_past(&self) -> bool {
        self.score.is_none() && self.replacement.is_some()
    }
}

/// The result of a recall.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// The memories, best first.
    pub memories: Vec<Memory>,
    /// How many more within the limit did not fit into the budget.
    pub left_out: usize,
    /// Whether nothing clearly matches the question, and these are only the nearest.
    pub weak: bool,
}

/// How far a search goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breadth {
    /// Only hits that match.
    Related,
    /// Fills the list up to the limit with the next best: the reader judges better than a score
    /// whether those help.
    Full,
}

/// What counts as one hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Each {
    /// A node, with its best matching text.
    Node,
    /// Like `Node`, but each message of a conversation is a separate hit, and so is each step, post
    /// or session note that scores about as well as the best text of its node.
    Text,
}

impl Each {
    /// Returns the kinds of texts that are always separate hits, and of those that may be.
    fn texts(self) -> Reply<(Vec<TextKind>, Vec<TextKind>)> {
        if self == Self::Node {
            return Ok(Default::default());
        }
        let beside = [Outcome::Progress.as_str(), Outcome::Failure.as_str(), ENTRY, POST, NOTE];
        let beside: Result<_, lore_core::Error> = beside.into_iter().map(word).collect();
        Ok((vec![word(MESSAGE)?], beside?))
    }
}

/// Recalls what is known about a topic, and counts the accesses.
pub async fn recall(call: &MemoryCall, ask: &Ask) -> Reply<Recalled> {
    let found = find(call, ask, recallable()?, Breadth::Full, Each::Text).await?;
    let recalled = within(found, ask);
    let answering = access::answering(recalled.memories.iter());
    access::note(call, answering.into_iter()).await;
    Ok(recalled)
}

/// A filter for everything, without lasting nodes of promoted experiences: the experiences stand
/// for them.
pub(super) fn recallable() -> Reply<Filter> {
    Ok(Filter { except_kinds: vec![word(PROMOTED)?], ..Filter::default() })
}

/// Keeps as many memories as fit into the budget.
fn within(mut memories: Vec<Memory>, ask: &Ask) -> Recalled {
    let all = memories.len();
    if let Some(answer_budget) = ask.answer_budget {
        if let Some(best) = memories.first_mut() {
            answer_budget.shorten(best, None, ask.topic.as_deref().unwrap_or_default());
        }
        let pieces = memories.iter().map(|memory| Piece::Memory(memory, None));
        memories.truncate(answer_budget.that_fit(pieces));
    }
    let is_asked = memories.iter().any(|memory| memory.score.is_some());
    let weak = is_asked && !memories.iter().any(|memory| memory.answers);
    Recalled { left_out: all - memories.len(), memories, weak }
}

/// Searches the nodes that pass the filter and ranks them. Counts no accesses.
pub(super) async fn find(
    call: &MemoryCall,
    ask: &Ask,
    filter: Filter,
    breadth: Breadth,
    each: Each,
) -> Reply<Vec<Memory>> {
    let text = ask.topic.as_deref().unwrap_or_default().trim().to_owned();
    let faded = if ask.min_relevance > 0.0 { ask.limit * SPARE } else { 0 };
    let limit = ask.limit + ask.limit / 2 + MORE + faded;
    let fill = breadth == Breadth::Full;
    let min_score = (!fill && !text.is_empty()).then_some(0.0);
    let (apart, beside) = each.texts()?;
    let query = Query { filter, unit: Unit::Node, apart, beside, ..Query::new(&*text, limit) };
    let query = Query { fill, min_score, ..query };
    let found = call.app.search(&call.viewer, query).await?;
    let mut memories = judge(call, &text, found.answers).await?;
    prefer_what_holds(call, &text, &mut memories).await?;
    memories.retain(|memory| decay::shown(memory.relevance) >= ask.min_relevance);
    memories.sort_by(|a, b| {
        let order = a.is_past().cmp(&b.is_past()).then_with(|| b.exact.cmp(&a.exact));
        order.then_with(|| b.rank.total_cmp(&a.rank))
    });
    memories.truncate(ask.limit);
    for memory in &mut memories {
        memory.score = memory.score.map(|_| memory.rank);
    }
    Ok(memories)
}

async fn judge(call: &MemoryCall, question: &str, answers: Vec<Answered>) -> Reply<Vec<Memory>> {
    let total = answers.len();
    let (mut nodes, mut hits) = (Vec::new(), Vec::new());
    for (place, answer) in answers.into_iter().enumerate() {
        // Of the two halves of a learned fact, only the lasting node is shown.
        if answer.node.kind.as_str() == EXPERIENCE && property(&answer.node, LASTING_NODE).is_some()
        {
            continue;
        }
        let kind = answer.hit.match_kind;
        let score = (kind != MatchKind::Listed).then_some(f64::from(answer.hit.score));
        hits.push(Found {
            score,
            // Without a question there are no scores, so the order is the rank.
            rank: score.unwrap_or((total - place) as f64),
            exact: kind == MatchKind::ExactName,
            answers: !matches!(kind, MatchKind::Listed | MatchKind::NextBest),
            own_words: answer.hit.own_words,
            text: answer.text,
            is_part: false,
        });
        nodes.push(answer.node);
    }
    let mut needing = needing_texts(&nodes, &hits);
    let mut damaged: HashSet<NodeId> = needing.iter().map(|node| node.id).collect();
    let mut wholes = main_texts(call, &mut needing).await?;
    needing.iter().for_each(|node| {
        damaged.remove(&node.id);
    });
    let memory = |(node, mut found): (Node, Found)| {
        if found.needs_text(&node)
            && let Some(whole) = wholes.remove(&node.id)
        {
            found.see_whole(whole);
        }
        remembered(call, question, node, found)
    };
    let found = nodes.into_iter().zip(hits).filter(|(node, _)| !damaged.contains(&node.id));
    Ok(found.map(memory).collect())
}

/// How a node was found, and by which text.
#[derive(Debug, Clone, Default)]
struct Found {
    score: Option<f64>,
    rank: f64,
    exact: bool,
    answers: bool,
    own_words: f32,
    text: Option<Text>,
    /// Whether the text is only a part of the main text.
    is_part: bool,
}

impl Found {
    /// Whether the main text of the node must be read, because the text that was found may not be
    /// all of it. The content of a lesson is a single text unless it is long.
    fn needs_text(&self, node: &Node) -> bool {
        let is_lesson = property(node, "experience_type").is_some();
        let is_whole = |text: &Text| is_lesson && !may_be_part(text) && begins(node, text);
        self.text
            .as_ref()
            .is_none_or(|text| text.kind.as_str() == CONTEXT || is_main(text) && !is_whole(text))
    }

    /// Replaces the text by the whole main text, or if that is too long to show, by the part that
    /// was found.
    fn see_whole(&mut self, whole: Text) {
        let part = self.text.take().filter(|text| {
            is_main(text) && text.body.len() < whole.body.len() && !fits(&whole.body)
        });
        self.is_part = part.is_some();
        self.text = Some(match part {
            Some(part) => Text { body: with_more(&whole.body, &part.body), ..part },
            None => whole,
        });
    }
}

/// Whether a text is the beginning of what its node says, given that the node is named after it.
fn begins(node: &Node, text: &Text) -> bool {
    let beginning = node.name.split_once(": ").map(|(_, beginning)| beginning);
    beginning.is_some_and(|start| name_from("", &text.body, start.chars().count()) == start)
}

/// Returns a part of a text, extended backwards if it is short.
fn with_more(whole: &str, part: &str) -> String {
    let letters = part.chars().count();
    let missing = (SHOWN_MAX / 2).saturating_sub(letters);
    let Some(at) = whole.rfind(part).filter(|_| missing > 0) else { return part.to_owned() };
    let before = whole.get(..at).unwrap_or_default();
    let start = before.char_indices().rev().nth(missing).map_or(0, |(start, _)| start);
    let before = before.get(start..).unwrap_or_default();
    // Starts at a word boundary if there is one.
    let before = before.split_once(char::is_whitespace).map_or(before, |(_, words)| words);
    format!("{before}{part}")
}

fn fits(text: &str) -> bool {
    text.char_indices().nth(SHOWN_MAX).is_none()
}

fn needing_texts(nodes: &[Node], hits: &[Found]) -> Vec<Node> {
    let needing = nodes.iter().zip(hits).filter(|(node, found)| found.needs_text(node));
    needing.map(|(node, _)| node.clone()).collect()
}

fn remembered(call: &MemoryCall, question: &str, node: Node, found: Found) -> Memory {
    let fading = Fading::of(&node).filter(|_| node.kind.as_str() == EXPERIENCE);
    let kept = property(&node, PROMOTED_TO).is_some();
    let fades = fading.filter(|_| !kept);
    let relevance = fades.map_or(1.0, |fading| fading.left(node.created.at, call.now()));
    let nudged = found.rank + found.rank.abs() * (nudge(relevance) - 1.0);
    let (body, title, provenance) = match found.text {
        Some(text) => {
            let mut shown = Shown::of(text.body, question);
            shown.is_cut |= found.is_part;
            let title = Some(text.title).filter(|title| !title.is_empty());
            (Some(shown), title, text.provenance)
        }
        None => (None, None, Provenance::default()),
    };
    Memory {
        node,
        fading,
        body,
        title,
        provenance,
        relevance,
        score: found.score,
        replacement: None,
        answers: found.answers,
        own_words: found.own_words,
        rank: if found.score.is_some() { nudged } else { found.rank },
        exact: found.exact,
    }
}

/// Marks what is superseded and adds replacements that were not found themselves.
async fn prefer_what_holds(
    call: &MemoryCall,
    question: &str,
    memories: &mut Vec<Memory>,
) -> Reply<()> {
    let nodes: Vec<&Node> = memories.iter().map(|memory| &memory.node).collect();
    let replacements = with_later_replacements(call, &nodes).await?;
    if replacements.is_empty() {
        return Ok(());
    }
    let mut known: HashSet<Uid> = nodes.iter().map(|node| node.uid).collect();
    let mut absent = Vec::new();
    for memory in memories.iter_mut() {
        memory.replacement = replacements.get(&memory.node.uid).cloned();
        let current = current_replacement(&replacements, memory.node.uid);
        if let Some(current) = current.filter(|current| known.insert(current.uid)) {
            let Memory { score, rank, answers, own_words, .. } = *memory;
            let found = Found { score, rank, answers, own_words, ..Found::default() };
            absent.push((current.clone(), found));
        }
    }
    let mut current_ones: Vec<Node> = absent.iter().map(|(node, _)| node.clone()).collect();
    let mut texts: HashMap<NodeId, Text> = main_texts(call, &mut current_ones).await?;
    absent.retain(|(node, _)| current_ones.iter().any(|current| current.id == node.id));
    for (node, mut found) in absent {
        found.text = texts.remove(&node.id);
        memories.push(remembered(call, question, node, found));
    }
    step_back(memories, &replacements);
    Ok(())
}

/// Ranks each superseded memory lower and its replacement at least as high as it was.
fn step_back(memories: &mut [Memory], replacements: &HashMap<Uid, Replacement>) {
    let mut places: HashMap<Uid, (f64, bool)> = HashMap::new();
    for memory in memories.iter_mut().filter(|memory| memory.replacement.is_some()) {
        let (rank, exact) = (memory.rank, std::mem::take(&mut memory.exact));
        memory.rank = if rank > 0.0 { rank * SUPERSEDED } else { rank / SUPERSEDED };
        let Some(current) = current_replacement(replacements, memory.node.uid) else { continue };
        let place = places.entry(current.uid).or_insert((rank, exact));
        *place = (place.0.max(rank), place.1 | exact);
    }
    for memory in memories {
        let Some((rank, exact)) = places.get(&memory.node.uid) else { continue };
        memory.rank = memory.rank.max(*rank);
        memory.exact |= exact;
    }
}
