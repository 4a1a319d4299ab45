//! `lorewell demo`: creates a small sample world.
//!
//! The world is created by calling the tools, so it shows what they do and nothing else. Only its
//! source code is added the way `lorewell scan` does it, because no tool can.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use lore_app::access::Presence;
use lore_app::worlds;
use lore_core::Principal;
use lore_tools::{Call, CallError, Registry, Selection, error_object};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{connect, scan, world};
use crate::cli::Options;
use crate::config::Settings;
use crate::output::advised;
use crate::{output, setup};

/// The tool calls, in order.
const STEPS: &str = include_str!("demo/steps.json");
/// The folder for the notes in the data directory, used if none is configured.
const NOTES: &str = "demo-vault";
/// The folder for the source code in the data directory.
const CODE: &str = "demo-code";
/// The source files.
const SOURCES: [(&str, &str); 2] = [
    ("tides.py", include_str!("demo/almanac/tides.py")),
    ("bells.py", include_str!("demo/almanac/bells.py")),
];

/// The program with the options that a further command needs to reach the same store.
pub(crate) struct Again(String);

impl Again {
    /// Repeats where the store and the configuration are, if that was said.
    pub(crate) fn of(options: &Options) -> Self {
        let places = [("--data", &options.data), ("--config", &options.config)];
        let places = places.iter().filter_map(|(flag, place)| {
            Some([(*flag).to_owned(), place.as_ref()?.display().to_string()])
        });
        let words: Vec<_> = [PROGRAM.to_owned()].into_iter().chain(places.flatten()).collect();
        Self(connect::command_line(words.iter().map(String::as_str)))
    }
}

const PROGRAM: &str = "lorewell";

/// What to do if the sample world is there from before.
fn already(name: &str) -> String {
    format!("no sample world was created; `lorewell world use {name:?}` or another --name helps")
}

/// Creates the world, fills it and makes it the current one.
pub(crate) async fn run(settings: &Settings, name: &str, again: &Again) -> anyhow::Result<()> {
    let mut settings = with_notes(settings)?;
    // The notes folder shall belong to the new world.
    settings.world = Some(name.trim().to_owned());
    let app = setup::open_without_services(&settings).await?;
    let made = worlds::create(&app, Principal::LOCAL, name, "demo").await;
    let world = made.map_err(advised).with_context(|| already(name))?;
    let viewer = setup::local_viewer(&app, &settings).await?;
    let mut call = Call::new(app.clone(), viewer);
    call.presence = Presence::Here;
    let stage = Stage {
        registry: Registry::standard(),
        selection: Selection::new().with_toolsets(["all", "atlas-write"])?,
        call,
    };
    let steps: Vec<Step> = serde_json::from_str(STEPS)?;
    let mut kept = Kept::default();
    for (done, step) in steps.iter().enumerate() {
        output::progress(done + 1, steps.len());
        stage.take(step, &mut kept).await?;
    }
    output::end_progress();
    scan::folder(&app, &settings, &written_code(&settings)?).await?;
    worlds::choose(&app, Principal::LOCAL, &world.name).await.map_err(advised)?;
    tell(&world.name, settings.vault.as_deref(), again);
    Ok(())
}

/// The settings with a notes folder, which is created if missing.
fn with_notes(settings: &Settings) -> anyhow::Result<Settings> {
    let mut settings = settings.clone();
    let folder = settings.vault.get_or_insert_with(|| settings.data.join(NOTES));
    private_folder(folder)
        .with_context(|| format!("the folder {} cannot be made", folder.display()))?;
    Ok(settings)
}

/// Writes the source files and returns their folder.
fn written_code(settings: &Settings) -> anyhow::Result<PathBuf> {
    let folder = settings.data.join(CODE);
    let written = private_folder(&folder).and_then(|()| {
        SOURCES.iter().try_for_each(|(name, text)| std::fs::write(folder.join(name), text))
    });
    written.with_context(|| format!("the folder {} cannot be written", folder.display()))?;
    Ok(folder)
}

/// Creates a folder and its missing parents with access for this user only, because one of them may
/// be the folder of the store.
fn private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// One tool call, and the values that later calls need from its answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    tool: String,
    /// The arguments. `$name` stands for a value that an earlier step kept under that name.
    arguments: Map<String, Value>,
    /// The values to keep: a name, and the JSON pointer to the value in the answer.
    #[serde(default)]
    keep: BTreeMap<String, String>,
}

#[derive(Default)]
struct Kept(BTreeMap<String, Value>);

impl Kept {
    fn filled_in(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.in_text(text),
            Value::Array(items) => items.iter().map(|item| self.filled_in(item)).collect(),
            Value::Object(fields) => self.in_fields(fields).into(),
            other => other.clone(),
        }
    }

    fn in_fields(&self, fields: &Map<String, Value>) -> Map<String, Value> {
        fields.iter().map(|(name, value)| (name.clone(), self.filled_in(value))).collect()
    }

    fn in_text(&self, text: &str) -> Value {
        if let Some(whole) = text.strip_prefix('$').and_then(|name| self.0.get(name)) {
            return whole.clone();
        }
        // Replace the longest names first, since one may be a prefix of another.
        let mut known: Vec<_> = self.0.iter().collect();
        known.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        let filled = known.into_iter().fold(text.to_owned(), |text, (name, value)| {
            let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            text.replace(&format!("${name}"), &shown)
        });
        Value::String(filled)
    }
}

struct Stage {
    registry: Registry,
    selection: Selection,
    call: Call,
}

impl Stage {
    async fn take(&self, step: &Step, kept: &mut Kept) -> anyhow::Result<()> {
        let arguments = kept.in_fields(&step.arguments);
        let answer =
            self.registry.call(&self.selection, &step.tool, self.call.clone(), arguments).await;
        let answer = answer.map_err(|error| match error {
            CallError::Failed(error) => anyhow::anyhow!("{}: {}", step.tool, error_object(&error)),
            unknown => unknown.into(),
        })?;
        for (name, pointer) in &step.keep {
            let value = answer.structured.pointer(pointer).cloned();
            let value = value.with_context(|| format!("{}: no {pointer}", step.tool))?;
            kept.0.insert(name.clone(), value);
        }
        Ok(())
    }
}

fn tell(world: &str, notes: Option<&Path>, Again(lorewell): &Again) {
    output::line(format!("{world} is ready, and the world you work in now. Look around:"));
    for (call, arguments) in TRY {
        output::line(format!("  {lorewell} {call} '{arguments}'"));
    }
    output::line(format!("or connect a client (`{lorewell} connect --help`) and ask it:"));
    for question in ASK {
        output::line(format!("  {question}"));
    }
    if let Some(notes) = notes {
        let notes = notes.display();
        output::line(format!(
            "Its notes are in {notes}; with VAULT_PATH={notes} they stay in step."
        ));
    }
    output::line(world::FOLLOWED);
    output::line(format!(
        "`{lorewell} world list` shows your worlds, `{lorewell} world use NAME` goes back."
    ));
}

/// Commands to try in the sample world.
const TRY: [(&str, &str); 7] = [
    ("call find_entities", r#"{"name": "Mara Quil", "name_fuzzy": true}"#),
    ("call knowledge_search", r#"{"query": "why does the tide stand still"}"#),
    ("call kn_intel", r#"{"action": "recall", "topic": "what did we promise the ferryman"}"#),
    ("call resolve_entity", r#"{"label": "the ferryman"}"#),
    ("call duality_probability", r#"{"modifier": 2, "difficulty": 15}"#),
    ("--toolsets atlas call search_articles", r#"{"query": "what are tide bells cast from"}"#),
    (
        "call code_query",
        r#"{"cypher": "MATCH (c)-[:CALLS]->(f:Function {name: \"next_high_water\"}) RETURN c.name, c.file_path"}"#,
    ),
];

/// Questions to ask an agent.
const ASK: [&str; 3] = [
    "Who in Saltmere knows how to mend a tide bell, and what do they want?",
    "What happened in our first session, and which promises are still open?",
    "Prepare the next session: two scenes, using what is already known.",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_filled_in() {
        let kept = Kept(BTreeMap::from([
            ("mara".to_owned(), Value::from(7)),
            ("mara_page".to_owned(), Value::from("p")),
        ]));
        let given =
            serde_json::json!({ "id": "$mara", "text": "[entity:$mara|M] $mara_page", "n": 1 });
        let wanted = serde_json::json!({ "id": 7, "text": "[entity:7|M] p", "n": 1 });
        assert_eq!(kept.filled_in(&given), wanted);
    }

    #[test]
    fn every_step_names_a_tool() {
        let steps: Vec<Step> = serde_json::from_str(STEPS).unwrap();
        let registry = Registry::standard();
        for step in steps {
            assert!(registry.tool(&step.tool).is_some(), "{}", step.tool);
        }
    }
}
