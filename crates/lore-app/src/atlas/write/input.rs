//! Parses and checks what somebody wants to write, before anything is changed.

use lore_anvil::{
    DRAFT, Field, Form, GROUPS, IdForm, Kind, Object, TEMPLATES, check_sections, is_draft,
    is_for_groups, with_table_names,
};
use lore_core::names::{checked_length, checked_name};
use lore_core::{Error, Node, Result, Visibility};
use serde_json::{Value, json};

use super::held::OPEN_INSIDE;
use crate::atlas::mentions;
use crate::atlas::source::Atlas;

/// The maximum length of a text, in characters.
const TEXT_MAX: usize = 500_000;
/// The maximum size of a plain value, in bytes of JSON.
const VALUE_MAX: usize = 200_000;
/// The maximum number of fields in one write.
const FIELDS_MAX: usize = 500;

/// The field with a short description of an article; if nobody wrote one, the beginning of its
/// text.
pub(in crate::atlas) const EXCERPT: &str = "excerpt";

/// Fields that are in every object and cannot be written.
const READ_ONLY: [&str; 9] = [
    "id",
    "success",
    "slug",
    "entityClass",
    "isEditable",
    "updateDate",
    "folderId",
    "world",
    OPEN_INSIDE,
];

/// The fields to write, checked and with all references resolved.
#[derive(Debug, Clone, Default)]
pub(in crate::atlas) struct Written {
    pub(super) title: Option<String>,
    pub(super) state: Option<State>,
    /// The visibility of a hidden whole that it is part of, if any.
    pub(super) inside: Option<Visibility>,
    pub(super) tags: Option<Vec<String>>,
    pub(super) template: Option<&'static str>,
    pub(super) subtype: Option<Option<String>>,
    /// The main text, with mentions in the form that the world stores.
    pub(super) text: Option<String>,
    /// Additional texts.
    pub(super) sections: Vec<Section>,
    /// Whether all other sections are deleted.
    pub(super) clears_sections: bool,
    /// Plain values; null removes one.
    pub(super) own: Object,
    /// References; one without targets removes all edges of its kind.
    pub(super) links: Vec<Link>,
}

/// The targets of a reference field.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) field: &'static str,
    /// The kind of edge.
    pub(super) edge: &'static str,
    pub(super) targets: Vec<Node>,
}

/// Who may see an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Every member.
    Public,
    /// The game master's side, or only the player who wrote it.
    Private,
}

/// An additional text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) body: String,
    pub(super) hidden: bool,
}

impl Atlas {
    /// Parses the fields of an object; the error names the field that is wrong.
    pub(in crate::atlas) async fn understand(
        &self,
        kind: Kind,
        fields: &Object,
    ) -> Result<Written> {
        if fields.len() > FIELDS_MAX {
            let limit = format!("{FIELDS_MAX} fields");
            return Err(Error::TooLarge { what: "the object".into(), limit });
        }
        let mut written = Written::default();
        let fields = with_table_names(kind, fields.clone());
        for (name, value) in &fields {
            match (name.as_str(), kind.row().field(name)) {
                (name, _) if READ_ONLY.contains(&name) => {}
                ("title", _) => written.title = Some(title(value)?),
                ("state", _) => written.state = Some(state(value)?),
                ("tags", _) => written.tags = Some(tags(value)?),
                ("templateType", _) if kind == Kind::Article => {
                    written.template = Some(template(value)?);
                }
                (EXCERPT, _) if kind == Kind::Article => {
                    let text = text_of(name, value)?.filter(|text| !text.trim().is_empty());
                    written.own.insert(EXCERPT.into(), json!(text));
                }
                (DRAFT, _) => {
                    written.own.insert(DRAFT.into(), json!(is_draft(&fields)));
                }
                (GROUPS, _) => {
                    let groups = if is_for_groups(&fields) { value } else { &Value::Null };
                    written.own.insert(GROUPS.into(), checked_value(name, groups)?);
                }
                ("subtype", _) if kind == Kind::Article => {
                    let text = text_of(name, value)?.filter(|text| !text.trim().is_empty());
                    written.subtype =
                        Some(text.map(|text| checked_name("subtype", &text)).transpose()?);
                }
                ("sections", _) if value.is_null() => written.clears_sections = true,
                ("sections", _) => take_sections(&mut written, kind, value)?,
                (_, Some(field)) => self.take(&mut written, field, value).await?,
                (name, None) => take_unknown(&mut written, name, value)?,
            }
        }
        for section in &mut written.sections {
            section.body = mentions::kept(self, &section.body).await?;
        }
        // A draft belongs to its author, whatever state it will have when finished. Groups of
        // subscribers do not exist here, so what is limited to groups is private as well.
        if kind != Kind::World && (is_draft(&fields) || is_for_groups(&fields)) {
            written.state = Some(State::Private);
        }
        Ok(written)
    }

    async fn take(&self, written: &mut Written, field: &Field, value: &Value) -> Result<()> {
        match field.form {
            Form::Text => {
                let text = text_of(field.name, value)?.unwrap_or_default();
                written.text = Some(mentions::kept(self, &text).await?);
            }
            Form::Section | Form::HiddenSection => written.sections.push(Section {
                name: field.name.to_owned(),
                body: text_of(field.name, value)?.unwrap_or_default(),
                hidden: field.form == Form::HiddenSection,
            }),
            Form::Value => {
                let value = field.typed_value(value).map_err(|problem| {
                    Error::invalid(field.name, problem, "write it as a number")
                })?;
                written.own.insert(field.name.to_owned(), checked_value(field.name, &value)?);
            }
            Form::One(kind, edge) => {
                let targets = match id_of(field.name, value)? {
                    Some(id) => vec![self.target(field.name, kind, &id).await?],
                    None => Vec::new(),
                };
                written.links.push(Link { field: field.name, edge, targets });
            }
            Form::Several(kind, edge) => {
                let mut targets = Vec::new();
                for item in value.as_array().into_iter().flatten() {
                    if let Some(id) = id_of(field.name, item)? {
                        targets.push(self.target(field.name, kind, &id).await?);
                    }
                }
                written.links.push(Link { field: field.name, edge, targets });
            }
            // These are derived. Clients that send back what they read do not mean to change them.
            Form::Many(..) | Form::Created | Form::Derived => {}
        }
        Ok(())
    }

    /// The node that a reference means. It must be in the same world.
    pub(super) async fn target(&self, field: &str, kind: Kind, id: &str) -> Result<Node> {
        let wrong = || {
            let problem = format!("names no {} of this world", kind.row().one);
            Error::invalid(field, problem, "give the id of one that exists, or null")
        };
        if let (IdForm::Number, Ok(number)) = (kind.row().id, id.trim().parse()) {
            return self.numbered(kind, number).await?.ok_or_else(wrong);
        }
        let Ok((place, node)) = self.locate(kind, id).await else {
            return Err(self.merged_away(kind, id).await?.unwrap_or_else(wrong));
        };
        if place.viewer().world == self.viewer().world { Ok(node) } else { Err(wrong()) }
    }
}

fn take_sections(written: &mut Written, kind: Kind, value: &Value) -> Result<()> {
    let Value::Object(sections) = value else {
        return Err(Error::invalid("sections", "is not an object", "give texts by their name"));
    };
    check_sections(kind, sections)
        .map_err(|odd| Error::invalid("sections", odd.problem, odd.hint))?;
    for (name, value) in sections {
        let name = checked_name("sections", name)?;
        let hidden = kind.row().field(&name).is_some_and(|f| f.form == Form::HiddenSection);
        let body = text_of(&name, value)?.unwrap_or_default();
        written.sections.push(Section { name, body, hidden });
    }
    Ok(())
}

/// Keeps an undeclared field: long texts as sections, everything else as a plain value.
fn take_unknown(written: &mut Written, name: &str, value: &Value) -> Result<()> {
    checked_length("the name of a field", name, 100)?;
    match value {
        Value::String(text) if lore_anvil::is_long(text) => {
            let body = text_of(name, value)?.unwrap_or_default();
            written.sections.push(Section { name: name.to_owned(), body, hidden: false });
        }
        _ => {
            written.own.insert(name.to_owned(), checked_value(name, value)?);
        }
    }
    Ok(())
}

/// A checked title.
pub(in crate::atlas) fn title(value: &Value) -> Result<String> {
    let text = value.as_str().unwrap_or_default();
    checked_name("title", text)
}

fn state(value: &Value) -> Result<State> {
    match value.as_str().map(str::trim) {
        Some("public") => Ok(State::Public),
        Some("private" | "draft") => Ok(State::Private),
        _ => Err(Error::invalid("state", "is unknown", "use public or private")),
    }
}

pub(in crate::atlas) fn tags(value: &Value) -> Result<Vec<String>> {
    let given: Vec<String> = match value {
        Value::Null => Vec::new(),
        Value::String(text) => text.split(',').map(str::to_owned).collect(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => return Err(Error::invalid("tags", "are no texts", "write them with commas between")),
    };
    let given = given.iter().map(|tag| tag.trim()).filter(|tag| !tag.is_empty());
    let mut tags = given.map(|tag| checked_name("tags", tag)).collect::<Result<Vec<_>>>()?;
    let mut seen = std::collections::HashSet::new();
    tags.retain(|tag| seen.insert(lore_core::names::name_key(tag)));
    if tags.len() > 100 {
        return Err(Error::TooLarge { what: "tags".into(), limit: "100 tags".into() });
    }
    Ok(tags)
}

fn template(value: &Value) -> Result<&'static str> {
    let given = value.as_str().unwrap_or_default().trim();
    let known = TEMPLATES.into_iter().find(|known| known.eq_ignore_ascii_case(given));
    known.ok_or_else(|| {
        Error::invalid("templateType", "is unknown", format!("use one of {}", TEMPLATES.join(", ")))
    })
}

fn text_of(name: &str, value: &Value) -> Result<Option<String>> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => {
            checked_length(name, text, TEXT_MAX)?;
            Ok(Some(text.clone()))
        }
        _ => Err(Error::invalid(name, "is not text", "write it as a text")),
    }
}

pub(in crate::atlas) fn checked_value(name: &str, value: &Value) -> Result<Value> {
    if value.to_string().len() > VALUE_MAX {
        let limit = format!("{VALUE_MAX} bytes");
        return Err(Error::TooLarge { what: name.to_owned(), limit });
    }
    Ok(value.clone())
}

/// The id in a reference: `{id}`, a string or a number.
pub(super) fn id_of(name: &str, value: &Value) -> Result<Option<String>> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) if text.trim().is_empty() => Ok(None),
        Value::String(text) => Ok(Some(text.clone())),
        Value::Number(number) => Ok(Some(number.to_string())),
        Value::Object(fields) => id_of(name, fields.get("id").unwrap_or(&Value::Null)),
        _ => Err(Error::invalid(name, "is not a reference", json!({ "id": "…" }).to_string())),
    }
}

/// The field that serves as the name of kinds without a title.
pub(super) fn stand_in(kind: Kind, fields: &Object) -> Option<String> {
    let name = match kind {
        Kind::Variable => "k",
        Kind::Image => "filename",
        _ => return None,
    };
    fields.get(name)?.as_str().map(str::to_owned)
}

/// All own fields to store, including the template.
pub(super) fn own_of(written: &Written) -> Object {
    let mut own = written.own.clone();
    if let Some(template) = written.template {
        own.insert("templateType".into(), json!(template));
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_read_in_both_forms_once_each() {
        assert_eq!(tags(&json!("a, B,,b ,c")).unwrap(), ["a", "B", "c"]);
        assert_eq!(tags(&json!(["a", " x "])).unwrap(), ["a", "x"]);
        assert!(tags(&json!(4)).is_err());
    }

    #[test]
    fn references_are_read_in_every_form() {
        for value in [json!("7"), json!(7), json!({ "id": "7" }), json!({ "id": 7 })] {
            assert_eq!(id_of("map", &value).unwrap().as_deref(), Some("7"));
        }
        for value in [json!(null), json!(""), json!({})] {
            assert_eq!(id_of("map", &value).unwrap(), None);
        }
        assert!(id_of("map", &json!([1])).is_err());
    }

    #[test]
    fn templates_are_known_by_name() {
        assert_eq!(template(&json!("militaryconflict")).unwrap(), "militaryConflict");
        assert!(template(&json!("dragon")).unwrap_err().hint().contains("person"));
    }
}
