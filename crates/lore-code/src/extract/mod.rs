//! Extracts the facts of a file from its text.
//!
//! One walk over the syntax tree, with a table of node kinds for each language. The walk uses a
//! cursor, so that deep nesting needs no stack. Code on the way must look at only a few nodes
//! nearby and take parents from `around` instead of asking the tree, which finds a parent by
//! descending from the root.

mod budget;
mod calls;
mod fields;
mod imports;
mod kinds;
mod names;
mod patterns;
mod scopes;
mod text;
mod tokens;
mod types;
mod values;

use rustc_hash::FxHashSet;
use tree_sitter::{Node, TreeCursor};

use crate::facts::{
    Base, BaseKind, Body, Call, Export, Field, FileFacts, Import, ImportedName, Label, Symbol,
};
use crate::language::Language;
use crate::scan::content_hash;
use budget::Watch;
pub use budget::{Budget, Unread};
use kinds::{Interest, Kind, interests, kind_of};
use scopes::Scopes;
pub(crate) use types::{held, returned_name};

/// The version of the extractor. Increase it whenever [`extract`] finds different facts in the same
/// text, so that stored facts of other versions are extracted again.
pub const EXTRACTION: u32 = 12;

/// Returns the facts of a file, with no limit on time. A file that cannot be parsed is still
/// listed.
pub fn extract(path: &str, source: &str) -> FileFacts {
    extract_within(path, source, Budget::default()).unwrap_or_else(|_| listed(path, source))
}

/// Returns the facts of a file, unless that exceeds the budget.
pub fn extract_within(path: &str, source: &str, budget: Budget<'_>) -> Result<FileFacts, Unread> {
    let mut facts = listed(path, source);
    let Some(language) = facts.language else { return Ok(facts) };
    let mut watch = Watch::new(budget);
    let Some(tree) = watch.parse(language, source)? else { return Ok(facts) };
    let mut walk = Walk {
        source,
        language,
        interests: interests(language),
        around: Vec::new(),
        open: Vec::new(),
        scopes: Scopes::new(language, source),
        comment: None,
        opaque_until: 0,
        called: FxHashSet::default(),
        default_export: None,
        facts: &mut facts,
    };
    walk.over(&mut tree.walk(), &mut watch)?;
    walk.mark_default_export();
    Ok(facts)
}

/// Returns the facts of a file without looking at its code.
fn listed(path: &str, source: &str) -> FileFacts {
    FileFacts {
        path: path.to_owned(),
        content_hash: content_hash(source.as_bytes()),
        run: None,
        language: Language::of_text(path, source),
        lines: source.lines().count() as u32,
        bytes: source.len() as u64,
        symbols: Vec::new(),
        imports: Vec::new(),
        calls: Vec::new(),
        bases: Vec::new(),
        fields: Vec::new(),
    }
}

/// The state of the walk over one tree.
struct Walk<'w, 's> {
    source: &'s str,
    language: Language,
    interests: &'static [Interest],
    /// The ancestors of the current node, innermost last.
    around: Vec<Node<'s>>,
    /// The definitions around the current node, innermost last.
    open: Vec<Open>,
    scopes: Scopes<'s>,
    comment: Option<Comment>,
    /// The end of the last attribute or macro definition. Macro tokens before this position contain
    /// no calls.
    opaque_until: usize,
    /// The calls found so far: the same call by the same caller is recorded once.
    called: FxHashSet<Call>,
    /// The name of the default export.
    default_export: Option<&'s str>,
    facts: &'w mut FileFacts,
}

/// The last comment seen; adjacent comments are joined into one.
struct Comment {
    start: usize,
    end: usize,
    /// The last row of the comment and of attributes below it. It belongs to a definition that
    /// starts on the next row.
    last_row: usize,
}

/// A definition around the current node.
struct Open {
    depth: usize,
    /// The index of the function.
    function: Option<usize>,
    /// The class or interface whose methods are inside.
    owner: Option<String>,
    /// The module or namespace.
    module: Option<String>,
}

impl<'s> Walk<'_, 's> {
    fn over(&mut self, cursor: &mut TreeCursor<'s>, watch: &mut Watch<'_>) -> Result<(), Unread> {
        loop {
            watch.step()?;
            let depth = self.around.len();
            while self.open.last().is_some_and(|open| open.depth >= depth) {
                self.open.pop();
            }
            let node = cursor.node();
            self.scopes.arrive(node, &self.around);
            match self.interests.get(usize::from(node.kind_id())) {
                Some(Interest::Comment) => self.note(node),
                Some(Interest::Attribute) => self.lengthen(node),
                Some(Interest::Look) => self.visit(node, depth),
                _ => {}
            }
            if cursor.goto_first_child() {
                self.around.push(node);
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Ok(());
                }
                self.around.pop();
            }
        }
    }

    fn note(&mut self, node: Node<'s>) {
        if !text::is_about_what_follows(node, self.source) {
            self.comment = None;
            return;
        }
        let end = node.end_position();
        let last_row = if end.column == 0 { end.row.saturating_sub(1) } else { end.row };
        match &mut self.comment {
            Some(known) if node.start_position().row <= known.last_row + 1 => {
                known.end = node.end_byte();
                known.last_row = last_row;
            }
            comment => {
                *comment =
                    Some(Comment { start: node.start_byte(), end: node.end_byte(), last_row });
            }
        }
    }

    fn lengthen(&mut self, node: Node<'s>) {
        self.opaque_until = node.end_byte();
        if node.kind() == "decorator" {
            self.decoration(node);
        }
        if let Some(comment) = &mut self.comment
            && node.start_position().row <= comment.last_row + 1
        {
            comment.last_row = node.end_position().row;
        }
    }

    /// Returns the comment directly above a node.
    fn comment_above(&self, node: Node<'_>) -> Option<&'s str> {
        let comment = self.comment.as_ref()?;
        let above = node.start_position().row == comment.last_row + 1;
        // If attributes stand in between, the text still ends with the comment.
        above.then(|| self.source.get(comment.start..comment.end))?
    }

    fn visit(&mut self, node: Node<'s>, depth: usize) {
        match kind_of(self.language, node) {
            Some(Kind::Function) => self.function(node, depth),
            Some(Kind::Type(label)) => self.class(node, label, depth),
            Some(Kind::Module) => {
                if let Some(name) = self.name(node) {
                    self.define(node, Label::Module, name.clone(), None);
                    let module = Some(names::last_name(&name));
                    self.open.push(Open { depth, function: None, owner: None, module });
                }
            }
            Some(Kind::Extension) => self.extension(node, depth),
            Some(Kind::Object) => {
                let owner = self.object_name(node);
                self.record_reexports(node);
                self.open.push(Open { depth, function: None, owner, module: None });
            }
            Some(Kind::Call) => self.call(node),
            Some(Kind::Declaration) => self.declaration(node),
            // A method template is declared like a function.
            Some(Kind::Construction) if self.is_template() => self.declaration(node),
            Some(Kind::Construction) => self.construction(node),
            Some(Kind::Initializer) => self.initializer(node),
            Some(Kind::Tokens) => self.tokens(node),
            Some(Kind::Opaque) => self.opaque_until = node.end_byte(),
            Some(Kind::Import) => self.import(node),
            Some(Kind::Field) => self.field(node),
            Some(Kind::Alias) => self.alias(node),
            Some(Kind::Export) => {
                self.default_export =
                    names::default_export(node, self.source).or(self.default_export);
                self.record_reexports(node);
            }
            None => {}
        }
    }

    fn function(&mut self, node: Node<'s>, depth: usize) {
        // A class may declare several overloads of a method; only those of interfaces count.
        let is_interface = || self.around.last().is_some_and(|a| a.kind() == "interface_body");
        if node.kind() == "method_signature" && !is_interface() {
            return;
        }
        let Some(name) = self.name(node) else { return };
        // `m::T::f` in C++ belongs to that module, wherever it is written.
        let module = name.rsplit("::").nth(2).map(str::to_owned);
        let (name, written_owner) = self.split_owner(node, name);
        let around =
            self.open.iter().rev().find(|open| open.owner.is_some() || open.function.is_some());
        let owner = written_owner.or_else(|| around.and_then(|open| open.owner.clone()));
        if let Some(class) = owner.as_ref().filter(|_| name == "constructor") {
            let fields = names::fields_of_constructor(node, self.source, self.language).into_iter();
            let bounds = self.bounds_around();
            self.facts.fields.extend(fields.map(|(name, kind)| Field {
                class: class.clone(),
                name: name.to_owned(),
                kind: types::bounded(kind, &bounds).into_owned(),
            }));
        }
        let number = self.define(node, Label::Function, name, owner);
        if let (Some(module), Some(symbol)) = (module, self.facts.symbols.get_mut(number)) {
            symbol.module = Some(module);
        }
        self.open.push(Open { depth, function: Some(number), owner: None, module: None });
    }

    /// Records C++ functions that are only declared; they may be defined elsewhere.
    fn declaration(&mut self, node: Node<'s>) {
        let around =
            self.open.iter().rev().find(|open| open.owner.is_some() || open.function.is_some());
        let owner = around.and_then(|open| open.owner.clone());
        for declared in kinds::declared_functions(node) {
            let Some(name) = names::declared(declared, self.source) else { continue };
            let number = self.define(node, Label::Function, name, owner.clone());
            let shape = text::declared(node, declared, self.source);
            if let Some(symbol) = self.facts.symbols.get_mut(number) {
                (symbol.params, symbol.return_type) = (shape.params, shape.return_type);
            }
        }
    }

    fn is_template(&self) -> bool {
        self.around.last().is_some_and(|around| around.kind() == "template_declaration")
    }

    fn class(&mut self, node: Node<'s>, label: Label, depth: usize) {
        let Some(name) = self.name(node) else { return };
        self.numbered_fields(node, &name);
        self.numbered_types(node, &name);
        for (base, kind) in self.bases(node, label) {
            self.facts.bases.push(Base { class: name.clone(), name: base, kind });
        }
        self.define(node, label, name.clone(), None);
        self.open.push(Open { depth, function: None, owner: Some(name), module: None });
    }

    /// Handles Rust's `impl`: methods of a type, possibly for a trait.
    fn extension(&mut self, node: Node<'s>, depth: usize) {
        let written = |field: &str| node.child_by_field_name(field).map(|part| self.text(part));
        let Some(owner) = written("type").map(names::last_name) else { return };
        if let Some(name) = written("trait").map(names::path) {
            let kind = BaseKind::Implements;
            self.facts.bases.push(Base { class: owner.clone(), name, kind });
        }
        self.numbered_types(node, &owner);
        self.open.push(Open { depth, function: None, owner: Some(owner), module: None });
    }

    fn define(
        &mut self,
        node: Node<'s>,
        label: Label,
        name: String,
        owner: Option<String>,
    ) -> usize {
        let shape = match label {
            Label::Function => text::shape(node, self.source),
            _ => text::Shape::default(),
        };
        let symbol = Symbol {
            label,
            name,
            export: self.export(node, label, owner.as_deref()),
            owner,
            module: self.open.iter().rev().find_map(|open| open.module.clone()),
            body: match node.kind() {
                "field_declaration" | "declaration" => Body::Elsewhere,
                _ => Body::Here,
            },
            inside: self.function_around(),
            line_start: node.start_position().row as u32 + 1,
            line_end: node.end_position().row as u32 + 1,
            byte_start: node.start_byte(),
            byte_end: node.end_byte(),
            signature: text::signature(node, self.source),
            params: shape.params,
            return_type: shape.return_type,
            docstring: match self.language {
                Language::Python => text::inner_docstring(node, self.source),
                _ => self.comment_above(node).and_then(text::clean),
            },
        };
        self.facts.symbols.push(symbol);
        self.facts.symbols.len() - 1
    }

    fn export(&self, node: Node<'s>, label: Label, owner: Option<&str>) -> Export {
        let is_c = matches!(self.language, Language::C | Language::Cpp);
        if !is_c {
            return names::export(node, self.around.last().copied(), self.source);
        }
        // A static function in a header exists in every file that includes it.
        let (_, ending) = self.facts.path.rsplit_once('.').unwrap_or_default();
        let is_header = ["h", "hh", "hpp", "hxx"].contains(&ending);
        let mut cursor = node.walk();
        let is_static = label == Label::Function
            && owner.is_none()
            && node.children(&mut cursor).any(|part| {
                part.kind() == "storage_class_specifier" && self.text(part) == "static"
            });
        if is_static && !is_header { Export::Hidden } else { Export::Named }
    }

    /// Marks the symbol that is the default export.
    fn mark_default_export(&mut self) {
        let named = |symbol: &&mut Symbol| {
            self.default_export == Some(symbol.name.as_str())
                && symbol.owner.is_none()
                && symbol.inside.is_none()
        };
        if let Some(symbol) = self.facts.symbols.iter_mut().find(named) {
            symbol.export = Export::Default;
        }
    }

    /// Records exports under other names, as if the file imported them from itself.
    fn record_reexports(&mut self, node: Node<'s>) {
        let mut names = Vec::new();
        for (name, local) in names::renamed(node, self.source) {
            match local {
                ImportedName::DEFAULT => self.default_export = Some(name),
                local => names.push(ImportedName {
                    path: ImportedName::OWN.to_owned(),
                    name: name.to_owned(),
                    local: local.to_owned(),
                }),
            }
        }
        if !names.is_empty() {
            let line = node.start_position().row as u32 + 1;
            let module = ImportedName::OWN.to_owned();
            self.facts.imports.push(Import { module, names, inside: None, line });
        }
    }

    fn import(&mut self, node: Node<'s>) {
        let line = node.start_position().row as u32 + 1;
        let inside = self.function_around();
        let is_inside = self.open.iter().any(|open| open.module.is_some());
        for (module, mut names) in imports::imported(node, &self.around, self.source, self.language)
        {
            if is_inside && self.language == Language::Rust {
                imports::from_file(&mut names);
            }
            self.facts.imports.push(Import { module, names, inside, line });
        }
    }

    fn function_around(&self) -> Option<usize> {
        self.open.iter().rev().find_map(|open| open.function)
    }

    fn bases(&self, node: Node<'s>, label: Label) -> Vec<(String, BaseKind)> {
        names::bases(node, self.source)
            .into_iter()
            .map(|(name, kind)| match label {
                // Whatever an interface is based on, it extends.
                Label::Interface => (name, BaseKind::Extends),
                _ => (name, kind),
            })
            .collect()
    }

    fn name(&self, node: Node<'s>) -> Option<String> {
        names::defined(node, self.source).filter(|name| !name.is_empty() && name.len() <= 200)
    }

    /// Returns the owner of the members of an object literal: the variable it is assigned to, or
    /// for `T.prototype = { … }` the type.
    fn object_name(&self, node: Node<'s>) -> Option<String> {
        let Some(left) = names::assigned(node) else {
            return self.name(node).filter(|name| !name.starts_with(['{', '[']));
        };
        let object = self.text(left).strip_suffix(".prototype")?;
        Some(names::last_name(object)).filter(|name| !name.is_empty())
    }

    /// Returns the owner of a method that is assigned to `this`: the class, or the constructor
    /// function.
    fn maker_around(&self) -> Option<String> {
        let maker = self.facts.symbols.get(self.function_around()?)?;
        Some(maker.owner.clone().unwrap_or_else(|| maker.name.clone()))
    }

    /// Splits the owner from a name. The owner is written as `A::b` in C++, as the receiver in Go,
    /// and as the target of an assignment in JavaScript.
    fn split_owner(&self, node: Node<'s>, name: String) -> (String, Option<String>) {
        if let Some(left) = names::assigned(node) {
            let is_own = left.child_by_field_name("object").map(|object| self.text(object));
            return match is_own {
                Some("this") => (name, self.maker_around()),
                _ => (name, names::assigned_owner(left, self.source)),
            };
        }
        if let Some(receiver) = node.child_by_field_name("receiver") {
            return (name, Some(names::receiver(self.text(receiver))));
        }
        match name.rsplit_once("::") {
            Some((owner, name)) => (name.to_owned(), Some(names::last_name(owner))),
            None => (name, None),
        }
    }

    fn text(&self, node: Node<'_>) -> &'s str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }
}
