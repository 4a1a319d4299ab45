//! Programming languages, and how a file's language is detected.

/// A supported language.
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
    /// Every language, in the order of their numbers.
    pub(crate) const ALL: [Self; 11] = [
        Self::Rust,
        Self::Python,
        Self::JavaScript,
        Self::TypeScript,
        Self::Tsx,
        Self::Go,
        Self::Java,
        Self::C,
        Self::Cpp,
        Self::Sql,
        Self::Shell,
    ];

    /// Returns the language of a file by its extension.
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

    /// Returns the language of a file by its extension, and for `.h` files by the text, because C++
    /// headers often have the extension of C.
    pub fn of_text(path: &str, text: &str) -> Option<Self> {
        let named = Self::of(path)?;
        let is_header = path.ends_with(".h") || path.ends_with(".H");
        Some(if is_header && text.lines().any(is_of_cpp) { Self::Cpp } else { named })
    }

    /// Returns its name in the graph.
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

    /// Whether code in one language can call code in the other.
    pub(crate) fn is_compatible_with(self, other: Self) -> bool {
        self.family() == other.family()
    }

    /// Whether it is JavaScript or TypeScript.
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

/// Whether a line is C++ and not C.
fn is_of_cpp(line: &str) -> bool {
    const WORDS: [&str; 6] =
        ["public:", "private:", "protected:", "template<", "template <", "using namespace "];
    let line = line.trim();
    let names_one = |word: &str| {
        let named = line.strip_prefix(word).unwrap_or_default();
        // The words also occur in comments.
        named.contains(['{', ';', ':']) || named.split_whitespace().count() == 1
    };
    WORDS.iter().any(|word| line.starts_with(word))
        || names_one("class ")
        || names_one("namespace ")
        || is_code(line) && speaks_cpp(line)
}

fn is_code(line: &str) -> bool {
    !["//", "/*", "*"].iter().any(|start| line.starts_with(start))
}

/// Whether a line of code uses C++ syntax: namespace members, methods, constructors, inheritance.
fn speaks_cpp(line: &str) -> bool {
    const SIGNS: [&str; 6] =
        ["std::", ") const {", ") const;", ") override", "= default;", "= delete;"];
    let starts = ["virtual ", "explicit ", "friend "].iter().any(|word| line.starts_with(word));
    let inherits = line.starts_with("struct ")
        && line.split_once('{').is_some_and(|(head, _)| head.contains(" : "));
    starts || inherits || SIGNS.iter().any(|sign| line.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_by_language_have_a_place_for_each() {
        for (place, language) in Language::ALL.into_iter().enumerate() {
            assert_eq!(language as usize, place);
        }
        // The last language of the enum is in the list.
        assert_eq!(Language::Shell as usize + 1, Language::ALL.len());
    }

    #[test]
    fn a_header_is_of_the_language_that_it_speaks() {
        let of = |text| Language::of_text("a/b.h", text);
        for text in [
            "#pragma once\nnamespace geo {\n}\n",
            "class Shape\n{\n};\n",
            "class Hpp { public: void m(); int n() { return 1; } };\n",
            "struct A {\n public:\n  int a;\n};\n",
            "template <typename T>\nT make(T t);\n",
            "struct Cfg {\n  bool ok() const { return true; }\n};\n",
            "struct Two : Cfg {\n  int n;\n};\n",
            "struct S {\n  std::string name;\n};\n",
        ] {
            assert_eq!(of(text), Some(Language::Cpp), "{text}");
        }
        for text in [
            "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint add(int a, int b);\n",
            "/* The\n   class of numbers (all of them) is closed. */\nstruct a { int class; };\n",
            "int class = 1;\nint namespace;\nclass of numbers\n",
            "// see std::string\nstruct a { unsigned b : 3; };\nint f(const char *x);\n",
        ] {
            assert_eq!(of(text), Some(Language::C), "{text}");
        }
        assert_eq!(Language::of_text("a.c", "class A {\n};\n"), Some(Language::C));
    }
}
