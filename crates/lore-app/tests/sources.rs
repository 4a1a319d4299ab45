//! Repeated imports of a source: it is recognised although it was moved or has changed.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use lore_app::App;
use lore_app::access::{Identity, enter};
use lore_app::memory::MemoryCall;
use lore_app::memory::exchange::{
    Exported, Imported, Load, export, import, kairn, markdown, notes, reference, relations,
};
use lore_app::memory::project::{self, NewEntry};
use lore_app::memory::recall::{self, Ask, Memory};
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
async fn a_long_text_comes_back_to_the_byte() {
    let line = "The tide comes, and  goes\tas it did. \n";
    let texts = [
        format!("{}\n\n\n  Then: nothing.", line.repeat(150)),
        "just words without any line ".repeat(500),
        "字".repeat(4_500),
        format!("  {}\n\n", "Windows ends its lines.\r\n\r\n".repeat(200)),
        format!("{}\u{3000}", "x".repeat(1_999).repeat(3)),
    ];
    for form in [Form::Lines, Form::Notes] {
        for text in &texts {
            let (here, there) = (Shelf::empty().await, Shelf::empty().await);
            here.take("/start", entities(&[("Log", &[text])])).await;
            there.take("/a", exported(&here, form).await).await;
            let whole = |said: Vec<(String, String)>| said.into_iter().map(|(_, body)| body);
            assert_eq!(whole(here.says().await).collect::<String>(), *text);
            assert_eq!(there.says().await, here.says().await);
        }
    }
}

#[tokio::test]
async fn a_part_of_a_long_text_that_is_edited_by_hand_stays_in_its_place() {
    let shelf = Shelf::empty().await;
    let text = "The tide comes and goes. ".repeat(150);
    let text = format!("{}\n\nThe end.", text.trim_end());
    shelf.take("/start", entities(&[("Log", &[&text])])).await;
    let mut files = Vec::new();
    let each = |page: &[Exported], _| {
        files.extend(page.iter().map(markdown));
        Ok(())
    };
    export(&shelf.call, each).await.unwrap();
    for (_, note) in &mut files {
        // Editors remove blanks at the ends of lines.
        let lines = note.lines().map(str::trim_end).collect::<Vec<_>>();
        *note = lines.join("\n").replacen("The tide comes", "The flood comes", 1);
    }
    assert_eq!(shelf.take("/b", notes::read("notes", &files)).await, [0, 0, 1]);
    let whole: String = shelf.says().await.into_iter().map(|(_, body)| body).collect();
    assert_eq!(whole, text.replacen("The tide comes", "The flood comes", 1));
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
    let rows = [
        lesson("slow", 0.0001, "2010-01-01T00:00:00Z"),
        lesson("usual", 0.0034, "2010-01-01T00:00:00Z"),
        lesson("swift", 0.01, "2024-01-01T00:00:00Z"),
    ];
    shelf.take("/db", kairn_load(&[("experiences", &rows)])).await;
    let found = status::status(&shelf.call).await.unwrap().findings;
    assert!(found.iter().any(|found| found.problem.starts_with("2 experiences")), "{found:?}");
    assert_eq!(pruning::prune(&shelf.call, 0.01).await.unwrap().len(), 2);
    assert_eq!(status::status(&shelf.call).await.unwrap().findings, []);
}

#[tokio::test]
async fn the_status_looks_at_a_bounded_number_of_old_experiences() {
    let shelf = Shelf::empty().await;
    let rows: Vec<Value> =
        (0..600).map(|id| lesson(&id.to_string(), 0.0034, "2010-01-01T00:00:00Z")).collect();
    shelf.take("/db", kairn_load(&[("experiences", &rows)])).await;
    let found = status::status(&shelf.call).await.unwrap().findings;
    assert!(found[0].problem.starts_with("at least 500 experiences"), "{found:?}");
    assert_eq!(pruning::prune(&shelf.call, 0.01).await.unwrap().len(), 600);
}

#[tokio::test]
async fn a_project_goes_on_in_the_session_it_was_imported_in() {
    let shelf = Shelf::empty().await;
    let project = json!({ "id": "p1", "name": "Keel", "phase": "active" });
    let step = |id: &str, project: &str| {
        json!({
            "id": id, "project_id": project, "action": format!("Step {id}"), "type": "progress",
            "created_at": "2024-01-01T00:00:00Z",
        })
    };
    let steps = [step("a", "p1"), step("b", "p2"), step("c", "p1")];
    shelf.take("/db", kairn_load(&[("projects", &[project]), ("progress", &steps)])).await;
    let step = NewEntry {
        project: Some("Keel".into()),
        action: Some("Step d".into()),
        ..NewEntry::default()
    };
    project::log(&shelf.call, &step).await.unwrap();
    let mut sessions = Vec::new();
    let each = |page: &[Exported], _| {
        let texts = page.iter().flat_map(|one| &one.texts);
        sessions.extend(texts.map(|text| text.provenance.session.clone()));
        Ok(())
    };
    export(&shelf.call, each).await.unwrap();
    assert_eq!(sessions.len(), 3);
    assert!(
        sessions.iter().all(|session| session.is_some() && *session == sessions[0]),
        "{sessions:?}"
    );
}

#[tokio::test]
async fn what_was_often_recalled_elsewhere_stays_once_it_is_recalled_here() {
    let shelf = Shelf::empty().await;
    let mut row = lesson("Kettle", 0.0034, "2024-01-01T00:00:00Z");
    row["access_count"] = json!(7);
    let rows = [row, lesson("Barley", 0.0034, "2024-01-01T00:00:00Z")];
    shelf.take("/db", kairn_load(&[("experiences", &rows)])).await;
    let ask = Ask { topic: Some("kettle".into()), limit: 10, ..Ask::default() };
    recall::recall(&shelf.call, &ask).await.unwrap();
    let found = recall::recall(&shelf.call, &ask).await.unwrap().memories;
    let kept = |memory: &&Memory| memory.kept_as().is_some();
    let kept: Vec<_> = found.iter().filter(kept).map(Memory::words).collect();
    assert_eq!(kept, ["Kettle lesson"]);
}

fn lesson(id: &str, rate: f64, made: &str) -> Value {
    json!({
        "id": id, "content": format!("{id} lesson"), "type": "solution",
        "confidence": "high", "decay_rate": rate, "created_at": made,
    })
}

fn kairn_load(tables: &[(&str, &[Value])]) -> Load {
    let rows = |rows: &[Value]| rows.iter().filter_map(Value::as_object).cloned().collect();
    kairn::read(&tables.iter().map(|(name, all)| ((*name).to_owned(), rows(all))).collect())
}
