//! Everyday use: writing, reading and listing notes, and watching changes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, SystemTime};

use lore_core::Effects;
use lore_vault::{
    Change, Encoding, FolderPath, Frontmatter, NotePath, Vault, VaultError, Watch, Written,
};
use tempfile::TempDir;

fn vault() -> (TempDir, Vault) {
    let folder = tempfile::tempdir().unwrap();
    let vault = Vault::open(folder.path(), Effects::system()).unwrap();
    (folder, vault)
}

fn path(text: &str) -> NotePath {
    NotePath::parse(text).unwrap()
}

#[test]
fn what_is_written_is_read_and_listed() {
    let (_folder, vault) = vault();
    let written = vault.write(&path("People/Ada Lovelace.md"), "# Ada", Frontmatter::Keep);
    assert_eq!(written, Ok(Written::Created));
    vault.write(&path("People/Below/Deep.md"), "deep", Frontmatter::Keep).unwrap();
    vault.write(&path("People/Zoë"), "z", Frontmatter::Keep).unwrap();
    assert_eq!(vault.read(&path("People/Ada Lovelace.md")).unwrap(), "# Ada");
    let listed = vault.list(&FolderPath::parse("People").unwrap()).unwrap();
    assert_eq!(listed, ["Ada Lovelace.md", "Zoë.md"]);
    let all: Vec<_> =
        vault.notes().unwrap().notes.iter().map(|note| note.path.to_string()).collect();
    assert_eq!(all, ["People/Ada Lovelace.md", "People/Zoë.md", "People/Below/Deep.md"]);
}

#[test]
fn what_is_not_there_is_said_so() {
    let (_folder, vault) = vault();
    let missing = vault.read(&path("Nobody.md"));
    assert_eq!(missing, Err(VaultError::NoteNotFound { path: "Nobody.md".into() }));
    let folder = vault.list(&FolderPath::parse("Nowhere").unwrap());
    assert_eq!(folder, Err(VaultError::FolderNotFound { path: "Nowhere".into() }));
    let gone = Vault::open(Path::new("/no/such/vault"), Effects::system()).err();
    assert!(matches!(gone, Some(VaultError::FolderNotFound { .. })));
}

#[test]
fn properties_survive_a_write_that_has_none() {
    let (_folder, vault) = vault();
    let note = path("People/Ada.md");
    let with = "---\n\"@type\": schema:Person\n---\n# Ada";
    vault.write(&note, with, Frontmatter::Keep).unwrap();
    assert_eq!(vault.write(&note, "# New", Frontmatter::Keep), Ok(Written::KeptFrontmatter));
    assert_eq!(vault.read(&note).unwrap(), "---\n\"@type\": schema:Person\n---\n# New");
    assert_eq!(vault.write(&note, "# Bare", Frontmatter::Replace), Ok(Written::Replaced));
    assert_eq!(vault.read(&note).unwrap(), "# Bare");
}

/// A text in UTF-16 with a byte order mark.
fn utf16(text: &str) -> Vec<u8> {
    "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

#[test]
fn properties_in_utf16_survive_a_write_that_has_none() {
    let (folder, vault) = vault();
    let note = path("Ada.md");
    let with = "---\naliases: [Östlund]\n---\n# Ada";
    fs::write(folder.path().join("Ada.md"), utf16(with)).unwrap();
    let read = vault.read_decoded(&note).unwrap();
    assert_eq!((read.text.as_str(), read.encoding), (with, Encoding::Utf16));
    assert_eq!(vault.write(&note, "# New", Frontmatter::Keep), Ok(Written::KeptFrontmatter));
    let now = fs::read(folder.path().join("Ada.md")).unwrap();
    assert_eq!(now, "---\naliases: [Östlund]\n---\n# New".as_bytes());
}

#[test]
fn what_cannot_be_read_is_never_overwritten_with_its_replacement() {
    let (folder, vault) = vault();
    let (note, file) = (path("Ada.md"), folder.path().join("Ada.md"));
    let refused = Err(VaultError::UnknownEncoding { path: "Ada.md".into() });
    for with in [&b"---\naliases: [L\xe4rs]\n---\n# Ada"[..], b"\xff\xfe\0\0-\0\0\0-\0\0\0"] {
        fs::write(&file, with).unwrap();
        assert_eq!(vault.write(&note, "# New", Frontmatter::Keep), refused);
        let seen = vault.read(&note).unwrap();
        assert_eq!(vault.write(&note, &seen, Frontmatter::Keep), refused);
        assert_eq!(fs::read(&file).unwrap(), with);
    }
    // What it says in the text is replaced on purpose.
    fs::write(&file, b"---\na: 1\n---\nL\xe4rs").unwrap();
    assert_eq!(vault.write(&note, "# New", Frontmatter::Keep), Ok(Written::KeptFrontmatter));
    assert_eq!(vault.read(&note).unwrap(), "---\na: 1\n---\n# New");
    fs::write(&file, b"---\na: L\xe4rs\n---\n").unwrap();
    let own = vault.write(&note, "---\na: Lärs\n---\n", Frontmatter::Keep);
    assert_eq!(own, Ok(Written::Replaced));
}

#[test]
fn readers_see_old_or_new_and_nothing_between() {
    let (folder, one) = vault();
    let two = Vault::open(folder.path(), Effects::system()).unwrap();
    let reader = Vault::open(folder.path(), Effects::system()).unwrap();
    let texts = ["a".repeat(100_000), "b".repeat(70_000)];
    one.write(&path("x.md"), &texts[0], Frontmatter::Keep).unwrap();
    std::thread::scope(|scope| {
        for (vault, text) in [(&one, &texts[0]), (&two, &texts[1])] {
            scope.spawn(move || {
                for _ in 0..150 {
                    vault.write(&path("x.md"), text, Frontmatter::Keep).unwrap();
                }
            });
        }
        for _ in 0..2000 {
            let read = reader.read(&path("x.md")).unwrap();
            assert!(texts.contains(&read), "a torn note of {} bytes", read.len());
        }
    });
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "something was left behind");
}

#[test]
fn leftovers_of_killed_writers_are_hidden_and_removed() {
    let (folder, vault) = vault();
    fs::create_dir(folder.path().join("People")).unwrap();
    fs::write(folder.path().join("People/.lorewell-x.tmp"), "half").unwrap();
    fs::write(folder.path().join("People/.other.tmp"), "not ours").unwrap();
    assert!(vault.notes().unwrap().notes.is_empty());
    assert_eq!(vault.remove_leftovers(SystemTime::UNIX_EPOCH), Ok(0));
    let later = SystemTime::now() + Duration::from_secs(60);
    assert_eq!(vault.remove_leftovers(later), Ok(1));
    assert!(folder.path().join("People/.other.tmp").exists());
}

#[test]
fn a_renamed_note_keeps_its_identity() {
    let (folder, vault) = vault();
    vault.write(&path("Old.md"), "x", Frontmatter::Keep).unwrap();
    let before = vault.notes().unwrap().notes.remove(0);
    fs::rename(folder.path().join("Old.md"), folder.path().join("New.md")).unwrap();
    let after = vault.notes().unwrap().notes.remove(0);
    assert_eq!((after.path.to_string().as_str(), after.identity), ("New.md", before.identity));
}

fn watched(vault: &Vault) -> (Watch, Receiver<Change>) {
    let (sender, receiver) = channel();
    let watch = vault.watch(move |change| drop(sender.send(change))).unwrap();
    (watch, receiver)
}

/// Waits for a change, ignoring others.
fn expect(changes: &Receiver<Change>, wanted: &Change) {
    let mut others = Vec::new();
    while let Ok(change) = changes.recv_timeout(Duration::from_secs(10)) {
        if change == *wanted {
            return;
        }
        others.push(change);
    }
    panic!("{wanted:?} was not told, only {others:?}");
}

#[test]
fn changes_by_hand_are_told() {
    let (folder, vault) = vault();
    fs::create_dir(folder.path().join("People")).unwrap();
    let (_watch, changes) = watched(&vault);
    fs::write(folder.path().join("People/Ada.md"), "by hand").unwrap();
    expect(&changes, &Change::Written(path("People/Ada.md")));
    fs::rename(folder.path().join("People/Ada.md"), folder.path().join("People/Ada L.md")).unwrap();
    expect(&changes, &Change::Renamed { from: path("People/Ada.md"), to: path("People/Ada L.md") });
    fs::remove_file(folder.path().join("People/Ada L.md")).unwrap();
    expect(&changes, &Change::Removed(path("People/Ada L.md")));
    fs::rename(folder.path().join("People"), folder.path().join("Persons")).unwrap();
    let [from, to] = ["People", "Persons"].map(|name| FolderPath::parse(name).unwrap());
    expect(&changes, &Change::FolderRenamed { from, to });
}

#[test]
fn folders_that_come_and_go_are_told() {
    let (folder, vault) = vault();
    let outside = tempfile::tempdir().unwrap();
    let (_watch, changes) = watched(&vault);
    let told = |name: &str| Change::Folder(FolderPath::parse(name).unwrap());
    fs::create_dir_all(folder.path().join("New/Deep")).unwrap();
    fs::write(folder.path().join("New/Deep/Ada.md"), "at once").unwrap();
    expect(&changes, &told("New"));
    fs::create_dir(outside.path().join("Moved")).unwrap();
    fs::write(outside.path().join("Moved/Bo.md"), "from outside").unwrap();
    fs::rename(outside.path().join("Moved"), folder.path().join("Moved")).unwrap();
    expect(&changes, &told("Moved"));
    fs::rename(folder.path().join("Moved"), outside.path().join("Back")).unwrap();
    expect(&changes, &told("Moved"));
    fs::remove_dir_all(folder.path().join("New")).unwrap();
    expect(&changes, &told("New"));
}

#[test]
fn notes_with_names_that_some_systems_refuse_are_read_and_changed_but_not_made() {
    let (folder, vault) = vault();
    for name in ["Why?.md", "A: colon.md", "~tilde.md", "UPPER.MD"] {
        fs::write(folder.path().join(name), "by hand").unwrap();
        assert_eq!(vault.read(&path(name)).unwrap(), "by hand", "{name}");
        assert_eq!(vault.write(&path(name), "new", Frontmatter::Keep), Ok(Written::Replaced));
    }
    let listed = vault.list(&FolderPath::default()).unwrap();
    assert_eq!(listed, ["A: colon.md", "UPPER.MD", "Why?.md", "~tilde.md"]);
    let made = vault.write(&path("Who?.md"), "x", Frontmatter::Keep);
    assert!(matches!(made, Err(VaultError::BadName { .. })), "{made:?}");
}

#[cfg(unix)]
#[test]
fn what_links_lead_to_is_not_watched_but_the_vault_may_be_one() {
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let place = folder.path().join("vault");
    let real = folder.path().join("real");
    fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, &place).unwrap();
    std::os::unix::fs::symlink(outside.path(), real.join("out")).unwrap();
    let vault = Vault::open(&place, Effects::system()).unwrap();
    let (_watch, changes) = watched(&vault);
    fs::write(outside.path().join("Secret.md"), "outside").unwrap();
    fs::write(real.join("Ada.md"), "inside").unwrap();
    let first = changes.recv_timeout(Duration::from_secs(10));
    assert_eq!(first, Ok(Change::Written(path("Ada.md"))));
}

#[test]
fn own_writes_are_told_once_and_reads_not_at_all() {
    let (_folder, vault) = vault();
    vault.write(&path("x.md"), "1", Frontmatter::Keep).unwrap();
    let (_watch, changes) = watched(&vault);
    vault.write(&path("x.md"), "2", Frontmatter::Keep).unwrap();
    expect(&changes, &Change::Written(path("x.md")));
    while changes.recv_timeout(Duration::from_millis(800)).is_ok() {}
    vault.read(&path("x.md")).unwrap();
    vault.notes().unwrap();
    assert_eq!(changes.recv_timeout(Duration::from_millis(800)).ok(), None);
}

/// On Unix, and unless the tests run as a user who may read everything.
#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_read_closes_no_other() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, vault) = vault();
    for note in ["Open/Ada.md", "Shut/Bo.md"] {
        vault.write(&path(note), "text", Frontmatter::Keep).unwrap();
    }
    let shut = folder.path().join("Shut");
    let allow = |mode| fs::set_permissions(&shut, fs::Permissions::from_mode(mode)).unwrap();
    allow(0o000);
    if fs::read_dir(&shut).is_ok() {
        return;
    }
    let listing = vault.notes().unwrap();
    assert_eq!(
        listing.notes.iter().map(|note| &note.path).collect::<Vec<_>>(),
        [&path("Open/Ada.md")]
    );
    assert_eq!(listing.closed, [FolderPath::parse("Shut").unwrap()]);
    assert!(listing.may_hide("Shut/Bo.md") && !listing.may_hide("Open/Bo.md"));
    assert_eq!(vault.remove_leftovers(SystemTime::now()), Ok(0));
    let denied = vault.read(&path("Shut/Bo.md"));
    assert_eq!(denied, Err(VaultError::Denied { path: "Shut/Bo.md".into() }));
    let (tell, changes) = channel();
    let _watch = vault.watch(move |change| drop(tell.send(change))).unwrap();
    fs::write(folder.path().join("Open/Cy.md"), "text").unwrap();
    assert_eq!(
        changes.recv_timeout(Duration::from_secs(10)),
        Ok(Change::Written(path("Open/Cy.md")))
    );
    allow(0o700);
}
