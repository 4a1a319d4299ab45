//! What is called on values, told by their types.

use std::borrow::Cow;

use super::resolve::{Meant, Sought};
use super::{At, Found, Linker};
use crate::extract::returned_name;

impl Linker<'_, '_> {
    /// A method of a value of which its type is known, or what returned it. A type from
    /// elsewhere has its methods from there.
    pub(super) fn called_on(&self, at: At, owner: Option<&str>, kind: &str, name: &str) -> Meant {
        const STEPS_MAX: usize = 8;
        let kind = self.type_of(at, owner, kind, STEPS_MAX);
        // `T` stands for types that are not known here.
        let kind =
            kind.filter(|(file, kind)| kind.len() > 1 || self.type_named(*file, kind).is_some());
        match kind {
            Some((file, kind)) => self.own_method(file, &kind, name),
            None => self.by_name(at.file, name, Sought::Method),
        }
    }

    /// The path of a type and the file where that is written: as it is known here, as a class
    /// tells of its field, or as the function tells that returns the value.
    fn type_of<'k>(
        &'k self,
        at: At,
        owner: Option<&'k str>,
        kind: &'k str,
        steps: usize,
    ) -> Option<(usize, Cow<'k, str>)> {
        let steps = steps.checked_sub(1)?;
        let Some(called) = kind.strip_suffix("()") else {
            return match kind.rsplit_once('.') {
                Some((inner, field)) => {
                    let (file, class) = self.type_of(at, owner, inner, steps)?;
                    let (class, _) = self.type_named(file, &class)?;
                    let kind = self.field_of(class, field)?;
                    let there = At { file: class.file, function: None };
                    self.type_of(there, self.name_of(class), kind, steps)
                }
                None if kind == "Self" => Some((at.file, owner?.into())),
                None => Some((at.file, self.as_seen_from(at, kind))),
            };
        };
        let function = match called.rsplit_once('.') {
            Some((inner, method)) => {
                let (file, kind) = self.type_of(at, owner, inner, steps)?;
                self.own_method(file, &kind, method)
            }
            None => match called.rsplit_once("::") {
                Some((qualifier, name)) => self.through(at, qualifier, name),
                None => self.called_plainly(at, owner, called),
            },
        };
        let function = self.graph.nodes.get(function?.0)?;
        let file = *self.paths.get(function.file_path.as_str())?;
        match returned_name(function.return_type.as_deref()?)? {
            kind if kind == "Self" => Some((file, function.receiver_type.as_deref()?.into())),
            kind => Some((file, kind)),
        }
    }

    /// The path of a type that several of a file could be, as the module tells it is used in.
    fn as_seen_from<'k>(&self, at: At, kind: &'k str) -> Cow<'k, str> {
        let module = || {
            let function = self.files.get(at.file)?.symbols.get(at.function?)?;
            let module = function.module.as_deref()?;
            let known = self.scoped_types.get(&(module, kind))?;
            known.iter().any(|found| found.file == at.file).then_some(module)
        };
        match module() {
            Some(module) => Cow::Owned(format!("{module}::{kind}")),
            None => Cow::Borrowed(kind),
        }
    }

    /// The type of a field, as it is told where its class is.
    fn field_of(&self, class: Found, name: &str) -> Option<&str> {
        let known = self.fields.get(&(self.name_of(class)?, name))?;
        known.iter().find(|(file, _)| *file == class.file).map(|(_, kind)| *kind)
    }
}
