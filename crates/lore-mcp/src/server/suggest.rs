//! Completions: suggestions for an argument that a user is typing.

use lore_tools::Call;
use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompletionInfo, Reference};

use super::{McpServer, Scope, contained};

impl McpServer {
    /// Returns the values that complete what was typed so far.
    pub(super) async fn suggestions(
        &self,
        scope: &Scope,
        call: Call,
        request: CompleteRequestParams,
    ) -> Result<CompletionInfo, ErrorData> {
        let typed = request.argument.value;
        let values = match &request.r#ref {
            Reference::Prompt(prompt) => {
                self.suggest_for_prompt(scope, &prompt.name, &request.argument.name, &typed)
            }
            Reference::Resource(template) => {
                self.suggest_for_resource(scope, call, &template.uri, request.argument.name, typed)
                    .await?
            }
            _ => Vec::new(),
        };
        Ok(first_page(values))
    }

    fn suggest_for_prompt(
        &self,
        scope: &Scope,
        prompt: &str,
        argument: &str,
        typed: &str,
    ) -> Vec<String> {
        let mut prompts = self.parts.registry.prompts(&scope.selection);
        let found = prompts.find(|candidate| candidate.name == prompt);
        let arguments = found.map_or(&[][..], |prompt| prompt.arguments);
        let suggestions = arguments.iter().filter(|known| known.name == argument);
        let suggestions = suggestions.flat_map(|known| known.suggestions.iter());
        suggestions.filter(|value| value.starts_with(typed)).map(|&value| value.into()).collect()
    }

    async fn suggest_for_resource(
        &self,
        scope: &Scope,
        call: Call,
        template: &str,
        variable: String,
        typed: String,
    ) -> Result<Vec<String>, ErrorData> {
        let mut on = self.parts.registry.resources(&scope.selection, call.viewer.role);
        let Some(complete) = on.find(|r| r.uri.is_spelled(template)).and_then(|r| r.complete)
        else {
            return Ok(Vec::new());
        };
        contained(complete(call, variable, typed)).await
    }
}

fn first_page(mut values: Vec<String>) -> CompletionInfo {
    let total = values.len();
    values.truncate(CompletionInfo::MAX_VALUES);
    let mut info = CompletionInfo::default();
    info.has_more = Some(total > values.len());
    info.total = u32::try_from(total).ok();
    info.values = values;
    info
}
