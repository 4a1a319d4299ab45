//! Resources: JSON documents that clients read by URI.

use std::collections::BTreeMap;

use futures::future::BoxFuture;
use lore_core::{Result, Role};
use lore_store::LeftOut;
use serde_json::Value;

use crate::call::Call;
use crate::percent;
use crate::tool::name_damaged;
use crate::toolset::Toolset;

/// The declaration of a resource or a resource template.
pub struct Resource {
    /// Its URI. Variables in braces make it a template.
    pub uri: UriPattern,
    /// Its programmatic name.
    pub name: &'static str,
    /// A short name for people.
    pub title: &'static str,
    /// What it shows and when to read it.
    pub description: &'static str,
    /// The toolset it belongs to; `None` if it is always on.
    pub toolset: Option<Toolset>,
    /// The lowest role that may read it.
    pub role: Role,
    /// Reads it as a JSON document.
    pub read: Reader,
    /// Completes the template's variables.
    pub complete: Option<Completer>,
    /// How changes are detected for subscribers.
    pub news: News,
}

impl Resource {
    /// Reads the document for a caller. If damaged items were left out, adds their names.
    pub async fn document(&self, call: Call, captures: Captures) -> Result<Value> {
        let left_out = LeftOut::default();
        let asked = call.clone();
        let read = left_out.during((self.read)(call, captures)).await;
        let mut document = read.map_err(|error| asked.traced(error))?;
        name_damaged(&mut document, left_out.told());
        Ok(document)
    }
}

/// How changes of a resource are detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    /// Writers name the URIs that they change.
    Named,
    /// Whenever something changes that the reader sees, the resource is read again and compared
    /// with the previous reading.
    Compared,
}

/// A function that reads a resource as JSON, given the values of its variables.
pub type Reader = fn(Call, Captures) -> BoxFuture<'static, Result<Value>>;

/// A function that returns values of a variable (second argument) that start with the typed text
/// (third argument).
pub type Completer = fn(Call, String, String) -> BoxFuture<'static, Result<Vec<String>>>;

/// The values of a template's variables in a concrete URI.
pub type Captures = BTreeMap<&'static str, String>;

/// A URI pattern with variables, such as `campaign://{campaign_id}/sessions`. It may end with
/// optional query parameters, such as `{?after_seq,limit}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UriPattern(pub &'static str);

impl UriPattern {
    /// Whether the pattern has variables.
    pub fn is_template(self) -> bool {
        self.0.contains('{')
    }

    /// Whether `template` denotes this pattern, written with or without its query parameters.
    pub fn is_spelled(self, template: &str) -> bool {
        let path = self.0.split_once("{?").map_or(self.0, |(path, _)| path);
        template == self.0 || template == path
    }

    /// Matches a concrete URI. A variable matches one non-empty segment without `/`, `?` or `#`,
    /// and its value is percent-decoded.
    pub fn captures(self, uri: &str) -> Option<Captures> {
        let (path, known) = match self.0.split_once("{?") {
            Some((path, names)) => (path, names.trim_end_matches('}')),
            None => (self.0, ""),
        };
        let (uri, query) = match uri.split_once('?') {
            Some((uri, query)) if !known.is_empty() => (uri, query),
            _ => (uri, ""),
        };
        let mut captures = path_captures(path, uri)?;
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=')?;
            let name = known.split(',').find(|known| *known == name)?;
            captures.insert(name, percent::decoded(value)?);
        }
        Some(captures)
    }
}

fn path_captures(path: &'static str, uri: &str) -> Option<Captures> {
    let mut captures = Captures::new();
    let mut pattern = path;
    let mut rest = uri;
    while let Some((literal, tail)) = pattern.split_once('{') {
        let (name, after) = tail.split_once('}')?;
        rest = rest.strip_prefix(literal)?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (value, remaining) = rest.split_at_checked(end)?;
        if value.is_empty() {
            return None;
        }
        captures.insert(name, percent::decoded(value)?);
        rest = remaining;
        pattern = after;
    }
    (pattern == rest).then_some(captures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_takes_single_segments() {
        let pattern = UriPattern("campaign://{id}/sessions");
        assert_eq!(pattern.captures("campaign://c1/sessions").unwrap()["id"], "c1");
        for other in ["campaign:///sessions", "campaign://a/b/sessions", "campaign://c1", "x"] {
            assert_eq!(pattern.captures(other), None, "{other}");
        }
    }

    #[test]
    fn the_last_variable_stops_at_query_and_fragment() {
        let pattern = UriPattern("campaign://{id}");
        assert!(pattern.captures("campaign://c1").is_some());
        for other in ["campaign://c1?x=1", "campaign://c1#x", "campaign://c1/participants"] {
            assert_eq!(pattern.captures(other), None, "{other}");
        }
    }

    #[test]
    fn query_parameters_are_optional_and_known() {
        let pattern = UriPattern("session://{id}/events{?after_seq,limit}");
        assert_eq!(pattern.captures("session://s1/events").unwrap()["id"], "s1");
        let captures = pattern.captures("session://s1/events?limit=5&after_seq=7").unwrap();
        assert_eq!((captures["limit"].as_str(), captures["after_seq"].as_str()), ("5", "7"));
        for other in ["session://s1/events?page=2", "session://s1/events?limit", "session://s1"] {
            assert_eq!(pattern.captures(other), None, "{other}");
        }
    }

    #[test]
    fn a_template_is_known_without_its_query_parameters() {
        let pattern = UriPattern("session://{id}/events{?after_seq,limit}");
        assert!(pattern.is_spelled(pattern.0) && pattern.is_spelled("session://{id}/events"));
        assert!(!pattern.is_spelled("session://{id}"));
    }

    #[test]
    fn variables_are_percent_decoded() {
        let pattern = UriPattern("lorewell://world/{name}");
        assert_eq!(pattern.captures("lorewell://world/My%20Isle").unwrap()["name"], "My Isle");
        assert_eq!(pattern.captures("lorewell://world/%zz"), None);
        assert_eq!(pattern.captures("lorewell://world/%ff"), None);
    }
}
