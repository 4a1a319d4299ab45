//! Languages, by the names of files.

/// A language that is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Rust.
    Rust,
    /// Python.
    Python,
    /// JavaScript, with JSX.
    JavaScript,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// Go.
    Go,
    /// Java.
    Java,
    /// C.
    C,
    /// C++.
    Cpp,
    /// SQL: tables, views and functions.
    Sql,
    /// Shell functions.
    Shell,
}

impl Language {
    /// The language of a file, told by its name.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next()?;
        let (_, ending) = name.rsplit_once('.')?;
        Some(match ending.to_ascii_lowercase().as_str() {
            "rs" => Self::Rust,
            "py" | "pyi" => Self::Python,
            "js" | "jsx" | "mjs" | "cjs" => Self::JavaScript,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "go" => Self::Go,
            "java" => Self::Java,
            "c" | "h" => Self::C,
            "cc" | "cpp" | "cxx" | "hpp" | "hh" | "hxx" => Self::Cpp,
            "sql" => Self::Sql,
            "sh" | "bash" => Self::Shell,
            _ => return None,
        })
    }

    /// Its name in the graph.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Python => "python",
            Self::JavaScript => "javascript",
            Self::TypeScript | Self::Tsx => "typescript",
            Self::Go => "go",
            Self::Java => "java",
            Self::C => "c",
            Self::Cpp => "cpp",
            Self::Sql => "sql",
            Self::Shell => "shell",
        }
    }

    /// Whether code of one can call code of the other.
    pub(crate) fn speaks_with(self, other: Self) -> bool {
        self.family() == other.family()
    }

    /// Whether it is JavaScript, or becomes that.
    pub(crate) fn is_script(self) -> bool {
        matches!(self, Self::JavaScript | Self::TypeScript | Self::Tsx)
    }

    fn family(self) -> u8 {
        match self {
            Self::Rust => 0,
            Self::Python => 1,
            Self::JavaScript | Self::TypeScript | Self::Tsx => 2,
            Self::Go => 3,
            Self::Java => 4,
            Self::C | Self::Cpp => 5,
            Self::Sql => 6,
            Self::Shell => 7,
        }
    }

    pub(crate) fn grammar(self) -> tree_sitter::Language {
        match self {
            Self::Rust => tree_sitter_rust::LANGUAGE.into(),
            Self::Python => tree_sitter_python::LANGUAGE.into(),
            Self::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Self::Go => tree_sitter_go::LANGUAGE.into(),
            Self::Java => tree_sitter_java::LANGUAGE.into(),
            Self::C => tree_sitter_c::LANGUAGE.into(),
            Self::Cpp => tree_sitter_cpp::LANGUAGE.into(),
            Self::Sql => tree_sitter_sequel::LANGUAGE.into(),
            Self::Shell => tree_sitter_bash::LANGUAGE.into(),
        }
    }
}
