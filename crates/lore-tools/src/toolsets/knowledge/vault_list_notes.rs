//! `vault_list_notes`: lists the notes of a folder.

use lore_app::knowledge::list_notes;
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::call::Call;
use crate::koi::librarian;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct VaultListNotes;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Folder, such as People; . is the top of the vault.
    folder: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// File names, sorted.
    notes: Vec<String>,
}

impl ToolSpec for VaultListNotes {
    const NAME: &'static str = "vault_list_notes";
    const TOOLSET: Toolset = Toolset::Knowledge;
    const TITLE: &'static str = "List notes";
    const DESCRIPTION: &'static str = "List the Markdown notes of one folder of the vault. Use \
        before vault_read_note. Returns file names, without those in subfolders.";
    const ANNOTATIONS: Annotations = Annotations::READ;
    const ROLE: Role = Role::Gm;
    const OWN_CARE: &'static [&'static str] = &["folder"];

    type Input = Input;
    type Output = Output;

    fn example() -> Value {
        json!({ "folder": "People" })
    }

    fn text(answer: &Value) -> String {
        let notes = answer.get("notes").and_then(Value::as_array).into_iter().flatten();
        notes.filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
    }

    async fn run(call: Call, input: Input) -> Result<Output> {
        let notes = list_notes(&librarian(&call, Self::NAME), &input.folder).await?;
        Ok(Output { notes })
    }
}
