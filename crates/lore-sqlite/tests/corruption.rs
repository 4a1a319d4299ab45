//! One flipped byte anywhere: refused at the door, or found by the check, or of no consequence
//! for anything that anybody reads or writes. Never a panic, and never another text than was
//! written.
//!
//! The normal run takes samples; `cargo xtask test losses` flips bytes in 1,000 places.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod common;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Export, batch, effects, export, fill, hub, open, owner, trio, try_open, word};
use lore_core::{Event, Node, NodeId, Principal, Properties, Role, State, TextId, Viewer, World};
use lore_search::{Query, Ranked, Vector};
use lore_sqlite::SqliteStore;
use lore_store::{
    Access, Change, Directory, DocVector, EventQuery, Events, Expect, Log, Maintenance, NewText,
    NodeRef, Nodes, Search, SessionRecord, Sessions, States, Store, StoreError, StoreResult,
    TextPatch, TextRef, Vectors,
};

static PANICS: AtomicUsize = AtomicUsize::new(0);

/// In how many places, one after the other.
fn places() -> u64 {
    let all = std::env::var_os("LOREWELL_LOSSES").is_some_and(|losses| losses == "all");
    if all { 1_000 } else { 200 }
}

/// What became of the flipped bytes.
#[derive(Debug, Default)]
struct Tally {
    refused: usize,
    found: usize,
    harmless: usize,
    /// Where nothing was noticed, and why something should have been.
    unnoticed: Vec<(u64, usize, String)>,
}

#[tokio::test]
async fn a_flipped_byte_is_found_or_harmless() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("good.sqlite");
    furnish(&path).await;
    let expected = Everything::of(&open(&path)).await.unwrap();
    let good = fs::read(&path).unwrap();
    count_panics();
    let random = effects(4);
    let mut tally = Tally::default();
    for number in 0..places() {
        let mut bytes = good.clone();
        // A third of the flips hit the header and the first page, where it hurts most.
        let range = if number % 3 == 0 { 4_096 } else { bytes.len() };
        let place = usize::try_from(random.entropy.next_u64()).unwrap() % range;
        let chosen = random.entropy.next_u64();
        // One bit, as memory flips, or any byte, as a bad sector returns.
        let mask = if number % 2 == 0 { 1 << (chosen % 8) } else { chosen % 255 + 1 };
        bytes[place] ^= u8::try_from(mask).unwrap();
        let bad = home.path().join("bad.sqlite");
        fs::write(&bad, bytes).unwrap();
        match look(&bad, &expected).await {
            Verdict::Refused => tally.refused += 1,
            Verdict::Found => tally.found += 1,
            Verdict::Harmless => tally.harmless += 1,
            Verdict::Unnoticed(why) => tally.unnoticed.push((number, place, why)),
        }
        assert_eq!(PANICS.load(Ordering::SeqCst), 0, "byte {place} of flip {number}");
        remove(&bad);
    }
    std::io::stderr().write_all(format!("{tally:?}\n").as_bytes()).unwrap();
    assert!(tally.unnoticed.is_empty(), "{tally:#?}");
    assert!(tally.refused > 0 && tally.found > 0 && tally.harmless > 0, "{tally:?}");
}

enum Verdict {
    Refused,
    Found,
    Harmless,
    Unnoticed(String),
}

/// Opens, checks, reads and writes.
async fn look(path: &Path, expected: &Everything) -> Verdict {
    let store = match try_open(path) {
        Ok(store) => store,
        Err(error) => {
            assert!(explained(&error), "{error:?}");
            return Verdict::Refused;
        }
    };
    match store.check().await {
        Err(error) => {
            assert!(explained(&error), "{error:?}");
            return Verdict::Found;
        }
        // A copy made by this test is open to other people.
        Ok(health) if health.findings.iter().any(|f| !f.problem.contains("other people")) => {
            assert!(health.findings.iter().all(|finding| !finding.remedy.is_empty()));
            // Whatever is wrong, nothing that is read may cause a panic.
            drop(Everything::of(&store).await);
            drop(write(&store).await);
            return Verdict::Found;
        }
        Ok(_) => {}
    }
    match Everything::of(&store).await {
        Err(error) => Verdict::Unnoticed(format!("reading: {error}")),
        Ok(found) if found != *expected => Verdict::Unnoticed(found.difference(expected)),
        Ok(_) => match write(&store).await {
            Err(error) => Verdict::Unnoticed(format!("writing: {error}")),
            Ok(()) => Verdict::Harmless,
        },
    }
}

/// The caller learns what kind of trouble it is.
fn explained(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Corrupt(_)
            | StoreError::Foreign(_)
            | StoreError::NewerSchema { .. }
            | StoreError::Disk(_)
            | StoreError::Failed(_)
    )
}

/// Adds something, changes something.
async fn write(store: &SqliteStore) -> StoreResult<()> {
    let viewer = entered(store).await?;
    let effects = effects(0xF11);
    let center = effects.uid();
    store.commit(&viewer, hub(center)).await?;
    store.commit(&viewer, trio(effects.uid(), effects.uid(), center)).await?;
    let patch = TextPatch { title: Some("Anew".into()), ..TextPatch::default() };
    let update = Change::UpdateText(TextRef::Id(TextId(1)), Expect::Any, patch);
    store.commit(&viewer, batch().change(update)).await.map(drop)
}

async fn entered(store: &SqliteStore) -> StoreResult<Viewer> {
    let gone = || StoreError::NotFound("the owner's world".into());
    let world = store.default_world(Principal::LOCAL).await?.ok_or_else(gone)?;
    store.enter(Principal::LOCAL, world).await?.ok_or_else(gone)
}

/// Whatever there is to read.
#[derive(Debug, PartialEq)]
struct Everything {
    export: Export,
    /// What others than the owner see.
    shown: Vec<Node>,
    worlds: Vec<World>,
    sheets: Vec<State>,
    events: Vec<Event>,
    accesses: Vec<Access>,
    token: Option<(Role, [u8; 32])>,
    session: Option<SessionRecord>,
    answer: Option<String>,
    searches: Vec<Ranked>,
}

impl Everything {
    async fn of(store: &SqliteStore) -> StoreResult<Self> {
        let viewer = entered(store).await?;
        let export = export(store, &viewer).await?;
        let nodes: Vec<NodeId> = export.nodes.iter().map(|node| node.id).collect();
        let mut events = Vec::new();
        for node in &nodes {
            events.extend(store.events(&viewer, *node, EventQuery::default()).await?);
        }
        let mut searches = Vec::new();
        for text in ["", "about", "wizard Gandalf", "a river of lanterns", "Mithrandir"] {
            let embedding = Some(Vector { model: "m".into(), values: [0.6, 0.8].into() });
            let query = Query { embedding, ..Query::new(text, 100) };
            searches.push(store.rank(&viewer, query).await?);
        }
        let reader = Viewer { role: Role::Reader, ..viewer };
        Ok(Self {
            shown: store.nodes(&reader, &nodes).await?,
            worlds: store.worlds(Principal::LOCAL).await?,
            sheets: store.states(&viewer, &nodes, &word("sheet")).await?,
            accesses: store.accesses(&viewer, &nodes).await?,
            token: store.token("public").await?.map(|token| (token.role, token.secret_hash)),
            session: store.session(Principal::LOCAL, "key").await?,
            answer: store.answered(&viewer, "test", "once").await?,
            export,
            events,
            searches,
        })
    }

    /// Which part differs.
    fn difference(&self, other: &Self) -> String {
        let parts = [
            ("export", self.export == other.export),
            ("shown", self.shown == other.shown),
            ("worlds", self.worlds == other.worlds),
            ("sheets", self.sheets == other.sheets),
            ("events", self.events == other.events),
            ("accesses", self.accesses == other.accesses),
            ("token", self.token == other.token),
            ("session", self.session == other.session),
            ("answer", self.answer == other.answer),
            ("searches", self.searches == other.searches),
        ];
        let differ = parts.iter().filter(|(_, same)| !same).map(|(name, _)| *name);
        format!("differs: {}", differ.collect::<Vec<_>>().join(", "))
    }
}

/// One of everything, a hundred small things, a text longer than a page, a thing with much
/// about it, vectors, and counts of who was asked for.
async fn furnish(path: &Path) {
    fill(path).await;
    let store = open(path);
    let viewer = owner(&store).await;
    let effects = effects(2);
    let center = effects.uid();
    store.commit(&viewer, hub(center)).await.unwrap();
    for _ in 0..50 {
        store.commit(&viewer, trio(effects.uid(), effects.uid(), center)).await.unwrap();
    }
    let long = "A river of lanterns ran through the city at night. ".repeat(400);
    let text = NewText::new(effects.uid(), NodeRef::Uid(center), word("entry"), long);
    let story = "The bridge was built by hand. ".repeat(300);
    let properties: Properties = [("story".to_owned(), story.into())].into_iter().collect();
    let patch = lore_store::NodePatch { properties: Some(properties), ..Default::default() };
    let change = batch()
        .change(Change::CreateText(text))
        .change(Change::UpdateNode(NodeRef::Uid(center), Expect::Any, patch))
        .change(Change::CountAccess((1..20).map(NodeId).collect()));
    store.commit(&viewer, change).await.unwrap();
    let seen = Some(lore_core::Visibility::Gm);
    let hidden = lore_store::NodePatch { seen, ..Default::default() };
    let change = |id| Change::UpdateNode(NodeRef::Id(NodeId(id)), Expect::Any, hidden.clone());
    let behind = (1..=5).map(change).fold(batch(), lore_store::Batch::change);
    store.commit(&viewer, behind).await.unwrap();
    let documents = store.without_vector("m", 0, 1_000).await.unwrap().docs;
    let vectors = documents.iter().zip(1_u16..).map(|(document, number)| {
        let angle = f32::from(number) / 20.0;
        DocVector { state: document.state, values: vec![angle.sin(), angle.cos()] }
    });
    store.put_vectors("m", vectors.collect()).await.unwrap();
    assert_eq!(store.check().await.unwrap().findings, []);
}

fn count_panics() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        PANICS.fetch_add(1, Ordering::SeqCst);
        hook(info);
    }));
}

/// A damaged store may have left its log.
fn remove(path: &Path) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let _absent = fs::remove_file(name);
    }
}
