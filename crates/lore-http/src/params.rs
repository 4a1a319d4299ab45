//! The query parameters of a URL.

use axum::http::Uri;
use lore_core::texts;
use lore_tools::percent::unescaped;

/// Parameters in the order given; names may repeat. They say what to search for and are never
/// stored, so hidden characters in them are ignored.
pub(crate) struct Params(Vec<(String, String)>);

impl Params {
    /// Parses the query of a URL.
    pub(crate) fn of(uri: &Uri) -> Self {
        let pairs = uri.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        Self(
            pairs
                .map(|pair| {
                    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                    let value = decoded(&value.replace('+', " "));
                    (decoded(&name.replace('+', " ")), texts::cleaned(&value).into_owned())
                })
                .collect(),
        )
    }

    /// Returns all parameters as name and value.
    pub(crate) fn into_pairs(self) -> Vec<(String, String)> {
        self.0
    }

    /// The last value of a parameter, unless it is blank.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().rfind(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.trim().is_empty())
    }

    /// All values of a repeated parameter, `name[]=1&name[]=2`.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let list = format!("{name}[");
        let values = self.0.iter().filter(move |(known, _)| known.starts_with(&list));
        values.map(|(_, value)| value.as_str())
    }

    /// Whether a parameter is `1` or `true`.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.flag(name) == Some(true)
    }

    /// A boolean parameter; `None` if it is absent or neither true nor false.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        match self.get(name)? {
            "1" | "true" => Some(true),
            "0" | "false" => Some(false),
            _ => None,
        }
    }

    /// The requested page, starting at 1.
    pub(crate) fn page(&self) -> usize {
        let page = self.get("page").and_then(|text| text.parse().ok());
        page.unwrap_or(1).clamp(1, 1_000_000)
    }
}

/// Decodes a percent-encoded text; broken escapes stay as they are.
pub(crate) fn decoded(text: &str) -> String {
    String::from_utf8_lossy(&unescaped(text)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded_and_may_repeat() {
        let uri: Uri = "/x?name=a%20b+c&tags[]=1&tags%5B%5D=2&page=3&related=1&bad=%zz&empty="
            .parse()
            .unwrap();
        let params = Params::of(&uri);
        assert_eq!(params.get("name"), Some("a b c"));
        assert_eq!(params.all("tags").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!((params.page(), params.is_on("related")), (3, true));
        assert_eq!((params.get("bad"), params.get("empty")), (Some("%zz"), None));
        assert_eq!(Params::of(&"/x?page=-4".parse().unwrap()).page(), 1);
    }
}
