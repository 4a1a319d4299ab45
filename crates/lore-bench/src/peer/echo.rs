//! The bare rmcp handler: tools and answers are fixed, and nothing is built per call.

use std::collections::HashMap;
use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value, json};

/// Answers a known tool with its fixed answer, and `echo` with its arguments.
#[derive(Clone)]
pub(crate) struct Echo {
    shared: Arc<Shared>,
}

struct Shared {
    tools: HashMap<String, Tool>,
    answers: HashMap<String, Value>,
}

impl Echo {
    /// Creates a handler with these answers, by tool.
    pub(crate) fn new(answers: HashMap<String, Value>) -> Self {
        let names = answers.keys().cloned().chain(["echo".to_owned()]);
        let tools = names.map(|name| (name.clone(), tool(name))).collect();
        Self { shared: Arc::new(Shared { tools, answers }) }
    }
}

fn tool(name: String) -> Tool {
    let mut schema = Map::new();
    schema.insert("type".into(), json!("object"));
    Tool::new(name, "Says what it was told.", Arc::new(schema))
}

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.shared.tools.values().cloned().collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared.tools.get(name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let structured = match self.shared.answers.get(request.name.as_ref()) {
            Some(answer) => answer.clone(),
            None => Value::Object(request.arguments.unwrap_or_default()),
        };
        let mut result = CallToolResult::success(vec![ContentBlock::text(structured.to_string())]);
        result.structured_content = Some(structured);
        Ok(result.into())
    }
}
