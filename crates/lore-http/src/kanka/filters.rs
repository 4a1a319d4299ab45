//! List filters, as Kanka reads them from query parameters.
//!
//! In a text filter a leading `!` negates the term, a trailing `!` requires the whole value, `!!`
//! requires an empty value, and `;` separates several terms.

use lore_app::pages::{Attribute, Date, Detail, NameFilter, Page, PageKind};
use lore_core::names::name_key;
use serde_json::Value;

use super::answer::Refused;
use super::shape::{IMAGES, Tags};
use crate::params::Params;

/// The names of the filters that lists of a kind support.
pub(super) fn names(kind: PageKind) -> Vec<&'static str> {
    const ALL: [&str; 17] = [
        "name",
        "type",
        "tags",
        "tags_option",
        "is_private",
        "template",
        "archived",
        "status_id",
        "created_by",
        "updated_by",
        "parent_id",
        "has_image",
        "has_posts",
        "has_entry",
        "has_attributes",
        "attribute_name",
        "attribute_value",
    ];
    let dates: &[&str] = match kind {
        PageKind::Journal | PageKind::Quest => &["date_start", "date_end"],
        _ => &[],
    };
    ALL.iter().chain(dates).copied().collect()
}

/// How several tags of a filter are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tagged {
    /// The entity has all of them.
    All,
    /// The entity has at least one of them.
    Any,
    /// The entity has none of them.
    Neither,
    /// The entity has no tag at all.
    Bare,
}

/// The filters of one list request.
pub(super) struct Filters {
    /// The part of the name that the store searches for.
    pub(super) name: Option<NameFilter>,
    /// The tags that the store requires, all of them.
    pub(super) tags: Vec<String>,
    /// The conditions that the store cannot evaluate.
    checks: Vec<Check>,
}

/// One condition that is evaluated here rather than in the store.
#[derive(Debug, PartialEq)]
enum Check {
    Name(Term),
    Subtype(Term),
    Tags(Tagged, Vec<String>),
    Private(bool),
    Template(bool),
    Archived(bool),
    Status(i64),
    CreatedBy(i64),
    UpdatedBy(i64),
    Parent(i64),
    Has(Thing, bool),
    Dated(Date, Date),
    Attribute(String, Option<String>),
}

/// A part that a page may have or lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Thing {
    Image,
    Posts,
    Entry,
    Attributes,
}

/// A condition on a text; its operand is normalised to lower case.
#[derive(Debug, PartialEq, Eq)]
enum Term {
    Has(String),
    Lacks(String),
    Is(String),
    Empty,
}

impl Filters {
    /// Reads the filters of a request. `tagged` is how tags are combined unless `tags_option` says
    /// otherwise.
    pub(super) fn of(params: &Params, tags: &Tags, tagged: Tagged) -> Result<Self, Refused> {
        let mut names = terms(params.get("name"));
        // The store can search for a single name part and require all of several tags. Everything
        // else is checked here.
        let name = match names.as_slice() {
            [Term::Has(part)] => Some(NameFilter::Contains(part.clone())),
            _ => None,
        };
        if name.is_some() {
            names.clear();
        }
        let mut checks: Vec<Check> = names.into_iter().map(Check::Name).collect();
        checks.extend(terms(params.get("type")).into_iter().map(Check::Subtype));
        let marks = tag_names(params, tags, tagged);
        let tagged = match params.get("tags_option") {
            Some("any") => Tagged::Any,
            Some("exclude") => Tagged::Neither,
            Some("none") => Tagged::Bare,
            _ => tagged,
        };
        let by_store = tagged == Tagged::All || tagged == Tagged::Any && marks.len() == 1;
        if !by_store && (tagged == Tagged::Bare || !marks.is_empty()) {
            checks.push(Check::Tags(tagged, marks.clone()));
        }
        checks.extend(plain(params));
        checks.extend(dates(params)?.map(|(first, last)| Check::Dated(first, last)));
        Ok(Self { name, tags: if by_store { marks } else { Vec::new() }, checks })
    }

    /// Whether the store evaluates all of the filters.
    pub(super) fn are_the_stores(&self) -> bool {
        self.checks.is_empty()
    }

    /// The parent that pages must have, if the request filters by it.
    pub(super) fn parent(&self) -> Option<i64> {
        self.checks.iter().find_map(|check| match check {
            Check::Parent(number) => Some(*number),
            _ => None,
        })
    }

    /// How much of each page must be read to evaluate the filters.
    pub(super) fn detail(&self, asked: Detail) -> Detail {
        let posts = |check: &Check| matches!(check, Check::Has(Thing::Posts, _));
        if self.checks.iter().any(posts) { Detail::Posts } else { asked }
    }

    /// Whether attributes must be read to evaluate the filters.
    pub(super) fn need_attributes(&self) -> bool {
        let needs = |check: &Check| {
            matches!(check, Check::Has(Thing::Attributes, _) | Check::Attribute(..))
        };
        self.checks.iter().any(needs)
    }

    /// Whether a page passes all conditions.
    pub(super) fn pass(&self, page: &Page, attributes: &[Attribute]) -> bool {
        self.checks.iter().all(|check| check.holds(page, attributes))
    }
}

impl Check {
    fn holds(&self, page: &Page, attributes: &[Attribute]) -> bool {
        let node = &page.node;
        match self {
            Self::Name(term) => term.fits(&node.name),
            Self::Subtype(term) => term.fits(node.subtype.as_deref().unwrap_or_default()),
            Self::Tags(tagged, wanted) => tags_fit(*tagged, wanted, &node.tags),
            Self::Private(wanted) => page.is_private() == *wanted,
            // No page here is a template or archived.
            Self::Template(wanted) | Self::Archived(wanted) => !*wanted,
            Self::Status(wanted) => {
                node.properties.get("status_id").and_then(Value::as_i64) == Some(*wanted)
            }
            Self::CreatedBy(who) => node.created.by.0 == *who,
            Self::UpdatedBy(who) => node.updated.by.0 == *who,
            Self::Parent(number) => page.parent() == Some(*number),
            Self::Has(thing, wanted) => has(page, attributes, *thing) == *wanted,
            Self::Dated(first, last) => {
                let own = node.properties.get("date").and_then(Value::as_str);
                let day: Option<Date> = own.and_then(|text| text.parse().ok());
                day.is_some_and(|day| (*first..=*last).contains(&day))
            }
            Self::Attribute(name, value) => attributes.iter().any(|own| {
                let same = |text: &String| name_key(&own.value) == *text;
                name_key(&own.name) == *name && value.as_ref().is_none_or(same)
            }),
        }
    }
}

impl Term {
    fn read(text: &str) -> Self {
        let text = name_key(text);
        match (text.strip_prefix('!'), text.strip_suffix('!')) {
            (Some("!"), _) => Self::Empty,
            (Some(rest), _) => Self::Lacks(rest.to_owned()),
            (None, Some(rest)) => Self::Is(rest.to_owned()),
            (None, None) => Self::Has(text),
        }
    }

    fn fits(&self, text: &str) -> bool {
        let text = name_key(text);
        match self {
            Self::Has(part) => text.contains(part.as_str()),
            Self::Lacks(part) => !text.contains(part.as_str()),
            Self::Is(whole) => text == *whole,
            Self::Empty => text.is_empty(),
        }
    }
}

fn terms(text: Option<&str>) -> Vec<Term> {
    let parts = text.into_iter().flat_map(|text| text.split(';'));
    parts.map(str::trim).filter(|part| !part.is_empty()).map(Term::read).collect()
}

/// The names of the tags with the given ids. An unknown id becomes a name that no tag has, so that
/// it matches nothing.
fn tag_names(params: &Params, tags: &Tags, tagged: Tagged) -> Vec<String> {
    let alone = params.get("tags").and_then(|text| lone_tag(text, tagged));
    let numbers = params.all("tags").filter_map(|text| text.parse().ok()).chain(alone);
    numbers.map(|number| tags.name(number).unwrap_or("\u{0}").to_owned()).collect()
}

/// The id in a single `tags=1` parameter, which is not a list.
///
/// Like Kanka, the list of all entities takes the leading digits of the text, while the lists of
/// one kind ignore a text that is not a number.
fn lone_tag(text: &str, tagged: Tagged) -> Option<i64> {
    let text = text.trim();
    match tagged {
        Tagged::Any => {
            let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            Some(text.get(..end).and_then(|digits| digits.parse().ok()).unwrap_or(0))
        }
        Tagged::All | Tagged::Neither | Tagged::Bare => text.parse().ok(),
    }
}

/// The conditions whose value is a flag, a number or a plain text.
fn plain(params: &Params) -> Vec<Check> {
    let number = |name: &str| params.get(name).and_then(|text| text.parse().ok());
    let has = |name: &str, thing: Thing| params.flag(name).map(|on| Check::Has(thing, on));
    let attribute = params
        .get("attribute_name")
        .map(|name| Check::Attribute(name_key(name), params.get("attribute_value").map(name_key)));
    let template = params.flag("is_template").or_else(|| params.flag("template"));
    [
        params.flag("is_private").map(Check::Private),
        template.map(Check::Template),
        params.flag("archived").map(Check::Archived),
        number("status_id").map(Check::Status),
        number("created_by").map(Check::CreatedBy),
        number("updated_by").map(Check::UpdatedBy),
        number("parent_id").map(Check::Parent),
        has("has_image", Thing::Image),
        has("has_posts", Thing::Posts),
        has("has_entry", Thing::Entry),
        has("has_attributes", Thing::Attributes),
        attribute,
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The range of days for journals and quests; a single bound means that one day.
fn dates(params: &Params) -> Result<Option<(Date, Date)>, Refused> {
    let day = |name: &str| {
        let text = params.get(name);
        let wrong = |_| Refused::field(name, &format!("The {name} is not a valid date."));
        text.map(|text| text.parse::<Date>().map_err(wrong)).transpose()
    };
    let (first, last) = (day("date_start")?, day("date_end")?);
    Ok(first.or(last).zip(last.or(first)))
}

fn tags_fit(tagged: Tagged, wanted: &[String], own: &[String]) -> bool {
    let own: Vec<String> = own.iter().map(|tag| name_key(tag)).collect();
    let mut found = wanted.iter().map(|tag| own.contains(&name_key(tag)));
    match tagged {
        Tagged::All => found.all(|has| has),
        Tagged::Any => found.any(|has| has),
        Tagged::Neither => !found.any(|has| has),
        Tagged::Bare => own.is_empty(),
    }
}

fn has(page: &Page, attributes: &[Attribute], thing: Thing) -> bool {
    match thing {
        Thing::Image => {
            IMAGES.iter().any(|name| page.node.properties.get(*name).is_some_and(Value::is_string))
        }
        Thing::Posts => !page.posts.is_empty(),
        Thing::Entry => page.entry.as_ref().is_some_and(|text| !text.body.trim().is_empty()),
        Thing::Attributes => !attributes.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_may_be_turned_round_whole_absent_or_several() {
        let fits =
            |filter: &str, text: &str| terms(Some(filter)).iter().all(|term| term.fits(text));
        for (filter, text, wanted) in [
            ("aly", "Kalya", true),
            ("aly", "Bob", false),
            ("!aly", "Bob", true),
            ("!aly", "Kalya", false),
            ("kalya!", "Kalya", true),
            ("kal!", "Kalya", false),
            ("!!", "", true),
            ("!!", "x", false),
            ("ka;ya", "Kalya", true),
            ("ka;!ya", "Kalya", false),
        ] {
            assert_eq!(fits(filter, text), wanted, "{filter:?} {text:?}");
        }
    }

    #[test]
    fn one_day_alone_is_that_day() {
        let params = |query: &str| Params::of(&format!("/x?{query}").parse().unwrap());
        let day = |text: &str| text.parse::<Date>().unwrap();
        let both = dates(&params("date_start=2025-05-01&date_end=2025-05-31")).unwrap();
        assert_eq!(both, Some((day("2025-05-01"), day("2025-05-31"))));
        let one = dates(&params("date_end=2025-05-31")).unwrap();
        assert_eq!(one, Some((day("2025-05-31"), day("2025-05-31"))));
        assert!(dates(&params("date_start=someday")).is_err());
        assert_eq!(dates(&params("x=1")).unwrap(), None);
    }

    #[test]
    fn a_tag_alone_is_read_as_each_list_does() {
        for (text, of_a_kind, of_all) in
            [("1", Some(1), Some(1)), ("1,2", None, Some(1)), ("elf", None, Some(0))]
        {
            assert_eq!(lone_tag(text, Tagged::All), of_a_kind, "{text}");
            assert_eq!(lone_tag(text, Tagged::Any), of_all, "{text}");
        }
    }

    #[test]
    fn tags_may_be_all_any_neither_or_none() {
        let own = ["Elf".to_owned(), "ally".to_owned()];
        let wanted = ["elf".to_owned(), "foe".to_owned()];
        assert!(!tags_fit(Tagged::All, &wanted, &own) && tags_fit(Tagged::Any, &wanted, &own));
        assert!(
            !tags_fit(Tagged::Neither, &wanted, &own) && !tags_fit(Tagged::Bare, &wanted, &own)
        );
        assert!(tags_fit(Tagged::Bare, &wanted, &[]));
    }
}
