//! `code_query`: queries the code graph in Cypher.

use lore_core::{Result, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::wire::pretty;
use crate::call::Call;
use crate::koi::{self, Ask, QueryAnswer, Shaped};
use crate::schema::Numbers;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct CodeQuery;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Read-only Cypher query; empty returns schema and examples.
    cypher: String,
    /// Values for $parameters, by name.
    #[serde(default)]
    params: Map<String, Value>,
}

impl ToolSpec for CodeQuery {
    const NAME: &'static str = "code_query";
    const TOOLSET: Toolset = Toolset::Knowledge;
    const TITLE: &'static str = "Query the code graph";
    const DESCRIPTION: &'static str = "Ask the graph of scanned code in read-only Cypher: nodes \
        Function, Class, Interface, Module, File, Import (name, file_path, line_start, signature, \
        repo); relationships CALLS, CONTAINS, IMPORTS, BELONGS_TO, HAS_METHOD, EXTENDS, \
        IMPLEMENTS. Use for callers, structure and dependencies, as in MATCH \
        (a)-[:CALLS]->(b:Function {name: 'main'}) RETURN a.name, a.file_path LIMIT 20; for code \
        by topic use knowledge_search with source github. Returns rows by column name; send an \
        empty query first to see all properties and examples.";
    const ANNOTATIONS: Annotations = Annotations::READ;
    const ROLE: Role = Role::Reader;
    /// Cypher distinguishes `7.0` from `7`.
    const NUMBERS: Numbers = Numbers::AsGiven;

    type Input = Input;
    type Output = Shaped<QueryAnswer>;

    fn example() -> Value {
        json!({ "cypher": "MATCH (f:Function) RETURN f.name, f.file_path ORDER BY f.name LIMIT 5" })
    }

    fn text(answer: &Value) -> String {
        pretty(answer)
    }

    async fn run(call: Call, input: Input) -> Result<Self::Output> {
        let body = json!({ "cypher": input.cypher, "params": input.params, "named": true });
        let ask = Ask::post(["code", "query"], body);
        koi::ask(&call, Self::NAME, ask).await
    }
}
