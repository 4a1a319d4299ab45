//! What a tool is: a typed declaration ([`ToolSpec`]) and its type-erased value ([`Tool`]).

use std::borrow::Cow;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use lore_app::play::call::Asked;
use lore_core::error::named;
use lore_core::{Error, Result, Role, texts};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::call::Call;
use crate::listed;
use crate::schema::{self, Numbers};
use crate::toolset::Toolset;

/// The declaration of a tool. Every description of it elsewhere is derived from this.
pub trait ToolSpec: Send + Sync + 'static {
    /// The name by which clients call it.
    const NAME: &'static str;
    /// The toolset it belongs to.
    const TOOLSET: Toolset;
    /// A short name for people.
    const TITLE: &'static str;
    /// The description for models: what the tool does, when to use it, when to use another, and
    /// what it returns.
    const DESCRIPTION: &'static str;
    /// The effects of a call.
    const ANNOTATIONS: Annotations;
    /// The lowest role that may call it.
    const ROLE: Role;
    /// Former or alternative names. They are accepted but not listed.
    const ALIASES: &'static [&'static str] = &[];
    /// For a tool with an `action` argument: the actions that change nothing. Readers, and
    /// everybody on a read-only server, get the tool with these actions only.
    const READING: &'static [&'static str] = &[];
    /// The arguments whose hidden characters the tool itself deals with: quotations of what was
    /// read outside are cleaned where they are stored, because the caller cannot correct them; the
    /// items of a list are refused one by one; and paths name files as they are. In all other
    /// arguments, hidden characters are refused if they could be stored, and ignored otherwise.
    const OWN_CARE: &'static [&'static str] = &[];
    /// How numbers such as `4.0` in the arguments are read.
    const NUMBERS: Numbers = Numbers::Whole;

    /// The type of the arguments.
    type Input: DeserializeOwned + JsonSchema + Send;
    /// The type of the answer.
    type Output: Serialize + JsonSchema + Send;

    /// Returns the arguments of a typical call, for the documentation and the tests.
    fn example() -> Value;

    /// Converts arguments that were given under `name`, which may be an alias, to the form of
    /// [`ToolSpec::Input`].
    fn modernise(_name: &str, _arguments: &mut Map<String, Value>) {}

    /// Returns the text form of an answer, which a contract may prescribe.
    fn text(answer: &Value) -> String {
        answer.to_string()
    }

    /// Runs the tool.
    fn run(call: Call, input: Self::Input) -> impl Future<Output = Result<Self::Output>> + Send;
}

/// The effects of a tool, as hints. Each is stated; none is left to the protocol's default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Annotations {
    /// Whether it changes nothing.
    pub read_only: bool,
    /// Whether it may delete or overwrite something.
    pub destructive: bool,
    /// Whether calling it again with the same arguments has no further effect.
    pub idempotent: bool,
    /// Whether it reaches beyond this store.
    pub open_world: bool,
}

impl Annotations {
    /// A tool that adds something.
    pub const ADD: Self =
        Self { read_only: false, destructive: false, idempotent: false, open_world: false };

    /// A tool that replaces values; the audit log keeps the old ones.
    pub const CHANGE: Self =
        Self { read_only: false, destructive: true, idempotent: true, open_world: false };

    /// A tool that only reads from this store.
    pub const READ: Self =
        Self { read_only: true, destructive: false, idempotent: true, open_world: false };
}

/// A tool that can be listed and called.
#[derive(Clone)]
pub struct Tool {
    /// See [`ToolSpec::NAME`].
    pub name: &'static str,
    /// See [`ToolSpec::TOOLSET`].
    pub toolset: Toolset,
    /// See [`ToolSpec::TITLE`].
    pub title: Cow<'static, str>,
    /// See [`ToolSpec::DESCRIPTION`].
    pub description: Cow<'static, str>,
    /// See [`ToolSpec::ANNOTATIONS`].
    pub annotations: Annotations,
    /// See [`ToolSpec::ROLE`].
    pub role: Role,
    /// See [`ToolSpec::ALIASES`].
    pub aliases: &'static [&'static str],
    /// The JSON schema of the arguments.
    pub input_schema: Arc<Map<String, Value>>,
    /// The listed JSON schema of the structured answer, which errors match, too.
    pub output_schema: Arc<Map<String, Value>>,
    /// The strict JSON schema of a successful answer, with its required fields.
    pub answer_schema: Arc<Map<String, Value>>,
    /// See [`ToolSpec::example`].
    pub example: Value,
    /// The form of the tool that has only its reading actions, if [`ToolSpec::READING`] lists any.
    pub reading: Option<Arc<Self>>,
    own_care: &'static [&'static str],
    modernise: fn(&str, &mut Map<String, Value>),
    handler: Handler,
}

/// A function that runs a tool.
pub(crate) type Handler =
    Arc<dyn Fn(Call, Map<String, Value>) -> BoxFuture<'static, Result<Answer>> + Send + Sync>;

/// A tool that is generated from a table instead of from a type that implements [`ToolSpec`].
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) toolset: Toolset,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) annotations: Annotations,
    pub(crate) role: Role,
    pub(crate) input_schema: Map<String, Value>,
    pub(crate) answer_schema: Map<String, Value>,
    pub(crate) example: Value,
    pub(crate) handler: Handler,
}

impl From<Row> for Tool {
    fn from(row: Row) -> Self {
        Self {
            name: row.name,
            toolset: row.toolset,
            title: row.title.into(),
            description: row.description.into(),
            annotations: row.annotations,
            role: row.role,
            aliases: &[],
            input_schema: Arc::new(row.input_schema),
            output_schema: Arc::new(listed::flattened(&row.answer_schema)),
            answer_schema: Arc::new(row.answer_schema),
            example: row.example,
            reading: None,
            own_care: &[],
            modernise: |_, _| {},
            handler: row.handler,
        }
    }
}

impl Tool {
    /// Erases the type of a declaration.
    pub fn of<S: ToolSpec>() -> Self {
        let whole = Self::whole::<S>();
        let reading = (!S::READING.is_empty()).then(|| Arc::new(whole.reading_form(S::READING)));
        Self { reading, ..whole }
    }

    fn whole<S: ToolSpec>() -> Self {
        let answer_schema = schema::output::<S::Output>();
        Self {
            name: S::NAME,
            toolset: S::TOOLSET,
            title: S::TITLE.into(),
            description: S::DESCRIPTION.into(),
            annotations: S::ANNOTATIONS,
            role: S::ROLE,
            aliases: S::ALIASES,
            input_schema: Arc::new(schema::input::<S::Input>()),
            output_schema: Arc::new(listed::flattened(&answer_schema)),
            answer_schema: Arc::new(answer_schema),
            example: S::example(),
            reading: None,
            own_care: S::OWN_CARE,
            modernise: S::modernise,
            handler: Arc::new(handle::<S>),
        }
    }

    /// The same tool with only the given actions.
    fn reading_form(&self, actions: &[&str]) -> Self {
        let mut input_schema = (*self.input_schema).clone();
        let offered = input_schema.get_mut("properties").and_then(|p| p.get_mut("action"));
        if let Some(Value::Object(action)) = offered {
            action.insert("enum".into(), json!(actions));
        }
        Self {
            annotations: Annotations::READ,
            role: Role::Reader,
            input_schema: Arc::new(input_schema),
            reading: None,
            ..self.clone()
        }
    }

    /// The forms in which the tool can be offered, the full one first.
    pub(crate) fn forms(self: &Arc<Self>) -> impl Iterator<Item = &Arc<Self>> {
        std::iter::once(self).chain(self.reading.as_ref())
    }

    /// Whether the arguments ask for an action that `whole` has but this form does not.
    pub(crate) fn withholds(&self, whole: &Self, arguments: &Map<String, Value>) -> bool {
        whole.offers(arguments) == Some(true) && self.offers(arguments) == Some(false)
    }

    /// Whether this form has the action that the arguments ask for; `None` if it has no actions.
    fn offers(&self, arguments: &Map<String, Value>) -> Option<bool> {
        let asked = arguments.get("action").and_then(Value::as_str).map(str::trim);
        let actions = self.input_schema.get("properties")?.get("action")?.get("enum")?;
        let mut actions = actions.as_array()?.iter().filter_map(Value::as_str);
        Some(actions.any(|action| asked.is_some_and(|asked| asked.eq_ignore_ascii_case(action))))
    }

    /// Whether a call with these arguments stores none of them.
    fn only_reads(&self, arguments: &Map<String, Value>) -> bool {
        let reading = || self.reading.as_ref().and_then(|form| form.offers(arguments));
        self.annotations.read_only || reading() == Some(true)
    }

    /// Converts arguments given under one of the tool's names to the current form.
    pub(crate) fn modernised(
        &self,
        name: &str,
        mut arguments: Map<String, Value>,
    ) -> Map<String, Value> {
        (self.modernise)(name, &mut arguments);
        arguments
    }

    /// Returns the arguments without hidden characters. Fails if they contain some and may be
    /// stored: those who write can correct their texts, while those who search may have copied
    /// theirs from anywhere.
    pub(crate) fn in_plain_sight(
        &self,
        mut arguments: Map<String, Value>,
    ) -> Result<Map<String, Value>> {
        match self.only_reads(&arguments) {
            true => texts::clean_fields_besides(self.own_care, &mut arguments),
            false => texts::check_fields_besides(self.own_care, &arguments)?,
        }
        Ok(arguments)
    }

    /// Runs the tool without checking roles; [`crate::Registry::call`] does that.
    pub(crate) async fn run(&self, call: Call, arguments: Map<String, Value>) -> Result<Answer> {
        (self.handler)(call, arguments).await
    }
}

/// The answer of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The structured answer, always an object.
    pub structured: Value,
    /// The text form that the contract prescribes; by default the structured answer as JSON.
    pub text: String,
}

/// The field of an answer that names the damaged items that were left out.
pub(crate) const DAMAGED: &str = "damaged";

impl Answer {
    /// Adds the names of the items that were left out, if any.
    pub(crate) fn without(mut self, left_out: Vec<String>) -> Self {
        if left_out.is_empty() {
            return self;
        }
        let plain = self.structured.to_string();
        let is_json = self.text == plain;
        let told = format!("\n\nDamaged and left out: {}.", left_out.join("; "));
        name_damaged(&mut self.structured, left_out);
        match is_json {
            true => self.text = self.structured.to_string(),
            false => self.text.push_str(&told),
        }
        self
    }
}

/// Adds the names of the items that were left out to a document, if any.
pub(crate) fn name_damaged(document: &mut Value, left_out: Vec<String>) {
    if let Some(fields) = document.as_object_mut().filter(|_| !left_out.is_empty()) {
        fields.insert(DAMAGED.into(), json!(left_out));
    }
}

fn handle<S: ToolSpec>(
    call: Call,
    arguments: Map<String, Value>,
) -> BoxFuture<'static, Result<Answer>> {
    async move {
        let call = keyed(call, &arguments);
        let input: S::Input = schema::read(arguments, S::NUMBERS)?;
        let output = S::run(call, input).await?;
        let broken = |_| Error::Bug { what: format!("the answer of {}", S::NAME) };
        let structured = serde_json::to_value(&output).map_err(broken)?;
        Ok(Answer { text: S::text(&structured), structured })
    }
    .boxed()
}

/// Gives a call with an idempotency key the digest of its arguments, which distinguishes a
/// repetition from a reuse of the key for another call.
fn keyed(mut call: Call, arguments: &Map<String, Value>) -> Call {
    const KEY: &str = "idempotency_key";
    if arguments.contains_key(KEY) {
        let mut rest = arguments.clone();
        rest.remove(KEY);
        // The handle itself means nothing: what the context contains is added by `Asked::take_in`.
        rest.remove("context_id");
        call.asked = Asked::of(&rest);
    }
    call
}

/// Returns the structured form of an error: code, message and hint, with `field` or `retry_after`
/// where they apply.
pub fn error_object(error: &Error) -> Value {
    let mut object = json!({
        "code": error.code().meaning().name,
        "message": error.to_string(),
        "hint": error.hint(),
    });
    let more = match error {
        Error::Invalid { field, .. } => Some(("field", json!(named(field)))),
        // In whole seconds, rounded up and at least one.
        Error::Throttled { retry_after, .. } => {
            let seconds = retry_after.as_millis().div_ceil(1_000).max(1);
            Some(("retry_after", json!(u64::try_from(seconds).unwrap_or(u64::MAX))))
        }
        _ => None,
    };
    if let (Some((name, value)), Some(map)) = (more, object.as_object_mut()) {
        map.insert(name.into(), value);
    }
    object
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn an_error_says_in_a_field_of_its_own_what_a_program_needs() {
        let wait = |retry_after| error_object(&Error::Throttled { to: "Kanka", retry_after });
        assert_eq!(wait(Duration::from_millis(6_100))["retry_after"], 7);
        assert_eq!(wait(Duration::ZERO)["retry_after"], 1);
        let wrong = error_object(&Error::invalid("title", "is empty", "give it"));
        assert_eq!((&wrong["field"], wrong.get("retry_after")), (&json!("title"), None));
    }
}
