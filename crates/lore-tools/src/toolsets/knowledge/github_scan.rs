//! `github_scan`: rescans repositories or reports their status.

use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::wire::pretty;
use crate::call::Call;
use crate::choice::choice;
use crate::koi::{self, Ask, ScanAnswer, Shaped};
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct GithubScan;

choice! {
    /// The action to perform.
    enum Action { Status = "status", Scan = "scan" }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    #[serde(default = "status")]
    action: Action,
    /// Repository to scan, such as owner/name; default: all.
    repo_name: Option<String>,
}

fn status() -> Action {
    Action::Status
}

impl ToolSpec for GithubScan {
    const NAME: &'static str = "github_scan";
    const TOOLSET: Toolset = Toolset::Knowledge;
    const TITLE: &'static str = "Scan repositories";
    const DESCRIPTION: &'static str = "Rescan registered source repositories (only what \
        changed), or report their status. Use before code_query or knowledge_search when code was \
        edited. Returns files, code entities and edges per repository, or the repositories with \
        their last scan.";
    const ANNOTATIONS: Annotations =
        Annotations { read_only: false, destructive: false, idempotent: true, open_world: true };
    const ROLE: Role = Role::Gm;
    const READING: &'static [&'static str] = &["status"];

    type Input = Input;
    type Output = Shaped<ScanAnswer>;

    fn example() -> Value {
        json!({ "action": "status" })
    }

    fn text(answer: &Value) -> String {
        pretty(answer)
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let ask = match input.action {
            Action::Status => Ask::get(["github", "status"]),
            // Some KOI APIs read the name from the body, others from the query parameters.
            Action::Scan => Ask::post(["github", "scan"], json!({ "repo_name": input.repo_name }))
                .with("repo_name", input.repo_name),
        };
        koi::ask(&call, Self::NAME, ask).await
    }
}
