//! `character_update`: renames, annotates, reveals, archives or restores a character.

use futures::FutureExt;
use lore_app::play::campaign;
use lore_app::play::character::{self, CharacterPatch};
use lore_app::play::ids::Thing;
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::setting::Setting;
use super::sheet_wire::{CharacterOut, RevealWire};
use crate::call::Call;
use crate::kept::Kept;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct CharacterUpdate;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    character_id: String,
    name: Option<String>,
    notes: Option<String>,
    /// What players know; SHEET includes the notes.
    reveal: Option<RevealWire>,
    archived: Option<bool>,
    idempotency_key: Option<String>,
}

impl ToolSpec for CharacterUpdate {
    const NAME: &'static str = "character_update";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Change a character";
    const DESCRIPTION: &'static str = "Rename, annotate, reveal, archive or restore a \
        character. Use the patch tools for its sheet. Returns the character.";
    const ANNOTATIONS: Annotations = Annotations::CHANGE;
    const ROLE: Role = Role::Player;

    type Input = Input;
    type Output = Kept<CharacterOut>;

    fn example() -> Value {
        json!({ "character_id": "$character", "notes": "Owes the ferryman a favour" })
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let setting = Setting::of(&call, Self::NAME, None, input.idempotency_key)?;
        let id = &input.character_id;
        let uid = Thing::Character.find(&setting.call, "character_id", id).await?;
        let patch = CharacterPatch {
            name: input.name,
            notes: input.notes,
            reveal: input.reveal.map(Into::into),
            archived: input.archived,
        };
        let call = &setting.call;
        if patch.archived == Some(false) {
            campaign::bring_back(call, Thing::Character, uid).await?;
        }
        if patch == (CharacterPatch { archived: Some(true), ..Default::default() })
            && let Some(archived) = character::archived(call, uid).await?
        {
            return Ok(Kept::Fresh(archived.into()));
        }
        let plan = || {
            async { Ok(character::update(call, uid, &patch).await?.map(CharacterOut::from)) }
                .boxed()
        };
        Ok(call.carry_out(plan).await?.into())
    }
}
