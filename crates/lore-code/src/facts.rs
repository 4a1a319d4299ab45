//! What is known about a file, before anything is looked up elsewhere.

use crate::Language;

/// What a file defines, imports and calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFacts {
    /// Its path from the root, with `/`.
    pub path: String,
    /// The hash of its content, by which changes are seen.
    pub content_hash: String,
    /// The scan that read it, where that is known.
    pub run: Option<String>,
    /// Its language; none for files that are only listed.
    pub language: Option<Language>,
    /// Lines.
    pub lines: u32,
    /// Bytes.
    pub bytes: u64,
    /// What it defines, in order.
    pub symbols: Vec<Symbol>,
    /// What it imports.
    pub imports: Vec<Import>,
    /// What it calls.
    pub calls: Vec<Call>,
    /// What its classes extend and implement.
    pub bases: Vec<Base>,
    /// What its classes hold.
    pub fields: Vec<Field>,
}

/// The kinds of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// A function or a method.
    Function,
    /// A class, a struct, an enum, a table.
    Class,
    /// An interface or a trait.
    Interface,
    /// A module, a namespace, a folder.
    Module,
    /// A file.
    File,
    /// An import as it is written.
    Import,
}

impl Label {
    /// Every label.
    pub const ALL: [Self; 6] =
        [Self::Function, Self::Class, Self::Interface, Self::Module, Self::File, Self::Import];

    /// The label of this name.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|label| label.name() == name)
    }

    /// Its name in the graph.
    pub fn name(self) -> &'static str {
        match self {
            Self::Function => "Function",
            Self::Class => "Class",
            Self::Interface => "Interface",
            Self::Module => "Module",
            Self::File => "File",
            Self::Import => "Import",
        }
    }
}

/// Something a file defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// What it is.
    pub label: Label,
    /// Its name.
    pub name: String,
    /// The class or interface it is a method of.
    pub owner: Option<String>,
    /// The module or namespace of the file that it is in.
    pub module: Option<String>,
    /// The number of the function it is defined in; nobody outside sees it by its name.
    pub inside: Option<usize>,
    /// What it is to those who import the file.
    pub export: Export,
    /// Whether it is written out here.
    pub body: Body,
    /// Its first line, from one.
    pub line_start: u32,
    /// Its last line.
    pub line_end: u32,
    /// Where its text starts in the file.
    pub byte_start: usize,
    /// Where its text ends.
    pub byte_end: usize,
    /// The text up to its body.
    pub signature: String,
    /// Its parameters as written.
    pub params: Option<String>,
    /// Its return type as written.
    pub return_type: Option<String>,
    /// Its comment or docstring.
    pub docstring: Option<String>,
}

/// What a symbol is to those who import its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Export {
    /// One of those that are imported by their names.
    #[default]
    Named,
    /// What comes without a name, as `export default` says.
    Default,
    /// Nothing: only its own file sees it, as `static` says in C.
    Hidden,
}

/// Whether a symbol is written out where it is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Body {
    /// It is.
    #[default]
    Here,
    /// It is only declared, as methods of C++ are in headers: another one may be it.
    Elsewhere,
}

/// An import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// What is imported, as written, without keywords and quotes.
    pub module: String,
    /// The names it brings into the file.
    pub names: Vec<Brought>,
    /// The number of the function that it is for; none when it is for the whole file.
    pub inside: Option<usize>,
    /// Its line.
    pub line: u32,
}

/// A name that an import brings into a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brought {
    /// The path that leads to it, as the language writes paths.
    pub path: String,
    /// What it is called there: [`Brought::ALL`] and [`Brought::DEFAULT`] have no name.
    pub name: String,
    /// What it is called here; [`Brought::ALL`] when it brings many names.
    pub local: String,
}

impl Brought {
    /// Everything there is.
    pub const ALL: &'static str = "*";
    /// The path of what a file has itself and gives to others under another name.
    pub const OWN: &'static str = "";
    /// What a file exports without a name.
    pub const DEFAULT: &'static str = "default";
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Call {
    /// The number of the calling symbol; none at the top of the file.
    pub caller: Option<usize>,
    /// What is called.
    pub name: String,
    /// What it is called on or through.
    pub through: Through,
    /// How many arguments it gets, where functions of one name are told apart by that.
    pub arguments: Option<u8>,
    /// Its line.
    pub line: u32,
}

/// What something is called on or through.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Through {
    /// Nothing: its name stands alone.
    Nothing,
    /// A name, after what leads to that, as in `a::b`.
    Path(String),
    /// A value that could be anything.
    Value,
    /// A value of a known type: its path, `A+B` where it is several, or how it comes about, as
    /// in `f()`, `m::f()`, `T.f()` and `T.field`.
    Of(String),
    /// The class that the call is written in, outside of its methods.
    Inside(String),
}

/// A field of a class, of which something is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The class; none where a type has another name.
    pub class: String,
    /// Its name; as in `<0>` the number of a type that the class is made with, and before `()`
    /// that of something that is made with each thing of the class.
    pub name: String,
    /// Its type, as in [`Through::Of`].
    pub kind: String,
}

/// A class and something it builds on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// The class.
    pub class: String,
    /// What it builds on, after what leads to that, as in `a::b`.
    pub name: String,
    /// How.
    pub kind: BaseKind,
}

/// How a class builds on something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BaseKind {
    /// By inheritance.
    Extends,
    /// By implementing it.
    Implements,
}
