//! Prompts: conversation openings that a user can choose.

use futures::future::BoxFuture;
use lore_core::names::checked_length;
use lore_core::{Error, Result};
use serde_json::{Map, Value};

use crate::call::Call;
use crate::toolset::Toolset;

/// The declaration of a prompt.
pub struct Prompt {
    /// The name by which clients request it.
    pub name: &'static str,
    /// A short name for people.
    pub title: &'static str,
    /// What it starts and when to use it.
    pub description: &'static str,
    /// The toolset whose tools the prompt uses.
    pub toolset: Toolset,
    /// Its arguments, all of them text.
    pub arguments: &'static [PromptArgument],
    /// Renders the opening messages.
    pub render: Renderer,
}

/// A function that renders the opening messages from the arguments.
pub type Renderer = fn(Call, Map<String, Value>) -> BoxFuture<'static, Result<Vec<PromptText>>>;

/// An argument of a prompt.
#[derive(Debug, Clone, Copy)]
pub struct PromptArgument {
    /// The argument's name.
    pub name: &'static str,
    /// What to enter.
    pub description: &'static str,
    /// Whether it must be given.
    pub required: bool,
    /// Values to suggest for completion.
    pub suggestions: &'static [&'static str],
}

/// One opening message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptText {
    /// The role that the message is attributed to.
    pub speaker: Speaker,
    /// The text of the message.
    pub text: String,
}

/// The role that an opening message is attributed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// The maximum length of an argument in characters. Arguments become part of what a model reads
/// first.
const ARGUMENT_MAX: usize = 4_000;

impl Prompt {
    /// Checks the arguments and renders the opening messages.
    pub async fn open(&self, call: Call, given: Map<String, Value>) -> Result<Vec<PromptText>> {
        for (name, value) in &given {
            if !self.arguments.iter().any(|argument| argument.name == name) {
                return Err(Error::invalid(
                    name,
                    "is not an argument of this prompt",
                    self.usage(),
                ));
            }
            let Some(text) = value.as_str() else {
                return Err(Error::invalid(name, "is not text", "prompt arguments are strings"));
            };
            checked_length(name, text, ARGUMENT_MAX)?;
        }
        for argument in self.arguments.iter().filter(|argument| argument.required) {
            if !given.contains_key(argument.name) {
                return Err(Error::invalid(argument.name, "is required", argument.description));
            }
        }
        let asked = call.clone();
        (self.render)(call, given).await.map_err(|error| asked.traced(error))
    }

    fn usage(&self) -> String {
        let names: Vec<_> = self.arguments.iter().map(|argument| argument.name).collect();
        format!("it takes: {}", names.join(", "))
    }
}
