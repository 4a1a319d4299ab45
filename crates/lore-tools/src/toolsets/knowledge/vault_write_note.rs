//! `vault_write_note`: creates or replaces a note.

use lore_app::knowledge::{NoteWritten, write_note};
use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::call::Call;
use crate::choice::choice;
use crate::koi::librarian;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct VaultWriteNote;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Path in the vault, such as People/New Person.md.
    path: String,
    /// The whole note, with YAML frontmatter.
    content: String,
}

choice! {
    /// What happened to the note and its frontmatter.
    enum Frontmatter { Created = "created", Replaced = "replaced", Kept = "preserved" }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// "Written: " and the path.
    message: String,
    /// Whether the note is new (created), replaced as a whole, or kept its frontmatter (preserved).
    frontmatter: Frontmatter,
    /// What the note was not taken for: properties that are not valid YAML, a name that is not
    /// clear without a `uri`, another note about the same entity, a changed encoding.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl ToolSpec for VaultWriteNote {
    const NAME: &'static str = "vault_write_note";
    const TOOLSET: Toolset = Toolset::Knowledge;
    const TITLE: &'static str = "Write a note";
    const DESCRIPTION: &'static str = "Create or replace a Markdown note in the vault; folders \
        are created as needed. Use vault_read_note before replacing one. Existing frontmatter is \
        kept if the new text has none. Returns 'Written: ' and the path.";
    const ANNOTATIONS: Annotations = Annotations::CHANGE;
    const ROLE: Role = Role::Gm;

    type Input = Input;
    type Output = Output;

    fn example() -> Value {
        json!({ "path": "People/Ada Holt.md", "content": "---\n\"@type\": schema:Person\n---\n# Ada Holt\n" })
    }

    fn text(answer: &Value) -> String {
        let warnings = answer.get("warnings").and_then(Value::as_array).into_iter().flatten();
        let lines = answer.get("message").into_iter().chain(warnings);
        lines.filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
    }

    async fn run(call: Call, input: Input) -> Result<Output> {
        let written =
            write_note(&librarian(&call, Self::NAME), &input.path, &input.content).await?;
        let frontmatter = match written.became {
            NoteWritten::Created => Frontmatter::Created,
            NoteWritten::Replaced => Frontmatter::Replaced,
            NoteWritten::KeptFrontmatter => Frontmatter::Kept,
        };
        let message = format!("Written: {}", input.path);
        Ok(Output { message, frontmatter, warnings: written.warnings })
    }
}
