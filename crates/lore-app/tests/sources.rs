//! Repeated imports of a source: it is recognised although it was moved or has changed.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use lore_app::App;
use lore_app::access::{Identity, enter};
use lore_app::memory::MemoryCall;
use lore_app::memory::exchange::{
    Exported, Imported, Load, export, import, kairn, markdown, notes, reference, relations,
};
use lore_app::memory::{pruning, status};
use lore_core::Effects;
use lore_sqlite::SqliteStore;
use lore_store::{
    Batch, Bin, Change, Expect, NodePatch, NodeQuery, NodeRef, Origin, TextPatch, TextRef,
    WORLD_URI,
};
use serde_json::{Value, json};

struct Shelf {
    call: MemoryCall,
    _directory: tempfile::TempDir,
}

impl Shelf {
    async fn empty() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let effects = Effects::system();
        let file = directory.path().join("store.sqlite");
        let store = SqliteStore::open(&file, lore_sqlite::Options::default(), &effects).unwrap();
        let app = Arc::new(App::new(Arc::new(store), effects));
        let viewer = enter(&app, Identity::LOCAL, None).await.unwrap();
        let (request_id, arrived) = (app.effects.uid().to_string(), app.arrival());
        let tool = "import memory";
        let call = MemoryCall { app, viewer, tool, request_id, arrived, reading_only: false };
        Self { call, _directory: directory }
    }

    /// Imports a load and returns the numbers of new, known and updated records.
    async fn take(&self, place: &str, load: Load) -> [usize; 3] {
        let load = Load { place: Some(place.into()), ..load };
        let Imported { made, known, updated, .. } =
            import(&self.call, &load, &|_, _| ()).await.unwrap();
        [made, known, updated]
    }
}

fn entities(all: &[(&str, &[&str])]) -> Load {
    let line = |(name, observations): &(&str, &[&str])| {
        let entity = json!({
            "type": "entity", "name": name, "entityType": "person", "observations": observations,
        });
        format!("{entity}\n")
    };
    reference::read(&all.iter().map(line).collect::<String>())
}

fn folder(all: &[(&str, &str)]) -> Load {
    let files: Vec<_> =
        all.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
    notes::read("notes", &files)
}

#[tokio::test]
async fn a_source_that_was_moved_and_has_grown_is_the_same() {
    let shelf = Shelf::empty().await;
    let ann: &[&str] = &["Likes tea", "Lives in Porto"];
    let grown: &[&str] = &["Likes tea", "Lives in Porto", "Has a boat", "Sails far", "Sings"];
    assert_eq!(shelf.take("/a", entities(&[("Ann", ann)])).await, [1, 0, 0]);
    assert_eq!(shelf.take("/b", entities(&[("Ann", grown)])).await, [0, 0, 1]);
    assert_eq!(shelf.take("/c", entities(&[("Ann", grown), ("Bob", ann)])).await, [1, 1, 0]);
}

#[tokio::test]
async fn a_folder_whose_notes_all_got_longer_is_the_same() {
    let shelf = Shelf::empty().await;
    let before = [("a.md", "The tide tables of the harbour"), ("b.md", "Pilots come at dawn.")];
    let after = [
        ("a.md", "The tide tables of the harbour. One sentence more."),
        ("b.md", "Pilots come at dawn. They leave at noon."),
    ];
    assert_eq!(shelf.take("/a/notes", folder(&before)).await, [2, 0, 0]);
    assert_eq!(shelf.take("/b/notes", folder(&after)).await, [0, 0, 2]);
}

#[tokio::test]
async fn sources_that_say_different_things_stay_two_wherever_each_is_moved() {
    let shelf = Shelf::empty().await;
    let work: &[&str] = &["Works at the harbour office", "Prefers Rust"];
    let home: &[&str] = &["Has a dog called Biscuit", "Prefers Rust"];
    let grown: &[&str] = &["Has a dog called Biscuit", "Prefers Rust", "Paints"];
    assert_eq!(shelf.take("/work", entities(&[("default_user", work)])).await, [1, 0, 0]);
    assert_eq!(shelf.take("/home", entities(&[("default_user", home)])).await, [1, 0, 0]);
    assert_eq!(shelf.take("/work", entities(&[("default_user", work)])).await, [0, 1, 0]);
    assert_eq!(shelf.take("/moved", entities(&[("default_user", grown)])).await, [0, 0, 1]);
    let form = "# Today\n## Done\n## Open\n";
    let (here, there) = (format!("{form}- Paint"), format!("{form}- Call Ann"));
    assert_eq!(shelf.take("/a/notes", folder(&[("todo.md", &here)])).await, [1, 0, 0]);
    assert_eq!(shelf.take("/b/notes", folder(&[("todo.md", &there)])).await, [1, 0, 0]);
}

/// Exports the whole world as JSON lines or as notes, and parses that again.
async fn exported(shelf: &Shelf, form: Form) -> Load {
    let (mut lines, mut files) = (String::new(), Vec::new());
    let each = |page: &[Exported], _| {
        for one in page {
            relations(one).iter().for_each(|line| lines.push_str(&format!("{line}\n")));
            files.push(markdown(one));
        }
        Ok(())
    };
    export(&shelf.call, each).await.unwrap();
    match form {
        Form::Lines => reference::read(&lines),
        Form::Notes => notes::read("notes", &files),
    }
}

#[derive(Clone, Copy)]
enum Form {
    Lines,
    Notes,
}

impl Shelf {
    /// Returns all texts, each with the name of its node.
    async fn says(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        let each = |page: &[Exported], _| {
            for one in page {
                all.extend(one.texts.iter().map(|text| (one.node.name.clone(), text.body.clone())));
            }
            Ok(())
        };
        export(&self.call, each).await.unwrap();
        all
    }

    /// Edits the first text and renames its node.
    async fn edit(&self, name: &str, body: &str) {
        let (store, viewer) = (&self.call.app.store, &self.call.viewer);
        let node = store.find_nodes(viewer, NodeQuery::default()).await.unwrap().items.remove(0);
        let text = store.texts_of(viewer, node.id, Bin::Live).await.unwrap().remove(0);
        let patch = NodePatch { name: Some(name.into()), ..NodePatch::default() };
        let said = TextPatch { body: Some(body.into()), ..TextPatch::default() };
        let batch = self.batch();
        let batch = batch.change(Change::UpdateNode(NodeRef::Id(node.id), Expect::Any, patch));
        let batch = batch.change(Change::UpdateText(TextRef::Id(text.id), Expect::Any, said));
        store.commit(viewer, batch).await.unwrap();
    }

    fn batch(&self) -> Batch {
        let origin = Origin::new("edit", self.call.app.effects.uid().to_string());
        Batch::new(origin, self.call.app.effects.now())
    }
}

#[tokio::test]
async fn what_comes_back_from_another_world_is_what_it_was_before() {
    for form in [Form::Lines, Form::Notes] {
        let (here, there) = (Shelf::empty().await, Shelf::empty().await);
        let tea: &[&str] = &["Likes tea", "Lives in Porto"];
        here.take("/start", entities(&[("Ann", tea)])).await;
        assert_eq!(there.take("/a", exported(&here, form).await).await, [1, 0, 0]);
        assert_eq!(here.take("/b", exported(&there, form).await).await, [0, 1, 0], "unchanged");
        there.edit("Anna", "Likes coffee").await;
        assert_eq!(here.take("/b", exported(&there, form).await).await, [0, 0, 1]);
        assert_eq!(here.take("/b", exported(&there, form).await).await, [0, 1, 0]);
        let anna = |body: &str| ("Anna".to_owned(), body.to_owned());
        assert_eq!(here.says().await, [anna("Likes coffee"), anna("Lives in Porto")]);
        here.edit("Anna", "Likes mate").await;
        assert_eq!(here.take("/b", exported(&there, form).await).await, [0, 1, 0], "older");
        assert_eq!(there.take("/a", exported(&here, form).await).await, [0, 0, 1]);
        assert_eq!(there.says().await, [anna("Likes mate"), anna("Lives in Porto")]);
        let third = Shelf::empty().await;
        assert_eq!(third.take("/a", exported(&here, form).await).await, [1, 0, 0]);
        assert_eq!(third.take("/a", exported(&there, form).await).await[0], 0, "one of both");
    }
}

#[tokio::test]
async fn what_was_renamed_and_removed_since_its_export_does_not_come_back() {
    for form in [Form::Lines, Form::Notes] {
        let shelf = Shelf::empty().await;
        shelf.take("/start", entities(&[("Ann", &["Likes tea"])])).await;
        let before = exported(&shelf, form).await;
        shelf.edit("Anna", "Likes coffee").await;
        let (store, viewer) = (&shelf.call.app.store, &shelf.call.viewer);
        let node = store.find_nodes(viewer, NodeQuery::default()).await.unwrap().items.remove(0);
        let gone = Change::DeleteNode(NodeRef::Id(node.id), Expect::Any);
        store.commit(viewer, shelf.batch().change(gone)).await.unwrap();
        assert_eq!(shelf.take("/again", before).await, [0, 1, 0]);
        assert_eq!(shelf.says().await, []);
    }
}

#[tokio::test]
async fn whoever_follows_the_world_hears_of_a_link_that_an_import_removes() {
    let shelf = Shelf::empty().await;
    let linked = [("a.md", "See [[b]] for the tide."), ("b.md", "The tide tables.")];
    let plain = [("a.md", "See b for the tide."), ("b.md", "The tide tables.")];
    shelf.take("/notes", folder(&linked)).await;
    let (store, viewer) = (&shelf.call.app.store, &shelf.call.viewer);
    assert_eq!(store.count_edges(viewer).await.unwrap(), 1);
    let end = store.sequence().await.unwrap();
    assert_eq!(shelf.take("/notes", folder(&plain)).await, [0, 1, 1]);
    assert_eq!(store.count_edges(viewer).await.unwrap(), 0);
    let heard = store.changes(viewer, end, 100).await.unwrap();
    let heard = heard.iter().filter(|entry| entry.uri == WORLD_URI).count();
    assert_eq!(heard, 2, "one for the text and one for the link");
}

#[tokio::test]
async fn the_status_counts_as_faded_what_a_prune_takes_whatever_its_rate() {
    let shelf = Shelf::empty().await;
    let row = |id: &str, rate: f64, made: &str| {
        json!({
            "id": id, "content": format!("{id} lesson"), "type": "solution",
            "confidence": "high", "decay_rate": rate, "created_at": made,
        })
    };
    let rows = [
        row("slow", 0.0001, "2010-01-01T00:00:00Z"),
        row("usual", 0.0034, "2010-01-01T00:00:00Z"),
        row("swift", 0.01, "2024-01-01T00:00:00Z"),
    ];
    let rows = rows.into_iter().filter_map(|row| match row {
        Value::Object(row) => Some(row),
        _ => None,
    });
    shelf.take("/db", kairn::read(&[("experiences".into(), rows.collect())].into())).await;
    let found = status::status(&shelf.call).await.unwrap().findings;
    assert!(found.iter().any(|found| found.problem.starts_with("2 experiences")), "{found:?}");
    assert_eq!(pruning::prune(&shelf.call, 0.01).await.unwrap().len(), 2);
    assert_eq!(status::status(&shelf.call).await.unwrap().findings, []);
}
