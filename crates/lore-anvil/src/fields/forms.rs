//! Constructors for the fields of the table.

use crate::field::{Field, Form, Look};
use crate::table::Kind;

pub(super) const TEXT: &[&str] = &["string"];
pub(super) const WHOLE: &[&str] = &["integer"];
pub(super) const NUMBER: &[&str] = &["number"];
pub(super) const FLAG: &[&str] = &["boolean"];
pub(super) const OBJECT: &[&str] = &["object"];
pub(super) const LIST: &[&str] = &["array"];
/// Worlds have their own calendars, so a year can be a string or a number.
pub(super) const YEAR: &[&str] = &["string", "number"];

pub(super) const fn value(name: &'static str, from: i8) -> Field {
    Field::new(name, from, Form::Value)
}

pub(super) const fn noise(name: &'static str, from: i8) -> Field {
    value(name, from).look(Look::Noise)
}

pub(super) const fn text(name: &'static str, from: i8) -> Field {
    Field::new(name, from, Form::Text)
}

pub(super) const fn section(name: &'static str, from: i8) -> Field {
    Field::new(name, from, Form::Section)
}

pub(super) const fn part(name: &'static str, from: i8) -> Field {
    Field::new(name, from, Form::Section).look(Look::Section)
}

pub(super) const fn hidden(name: &'static str, from: i8) -> Field {
    Field::new(name, from, Form::HiddenSection).look(Look::Section)
}

pub(super) const fn derived(name: &'static str, from: i8) -> Field {
    Field::new(name, from, Form::Derived)
}

pub(super) const fn one(name: &'static str, from: i8, kind: Kind, edge: &'static str) -> Field {
    Field::new(name, from, Form::One(kind, edge))
}

pub(super) const fn many(name: &'static str, from: i8, kind: Kind, edge: &'static str) -> Field {
    Field::new(name, from, Form::Many(kind, edge))
}

pub(super) const fn several(name: &'static str, from: i8, kind: Kind, edge: &'static str) -> Field {
    Field::new(name, from, Form::Several(kind, edge))
}

pub(super) const fn created(from: i8) -> Field {
    Field::new("creationDate", from, Form::Created)
}

pub(super) const fn author(from: i8) -> Field {
    derived("author", from)
}

pub(super) const fn world(from: i8) -> Field {
    derived("world", from).typed(OBJECT).told("The world: id, title, url.")
}

pub(super) const fn picture(name: &'static str, from: i8, shown: &'static str) -> Field {
    one(name, from, Kind::Image, "shows").look(Look::Address).named(shown)
}
