//! What a tool is: one declaration, erased into one value.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use lore_core::{Error, Result, Role};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::call::Call;
use crate::schema;
use crate::toolset::Toolset;

/// The declaration of a tool. Everything that is said about it anywhere comes from here.
pub trait ToolSpec: Send + Sync + 'static {
    /// The name clients call.
    const NAME: &'static str;
    /// The toolset it belongs to.
    const TOOLSET: Toolset;
    /// A short name for people.
    const TITLE: &'static str;
    /// For the model: what it does, when to use it, when another, what comes back.
    const DESCRIPTION: &'static str;
    /// What it does to the world.
    const ANNOTATIONS: Annotations;
    /// The least role that may call it.
    const ROLE: Role;
    /// Former or alternative names; they work but are not listed.
    const ALIASES: &'static [&'static str] = &[];

    /// The arguments.
    type Input: DeserializeOwned + JsonSchema + Send;
    /// The answer.
    type Output: Serialize + JsonSchema + Send;

    /// Arguments of a typical call, for the documentation and the registry's tests.
    fn example() -> Value;

    /// Does the work.
    fn run(call: Call, input: Self::Input) -> impl Future<Output = Result<Self::Output>> + Send;
}

/// What a tool does to the world. Each is stated, none is left to a default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Annotations {
    /// It changes nothing.
    pub read_only: bool,
    /// It may destroy or overwrite.
    pub destructive: bool,
    /// Calling it again with the same arguments has no further effect.
    pub idempotent: bool,
    /// It reaches beyond this store.
    pub open_world: bool,
}

impl Annotations {
    /// Adds something new.
    pub const ADD: Self =
        Self { read_only: false, destructive: false, idempotent: false, open_world: false };

    /// Replaces what was there; the audit log keeps it.
    pub const CHANGE: Self =
        Self { read_only: false, destructive: true, idempotent: true, open_world: false };

    /// Looks, touches nothing, stays inside.
    pub const READ: Self =
        Self { read_only: true, destructive: false, idempotent: true, open_world: false };
}

/// A tool, ready to be listed and called.
pub struct Tool {
    /// See [`ToolSpec::NAME`].
    pub name: &'static str,
    /// See [`ToolSpec::TOOLSET`].
    pub toolset: Toolset,
    /// See [`ToolSpec::TITLE`].
    pub title: &'static str,
    /// See [`ToolSpec::DESCRIPTION`].
    pub description: &'static str,
    /// See [`ToolSpec::ANNOTATIONS`].
    pub annotations: Annotations,
    /// See [`ToolSpec::ROLE`].
    pub role: Role,
    /// See [`ToolSpec::ALIASES`].
    pub aliases: &'static [&'static str],
    /// JSON schema of the arguments.
    pub input_schema: Arc<Map<String, Value>>,
    /// JSON schema of the structured answer.
    pub output_schema: Arc<Map<String, Value>>,
    /// See [`ToolSpec::example`].
    pub example: fn() -> Value,
    handler: Handler,
}

type Handler = fn(Call, Map<String, Value>) -> BoxFuture<'static, Result<Answer>>;

impl Tool {
    /// Erases a declaration.
    pub fn of<S: ToolSpec>() -> Self {
        Self {
            name: S::NAME,
            toolset: S::TOOLSET,
            title: S::TITLE,
            description: S::DESCRIPTION,
            annotations: S::ANNOTATIONS,
            role: S::ROLE,
            aliases: S::ALIASES,
            input_schema: Arc::new(schema::input::<S::Input>()),
            output_schema: Arc::new(schema::output::<S::Output>()),
            example: S::example,
            handler: handle::<S>,
        }
    }

    /// Runs the tool. Roles are the registry's business, see [`crate::Registry::call`].
    pub(crate) async fn run(&self, call: Call, arguments: Map<String, Value>) -> Result<Answer> {
        (self.handler)(call, arguments).await
    }
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The structured answer, always an object.
    pub structured: Value,
    /// The text form its contract prescribes; without one, the structured form as JSON.
    pub text: String,
}

fn handle<S: ToolSpec>(
    call: Call,
    arguments: Map<String, Value>,
) -> BoxFuture<'static, Result<Answer>> {
    async move {
        let input: S::Input = schema::parse(arguments)?;
        let output = S::run(call, input).await?;
        let broken = |_| Error::Bug { what: format!("the answer of {}", S::NAME) };
        let structured = serde_json::to_value(&output).map_err(broken)?;
        Ok(Answer { text: structured.to_string(), structured })
    }
    .boxed()
}

/// The structured form of an error: what went wrong and what to try next.
pub fn error_object(error: &Error) -> Value {
    let mut object = json!({
        "code": error.code().meaning().name,
        "message": error.to_string(),
        "hint": error.hint(),
    });
    if let (Error::Invalid { field, .. }, Some(map)) = (error, object.as_object_mut()) {
        map.insert("field".into(), Value::String(field.clone()));
    }
    object
}
