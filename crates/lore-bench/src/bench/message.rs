//! The messages that are sent, with a replaceable id.

use anyhow::Context;
use serde_json::{Value, json};

/// The protocol revision with sessions that is measured.
pub(crate) const SESSION_REVISION: &str = "2025-11-25";
/// The protocol revision without sessions that is measured.
pub(crate) const STATELESS_REVISION: &str = "2026-07-28";

/// A tool with its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    /// The cheapest tool with arguments, whose answer is short.
    Outcome,
    /// A tool without arguments that returns a fixed answer.
    RulesVersion,
}

impl Tool {
    pub(crate) const ALL: [Self; 2] = [Self::Outcome, Self::RulesVersion];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Outcome => "duality_outcome",
            Self::RulesVersion => "duality_rules_version",
        }
    }

    fn arguments(self) -> Value {
        match self {
            Self::Outcome => json!({ "hope": 8, "fear": 5, "modifier": 2, "difficulty": 15 }),
            Self::RulesVersion => json!({}),
        }
    }

    /// Returns the call as a JSON-RPC request.
    pub(crate) fn call(self, stateless: bool) -> String {
        let params = json!({ "name": self.name(), "arguments": self.arguments() });
        request("tools/call", params, stateless)
    }
}

/// Builds a JSON-RPC request. A stateless request contains what a session would remember.
pub(crate) fn request(method: &str, mut params: Value, stateless: bool) -> String {
    if let Some(map) = params.as_object_mut().filter(|_| stateless) {
        map.insert(
            "_meta".into(),
            json!({
                "io.modelcontextprotocol/protocolVersion": STATELESS_REVISION,
                "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            }),
        );
    }
    json!({ "jsonrpc": "2.0", "id": FIRST_ID, "method": method, "params": params }).to_string()
}

/// Builds the `initialize` request of a session.
pub(crate) fn initialize() -> String {
    json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {
            "protocolVersion": SESSION_REVISION,
            "capabilities": {},
            "clientInfo": { "name": "bench", "version": "1" },
        },
    })
    .to_string()
}

/// Builds the notification that completes initialisation.
pub(crate) fn initialized() -> String {
    json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string()
}

/// Ids have eight digits, so that they can be overwritten in place.
const FIRST_ID: u32 = 10_000_000;
const ID_DIGITS: usize = 8;

/// A request that is sent repeatedly with new ids.
#[derive(Debug, Clone)]
pub(crate) struct Template {
    bytes: Vec<u8>,
    id_at: usize,
}

impl Template {
    /// Creates a template from a message built by [`request`], possibly with a header around it.
    pub(crate) fn new(text: String) -> anyhow::Result<Self> {
        let key = text.find(&format!("\"id\":{FIRST_ID}")).context("the request has no id")?;
        Ok(Self { bytes: text.into_bytes(), id_at: key + "\"id\":".len() })
    }

    /// Returns the request with its `number`th id.
    pub(crate) fn numbered(&mut self, number: u32) -> &[u8] {
        let mut id = FIRST_ID + number % (9 * FIRST_ID);
        let digits = self.bytes.iter_mut().skip(self.id_at).take(ID_DIGITS);
        for (place, digit) in digits.enumerate() {
            let unit = 10_u32.pow(u32::try_from(ID_DIGITS - 1 - place).unwrap_or(0));
            *digit = b'0' + u8::try_from(id / unit).unwrap_or(0);
            id %= unit;
        }
        &self.bytes
    }
}

/// Returns the number of the request that an answer belongs to.
pub(crate) fn number_in(answer: &[u8]) -> Option<u32> {
    let key = b"\"id\":";
    let at = answer.windows(key.len()).position(|part| part == key)?;
    let digits = answer.get(at + key.len()..)?.iter().take_while(|byte| byte.is_ascii_digit());
    let id = digits.fold(0_u32, |id, digit| id.wrapping_mul(10) + u32::from(digit - b'0'));
    id.checked_sub(FIRST_ID)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_takes_any_number() {
        let mut template = Template::new(Tool::Outcome.call(false)).unwrap();
        for number in [0, 7, 12_345_678, 89_999_999] {
            let message: Value = serde_json::from_slice(template.numbered(number)).unwrap();
            assert_eq!(message["id"], FIRST_ID + number);
            assert_eq!(number_in(template.numbered(number)), Some(number));
        }
    }
}
