//! A remote KOI API that is used instead of the local world (`KOI_API_ENDPOINT`).

use std::time::Duration;

use async_trait::async_trait;
use lore_app::knowledge::{Ask, Elsewhere, Verb};
use lore_core::{Error, Result};
use lore_net::{Api, Endpoint, Network, Secret};
use serde_json::Value;

/// Longest excerpt of the remote API's error message that is passed on, in characters.
const DETAIL_MAX: usize = 500;

/// A client for a KOI API at a configured address.
pub struct KoiApi {
    api: Api,
}

impl KoiApi {
    /// Prepares the client for `url`, with `token` as bearer token if given; sends nothing yet.
    pub fn new(network: &Network, url: &str, token: Option<&Secret>) -> Result<Self> {
        let wrong = |problem: String| {
            let hint = "use an address like http://127.0.0.1:8351";
            Error::invalid("KOI_API_ENDPOINT", problem, hint)
        };
        // People run the API beside this program, so private addresses are allowed.
        let mut endpoint = Endpoint::new(url).map_err(|error| wrong(error.to_string()))?;
        if let Some(token) = token {
            endpoint = endpoint.bearer(token).map_err(|error| {
                let hint = "use the token as it was given";
                Error::invalid("KOI_API_TOKEN", error.to_string(), hint)
            })?;
        }
        let api = network.api(endpoint.on_private_network());
        Ok(Self { api: api.map_err(|error| wrong(error.to_string()))? })
    }
}

#[async_trait]
impl Elsewhere for KoiApi {
    async fn ask(&self, ask: Ask) -> Result<Value> {
        let mut call = match ask.verb {
            Verb::Get => self.api.get(&ask.path),
            Verb::Post => self.api.post(&ask.path),
        };
        for (name, value) in &ask.query {
            call = call.query(name, value);
        }
        if let Some(body) = &ask.body {
            call = call.json(body);
        }
        let answer = call
            .send()
            .await
            .map_err(|error| Error::Unavailable { what: format!("the KOI API ({error})") })?;
        if answer.is_success() {
            return answer.json().map_err(|_| Error::Unavailable {
                what: "the KOI API (its answer is not JSON)".into(),
            });
        }
        Err(refusal(answer.status(), answer.json().ok()))
    }
}

/// How long to wait for a busy API that sends no `Retry-After`.
const BUSY: Duration = Duration::from_secs(60);

/// The error for a refusal, with the remote API's own words.
fn refusal(status: u16, body: Option<Value>) -> Error {
    let detail = body.and_then(|body| body.get("detail").cloned());
    let detail = match detail {
        Some(Value::String(text)) => text,
        Some(other) => other.to_string(),
        None => "it gave no reason".to_owned(),
    };
    let detail: String = detail.chars().take(DETAIL_MAX).collect();
    if status == 401 {
        return Error::Precondition {
            message: format!("the KOI API asks for a token it knows: {detail}"),
            hint: "set KOI_API_TOKEN, or `koi_token` in lorewell.toml, to one of its tokens".into(),
        };
    }
    if status == 429 {
        return Error::Throttled { to: "the KOI API", retry_after: BUSY };
    }
    if status >= 500 {
        return Error::Unavailable { what: format!("the KOI API (status {status}: {detail})") };
    }
    Error::Precondition {
        message: format!("the KOI API refused it with status {status}: {detail}"),
        hint: "correct the request as it says".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn refusals_keep_the_words_of_the_other_api() {
        let refused = refusal(404, Some(json!({ "detail": "URL not previewed" })));
        assert!(refused.to_string().contains("404: URL not previewed"), "{refused}");
        let broken = refusal(500, None);
        assert!(matches!(broken, Error::Unavailable { .. }), "{broken}");
    }
}
