//! The stored form of a file's facts: compact, because there are many.

use lore_code::{
    Base, BaseKind, Body, Call, EXTRACTION, Export, Field, FileFacts, Import, ImportedName, Label,
    Language, Symbol, Through,
};
use serde::{Deserialize, Serialize};

/// The facts of a file, except for its path and hash, which its node has.
#[derive(Serialize, Deserialize)]
pub(super) struct KeptFacts {
    /// The version of the extractor that found them.
    extraction: u32,
    /// Whether it is a C++ header, which its name does not tell.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    cpp: bool,
    lines: u32,
    bytes: u64,
    symbols: Vec<KeptSymbol>,
    /// Module, imported names, line.
    imports: Vec<(String, Vec<KeptName>, u32)>,
    /// For imports inside a function: index of the import, index of the function.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    local_imports: Vec<(usize, usize)>,
    /// Index of the caller, called name, what it is called through, line.
    calls: Vec<(Option<usize>, String, Option<String>, u32)>,
    /// The number of arguments of each call, for languages where it matters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    arguments: Vec<u8>,
    /// Class, its base, whether the base is an interface.
    bases: Vec<(String, String, bool)>,
    /// Class, field, type.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    fields: Vec<(String, String, String)>,
}

/// An imported name.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum KeptName {
    /// The form of older versions: the same name there and here.
    Plain(String),
    /// Path, name there, name here.
    Whole(String, String, String),
}

#[derive(Serialize, Deserialize)]
struct KeptSymbol {
    label: String,
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    module: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    inside: Option<usize>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    default: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    hidden: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    declared: bool,
    /// First and last line, first and last byte.
    place: (u32, u32, usize, usize),
    signature: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    params: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    returns: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    doc: Option<String>,
}

impl KeptFacts {
    /// Converts facts to the stored form.
    pub(super) fn of(facts: &FileFacts) -> Self {
        let imports = facts.imports.iter();
        let inside = |(at, import): (usize, &Import)| Some((at, import.inside?));
        let calls = facts.calls.iter().cloned();
        let bases = facts.bases.iter().cloned();
        let fields = facts.fields.iter().cloned();
        Self {
            extraction: EXTRACTION,
            cpp: facts.language == Some(Language::Cpp)
                && facts.language != Language::of(&facts.path),
            lines: facts.lines,
            bytes: facts.bytes,
            symbols: facts.symbols.iter().map(KeptSymbol::of).collect(),
            local_imports: imports.clone().enumerate().filter_map(inside).collect(),
            imports: imports.map(kept_import).collect(),
            arguments: facts.calls.iter().filter_map(|call| call.arguments).collect(),
            calls: calls.map(|c| (c.caller, c.name, kept_way(c.through), c.line)).collect(),
            bases: bases
                .map(|base| (base.class, base.name, base.kind == BaseKind::Implements))
                .collect(),
            fields: fields.map(|field| (field.class, field.name, field.kind)).collect(),
        }
    }

    /// Restores the facts, with the values that the file's node holds.
    pub(super) fn facts(
        self,
        path: String,
        content_hash: String,
        run: Option<String>,
    ) -> FileFacts {
        let mut imports: Vec<Import> = self.imports.into_iter().map(import).collect();
        for (at, function) in self.local_imports {
            if let Some(import) = imports.get_mut(at) {
                import.inside = Some(function);
            }
        }
        let (calls, fields) = (self.calls.into_iter(), self.fields.into_iter());
        let mut arguments = self.arguments.into_iter();
        FileFacts {
            language: if self.cpp { Some(Language::Cpp) } else { Language::of(&path) },
            path,
            content_hash,
            run,
            lines: self.lines,
            bytes: self.bytes,
            symbols: self.symbols.into_iter().filter_map(KeptSymbol::symbol).collect(),
            imports,
            calls: calls
                .map(|(caller, name, way, line)| {
                    // Either all calls of a language have a count, or none.
                    let arguments = arguments.next();
                    Call { caller, name, through: through(way), arguments, line }
                })
                .collect(),
            bases: self.bases.into_iter().map(base).collect(),
            fields: fields.map(|(class, name, kind)| Field { class, name, kind }).collect(),
        }
    }
}

/// Prefix of the type of a value that something is called on.
const OF: char = ':';
/// Suffix of a class that a call is written in.
const INSIDE: char = '.';

/// Encodes what something is called through: `None` for nothing, an empty string for a value of
/// unknown type.
fn kept_way(through: Through) -> Option<String> {
    match through {
        Through::Nothing => None,
        Through::Path(path) => Some(path),
        Through::Value => Some(String::new()),
        Through::Of(kind) => Some(format!("{OF}{kind}")),
        Through::Inside(class) => Some(format!("{OF}{class}{INSIDE}")),
    }
}

fn through(way: Option<String>) -> Through {
    let Some(way) = way else { return Through::Nothing };
    match way.strip_prefix(OF) {
        Some(kind) => match kind.strip_suffix(INSIDE) {
            Some(class) => Through::Inside(class.to_owned()),
            None => Through::Of(kind.to_owned()),
        },
        None if way.is_empty() => Through::Value,
        None => Through::Path(way),
    }
}

fn kept_import(import: &Import) -> (String, Vec<KeptName>, u32) {
    let names = import.names.iter().cloned();
    let names = names.map(|name| KeptName::Whole(name.path, name.name, name.local));
    (import.module.clone(), names.collect(), import.line)
}

fn import((module, names, line): (String, Vec<KeptName>, u32)) -> Import {
    let names = names.into_iter().map(|name| match name {
        KeptName::Plain(name) => ImportedName { path: module.clone(), local: name.clone(), name },
        KeptName::Whole(path, name, local) => ImportedName { path, name, local },
    });
    Import { names: names.collect(), module, inside: None, line }
}

fn base((class, name, implements): (String, String, bool)) -> Base {
    let kind = if implements { BaseKind::Implements } else { BaseKind::Extends };
    Base { class, name, kind }
}

impl KeptSymbol {
    fn of(symbol: &Symbol) -> Self {
        Self {
            label: symbol.label.name().to_owned(),
            name: symbol.name.clone(),
            owner: symbol.owner.clone(),
            module: symbol.module.clone(),
            inside: symbol.inside,
            default: symbol.export == Export::Default,
            hidden: symbol.export == Export::Hidden,
            declared: symbol.body == Body::Elsewhere,
            place: (symbol.line_start, symbol.line_end, symbol.byte_start, symbol.byte_end),
            signature: symbol.signature.clone(),
            params: symbol.params.clone(),
            returns: symbol.return_type.clone(),
            doc: symbol.docstring.clone(),
        }
    }

    fn symbol(self) -> Option<Symbol> {
        let (line_start, line_end, byte_start, byte_end) = self.place;
        Some(Symbol {
            label: Label::read(&self.label)?,
            name: self.name,
            owner: self.owner,
            module: self.module,
            inside: self.inside,
            export: match (self.default, self.hidden) {
                (true, _) => Export::Default,
                (_, true) => Export::Hidden,
                _ => Export::Named,
            },
            body: if self.declared { Body::Elsewhere } else { Body::Here },
            line_start,
            line_end,
            byte_start,
            byte_end,
            signature: self.signature,
            params: self.params,
            return_type: self.returns,
            docstring: self.doc,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_come_back_as_they_were() {
        let text = "from a import b\n\nclass C(D):\n    \"\"\"Says it.\"\"\"\n    \
                    def e(self, f: int) -> str:\n        self.f = C()\n        from g import h\n        \
                    def i():\n            h()\n        return b(f)\n";
        let facts = lore_code::extract("x/c.py", text);
        assert!(!facts.symbols.is_empty() && !facts.calls.is_empty() && !facts.bases.is_empty());
        assert!(facts.imports.iter().any(|import| import.inside.is_some()));
        assert!(!facts.fields.is_empty());
        let kept = serde_json::to_value(KeptFacts::of(&facts)).unwrap();
        let again: KeptFacts = serde_json::from_value(kept).unwrap();
        assert_eq!(again.facts(facts.path.clone(), facts.content_hash.clone(), None), facts);
        let header = lore_code::extract("x/c.h", "class A {\n  void b() { c(1); }\n};\n");
        let kept = serde_json::to_value(KeptFacts::of(&header)).unwrap();
        let again: KeptFacts = serde_json::from_value(kept).unwrap();
        assert_eq!(again.facts(header.path.clone(), header.content_hash.clone(), None), header);
    }
}
