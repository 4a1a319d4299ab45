//! Prompt `resolve_action`: guides a model through one action at the table.

use futures::FutureExt;
use serde_json::{Map, Value};

use crate::call::Call;
use crate::prompt::{Prompt, PromptArgument, PromptText, Speaker};
use crate::toolset::Toolset;

pub(super) const PROMPT: Prompt = Prompt {
    name: "resolve_action",
    title: "Resolve an action",
    description: "Resolve what a character attempts: set the difficulty, tell the odds, roll, and \
                  narrate the outcome.",
    toolset: Toolset::Play,
    arguments: &[
        PromptArgument {
            name: "action",
            description: "what the character attempts, in a sentence",
            required: true,
            suggestions: &[],
        },
        PromptArgument {
            name: "modifier",
            description: "the sum of trait and bonuses; by default, the model asks or uses 0",
            required: false,
            suggestions: &["-1", "0", "1", "2", "3"],
        },
        PromptArgument {
            name: "difficulty",
            description: "the difficulty; by default, the model proposes one",
            required: false,
            suggestions: &["5", "10", "15", "20", "25", "30"],
        },
    ],
    render: |_: Call, arguments| async move { Ok(render(&arguments)) }.boxed(),
};

fn render(arguments: &Map<String, Value>) -> Vec<PromptText> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let modifier = text("modifier").map_or_else(
        || "Ask for the modifier if it is not clear; otherwise use 0.".to_owned(),
        |value| format!("The modifier is {value}."),
    );
    let difficulty = text("difficulty").map_or_else(
        || {
            "Propose a difficulty (5 very easy, 10 easy, 15 average, 20 hard, 25 very hard, 30 \
             nearly impossible) and say why."
                .to_owned()
        },
        |value| format!("The difficulty is {value}."),
    );
    let action = text("action").unwrap_or_default();
    vec![PromptText {
        speaker: Speaker::User,
        text: format!(
            "A character at our Daggerheart table attempts this:\n\n> {}\n\n{modifier} \
             {difficulty}\n\n1. Call duality_probability and tell the chances in one sentence.\n2. \
             Call duality_action_roll once, without rng; never invent dice.\n3. Narrate the \
             outcome: success or failure, and whether Hope or Fear colours it. A critical clears a \
             Stress and gives a Hope; with Fear the GM gains a Fear and makes a move.",
            action.replace('\n', "\n> "),
        ),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_known_is_not_asked_again() {
        let Value::Object(given) = json!({ "action": "leap", "difficulty": "15" }) else {
            unreachable!()
        };
        let text = &render(&given)[0].text;
        assert!(text.contains("> leap") && text.contains("The difficulty is 15."));
        assert!(text.contains("Ask for the modifier"));
    }
}
