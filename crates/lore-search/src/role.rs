//! The two sides of a chat with a chatbot.

/// The two sides of a chat with a chatbot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The person who asks.
    Person,
    /// The chatbot.
    Machine,
}

impl Role {
    /// The side that an author of this name may be on. People may be called like a chatbot, too.
    pub(crate) fn of(author: &str) -> Option<Self> {
        match author {
            "user" | "human" | "me" | "you" => Some(Self::Person),
            "assistant" | "ai" | "bot" | "model" | "chatgpt" | "claude" | "gemini" => {
                Some(Self::Machine)
            }
            _ => None,
        }
    }

    /// Whether an author of this name is only labelled with the side, as every message of a chat is.
    /// A chatbot with a name is not: people ask for it by that name.
    pub(crate) fn is_label(author: &str) -> bool {
        Self::of(author).is_some() && !matches!(author, "chatgpt" | "claude" | "gemini")
    }

    pub(crate) fn other(self) -> Self {
        match self {
            Self::Person => Self::Machine,
            Self::Machine => Self::Person,
        }
    }
}
