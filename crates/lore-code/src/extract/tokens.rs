//! Calls inside Rust macros. The arguments of a macro are tokens without syntax. A name directly
//! before parentheses is taken for a call, because it nearly always is one.

use tree_sitter::Node;

use super::names::text;
use crate::facts::Through;

/// A call found among tokens.
pub(super) struct TokenCall<'t> {
    /// The node of its name.
    pub(super) at: Node<'t>,
    pub(super) through: Through,
    pub(super) name: String,
}

/// Returns the calls among the tokens of one token tree, excluding those in nested trees, which the
/// walk visits on their own.
pub(super) fn calls<'t>(tokens: Node<'t>, source: &str) -> Vec<TokenCall<'t>> {
    let mut found = Vec::new();
    let mut before: Option<Node<'t>> = None;
    let mut cursor = tokens.walk();
    for token in tokens.children(&mut cursor) {
        if token.kind() == "token_tree"
            && text(token, source).starts_with('(')
            && let Some(name) = before.filter(|before| before.kind() == "identifier")
        {
            let head = source.get(tokens.start_byte()..name.start_byte()).unwrap_or_default();
            let name_text = text(name, source).to_owned();
            let call = |through| TokenCall { at: name, through, name: name_text };
            found.extend(through(head).map(call));
        }
        before = Some(token);
    }
    found
}

/// Returns the variables that closures, `let` and `for` introduce among the tokens, as far as this
/// can be told without syntax. They are taken as visible in the whole token tree.
pub(super) fn given<'s>(tokens: Node<'s>, source: &'s str) -> Vec<&'s str> {
    let (mut found, mut parameters) = (Vec::new(), None::<Vec<&'s str>>);
    let (mut before, mut cursor) = ("", tokens.walk());
    for token in tokens.children(&mut cursor) {
        let kind = token.kind();
        match (kind, &mut parameters) {
            ("|", Some(names)) => {
                found.append(names);
                parameters = None;
            }
            ("|", None) => parameters = Some(Vec::new()),
            ("identifier", Some(names)) if ["|", ","].contains(&before) => {
                names.push(text(token, source));
            }
            // `|(a, b)|`
            ("token_tree", Some(names)) if ["|", ","].contains(&before) => {
                let mut cursor = token.walk();
                let inner = token.named_children(&mut cursor);
                let inner = inner.filter(|inner| inner.kind() == "identifier");
                names.extend(inner.map(|inner| text(inner, source)));
            }
            ("identifier", None) if ["let", "for"].contains(&before) => {
                found.push(text(token, source));
            }
            _ => {}
        }
        // `|mut a|` and `|&a|` are like `|a|`.
        if !["mutable_specifier", "&", "ref"].contains(&kind) {
            before = kind;
        }
    }
    found
}

/// Returns what a name is called on or through, given the text before it; `None` if this is not a
/// call.
fn through(head: &str) -> Option<Through> {
    let head = head.trim_end();
    if let Some(path) = head.strip_suffix("::") {
        return match last_word(path) {
            "" => None,
            token @ ("self" | "super" | "crate") => Some(Through::Path(format!("{token}::"))),
            token => Some(Through::Path(token.to_owned())),
        };
    }
    if let Some(object) = head.strip_suffix('.').filter(|object| !object.ends_with('.')) {
        return match last_word(object) {
            "self" => Some(Through::Path("self".to_owned())),
            _ => Some(Through::Value),
        };
    }
    (last_word(head) != "fn" && !head.ends_with('$')).then_some(Through::Nothing)
}

fn last_word(text: &str) -> &str {
    const WORD_MAX: usize = 120;
    let text = text.trim_end();
    let letters = text.chars().rev().take(WORD_MAX);
    let token = letters.take_while(|letter| letter.is_alphanumeric() || *letter == '_');
    let length = token.map(char::len_utf8).sum::<usize>();
    text.get(text.len() - length..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_before_a_name_tells_what_it_is_called_on() {
        let path = |name: &str| Some(Through::Path(name.to_owned()));
        for (head, expected) in [
            ("(", Some(Through::Nothing)),
            ("(x, ", Some(Through::Nothing)),
            ("(0..", Some(Through::Nothing)),
            ("(shapes::", path("shapes")),
            ("(crate :: ", path("crate::")),
            ("(Vec::<u8>::", None),
            ("(self.", path("self")),
            ("(myself.", Some(Through::Value)),
            ("(a().", Some(Through::Value)),
            ("(pub fn ", None),
            ("($", None),
        ] {
            assert_eq!(through(head), expected, "{head}");
        }
    }
}
