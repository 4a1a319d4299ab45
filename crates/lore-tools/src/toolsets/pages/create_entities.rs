//! `create_entities`: creates pages.

use lore_app::pages::{self, NewPage, Scribe};
use lore_core::error::named;
use lore_core::{Error, Properties, Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::each::{Each, Job, in_words, work};
use super::wire::{EntityType, one_of, scribe};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct CreateEntities;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The entities to create.
    entities: Vec<Each<Item>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Item {
    /// Kind of entity.
    entity_type: EntityType,
    /// Name of the entity.
    name: String,
    /// Subtype, such as NPC, City or Session Summary.
    #[serde(rename = "type")]
    subtype: Option<String>,
    /// Text in Markdown; mention others as [entity:ID] or [entity:ID|text].
    entry: Option<String>,
    /// Any words; new tags are created.
    tags: Option<Vec<String>>,
    /// Hide it from the players. Default: true for notes, else false.
    is_private: Option<bool>,
    /// Another name for `is_private`, which some clients send as well.
    #[schemars(skip)]
    is_hidden: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// One result per entity, in the order given.
    results: Vec<Row>,
}

#[derive(Default, Serialize, JsonSchema)]
struct Row {
    /// Number within its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<i64>,
    /// Number among all entities; what tools take and mentions contain.
    #[serde(skip_serializing_if = "Option::is_none")]
    entity_id: Option<i64>,
    /// Name of the entity.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// How to mention it in texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    mention: Option<String>,
    /// Whether it was created.
    success: bool,
    /// Why it failed, and what to try.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl ToolSpec for CreateEntities {
    const NAME: &'static str = "create_entities";
    const TOOLSET: Toolset = Toolset::Pages;
    const TITLE: &'static str = "Create entities";
    const DESCRIPTION: &'static str = "Create entities of the world. Use find_entities with \
        name_fuzzy first, to avoid duplicates. Returns one result for each, with its \
        ids and mention; check success.";
    const ANNOTATIONS: Annotations = Annotations::ADD;
    const ROLE: Role = Role::Player;
    const OWN_CARE: &'static [&'static str] = &["entities"];

    type Input = Input;
    type Output = Output;

    fn example() -> Value {
        json!({ "entities": [{
            "entity_type": "character",
            "name": "Osanna von Carstein",
            "type": "NPC",
            "entry": "Vampire noble...",
            "tags": ["vampire", "von-carstein"],
        }] })
    }

    async fn run(call: Call, input: Input) -> Result<Output> {
        let entries: Vec<String> = input.entities.iter().map(Each::text).collect();
        let results = work(&call, Self::NAME, "entities", input.entities).await?;
        let numbers = results.iter().map(|row| row.entity_id);
        let made = numbers.zip(&entries).filter_map(|(id, entry)| Some((id?, entry.as_str())));
        pages::join_made(&scribe(&call, Self::NAME), &made.collect::<Vec<_>>()).await;
        Ok(Output { results })
    }
}

impl Each<Item> {
    /// Returns its text if it may contain mentions, otherwise an empty text.
    fn text(&self) -> String {
        let entry = match self {
            Self::Good(item) => item.entry.as_deref(),
            Self::Bad(..) => None,
        };
        entry.filter(|entry| entry.contains('[')).unwrap_or_default().to_owned()
    }
}

impl Job for Item {
    type Row = Row;

    async fn run(self, scribe: &Scribe) -> Row {
        let name = self.name.clone();
        let made = match self.draft() {
            Ok(new) => pages::create(scribe, &new).await,
            Err(error) => Err(error),
        };
        row(Some(name), made)
    }

    fn unread(given: &Value, error: &Error) -> Row {
        row(given.get("name").and_then(Value::as_str).map(str::to_owned), Err(error.clone()))
    }
}

fn row(name: Option<String>, made: Result<pages::Made>) -> Row {
    match made {
        Ok(made) => Row {
            id: Some(made.kind_number),
            entity_id: Some(made.number),
            name: Some(made.name),
            mention: Some(format!("[entity:{}]", made.number)),
            success: true,
            error: None,
        },
        Err(error) => {
            let name = name.map(|name| named(&name).into_owned());
            Row { name, error: Some(in_words(&error)), ..Row::default() }
        }
    }
}

impl Item {
    /// Converts the item to the page that it asks for.
    fn draft(self) -> Result<NewPage> {
        Ok(NewPage {
            private: one_of(self.is_private, self.is_hidden)?,
            kind: self.entity_type.into(),
            name: self.name,
            subtype: self.subtype,
            entry: self.entry,
            tags: self.tags.unwrap_or_default(),
            parent: None,
            fields: Properties::new(),
        })
    }
}
