//! `character_create`: adds a character.

use futures::FutureExt;
use lore_app::play::call::{Done, PlayCall};
use lore_app::play::character::{self, Character, NewCharacter};
use lore_app::play::ids::Thing;
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::setting::Setting;
use super::sheet_wire::{CharacterOut, KindWire};
use crate::call::Call;
use crate::kept::Kept;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;
use crate::toolsets::page_id::PageId;

pub(super) struct CharacterCreate;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    campaign_id: String,
    name: String,
    /// Players see an NPC once revealed.
    kind: KindWire,
    notes: Option<String>,
    /// Its page; default: a new one.
    page_id: Option<PageId>,
    idempotency_key: Option<String>,
}

impl ToolSpec for CharacterCreate {
    const NAME: &'static str = "character_create";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Create a character";
    const DESCRIPTION: &'static str = "Add a character with a starting sheet; for who plays, \
        use participant_create. Use before character_profile_patch and \
        character_control_set. Returns it with its id.";
    const ANNOTATIONS: Annotations = Annotations::ADD;
    const ROLE: Role = Role::Player;

    type Input = Input;
    type Output = Kept<CharacterOut>;

    fn example() -> Value {
        json!({
            "campaign_id": "$campaign", "name": "Thorin Ironforge", "kind": "PC",
            "notes": "Dwarf warrior with a mysterious past",
        })
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let setting = Setting::of(&call, Self::NAME, None, input.idempotency_key)?;
        let page = match input.page_id {
            Some(id) => Some(id.find(&call.app, &call.viewer, "page_id").await?),
            None => None,
        };
        let new = NewCharacter {
            campaign: Thing::Campaign
                .find(&setting.call, "campaign_id", &input.campaign_id)
                .await?,
            name: input.name,
            kind: input.kind.into(),
            notes: input.notes.unwrap_or_default(),
            page,
        };
        let call = &setting.call;
        let plan = || async { Ok(character::create(call, &new).await?.map(without_page)) }.boxed();
        with_page(call, call.carry_out(plan).await?).await
    }
}

/// Returns the answer with a placeholder for the number of the page, so that the field keeps its
/// place.
fn without_page(character: Character) -> CharacterOut {
    CharacterOut { entity_id: Some(0), ..character.into() }
}

/// Fills in the number of the page. It exists only after the commit, so it is not part of the
/// answer that is stored under the idempotency key.
async fn with_page(call: &PlayCall, done: Done<CharacterOut>) -> Result<Kept<CharacterOut>> {
    Ok(match done {
        Done::Fresh(mut made) => {
            made.entity_id = page_of(call, &made.id).await?;
            Kept::Fresh(made)
        }
        Done::Again(mut made) => {
            let id = made.get("id").and_then(Value::as_str).unwrap_or_default();
            let page = page_of(call, id).await?;
            if let Some(answer) = made.as_object_mut() {
                match page {
                    Some(page) => answer.insert("entity_id".into(), page.into()),
                    None => answer.shift_remove("entity_id"),
                };
            }
            Kept::Again(made)
        }
    })
}

async fn page_of(call: &PlayCall, id: &str) -> Result<Option<i64>> {
    character::page_number(call, Thing::Character.read("id", id)?).await
}
