//! From the text of a file to its facts.
//!
//! One walk over the syntax tree with a table of node kinds for each language; the
//! tree is followed with a cursor, so that deep nesting costs no stack.

mod imports;
mod kinds;
mod names;
mod text;

use tree_sitter::{Node, Parser, TreeCursor};

use crate::facts::{Base, BaseKind, Call, FileFacts, Import, Label, Symbol};
use crate::language::Language;
use crate::scan::content_hash;
use kinds::{Interest, Kind, interests, kind_of};

/// Counts up when [`extract`] finds other facts than before in the same text: what was
/// kept by another count has to be found anew.
pub const EXTRACTION: u32 = 2;

/// The facts of a file. A file that cannot be parsed is still listed.
pub fn extract(path: &str, source: &str) -> FileFacts {
    let language = Language::of(path);
    let mut facts = FileFacts {
        path: path.to_owned(),
        content_hash: content_hash(source.as_bytes()),
        language,
        lines: source.lines().count() as u32,
        bytes: source.len() as u64,
        symbols: Vec::new(),
        imports: Vec::new(),
        calls: Vec::new(),
        bases: Vec::new(),
    };
    let Some(language) = language else { return facts };
    let mut parser = Parser::new();
    if parser.set_language(&language.grammar()).is_err() {
        return facts;
    }
    if let Some(tree) = parser.parse(source, None) {
        let interests = interests(language);
        let facts = &mut facts;
        let mut walk = Walk { source, language, interests, open: Vec::new(), comment: None, facts };
        walk.over(&mut tree.walk());
    }
    facts
}

/// A walk over one tree.
struct Walk<'s> {
    source: &'s str,
    language: Language,
    interests: &'static [Interest],
    open: Vec<Open>,
    comment: Option<Comment>,
    facts: &'s mut FileFacts,
}

/// The comment last seen: adjacent ones are one.
struct Comment {
    start: usize,
    end: usize,
    /// The row below which a definition would have to start.
    last_row: usize,
}

/// A definition around the node at hand.
struct Open {
    depth: usize,
    /// The number of the function.
    function: Option<usize>,
    /// The class or interface whose methods are inside.
    owner: Option<String>,
    /// The module or namespace.
    module: Option<String>,
}

impl<'s> Walk<'s> {
    fn over(&mut self, cursor: &mut TreeCursor<'s>) {
        let mut depth = 0_usize;
        loop {
            while self.open.last().is_some_and(|open| open.depth >= depth) {
                self.open.pop();
            }
            let node = cursor.node();
            match self.interests.get(usize::from(node.kind_id())) {
                Some(Interest::Comment) => self.note(node),
                Some(Interest::Attribute) => self.lengthen(node),
                Some(Interest::Look) => self.visit(node, depth),
                _ => {}
            }
            if cursor.goto_first_child() {
                depth += 1;
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                depth -= 1;
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
        if let Some(comment) = &mut self.comment
            && node.start_position().row <= comment.last_row + 1
        {
            comment.last_row = node.end_position().row;
        }
    }

    /// The comment right above a node.
    fn comment_above(&self, node: Node<'_>) -> Option<&'s str> {
        let comment = self.comment.as_ref()?;
        let above = node.start_position().row == comment.last_row + 1;
        // With attributes in between, the text ends where the comments end.
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
            Some(Kind::Call) => self.call(node),
            Some(Kind::Import) => self.import(node),
            None => {}
        }
    }

    fn function(&mut self, node: Node<'s>, depth: usize) {
        let Some(name) = self.name(node) else { return };
        let (name, written_owner) = self.split_owner(node, name);
        let around =
            self.open.iter().rev().find(|open| open.owner.is_some() || open.function.is_some());
        let owner = written_owner.or_else(|| around.and_then(|open| open.owner.clone()));
        let number = self.define(node, Label::Function, name, owner);
        self.open.push(Open { depth, function: Some(number), owner: None, module: None });
    }

    fn class(&mut self, node: Node<'s>, label: Label, depth: usize) {
        let Some(name) = self.name(node) else { return };
        for (base, kind) in self.bases(node, label) {
            self.facts.bases.push(Base { class: name.clone(), name: base, kind });
        }
        self.define(node, label, name.clone(), None);
        self.open.push(Open { depth, function: None, owner: Some(name), module: None });
    }

    /// Rust's `impl`: methods of a type, perhaps for a trait.
    fn extension(&mut self, node: Node<'s>, depth: usize) {
        let plain = |field: &str| {
            node.child_by_field_name(field).map(|found| names::last_name(self.text(found)))
        };
        let Some(owner) = plain("type") else { return };
        if let Some(name) = plain("trait") {
            let kind = BaseKind::Implements;
            self.facts.bases.push(Base { class: owner.clone(), name, kind });
        }
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
            owner,
            module: self.open.iter().rev().find_map(|open| open.module.clone()),
            export: names::export(node),
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

    fn call(&mut self, node: Node<'s>) {
        let named = ["function", "name"].iter().find_map(|field| node.child_by_field_name(field));
        if named.is_some_and(|named| imports::is_import(self.language, self.text(named))) {
            return self.import(node);
        }
        let Some((qualifier, name)) = names::callee(node, self.source) else { return };
        let caller = self.open.iter().rev().find_map(|open| open.function);
        let line = node.start_position().row as u32 + 1;
        self.facts.calls.push(Call { caller, name, qualifier, line });
    }

    fn import(&mut self, node: Node<'s>) {
        let line = node.start_position().row as u32 + 1;
        for (module, names) in imports::imported(node, self.source, self.language) {
            self.facts.imports.push(Import { module, names, line });
        }
    }

    fn bases(&self, node: Node<'s>, label: Label) -> Vec<(String, BaseKind)> {
        names::bases(node, self.source)
            .into_iter()
            .map(|(name, kind)| match label {
                // What an interface builds on, it extends.
                Label::Interface => (name, BaseKind::Extends),
                _ => (name, kind),
            })
            .collect()
    }

    fn name(&self, node: Node<'s>) -> Option<String> {
        names::defined(node, self.source).filter(|name| !name.is_empty() && name.len() <= 200)
    }

    /// `A::b` in C++ and the receiver in Go tell the owner.
    fn split_owner(&self, node: Node<'s>, name: String) -> (String, Option<String>) {
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
