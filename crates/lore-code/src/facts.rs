//! What is known about a file from its text alone, before names are resolved.

use crate::Language;

/// What a file defines, imports and calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFacts {
    /// The path relative to the root, with `/` as separator.
    pub path: String,
    /// The hash of the content, used to detect changes.
    pub content_hash: String,
    /// The scan that read the file, if known.
    pub run: Option<String>,
    /// The language; `None` for files that are listed without being parsed.
    pub language: Option<Language>,
    /// The number of lines.
    pub lines: u32,
    /// The size in bytes.
    pub bytes: u64,
    /// The symbols it defines, in source order.
    pub symbols: Vec<Symbol>,
    /// The imports.
    pub imports: Vec<Import>,
    /// The calls.
    pub calls: Vec<Call>,
    /// The base types of its classes.
    pub bases: Vec<Base>,
    /// The fields of its classes, and type aliases.
    pub fields: Vec<Field>,
}

/// The kinds of nodes of the code graph.
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
    /// An import, as written.
    Import,
}

impl Label {
    /// Every label.
    pub const ALL: [Self; 6] =
        [Self::Function, Self::Class, Self::Interface, Self::Module, Self::File, Self::Import];

    /// Returns the label with this name.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|label| label.name() == name)
    }

    /// Returns its name in the graph.
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

/// A definition in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its kind.
    pub label: Label,
    /// Its name.
    pub name: String,
    /// The class or interface it is a method of.
    pub owner: Option<String>,
    /// The module or namespace inside the file that contains it.
    pub module: Option<String>,
    /// The index of the function it is defined in; it cannot be reached by name from outside of
    /// that.
    pub inside: Option<usize>,
    /// How files that import this one see it.
    pub export: Export,
    /// Whether it is defined here or only declared.
    pub body: Body,
    /// The first line, counted from one.
    pub line_start: u32,
    /// The last line.
    pub line_end: u32,
    /// The byte offset where it starts.
    pub byte_start: usize,
    /// The byte offset where it ends.
    pub byte_end: usize,
    /// The text before the body.
    pub signature: String,
    /// The parameters, as written.
    pub params: Option<String>,
    /// The return type, as written.
    pub return_type: Option<String>,
    /// The doc comment or docstring.
    pub docstring: Option<String>,
}

/// How a symbol is visible to files that import its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Export {
    /// It is imported by its name.
    #[default]
    Named,
    /// It is the default export, as in `export default`.
    Default,
    /// It is visible in its own file only, like a `static` function in C.
    Hidden,
}

/// Whether a symbol is defined or only declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Body {
    /// It is defined here.
    #[default]
    Here,
    /// It is only declared, like a C++ method in a header; the definition may be elsewhere.
    Elsewhere,
}

/// An import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The imported module, as written, without keywords and quotes.
    pub module: String,
    /// The names that become available in the file.
    pub names: Vec<ImportedName>,
    /// The index of the function the import is limited to; `None` if it applies to the whole file.
    pub inside: Option<usize>,
    /// The line.
    pub line: u32,
}

/// A name that an import makes available in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedName {
    /// The path to it, in the language's own notation.
    pub path: String,
    /// The name in the imported module, or [`ImportedName::ALL`], or [`ImportedName::DEFAULT`].
    pub name: String,
    /// The name in the importing file; [`ImportedName::ALL`] if all names are imported.
    pub local: String,
}

impl ImportedName {
    /// Stands for all names, or for the module as a whole.
    pub const ALL: &'static str = "*";
    /// The path of a re-export: the file exports a symbol of its own under another name.
    pub const OWN: &'static str = "";
    /// Stands for the default export of a file.
    pub const DEFAULT: &'static str = "default";
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Call {
    /// The index of the calling function; `None` at the top level of the file.
    pub caller: Option<usize>,
    /// The name of the called function.
    pub name: String,
    /// What it is called on or through.
    pub through: Through,
    /// The number of arguments, in languages where that selects an overload.
    pub arguments: Option<u8>,
    /// The line.
    pub line: u32,
}

/// The receiver or the path of a call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Through {
    /// Neither: the name stands alone.
    Nothing,
    /// A name or a path such as `a::b`.
    Path(String),
    /// A value of unknown type.
    Value,
    /// A value of a known type. The string is the path of the type, `A+B` for several bounds, `[T]`
    /// for a container of `T`, or an expression to be resolved when linking, such as `f()`,
    /// `m::f()`, `T.f()` and `T.field`. In these, `[]` stands for an element, `?` for the content
    /// of an `Option` or `Result`, and `.<0>` for the bounds of the first type parameter.
    Of(String),
    /// No receiver, but the call is written directly in this class, outside its methods.
    Inside(String),
}

/// A field of a class whose type is known, or a type alias.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The class; empty for a type alias.
    pub class: String,
    /// The name of the field. `<0>` holds the bound of the class's first type parameter, and
    /// `name()` the class whose constructor runs for the field `name`.
    pub name: String,
    /// The type, in the form of [`Through::Of`].
    pub kind: String,
}

/// A class and one of its base types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// The name of the class.
    pub class: String,
    /// The name or path of the base type, such as `a::b`.
    pub name: String,
    /// The kind of relation.
    pub kind: BaseKind,
}

/// How a class is related to a base type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BaseKind {
    /// It inherits from it.
    Extends,
    /// It implements it.
    Implements,
}
