//! Fixture tools of revision 2026-07-28 that first answer with questions and return their result in
//! a later round.

use rmcp::ErrorData;
use rmcp::model::InputRequest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::questions::{
    Question, ask, can_handle, field, filled, needed, open, rooted, roots, sample, sampled, seal,
};
use super::tools::{Call, Fixture, Outcome, text};

/// Returns the fixture tools of this file.
pub(super) fn fixtures() -> Vec<Fixture> {
    vec![
        Fixture::new("test_input_required_result_elicitation", "Asks the user's name", |call| {
            Box::pin(greet(call))
        }),
        Fixture::new("test_streaming_elicitation", "Asks the user's name", |call| {
            Box::pin(greet(call))
        }),
        Fixture::new("test_input_required_result_sampling", "Asks the model", |call| {
            Box::pin(capital(call))
        }),
        Fixture::new("test_input_required_result_list_roots", "Asks for roots", |call| {
            Box::pin(count_roots(call))
        }),
        Fixture::new("test_input_required_result_request_state", "Carries a state", |call| {
            Box::pin(confirm(call))
        }),
        Fixture::new("test_input_required_result_tampered_state", "Guards its state", |call| {
            Box::pin(confirm(call))
        }),
        Fixture::new("test_input_required_result_multiple_inputs", "Asks three things", |call| {
            Box::pin(three_things(call))
        }),
        Fixture::new("test_input_required_result_multi_round", "Asks twice", |call| {
            Box::pin(two_rounds(call))
        }),
        Fixture::new("test_input_required_result_capabilities", "Asks what it may", |call| {
            Box::pin(what_it_may(call))
        }),
        Fixture::new("test_missing_capability", "Needs a client that samples", |call| {
            Box::pin(needs_sampling(call))
        }),
    ]
}

async fn greet(call: Call) -> Outcome {
    match filled(&call.responses, "user_name", "name").and_then(Value::as_str) {
        Some(name) => Ok(text(format!("Hello, {name}!"))),
        None => questions(&call, vec![user_name()?], None),
    }
}

async fn capital(call: Call) -> Outcome {
    match sampled(&call.responses, "capital_question") {
        Some(said) => Ok(text(said)),
        None => questions(&call, vec![capital_question()], None),
    }
}

async fn count_roots(call: Call) -> Outcome {
    match rooted(&call.responses, "client_roots") {
        Some(found) => {
            let uris = found.iter().filter_map(|root| root.get("uri")?.as_str());
            Ok(text(format!("Roots: {}", uris.collect::<Vec<_>>().join(", "))))
        }
        None => questions(&call, vec![roots("client_roots")], None),
    }
}

async fn confirm(call: Call) -> Outcome {
    const ASKED: &str = "confirmation asked";
    let asked = opened::<String>(&call)?.is_some_and(|state| state == ASKED);
    let confirmed = filled(&call.responses, "confirm", "ok").and_then(Value::as_bool);
    match confirmed.filter(|_| asked) {
        Some(ok) => Ok(text(format!("state-ok, confirmed: {ok}"))),
        None => {
            let question = field("confirm", "Please confirm", "ok", "boolean")?;
            questions(&call, vec![question], Some(seal(&call.name, &ASKED)?))
        }
    }
}

async fn three_things(call: Call) -> Outcome {
    const ASKED: &str = "three things asked";
    let asked = opened::<String>(&call)?.is_some_and(|state| state == ASKED);
    let name = filled(&call.responses, "user_name", "name").and_then(Value::as_str);
    let greeting = sampled(&call.responses, "greeting");
    let found = rooted(&call.responses, "client_roots");
    if let (true, Some(name), Some(greeting), Some(found)) = (asked, name, greeting, found) {
        return Ok(text(format!("{greeting} {name}, you have {} roots", found.len())));
    }
    let all = vec![user_name()?, sample("greeting", "Generate a greeting"), roots("client_roots")];
    questions(&call, all, Some(seal(&call.name, &ASKED)?))
}

/// How far a call of [`two_rounds`] has come.
#[derive(Serialize, Deserialize)]
enum Stage {
    AskedName,
    AskedColour { name: String },
}

async fn two_rounds(call: Call) -> Outcome {
    let stage = opened::<Stage>(&call)?.unwrap_or(Stage::AskedName);
    let name = match stage {
        Stage::AskedName => {
            let name = filled(&call.responses, "step1", "name").and_then(Value::as_str);
            name.filter(|_| call.state.is_some()).map(str::to_owned)
        }
        Stage::AskedColour { name } => {
            match filled(&call.responses, "step2", "color").and_then(Value::as_str) {
                Some(colour) => return Ok(text(format!("{name} likes {colour}"))),
                None => Some(name),
            }
        }
    };
    let (question, stage) = match name {
        None => {
            let message = "Step 1: What is your name?";
            (field("step1", message, "name", "string")?, Stage::AskedName)
        }
        Some(name) => {
            let message = "Step 2: What is your favorite color?";
            (field("step2", message, "color", "string")?, Stage::AskedColour { name })
        }
    };
    questions(&call, vec![question], Some(seal(&call.name, &stage)?))
}

async fn what_it_may(call: Call) -> Outcome {
    let declared = call.context.client_capabilities().unwrap_or_default();
    let mut possible = vec![user_name()?, capital_question(), roots("client_roots")];
    possible.retain(|(_, request)| can_handle(&declared, request));
    if possible.is_empty() {
        return Ok(text("There is nothing this client could be asked"));
    }
    questions(&call, possible, None)
}

async fn needs_sampling(call: Call) -> Outcome {
    let declared = call.context.client_capabilities().unwrap_or_default();
    let (_, request): (_, InputRequest) = capital_question();
    if can_handle(&declared, &request) {
        Ok(text("The client samples"))
    } else {
        Err(ErrorData::missing_required_client_capability(needed(&request)))
    }
}

fn user_name() -> Result<Question, ErrorData> {
    field("user_name", "What is your name?", "name", "string")
}

fn capital_question() -> Question {
    sample("capital_question", "What is the capital of France?")
}

fn questions(call: &Call, asked: Vec<Question>, state: Option<String>) -> Outcome {
    Ok(ask(call.context.client_capabilities(), asked, state)?.into())
}

/// The state sealed in the previous round, if there was one; a forged state is an error.
fn opened<T: serde::de::DeserializeOwned>(call: &Call) -> Result<Option<T>, ErrorData> {
    call.state.as_deref().map(|sealed| open(&call.name, sealed)).transpose()
}
