//! Finds what is wrong with the params of a request.
//!
//! When rmcp cannot read the params of a request, it reports an unknown method. This module tells
//! the client which field to correct instead.

#![expect(deprecated, reason = "older revisions still subscribe and set log levels this way")]

use lore_core::Error;
use lore_tools::schema;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CompleteRequestParams, GetPromptRequestParams, InitializeRequestParams,
    PaginatedRequestParams, ReadResourceRequestParams, SetLevelRequestParams,
    SubscribeRequestParams, SubscriptionsListenRequestParams, UnsubscribeRequestParams,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Returns the error in the params of a method.
///
/// `None` when the params are valid, or when the client's protocol revision has no such method.
pub(crate) fn error_in(method: &str, params: Option<Value>, stateless: bool) -> Option<Error> {
    let params = match params {
        Some(Value::Object(params)) => params,
        _ => Map::new(),
    };
    match method {
        "initialize" | "resources/subscribe" | "resources/unsubscribe" | "logging/setLevel"
            if stateless =>
        {
            None
        }
        "initialize" => unread::<InitializeRequestParams>(method, params),
        "tools/call" => unread::<CallToolRequestParams>(method, params),
        "resources/read" => unread::<ReadResourceRequestParams>(method, params),
        "resources/subscribe" => unread::<SubscribeRequestParams>(method, params),
        "resources/unsubscribe" => unread::<UnsubscribeRequestParams>(method, params),
        "prompts/get" => unread::<GetPromptRequestParams>(method, params),
        "completion/complete" => unread::<CompleteRequestParams>(method, params),
        "logging/setLevel" => unread::<SetLevelRequestParams>(method, params),
        "subscriptions/listen" => unread::<SubscriptionsListenRequestParams>(method, params),
        _ => None,
    }
}

/// Fails when a client asks for a later page. Every list is one page, so no answer ever contains a
/// cursor.
pub(crate) fn first_page(asked: Option<&PaginatedRequestParams>) -> Result<(), ErrorData> {
    match asked.and_then(|asked| asked.cursor.as_deref()) {
        None | Some("") => Ok(()),
        Some(cursor) => Err(ErrorData::invalid_params(
            format!("params.cursor {cursor:?} is unknown: leave it out, every list is one page"),
            None,
        )),
    }
}

fn unread<T: DeserializeOwned>(method: &str, params: Map<String, Value>) -> Option<Error> {
    match schema::parse::<T>(params) {
        Err(Error::Invalid { field, problem, .. }) => {
            let hint = format!("see the params of {method} in the protocol's schema");
            Some(Error::invalid(format!("params.{field}"), problem, hint))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(method: &str, params: Value) -> String {
        error_in(method, Some(params), false).map_or_else(String::new, |error| error.to_string())
    }

    #[test]
    fn the_field_is_named() {
        assert_eq!(message("tools/call", json!({})), "params.name is required");
        assert_eq!(message("tools/call", json!({ "name": 3 })), "params.name is 3, not a text");
        let list = json!({ "name": "x", "arguments": [] });
        assert_eq!(message("tools/call", list), "params.arguments is a list, not an object");
        let absent = error_in("resources/read", None, false).unwrap();
        assert_eq!(absent.to_string(), "params.uri is required");
    }

    #[test]
    fn there_is_no_second_page() {
        let asked =
            |cursor: &str| PaginatedRequestParams::default().with_cursor(Some(cursor.into()));
        assert!(first_page(None).is_ok() && first_page(Some(&asked(""))).is_ok());
        let refused = first_page(Some(&asked("2"))).unwrap_err();
        assert_eq!(refused.code.0, -32602);
    }

    #[test]
    fn good_params_and_unknown_methods_have_no_error() {
        assert_eq!(message("tools/call", json!({ "name": "x", "arguments": {} })), "");
        assert_eq!(message("no/such", json!({ "name": 3 })), "");
        assert_eq!(error_in("resources/subscribe", None, true), None);
    }
}
