//! Paths as text: what may name a note, decided before the file system is touched.

use std::fmt;

use lore_core::names;

use crate::error::VaultError;

/// The path of a note inside the vault, with forward slashes, ending in `.md`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NotePath {
    folders: Vec<String>,
    name: String,
}

/// The path of a folder inside the vault; empty for the vault itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FolderPath {
    folders: Vec<String>,
}

const ENDING: &str = ".md";
const LONGEST_PATH: usize = 1024;
const LONGEST_NAME: usize = 200;
const DEEPEST: usize = 16;

impl NotePath {
    /// Parses a path. The extension `.md` is optional. Names that only some systems allow are
    /// accepted, because notes on disk have them; [`NotePath::check_portable`] is for new ones.
    pub fn parse(text: &str) -> Result<Self, VaultError> {
        let mut folders = segments(text)?;
        let name = folders.pop().ok_or_else(|| bad(text, "does not name a note"))?;
        if text.ends_with('/') {
            return Err(bad(text, "names a folder, not a note"));
        }
        let name = with_ending(text, name)?;
        Ok(Self { folders, name })
    }

    /// Fails unless every system allows a note with this path.
    pub(crate) fn check_portable(&self) -> Result<(), VaultError> {
        let text = self.to_string();
        let mut names = self.folders.iter().chain([&self.name]);
        names.try_for_each(|name| check_portable(&text, name))
    }

    /// Returns the path of a note found on disk, if its name is valid.
    pub(crate) fn found(folder: &FolderPath, name: &str) -> Option<Self> {
        let text = format!("{}{}{name}", folder, if folder.folders.is_empty() { "" } else { "/" });
        let note = Self::parse(&text).ok()?;
        (note.name == name).then_some(note)
    }

    pub(crate) fn folder(&self) -> FolderPath {
        FolderPath { folders: self.folders.clone() }
    }

    /// Returns the file name with its extension.
    pub fn file_name(&self) -> &str {
        &self.name
    }

    /// Returns the file name without its extension, which is usually the title of the note.
    pub fn title(&self) -> &str {
        self.name.get(..self.name.len() - ENDING.len()).unwrap_or(&self.name)
    }
}

impl FolderPath {
    /// Parses a path. The empty path and `.` are the vault itself.
    pub fn parse(text: &str) -> Result<Self, VaultError> {
        Ok(Self { folders: segments(text)? })
    }

    /// Fails unless every system allows a folder with this path.
    pub fn check_portable(&self) -> Result<(), VaultError> {
        let text = self.to_string();
        self.folders.iter().try_for_each(|name| check_portable(&text, name))
    }

    /// Returns the path of a note in the folder, as text.
    pub fn note(&self, name: &str) -> String {
        let names: Vec<&str> = self.names().chain([name]).collect();
        names.join("/")
    }

    pub(crate) fn below(&self, name: &str) -> Option<Self> {
        let mut folders = self.folders.clone();
        check_name(name, name).ok()?;
        folders.push(name.to_owned());
        (folders.len() <= DEEPEST).then_some(Self { folders })
    }

    /// Whether the note at a path is in the folder or below it.
    pub fn holds(&self, note: &str) -> bool {
        let mut names = note.split('/');
        self.folders.iter().all(|folder| names.next() == Some(folder)) && names.next().is_some()
    }

    /// Returns the names of the folders, from the root of the vault down.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.folders.iter().map(String::as_str)
    }
}

impl fmt::Display for NotePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for folder in &self.folders {
            write!(formatter, "{folder}/")?;
        }
        formatter.write_str(&self.name)
    }
}

impl fmt::Display for FolderPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.folders.join("/"))
    }
}

/// Splits a path at slashes and checks each part. Anything that any system could interpret as
/// leading up or out is refused on every system.
fn segments(text: &str) -> Result<Vec<String>, VaultError> {
    if text.len() > LONGEST_PATH {
        return Err(bad(text, "is too long"));
    }
    if leads_out(text) {
        return Err(VaultError::Traversal { path: shown(text) });
    }
    let names: Vec<_> = text.split('/').filter(|name| !name.is_empty() && *name != ".").collect();
    if names.len() > DEEPEST {
        return Err(bad(text, "has too many folders"));
    }
    names.iter().try_for_each(|name| check_name(text, name))?;
    Ok(names.into_iter().map(str::to_owned).collect())
}

fn leads_out(text: &str) -> bool {
    let decoded = decoded(text);
    [text, decoded.as_str()].iter().any(|text| {
        // `~/` is a home folder, but the name of a note may begin with `~`.
        let home = text.starts_with('~') && (text.contains('/') || text.len() == 1);
        let absolute = text.starts_with(['/', '\\']) || home;
        let drive = match text.as_bytes() {
            [letter, b':', rest @ ..] => {
                letter.is_ascii_alphabetic() && rest.first() != Some(&b' ')
            }
            _ => false,
        };
        let mut parts = text.split(['/', '\\', '∕', '⁄', '／', '＼', '⧸', '⧵', '\0']);
        absolute || drive || text.contains(['\\', '\0']) || parts.any(is_way_up)
    })
}

/// Whether a part is two or more dots, in any spelling or padding.
fn is_way_up(part: &str) -> bool {
    let part = part.trim_matches(|c: char| c.is_whitespace() || c.is_control());
    let dots: Option<usize> = part
        .chars()
        .map(|c| match c {
            '.' | '．' | '․' | '。' | '｡' => Some(1),
            '‥' => Some(2),
            '…' => Some(3),
            _ => None,
        })
        .sum();
    dots.is_some_and(|dots| dots >= 2)
}

/// Undoes percent-encoding, even repeated. Valid paths are not encoded, but another program may
/// decode them.
fn decoded(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..3 {
        let before = text.clone();
        for (code, character) in
            [("%25", "%"), ("%2e", "."), ("%2f", "/"), ("%5c", "\\"), ("%00", "\0")]
        {
            text = text.replace(code, character).replace(&code.to_uppercase(), character);
        }
        // Overlong encodings of dot and slash.
        for (code, character) in
            [("%c0%ae", "."), ("%c0%af", "/"), ("%c1%9c", "\\"), ("%u2215", "/")]
        {
            text = text.replace(code, character).replace(&code.to_uppercase(), character);
        }
        if text == before {
            break;
        }
    }
    text
}

fn check_name(path: &str, name: &str) -> Result<(), VaultError> {
    let problem = if name.len() > LONGEST_NAME {
        "has a name that is too long"
    } else if name.starts_with('.') {
        "has a hidden name"
    } else if name.ends_with(['.', ' ']) || name.starts_with(' ') {
        "has a name that begins or ends with a blank or dot"
    } else if name.contains('\\') || names::has_unseen(name) {
        "has characters that do not belong into names"
    } else {
        return Ok(());
    };
    Err(bad(path, problem))
}

fn check_portable(path: &str, name: &str) -> Result<(), VaultError> {
    if names::is_odd(name) {
        return Err(bad(path, "has blanks or codes that do not belong into names"));
    }
    if name.contains(['<', '>', ':', '"', '|', '?', '*']) || name.starts_with('~') {
        return Err(bad(path, "has characters that some systems do not allow in names"));
    }
    match is_reserved(name) {
        true => Err(bad(path, "has a name that some systems reserve")),
        false => Ok(()),
    }
}

fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix).is_some_and(|rest| {
            rest.chars().count() == 1
                && rest.chars().all(|c| c.is_ascii_digit() || "¹²³".contains(c))
        })
    };
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul" | "conin$" | "conout$")
        || numbered("com")
        || numbered("lpt")
}

/// Adds the extension if a name has none. Other extensions are refused.
fn with_ending(path: &str, name: String) -> Result<String, VaultError> {
    let lower = name.to_lowercase();
    if lower.ends_with(ENDING) && name.len() > ENDING.len() {
        return Ok(name);
    }
    match has_extension(&name) {
        true => Err(bad(path, "is not a note: notes end in .md")),
        false => Ok(format!("{name}{ENDING}")),
    }
}

/// Whether a name seems to end in a file extension: two to five letters and digits, the letters all
/// small or all capital. "Chapter 2.b", "Release 1.2" and "Dr.Smith" are titles.
fn has_extension(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let any = |test: fn(&u8) -> bool| ending.as_bytes().iter().any(test);
    (2..=5).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && any(u8::is_ascii_lowercase) != any(u8::is_ascii_uppercase)
}

fn bad(path: &str, problem: &'static str) -> VaultError {
    VaultError::BadName { path: shown(path), problem }
}

/// Returns a path for messages: shortened, and without characters that could disturb a terminal.
fn shown(path: &str) -> String {
    names::without_unseen(path).chars().filter(|c| !c.is_control()).take(120).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_paths_are_read() {
        let path = NotePath::parse("./People//Bill Baue.md").unwrap();
        assert_eq!((path.to_string().as_str(), path.title()), ("People/Bill Baue.md", "Bill Baue"));
        assert_eq!(NotePath::parse("People/Ada").unwrap().to_string(), "People/Ada.md");
        assert_eq!(NotePath::parse("Release 1.2").unwrap().to_string(), "Release 1.2.md");
        assert_eq!(NotePath::parse("👩\u{200d}🚀.md").unwrap().check_portable(), Ok(()));
        assert_eq!(NotePath::parse("Orte/Köln 中.md").unwrap().to_string(), "Orte/Köln 中.md");
        assert_eq!(FolderPath::parse(".").unwrap(), FolderPath::default());
        assert_eq!(FolderPath::parse("People/").unwrap().to_string(), "People");
    }

    #[test]
    fn a_dot_in_a_title_is_not_an_extension() {
        for title in ["Chapter 2.b", "Dr.Smith", "Release 1.2", "v2.0", "St.Ives", "a.longer"] {
            assert_eq!(NotePath::parse(title).unwrap().to_string(), format!("{title}.md"));
        }
        for name in ["x.txt", "X.TXT", "song.mp3", "a.7z", "page.html", "x.md.js"] {
            let refused = NotePath::parse(name);
            assert!(matches!(refused, Err(VaultError::BadName { .. })), "{name}");
        }
    }

    #[test]
    fn the_contracts_words_are_used_for_ways_out() {
        let error = NotePath::parse("../secret.md").unwrap_err().to_string();
        assert_eq!(error, "Path traversal rejected: \"../secret.md\" resolves outside vault root");
    }

    #[test]
    fn names_that_are_no_notes_are_refused() {
        for name in ["", ".", "a/", "x.txt", ".md", "a .md/", "a\u{202e}b.md"] {
            assert!(matches!(NotePath::parse(name), Err(VaultError::BadName { .. })), "{name:?}");
        }
    }

    #[test]
    fn names_that_some_systems_refuse_are_read_and_not_given() {
        for name in [
            "Why?.md",
            "A: colon.md",
            "~tilde.md",
            "CON.md",
            "ab:c.md",
            "Q/<x>.md",
            "No\u{a0}break.md",
            "Blank\u{2800}.md",
            "Icon\u{e000}.md",
        ] {
            let path = NotePath::parse(name).unwrap();
            assert_eq!(path.to_string(), name);
            assert!(path.check_portable().is_err(), "{name}");
        }
        let upper = NotePath::parse("UPPER.MD").unwrap();
        assert_eq!((upper.title(), upper.check_portable()), ("UPPER", Ok(())));
    }

    #[test]
    fn a_folder_holds_what_is_in_it_and_below() {
        let folder = FolderPath::parse("People/Old").unwrap();
        assert!(folder.holds("People/Old/Ada.md") && folder.holds("People/Old/x/Bo.md"));
        assert!(!folder.holds("People/Older/Ada.md") && !folder.holds("People/Old"));
        assert!(FolderPath::default().holds("Ada.md"));
    }
}
