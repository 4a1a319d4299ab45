//! Hundreds of paths, links and races that would lead out of the vault. A secret next to it must
//! never be read, and nothing next to it may change.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use lore_core::Effects;
use lore_vault::{FolderPath, Frontmatter, LARGEST_NOTE, NotePath, Vault, VaultError};
use tempfile::TempDir;

const SECRET: &str = "the secret beside the vault";

/// A vault with a note, and secrets around it.
struct Place {
    outside: TempDir,
    vault: Vault,
}

fn place() -> Place {
    let outside = tempfile::tempdir().unwrap();
    for folder in ["vault/People", "vault-sibling", "elsewhere"] {
        fs::create_dir_all(outside.path().join(folder)).unwrap();
    }
    for secret in ["secret.md", "vault-sibling/secret.md", "elsewhere/secret.md"] {
        fs::write(outside.path().join(secret), SECRET).unwrap();
    }
    fs::write(outside.path().join("vault/People/Ada.md"), "Ada").unwrap();
    let vault = Vault::open(&outside.path().join("vault"), Effects::system()).unwrap();
    Place { outside, vault }
}

impl Place {
    fn inside(&self, path: &str) -> PathBuf {
        self.outside.path().join("vault").join(path)
    }

    fn read(&self, path: &str) -> Result<String, VaultError> {
        self.vault.read(&NotePath::parse(path)?)
    }

    fn write(&self, path: &str) -> Result<(), VaultError> {
        self.vault.write(&NotePath::parse(path)?, "overwritten", Frontmatter::Keep).map(|_| ())
    }

    fn list(&self, path: &str) -> Result<Vec<String>, VaultError> {
        self.vault.list(&FolderPath::parse(path)?)
    }

    /// Returns the files next to the vault with their contents.
    fn surroundings(&self) -> BTreeSet<(PathBuf, Vec<u8>)> {
        files(self.outside.path(), &self.outside.path().join("vault"))
    }

    /// Reads, writes and lists `path`; nothing may leak.
    fn attack(&self, path: &str) {
        let read = self.read(path);
        assert!(
            read.as_ref().map_or(true, |text| !text.contains(SECRET)),
            "read {path:?}: {read:?}"
        );
        let _ = self.write(path);
        let listed = self.list(path).unwrap_or_default();
        assert!(!listed.iter().any(|name| name.contains("secret")), "listed {path:?}: {listed:?}");
    }
}

fn files(folder: &Path, without: &Path) -> BTreeSet<(PathBuf, Vec<u8>)> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path == without {
            continue;
        }
        if path.is_dir() {
            found.insert((path.clone(), Vec::new()));
            found.extend(files(&path, without));
        } else {
            let bytes = fs::read(&path).unwrap();
            found.insert((path, bytes));
        }
    }
    found
}

const UPS: &[&str] = &[
    "..",
    ".. ",
    " ..",
    "...",
    "....",
    "..\t",
    "%2e%2e",
    "%2E%2E",
    "%2e.",
    ".%2e",
    "%252e%252e",
    "%25252e%25252e",
    "．．",
    "․․",
    "‥",
    "…",
    "。。",
    "..%00",
    "..\u{0}",
    "%c0%ae%c0%ae",
];

const OTHERS: &[&str] = &[
    "/etc/passwd",
    "/etc/hostname.md",
    "//etc/passwd",
    "~/secret.md",
    "~root/x.md",
    "C:\\secret.md",
    "C:secret.md",
    "c:/secret.md",
    "\\\\server\\share\\x.md",
    "//server/share/x.md",
    "\\\\.\\pipe\\x",
    "/proc/self/environ",
    "/proc/self/cwd/secret.md",
    "/dev/stdin",
    "/dev/null",
    "/dev/fd/0",
    "People/../../secret.md",
    "People/../../vault-sibling/secret.md",
    "../vault-sibling/secret.md",
    "../vault/../secret.md",
    "../vault/People/Ada.md",
    "./../secret.md",
    "././.././secret.md",
    "People/./../../secret.md",
    "secret.md\u{0}.md",
    "\u{0}",
    "People/Ada.md\u{0}../../secret.md",
    "..;/secret.md",
    "..//..//secret.md",
    "....//....//secret.md",
    "..././..././secret.md",
    "People\\..\\..\\secret.md",
    "CON",
    "NUL.md",
    "aux.md",
    "com1.md",
    "LPT9",
    "x.md:stream",
    "x.md::$DATA",
    ".hidden.md",
    ".git/config",
    ".obsidian/x.md",
    "a\nb.md",
    "a\rb.md",
    "a\u{1b}[0m.md",
    "a\u{202e}dm.md",
    "a\u{200b}.md",
    "\u{feff}../secret.md",
    "People/Ada.md/",
    "People/Ada.md/..",
    "x.md/../../secret.md",
    "*.md",
    "?.md",
    "a|b.md",
    "<a>.md",
    "\"a\".md",
    " ",
    ".",
    "",
    "/",
    "\\",
    "secret.md.",
    "secret.md ",
    "$HOME/secret.md",
    "${HOME}/x.md",
    "`id`.md",
    "$(id).md",
    "-rf.md",
    "%00",
    "%0a",
    "%2e%2e%2fsecret.md",
    "..%u2215secret.md",
    "&#46;&#46;/secret.md",
];

/// Returns paths that lead up, in all spellings, before and between harmless parts.
fn hostile_paths(outside: &Path) -> BTreeSet<String> {
    let slashes = ["/", "\\", "%2f", "%5c", "%252f", "//", "/./", "∕", "／", "%c0%af", "\\/"];
    let mut paths: BTreeSet<String> = BTreeSet::new();
    for up in UPS {
        for slash in slashes {
            paths.insert(format!("{up}{slash}secret.md"));
            paths.insert(format!("People{slash}{up}{slash}{up}{slash}secret.md"));
        }
        paths.insert((*up).to_owned());
    }
    let whole = outside.to_string_lossy();
    for absolute in [
        format!("{whole}/secret.md"),
        format!("/{whole}/secret.md"),
        format!("file://{whole}/secret.md"),
        format!("\\\\?\\{whole}/secret.md"),
        format!("~{whole}/secret.md"),
        format!("%2f{whole}/secret.md"),
        format!(".{whole}/../secret.md"),
        format!("{whole}/vault/../secret.md"),
    ] {
        paths.insert(absolute);
    }
    paths.extend(OTHERS.iter().map(|path| (*path).to_owned()));
    paths.insert("a/".repeat(2000) + "x.md");
    paths.insert("x".repeat(4096) + ".md");
    paths.insert("../".repeat(300) + "etc/passwd");
    paths.insert("é".repeat(150) + ".md");
    paths
}

#[test]
fn no_path_leads_out() {
    let place = place();
    let before = place.surroundings();
    let paths = hostile_paths(place.outside.path());
    assert!(paths.len() >= 400, "only {} paths", paths.len());
    for path in &paths {
        place.attack(path);
    }
    assert_eq!(place.surroundings(), before);
    assert_eq!(place.read("People/Ada.md").unwrap(), "Ada", "a hostile path changed another note");
}

#[test]
fn ways_up_are_refused_in_the_contracts_words_before_the_disk_is_touched() {
    let place = place();
    for path in [
        "../secret.md",
        "People/../../secret.md",
        "/etc/passwd",
        "..\\x.md",
        "%2e%2e/x.md",
        "C:\\x",
    ] {
        let text = |error: VaultError| error.to_string();
        let expected = format!("Path traversal rejected: \"{path}\" resolves outside vault root");
        assert_eq!(place.read(path).map_err(text), Err(expected.clone()));
        assert_eq!(place.write(path).map_err(text), Err(expected.clone()));
        assert_eq!(place.list(path).map_err(text), Err(expected));
    }
}

#[test]
fn no_link_leads_out() {
    let place = place();
    let outside = place.outside.path();
    let links = [
        ("file.md", outside.join("secret.md")),
        ("up.md", PathBuf::from("../secret.md")),
        ("sibling.md", PathBuf::from("../vault-sibling/secret.md")),
        ("folder", outside.join("elsewhere")),
        ("sibling", PathBuf::from("../vault-sibling")),
        ("parent", PathBuf::from("..")),
        ("root", PathBuf::from("/")),
        ("inner.md", PathBuf::from("People/Ada.md")),
        ("inner", PathBuf::from("People")),
        ("dangling.md", PathBuf::from("nowhere.md")),
        ("dangling", outside.join("made-by-write")),
        ("loop.md", PathBuf::from("loop.md")),
        ("loop", PathBuf::from("loop")),
        ("self", PathBuf::from(".")),
        ("proc.md", PathBuf::from("/proc/self/environ")),
        ("cwd", PathBuf::from("/proc/self/cwd")),
        ("People/deep.md", PathBuf::from("../../secret.md")),
        ("People/deep", PathBuf::from("../..")),
        ("chain0", outside.join("elsewhere")),
        ("device.md", PathBuf::from("/dev/zero")),
        ("tty.md", PathBuf::from("/dev/tty")),
        ("fd.md", PathBuf::from("/dev/stdin")),
    ];
    for (name, target) in &links {
        symlink(target, place.inside(name)).unwrap();
    }
    for number in 1..40 {
        symlink(format!("chain{}", number - 1), place.inside(&format!("chain{number}"))).unwrap();
    }
    let before = place.surroundings();
    for (name, _) in &links {
        place.attack(name);
        for below in
            ["secret.md", "secret", "vault/../secret.md", "new/note.md", "elsewhere/secret.md"]
        {
            place.attack(&format!("{name}/{below}"));
        }
    }
    (0..40).for_each(|number| place.attack(&format!("chain{number}/secret.md")));
    assert_eq!(place.surroundings(), before);
    let found = place.vault.notes().unwrap().notes;
    assert!(!found.iter().any(|note| note.path.to_string().contains("secret")), "{found:?}");
}

#[test]
fn hard_links_pipes_sockets_and_giants_are_no_notes() {
    let place = place();
    fs::hard_link(place.outside.path().join("secret.md"), place.inside("hard.md")).unwrap();
    assert!(Command::new("mkfifo").arg(place.inside("pipe.md")).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(place.inside("socket.md")).unwrap();
    fs::create_dir(place.inside("folder.md")).unwrap();
    fs::File::create(place.inside("giant.md")).unwrap().set_len(10 << 30).unwrap();
    let before = place.surroundings();
    let begin = Instant::now();
    for name in ["hard.md", "pipe.md", "socket.md", "folder.md"] {
        assert!(matches!(place.read(name), Err(VaultError::NotANote { .. })), "{name}");
        assert!(matches!(place.write(name), Err(VaultError::NotANote { .. })), "{name}");
    }
    assert!(matches!(place.read("giant.md"), Err(VaultError::Giant { .. })));
    assert!(begin.elapsed() < Duration::from_secs(2), "something waited");
    assert_eq!(place.surroundings(), before);
    assert_eq!(place.list(".").unwrap(), ["giant.md"]);
    let large = "x".repeat(usize::try_from(LARGEST_NOTE).unwrap() + 1);
    let path = NotePath::parse("large.md").unwrap();
    let refused = place.vault.write(&path, &large, Frontmatter::Keep);
    assert!(matches!(refused, Err(VaultError::TooLarge { .. })));
}

/// Runs attempts while another thread swaps `name` for a link to something outside and back.
fn while_swapping(place: &Place, name: &str, outside: &Path, mut attempt: impl FnMut(&Place)) {
    let stop = Arc::new(AtomicBool::new(false));
    let (real, parked) = (place.inside(name), place.inside(&format!("{name}.parked")));
    let (target, stopped) = (outside.to_owned(), stop.clone());
    let swapper = std::thread::spawn(move || {
        while !stopped.load(Ordering::Relaxed) {
            let _ = fs::rename(&real, &parked);
            let _ = symlink(&target, &real);
            let _ = fs::remove_file(&real);
            let _ = fs::rename(&parked, &real);
        }
    });
    for _ in 0..20_000 {
        attempt(place);
    }
    stop.store(true, Ordering::Relaxed);
    swapper.join().unwrap();
}

#[test]
fn swapping_folders_for_links_wins_nothing() {
    let place = place();
    let before = place.surroundings();
    fs::write(place.inside("People/secret.md"), "inside").unwrap();
    while_swapping(&place, "People", &place.outside.path().join("elsewhere"), |place| {
        if let Ok(text) = place.read("People/secret.md") {
            assert_ne!(text, SECRET);
        }
        let _ = place.list("People");
    });
    assert_eq!(place.surroundings(), before);
}

#[test]
fn swapping_files_for_links_wins_nothing() {
    let place = place();
    let before = place.surroundings();
    while_swapping(&place, "People/Ada.md", &place.outside.path().join("secret.md"), |place| {
        if let Ok(text) = place.read("People/Ada.md") {
            assert_ne!(text, SECRET);
        }
    });
    assert_eq!(place.surroundings(), before);
}

#[test]
fn writing_while_folders_are_swapped_stays_inside() {
    let place = place();
    let before = place.surroundings();
    let mut count = 0;
    while_swapping(&place, "People", &place.outside.path().join("elsewhere"), |place| {
        count += 1;
        // Writing is durable and therefore slow, so only every fortieth attempt writes.
        if count % 40 == 0 {
            // Whether this succeeds depends on the race.
            let _ = place.write("People/new.md");
        }
    });
    assert_eq!(place.surroundings(), before);
    place.write("People/new.md").expect("the folder is itself again");
}

#[test]
fn a_renamed_vault_stays_the_same_vault() {
    let place = place();
    let away = place.outside.path().join("away");
    fs::rename(place.outside.path().join("vault"), &away).unwrap();
    symlink(place.outside.path().join("elsewhere"), place.outside.path().join("vault")).unwrap();
    assert_eq!(place.read("People/Ada.md").unwrap(), "Ada");
    assert!(matches!(place.read("secret.md"), Err(VaultError::NoteNotFound { .. })));
}
