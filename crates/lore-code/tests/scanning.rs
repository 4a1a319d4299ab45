//! Scanning folders and fetching repositories.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use lore_code::{
    FileFacts, FolderError, GitError, GitLimits, Remote, ScanJob, ScanReport, SourceLimits,
    scan_folder, sync,
};

/// Everything a scan told.
struct Scan {
    files: BTreeMap<String, FileFacts>,
    report: ScanReport,
}

#[test]
fn a_second_scan_parses_only_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "src/a.rs", "fn one() {}");
    write(folder.path(), "src/b.rs", "fn two() {}");
    write(folder.path(), "gone.py", "def three(): pass");
    let first = scan(folder.path(), BTreeMap::new());
    assert_eq!(first.report.parsed.len(), 3);
    write(folder.path(), "src/a.rs", "fn four() {}");
    fs::remove_file(folder.path().join("gone.py")).unwrap();
    let second = scan(folder.path(), first.files.clone());
    assert_eq!(second.report.parsed, ["src/a.rs"]);
    assert_eq!(second.report.removed, ["gone.py"]);
    assert_eq!(second.report.unchanged, 1);
    assert_eq!(second.files["src/a.rs"].symbols[0].name, "four");
    assert_eq!(second.files["src/b.rs"], first.files["src/b.rs"]);
}

#[test]
fn foreign_large_and_unreadable_files_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "ok.py", "def f(): pass");
    write(folder.path(), "node_modules/x/index.js", "function g() {}");
    write(folder.path(), "ignored/x.py", "def h(): pass");
    write(folder.path(), ".gitignore", "ignored/\n");
    write(folder.path(), "large.py", &"x = 1\n".repeat(200_000));
    fs::write(folder.path().join("binary.py"), [0xff, 0xfe, 0x00]).unwrap();
    let scan = scan(folder.path(), BTreeMap::new());
    assert_eq!(scan.files.keys().collect::<Vec<_>>(), ["ok.py"]);
    let skipped: Vec<_> = scan.report.skipped.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(skipped, ["binary.py", "large.py"]);
}

#[cfg(unix)]
#[test]
fn links_lead_nowhere() {
    let outside = tempfile::tempdir().unwrap();
    write(outside.path(), "secret.py", "def secret(): pass");
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("link")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.py"), folder.path().join("s.py"))
        .unwrap();
    assert!(scan(folder.path(), BTreeMap::new()).files.is_empty());
}

#[test]
fn a_repository_is_cloned_and_brought_up_to_date_without_its_hooks() {
    let origin = tempfile::tempdir().unwrap();
    let git = |words: &[&str]| {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        let done =
            Command::new("git").current_dir(origin.path()).args(identity).args(words).output();
        assert!(done.unwrap().status.success(), "{words:?}");
    };
    git(&["init", "--quiet", "--initial-branch=main"]);
    write(origin.path(), "a.py", "def a(): pass");
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "one"]);
    let copies = tempfile::tempdir().unwrap();
    let copy = copies.path().join("copy");
    let address = origin.path().to_str().unwrap();
    let remote = Remote { address, branch: Some("main"), at: &[] };
    let fetch = || sync(remote, &copy, &GitLimits::default(), &AtomicBool::new(false));
    let first = fetch().unwrap();
    assert_eq!(first.head.len(), 40);
    let hook = copy.join(".git/hooks/post-checkout");
    write(&copy, ".git/hooks/post-checkout", "#!/bin/sh\ntouch ran\n");
    #[cfg(unix)]
    fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    write(origin.path(), "b.py", "def b(): pass");
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "two"]);
    let second = fetch().unwrap();
    assert_ne!(first.head, second.head);
    assert!(copy.join("b.py").exists());
    assert!(!copy.join("ran").exists());
    // A lock that a killed git left behind does not keep a copy from being renewed.
    write(&copy, ".git/index.lock", "");
    let preferred = Remote { address, branch: None, at: &[] };
    let third = sync(preferred, &copy, &GitLimits::default(), &AtomicBool::new(false)).unwrap();
    assert_eq!(third.head, second.head);
    assert!(!copy.join(".git/index.lock").exists());
}

#[test]
fn addresses_and_branches_that_are_options_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let fetch = |address: &str, branch: &str| {
        let copy = folder.path().join("copy");
        let remote = Remote { address, branch: Some(branch), at: &[] };
        sync(remote, &copy, &GitLimits::default(), &AtomicBool::new(false))
    };
    let addresses = [
        "--upload-pack=touch /tmp/x",
        "ext::sh -c touch% /tmp/x",
        "ssh://-oProxyCommand=x/y",
        "http://example.org/a",
        "git://example.org/a",
        "relative/path",
        "https://example.org/a b",
    ];
    for address in addresses {
        assert!(matches!(fetch(address, "main"), Err(GitError::Refused(_))), "{address}");
    }
    for branch in ["-x", "", "a..b", "--all", "a b", "../x"] {
        let refused = fetch("https://example.org/a/b", branch);
        assert!(matches!(refused, Err(GitError::Refused(_))), "{branch}");
    }
}

#[test]
fn a_folder_that_is_too_large_is_refused_before_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..30 {
        write(folder.path(), &format!("f{number}.txt"), "no source");
        write(folder.path(), &format!("f{number}.py"), "def f(): pass");
    }
    let refused = |limits: SourceLimits| {
        job(folder.path(), &BTreeMap::new(), &AtomicBool::new(false), |job| {
            let job = ScanJob { limits, ..*job };
            scan_folder(&job, &|_| panic!("it was read"))
        })
    };
    let limits = SourceLimits::default();
    assert_eq!(refused(SourceLimits { files: 20, ..limits }), Err(FolderError::TooMany(20)));
    assert_eq!(refused(SourceLimits { entries: 40, ..limits }), Err(FolderError::TooMany(40)));
}

#[test]
fn who_has_enough_stops_the_scan() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..50 {
        write(folder.path(), &format!("f{number}.py"), "def f(): pass");
    }
    let job = job(folder.path(), &BTreeMap::new(), &AtomicBool::new(false), |job| {
        scan_folder(job, &|_| ControlFlow::Break(()))
    });
    assert_eq!(job, Err(FolderError::Cancelled));
}

fn scan(folder: &Path, before: BTreeMap<String, FileFacts>) -> Scan {
    let known = before.iter().map(|(path, facts)| (path.clone(), facts.content_hash.clone()));
    let files = Mutex::new(before.clone());
    let report = job(folder, &known.collect(), &AtomicBool::new(false), |job| {
        scan_folder(job, &|source| {
            files.lock().unwrap().insert(source.facts.path.clone(), source.facts);
            ControlFlow::Continue(())
        })
    })
    .unwrap();
    let mut files = files.into_inner().unwrap();
    files.retain(|path, _| !report.removed.contains(path));
    Scan { files, report }
}

fn job<T>(
    root: &Path,
    known: &BTreeMap<String, String>,
    cancel: &AtomicBool,
    run: impl FnOnce(&ScanJob<'_>) -> T,
) -> T {
    run(&ScanJob { root, known, limits: SourceLimits::default(), cancel, progress: &|_, _| {} })
}

fn write(folder: &Path, path: &str, text: &str) {
    let file = folder.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}
