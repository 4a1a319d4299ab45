//! How much work the attributes of an HTML text make for a parser.
//!
//! The parser compares each attribute of a tag with those before it, so a tag with a hundred
//! thousand of them takes minutes. What is a tag depends on everything before it: in a comment or a
//! script, `<p a="` is none, and its quotation mark opens nothing. So this does not decide what is a
//! tag, but finds the most work that any choice of tags can make, in one pass from the end.

/// The most comparisons that parsing a text may take: a fraction of a second.
const MOST: u64 = 200_000_000;
/// What an attribute costs besides its comparisons: it is stored, and its name is looked up.
const ATTRIBUTE: u64 = 200;

/// Whether parsing an HTML text could take much longer than its length suggests.
pub fn is_laborious(html: &str) -> bool {
    comparisons(html) > MOST
}

/// Where a tag is read. Every other state of the HTML standard acts like one of these.
#[derive(Clone, Copy)]
enum State {
    Name,
    /// Before an attribute.
    Before,
    Attribute,
    /// After the name of an attribute.
    After,
    BeforeValue,
    Double,
    Single,
    Unquoted,
}

/// What lies ahead of a place in a tag.
#[derive(Clone, Copy, Default)]
struct Ahead {
    /// How many attributes the rest of the tag has.
    attributes: u64,
    /// The most comparisons after the tag.
    later: u64,
}

/// What lies ahead of a place, for each state in which a tag may be read there.
#[derive(Clone, Copy, Default)]
struct Place {
    name: Ahead,
    before: Ahead,
    attribute: Ahead,
    after: Ahead,
    before_value: Ahead,
    double: Ahead,
    single: Ahead,
    unquoted: Ahead,
    /// The most comparisons if no tag is being read.
    outside: u64,
}

impl Place {
    fn at(&self, state: State) -> Ahead {
        match state {
            State::Name => self.name,
            State::Before => self.before,
            State::Attribute => self.attribute,
            State::After => self.after,
            State::BeforeValue => self.before_value,
            State::Double => self.double,
            State::Single => self.single,
            State::Unquoted => self.unquoted,
        }
    }

    /// What lies ahead of `byte`, if it is read in a state and this is the place after it.
    fn with(&self, byte: u8, state: State) -> Ahead {
        let is_blank = matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c);
        let next = match (state, byte) {
            (State::Double, b'"') | (State::Single, b'\'') => State::Before,
            (State::Double | State::Single, _) => state,
            (_, b'>') => return Ahead { attributes: 0, later: self.outside },
            (State::Name | State::Attribute | State::Before | State::After, b'/') => State::Before,
            (State::Attribute | State::After, b'=') => State::BeforeValue,
            (State::BeforeValue, b'"') => State::Double,
            (State::BeforeValue, b'\'') => State::Single,
            (State::Attribute, _) if is_blank => State::After,
            (State::Name | State::Unquoted, _) if is_blank => State::Before,
            (State::Before | State::After | State::BeforeValue, _) if is_blank => state,
            (State::Before | State::After, _) => {
                let rest = self.attribute;
                return Ahead { attributes: rest.attributes + 1, ..rest };
            }
            (State::BeforeValue, _) => State::Unquoted,
            (State::Name | State::Attribute | State::Unquoted, _) => state,
        };
        self.at(next)
    }

    /// The place before a byte, from the place after it. Only `outside` is left to the caller.
    fn preceded_by(&self, byte: u8) -> Self {
        Self {
            name: self.with(byte, State::Name),
            before: self.with(byte, State::Before),
            attribute: self.with(byte, State::Attribute),
            after: self.with(byte, State::After),
            before_value: self.with(byte, State::BeforeValue),
            double: self.with(byte, State::Double),
            single: self.with(byte, State::Single),
            unquoted: self.with(byte, State::Unquoted),
            outside: self.outside,
        }
    }
}

/// Returns the most comparisons that the attributes of a text can take.
fn comparisons(html: &str) -> u64 {
    let bytes = html.as_bytes();
    let (mut next, mut next_but_one) = (Place::default(), Place::default());
    let mut roots = Roots::default();
    for (at, byte) in bytes.iter().enumerate().rev() {
        let mut place = next.preceded_by(*byte);
        let rest = bytes.get(at + 1..).unwrap_or_default();
        let tag = match (byte, rest) {
            (b'<', [first, ..]) if first.is_ascii_alphabetic() => Some(next.name),
            (b'<', [b'/', first, ..]) if first.is_ascii_alphabetic() => Some(next_but_one.name),
            _ => None,
        };
        if let Some(tag) = tag {
            roots.note(rest, tag.attributes);
            place.outside = place.outside.max(effort(tag.attributes).saturating_add(tag.later));
        }
        (next, next_but_one) = (place, next);
    }
    next.outside.saturating_add(roots.comparisons())
}

/// The comparisons of a tag with this many attributes.
fn effort(attributes: u64) -> u64 {
    attributes.saturating_mul(attributes / 2 + ATTRIBUTE)
}

/// The tags of a page's outermost elements. A page has one of each, which takes the attributes of
/// all that follow.
#[derive(Default)]
struct Roots {
    tags: u64,
    attributes: u64,
}

impl Roots {
    fn note(&mut self, tag: &[u8], attributes: u64) {
        let name = tag.get(..4).unwrap_or_default();
        if name.eq_ignore_ascii_case(b"body") || name.eq_ignore_ascii_case(b"html") {
            self.tags += 1;
            self.attributes += attributes;
        }
    }

    fn comparisons(&self) -> u64 {
        self.tags.saturating_mul(self.attributes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(count: usize) -> String {
        (0..count).map(|number| format!("a{number}=1 ")).collect()
    }

    #[test]
    fn attributes_are_counted_wherever_a_tag_may_begin() {
        let many = attributes(30_000);
        for before in [
            "<p ",
            "</p ",
            "<!-- <p a=\" --><p ",
            "<script>'<p a='</script><p ",
            "<p title='>' ",
            "<p title=\">\"",
            "<p/",
            "<p x=<p ",
            "<style>a<b</style><textarea><p q=\"</textarea><P ",
        ] {
            assert!(is_laborious(&format!("{before}{many}>x</p>")), "{before}");
        }
        assert!(is_laborious(&format!("<p {}>", "a ".repeat(30_000))));
        assert!(is_laborious(&format!("<p {}>x", "a/".repeat(30_000))));
        assert!(is_laborious(&format!("<p {}>", "a='>'".repeat(30_000))));
        assert!(is_laborious(&format!("<p {}>x</p>", attributes(1_000)).repeat(1_000)));
        assert!(is_laborious(&(0..30_000).map(|at| format!("<body a{at}>")).collect::<String>()));
    }

    #[test]
    fn real_pages_are_not_laborious() {
        let page = format!("<p class=\"a b\" id='c' {}>text</p>\n", attributes(20)).repeat(10_000);
        let prose = format!("<p>{}</p>", "if a <b and c < d or e > f, then ".repeat(50_000));
        let script =
            "for (i = 0; i<n; i++) { x = \"a\"; if (i > 3) { y = 'b'; } }\n".repeat(30_000);
        let quoted = format!("<p title=\"{}\">x</p>", "word ".repeat(500_000));
        for page in [page, prose, format!("<script>{script}</script>"), quoted] {
            assert!(!is_laborious(&page), "{} of {}", comparisons(&page), page.len());
        }
    }
}
