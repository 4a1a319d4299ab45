//! Another KOI API in place of the own world: `KOI_API_ENDPOINT`.

use std::time::Duration;

use async_trait::async_trait;
use lore_app::knowledge::{Ask, Elsewhere, Verb};
use lore_core::{Error, Result};
use lore_net::{Api, Endpoint, Network, Secret};
use serde_json::Value;

/// Longest part of another API's complaint that is passed on, in characters.
const DETAIL_MAX: usize = 500;

/// A KOI API behind an address of the configuration.
pub struct KoiApi {
    api: Api,
}

impl KoiApi {
    /// Prepares the API at `url`, which is shown `token` where there is one; nothing is sent
    /// yet.
    pub fn new(network: &Network, url: &str, token: Option<&Secret>) -> Result<Self> {
        let wrong = |problem: String| {
            let hint = "use an address like http://127.0.0.1:8351";
            Error::invalid("KOI_API_ENDPOINT", problem, hint)
        };
        // People run it beside this program, on names that lead into their own network.
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

/// How long to wait for an API that has enough to do and does not say how long.
const BUSY: Duration = Duration::from_secs(60);

/// What another API refused, in its own words.
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
