//! `monitor_url`: monitors web pages for changes.

use lore_core::{Error, Result, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::wire::pretty;
use crate::call::Call;
use crate::choice::choice;
use crate::koi::{self, Ask, MonitorAnswer, Shaped};
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct MonitorUrl;

choice! {
    /// The action to perform.
    enum Action { Status = "status", Add = "add", Remove = "remove" }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    #[serde(default = "status")]
    action: Action,
    url: Option<String>,
    /// Title of the source, for add.
    title: Option<String>,
}

fn status() -> Action {
    Action::Status
}

impl ToolSpec for MonitorUrl {
    const NAME: &'static str = "monitor_url";
    const TOOLSET: Toolset = Toolset::Knowledge;
    const TITLE: &'static str = "Monitor web pages";
    const DESCRIPTION: &'static str = "Monitor a web page for changes (checked daily), stop \
        monitoring it, or list what is monitored. Use for sources that are updated; to read one \
        now use preview_url. Returns what was done, or the monitored pages.";
    const ANNOTATIONS: Annotations =
        Annotations { read_only: false, destructive: false, idempotent: true, open_world: true };
    const ROLE: Role = Role::Player;
    const READING: &'static [&'static str] = &["status"];

    type Input = Input;
    type Output = Shaped<MonitorAnswer>;

    fn example() -> Value {
        json!({ "action": "status" })
    }

    fn text(answer: &Value) -> String {
        pretty(answer)
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let url = || {
            let given = input.url.clone().filter(|url| !url.trim().is_empty());
            given.ok_or_else(|| Error::invalid("url", "is required", "give the page's address"))
        };
        let ask = match input.action {
            Action::Status => Ask::get(["web", "monitor", "status"]),
            Action::Add => {
                let body = json!({ "url": url()?, "title": input.title.unwrap_or_default() });
                Ask::post(["web", "monitor", "add"], body)
            }
            Action::Remove => Ask::post(["web", "monitor", "remove"], json!({ "url": url()? })),
        };
        koi::ask(&call, Self::NAME, ask).await
    }
}
