//! Recalling: what of everything that is known answers.
//!
//! Looks at the whole world: knowledge, experiences, projects, and what came in through
//! other doors. Words and meaning rank; what is left of an experience only nudges. What was
//! superseded comes after what took its place.

use std::collections::{HashMap, HashSet};

use lore_core::{Node, NodeId, Provenance, Text, TextKind, Uid};
use lore_rules::memory::decay::{self, nudge};
use lore_search::{Filter, MatchKind, Query, Unit, snippet};
use lore_store::Answered;

use super::access;
use super::experience::Fading;
use super::graph::main_texts;
use super::holding::{Lapsed, heir, succession};
use super::keeper::Keeper;
use super::kinds::{CONTEXT, EXPERIENCE, MESSAGE, PROMOTED, PROMOTED_TO, property, word};
use super::parts::{is_main, may_be_part};
use super::pen::name_from;
use super::project::Outcome;
use super::refusal::Reply;
use super::room::{Piece, Room};
use crate::pages::{ENTRY, POST};
use crate::play::log::NOTE;

/// Longest part of a text that is shown, in characters.
const SHOWN_MAX: usize = 2_000;
/// How many answers are looked at besides those that are wanted, and half as many again as
/// those: what is fresher or took another's place may come in from behind.
const MORE: usize = 10;
/// How many more times as many where some have faded too far to be shown.
const SPARE: usize = 3;
/// What no longer holds counts half.
const SUPERSEDED: f64 = 0.5;

/// What to recall.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// What it is about, any text; without, the newest come first.
    pub topic: Option<String>,
    /// At most this many.
    pub limit: usize,
    /// Of experiences at least this much must be left, 0 to 1.
    pub min_relevance: f64,
    /// How much the answer may hold, if that is bounded.
    pub room: Option<Room>,
}

/// One thing that was recalled.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// The node, of knowledge or of an experience.
    pub node: Node,
    /// How it fades, if it is an experience.
    pub fading: Option<Fading>,
    /// What it says.
    pub body: Option<Shown>,
    /// The heading of that, if it has one: of a post, or of a step of a project.
    pub title: Option<String>,
    /// Who said it, when, in which conversation.
    pub provenance: Provenance,
    /// What is left of it: 1 for what does not fade, or is kept for good.
    pub relevance: f64,
    /// How well it answers, with how fresh it is and whether it still holds counted in: what
    /// it is ranked by. None when nothing was asked.
    pub score: Option<f64>,
    /// Why it no longer holds, if it does not.
    pub lapsed: Option<Lapsed>,
    /// Whether it is there because it answers, and not to fill a list.
    pub(super) answers: bool,
    /// The share of the question's words that it says itself.
    pub(super) own_words: f32,
    rank: f64,
    exact: bool,
}

/// As much of a text as is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The text, or the part of it that answers.
    pub text: String,
    /// Whether there is more of it.
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
    /// The node that keeps an experience for good, if one does.
    pub fn kept_as(&self) -> Option<Uid> {
        property(&self.node, PROMOTED_TO)?.parse().ok()
    }

    /// What it says, or at least what it is called.
    pub fn words(&self) -> &str {
        self.body.as_ref().map_or(&self.node.name, |body| &body.text)
    }

    /// Whether more is said than is shown.
    pub fn is_cut(&self) -> bool {
        self.body.as_ref().is_some_and(|body| body.is_cut)
    }

    /// Whether it no longer holds and nothing was asked that it could answer all the same.
    fn is_past(&self) -> bool {
        self.score.is_none() && self.lapsed.is_some()
    }
}

/// What was recalled.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// The best answers, best first.
    pub memories: Vec<Memory>,
    /// How many more there were within the limit that the budget had no room for.
    pub left_out: usize,
    /// Whether nothing clearly answers what was asked, and these are only the nearest.
    pub weak: bool,
}

/// How far a search goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breadth {
    /// Only what is related.
    Related,
    /// As many as are asked for, if anything is related at all: the reader judges better than
    /// any score whether the last of them help.
    Full,
}

/// What is one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Each {
    /// A node, with the text of it that answers best.
    Node,
    /// The same, and each message of a conversation; of other texts that stand for themselves those
    /// that answer about as well as the best of their node.
    Text,
}

impl Each {
    /// The kinds of the texts that are answers by themselves, and of those that may be.
    fn texts(self) -> Reply<(Vec<TextKind>, Vec<TextKind>)> {
        if self == Self::Node {
            return Ok(Default::default());
        }
        let beside = [Outcome::Progress.as_str(), Outcome::Failure.as_str(), ENTRY, POST, NOTE];
        let beside: Result<_, lore_core::Error> = beside.into_iter().map(word).collect();
        Ok((vec![word(MESSAGE)?], beside?))
    }
}

/// Recalls what answers, and counts that it was asked for.
pub async fn recall(keeper: &Keeper, ask: &Ask) -> Reply<Recalled> {
    let found = find(keeper, ask, recallable()?, Breadth::Full, Each::Text).await?;
    let recalled = within(found, ask);
    let answering = access::answering(recalled.memories.iter());
    access::note(keeper, answering.into_iter()).await;
    Ok(recalled)
}

/// Everything, each thing once: an experience stands for the node that was made of it.
pub(super) fn recallable() -> Reply<Filter> {
    Ok(Filter { except_kinds: vec![word(PROMOTED)?], ..Filter::default() })
}

/// Keeps as many as there is room for.
fn within(mut memories: Vec<Memory>, ask: &Ask) -> Recalled {
    let all = memories.len();
    if let Some(room) = ask.room {
        if let Some(best) = memories.first_mut() {
            room.shorten(best, None, ask.topic.as_deref().unwrap_or_default());
        }
        let pieces = memories.iter().map(|memory| Piece::Memory(memory, None));
        memories.truncate(room.that_fit(pieces));
    }
    let is_asked = memories.iter().any(|memory| memory.score.is_some());
    let weak = is_asked && !memories.iter().any(|memory| memory.answers);
    Recalled { left_out: all - memories.len(), memories, weak }
}

/// The best answers among what the filter admits; counts nothing.
pub(super) async fn find(
    keeper: &Keeper,
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
    let found = keeper.app.search(&keeper.viewer, query).await?;
    let mut memories = judge(keeper, &text, found.answers).await?;
    prefer_what_holds(keeper, &text, &mut memories).await?;
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

async fn judge(keeper: &Keeper, question: &str, answers: Vec<Answered>) -> Reply<Vec<Memory>> {
    let total = answers.len();
    let (mut nodes, mut hits) = (Vec::new(), Vec::new());
    for (place, answer) in answers.into_iter().enumerate() {
        // Of the two halves of a fact only the node is shown.
        if answer.node.kind.as_str() == EXPERIENCE && property(&answer.node, "node").is_some() {
            continue;
        }
        let kind = answer.hit.match_kind;
        let score = (kind != MatchKind::Listed).then_some(f64::from(answer.hit.score));
        hits.push(Found {
            score,
            // A list has no scores; its order is its rank.
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
    let mut wholes = main_texts(keeper, &mut needing).await?;
    needing.iter().for_each(|node| {
        damaged.remove(&node.id);
    });
    let memory = |(node, mut found): (Node, Found)| {
        if found.needs_text(&node)
            && let Some(whole) = wholes.remove(&node.id)
        {
            found.see_whole(whole);
        }
        remembered(keeper, question, node, found)
    };
    let found = nodes.into_iter().zip(hits).filter(|(node, _)| !damaged.contains(&node.id));
    Ok(found.map(memory).collect())
}

/// How a node was found.
#[derive(Debug, Clone, Default)]
struct Found {
    score: Option<f64>,
    rank: f64,
    exact: bool,
    answers: bool,
    own_words: f32,
    text: Option<Text>,
    /// Whether the text is only a part of what is said.
    is_part: bool,
}

impl Found {
    /// Whether it was not found by the whole text that says what it is. What was learned or
    /// saved is one text unless it is long.
    fn needs_text(&self, node: &Node) -> bool {
        let is_lesson = property(node, "experience_type").is_some();
        let is_whole = |text: &Text| is_lesson && !may_be_part(text) && begins(node, text);
        self.text
            .as_ref()
            .is_none_or(|text| text.kind.as_str() == CONTEXT || is_main(text) && !is_whole(text))
    }

    /// Shows everything that is said, or of a long text the part that was found.
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

/// Whether a text is the beginning of what its node, which is called by it, says.
fn begins(node: &Node, text: &Text) -> bool {
    let beginning = node.name.split_once(": ").map(|(_, beginning)| beginning);
    beginning.is_some_and(|start| name_from("", &text.body, start.chars().count()) == start)
}

/// A part of a text; one that says little by itself with what stands before it.
fn with_more(whole: &str, part: &str) -> String {
    let letters = part.chars().count();
    let missing = (SHOWN_MAX / 2).saturating_sub(letters);
    let Some(at) = whole.rfind(part).filter(|_| missing > 0) else { return part.to_owned() };
    let before = whole.get(..at).unwrap_or_default();
    let start = before.char_indices().rev().nth(missing).map_or(0, |(start, _)| start);
    let before = before.get(start..).unwrap_or_default();
    // From a word on, if there are words.
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

fn remembered(keeper: &Keeper, question: &str, node: Node, found: Found) -> Memory {
    let fading = Fading::of(&node).filter(|_| node.kind.as_str() == EXPERIENCE);
    let kept = property(&node, PROMOTED_TO).is_some();
    let fades = fading.filter(|_| !kept);
    let relevance = fades.map_or(1.0, |fading| fading.left(node.created.at, keeper.now()));
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
        lapsed: None,
        answers: found.answers,
        own_words: found.own_words,
        rank: if found.score.is_some() { nudged } else { found.rank },
        exact: found.exact,
    }
}

/// Brings what holds in before what it took the place of, even when only the old one was found.
async fn prefer_what_holds(
    keeper: &Keeper,
    question: &str,
    memories: &mut Vec<Memory>,
) -> Reply<()> {
    let nodes: Vec<&Node> = memories.iter().map(|memory| &memory.node).collect();
    let succession = succession(keeper, &nodes).await?;
    if succession.is_empty() {
        return Ok(());
    }
    let mut known: HashSet<Uid> = nodes.iter().map(|node| node.uid).collect();
    let mut absent = Vec::new();
    for memory in memories.iter_mut() {
        memory.lapsed = succession.get(&memory.node.uid).cloned();
        let heir = heir(&succession, memory.node.uid);
        if let Some(heir) = heir.filter(|heir| known.insert(heir.uid)) {
            let Memory { score, rank, answers, own_words, .. } = *memory;
            let found = Found { score, rank, answers, own_words, ..Found::default() };
            absent.push((heir.clone(), found));
        }
    }
    let mut heirs: Vec<Node> = absent.iter().map(|(node, _)| node.clone()).collect();
    let mut texts: HashMap<NodeId, Text> = main_texts(keeper, &mut heirs).await?;
    absent.retain(|(node, _)| heirs.iter().any(|heir| heir.id == node.id));
    for (node, mut found) in absent {
        found.text = texts.remove(&node.id);
        memories.push(remembered(keeper, question, node, found));
    }
    step_back(memories, &succession);
    Ok(())
}

/// Puts what no longer holds behind what holds instead, and that in its place.
fn step_back(memories: &mut [Memory], succession: &HashMap<Uid, Lapsed>) {
    let mut places: HashMap<Uid, (f64, bool)> = HashMap::new();
    for memory in memories.iter_mut().filter(|memory| memory.lapsed.is_some()) {
        let (rank, exact) = (memory.rank, std::mem::take(&mut memory.exact));
        memory.rank = if rank > 0.0 { rank * SUPERSEDED } else { rank / SUPERSEDED };
        let Some(heir) = heir(succession, memory.node.uid) else { continue };
        let place = places.entry(heir.uid).or_insert((rank, exact));
        *place = (place.0.max(rank), place.1 | exact);
    }
    for memory in memories {
        let Some((rank, exact)) = places.get(&memory.node.uid) else { continue };
        memory.rank = memory.rank.max(*rank);
        memory.exact |= exact;
    }
}
