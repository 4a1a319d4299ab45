//! Scans folders and fetches repositories.

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
    Budget, FileFacts, FolderError, GitError, GitLimits, Remote, ScanJob, ScanReport, SourceLimits,
    Unread, extract_within, scan_folder, sync,
};

/// The result of a scan, with the facts of all files.
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
    #[cfg(unix)]
    std::os::unix::fs::symlink("a.py", origin.path().join("link.py")).unwrap();
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
    // A link stays a link and is not read.
    assert_eq!(scan(&copy, BTreeMap::new()).report.parsed, ["a.py", "b.py"]);
    assert!(!copy.join("ran").exists());
    // A lock left behind by a killed git does not prevent a new copy.
    write(&copy, ".git/index.lock", "");
    let preferred = Remote { address, branch: None, at: &[] };
    let third = sync(preferred, &copy, &GitLimits::default(), &AtomicBool::new(false)).unwrap();
    assert_eq!(third.head, second.head);
    assert!(!copy.join(".git/index.lock").exists());
}

/// Pipes and devices with the names of files that are read; the scan must not block on them.
#[cfg(unix)]
#[test]
fn pipes_and_devices_are_not_read() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "ok.py", "def f(): pass");
    write(folder.path(), "sub/ok.py", "def g(): pass");
    write(folder.path(), "link/ok.py", "def h(): pass");
    for path in [".gitignore", "sub/.ignore", "pipe.py"] {
        pipe(&folder.path().join(path));
    }
    fs::create_dir_all(folder.path().join(".git/info")).unwrap();
    pipe(&folder.path().join(".git/info/exclude"));
    pipe(&folder.path().join(".git/HEAD"));
    symlink("/dev/zero", folder.path().join("link/.gitignore")).unwrap();
    symlink("/dev/zero", folder.path().join("zero.py")).unwrap();
    let scanned = within_a_minute(move || scan(folder.path(), BTreeMap::new()));
    assert_eq!(scanned.files.keys().collect::<Vec<_>>(), ["link/ok.py", "ok.py", "sub/ok.py"]);
}

#[test]
fn rules_nearest_to_a_file_decide() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), ".gitignore", "*.gen.py\n/top/\ndeep/*.py\n!deep/kept.py\n");
    write(folder.path(), ".git/info/exclude", "private.py\n");
    write(folder.path(), "sub/.gitignore", "!wanted.gen.py\nlocal.py\n");
    write(folder.path(), "sub/.ignore", "plain.py\n");
    for path in [
        "a.py",
        "a.gen.py",
        "top/b.py",
        "deep/c.py",
        "deep/kept.py",
        "private.py",
        "local.py",
        "sub/wanted.gen.py",
        "sub/other.gen.py",
        "sub/local.py",
        "sub/plain.py",
        "sub/top/d.py",
    ] {
        write(folder.path(), path, "x = 1");
    }
    let scanned = scan(folder.path(), BTreeMap::new());
    let kept: Vec<_> = scanned.files.keys().map(String::as_str).collect();
    assert_eq!(kept, ["a.py", "deep/kept.py", "local.py", "sub/top/d.py", "sub/wanted.gen.py"]);
}

/// A repository with a pipe in it, so that git blocks forever.
#[cfg(target_os = "linux")]
#[test]
fn what_git_started_ends_with_it() {
    let origin = tempfile::tempdir().unwrap();
    let done = Command::new("git").arg("init").arg("--quiet").arg(origin.path()).status();
    assert!(done.unwrap().success());
    let head = origin.path().join(".git/HEAD");
    fs::remove_file(&head).unwrap();
    pipe(&head);
    let address = format!("file://{}", origin.path().display());
    let copies = tempfile::tempdir().unwrap();
    let copy = copies.path().join("copy");
    let limits = GitLimits { time: std::time::Duration::from_secs(2), ..GitLimits::default() };
    let outcome = within_a_minute(move || {
        let remote = Remote { address: &address, branch: None, at: &[] };
        sync(remote, &copy, &limits, &AtomicBool::new(false))
    });
    assert_eq!(outcome, Err(GitError::TooSlow(limits.time)));
    let said = outcome.unwrap_err().to_string();
    assert_eq!(said, "git was stopped because it took longer than 2 seconds");
    until_let_go(&head);
    // The same for a cancelled command.
    let told = lore_code::head(origin.path(), &AtomicBool::new(true));
    assert_eq!(told, Err(GitError::Cancelled));
    until_let_go(&head);
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
        assert!(matches!(refused, Err(GitError::NoBranch(_))), "{branch}");
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

/// Small files with deeply nested calls, which would take minutes if parents were looked up in the
/// tree.
#[cfg(unix)]
#[test]
fn chains_of_calls_are_read_in_one_go() {
    let folder = tempfile::tempdir().unwrap();
    let chain = format!("a{}", ".b()".repeat(110_000));
    write(folder.path(), "chain.py", &chain);
    write(folder.path(), "chain.js", &chain);
    write(folder.path(), "quoted.js", &format!("a{}", "`x`".repeat(100_000)));
    let params = format!("{}1{}", "function f(x = ".repeat(10_000), ") {}".repeat(10_000));
    write(folder.path(), "params.js", &params);
    let scanned = within_a_minute(move || scan(folder.path(), BTreeMap::new()));
    assert_eq!(scanned.files.len(), 4, "{:?}", scanned.report.skipped);
    let calls = &scanned.files["chain.py"].calls;
    assert!(
        calls.len() < 10,
        "but for its beginning, the same call again and again is one: {calls:?}"
    );
}

#[test]
fn a_file_that_takes_too_long_is_left_out_and_a_scan_stops_within_one() {
    let source = "def f(): g()\n".repeat(5_000);
    let never = AtomicBool::new(false);
    let stopped = AtomicBool::new(true);
    let read = |cancel, time| {
        extract_within("a.py", &source, Budget { cancel: Some(cancel), time: Some(time) })
    };
    let minute = std::time::Duration::from_secs(60);
    assert_eq!(read(&never, minute).unwrap().symbols.len(), 5_000);
    assert_eq!(read(&stopped, minute), Err(Unread::Cancelled));
    assert_eq!(read(&never, Default::default()), Err(Unread::TooSlow(Default::default())));
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.py", &source);
    let report = job(folder.path(), &BTreeMap::new(), &never, |job| {
        let limits = SourceLimits { file_time: Default::default(), ..job.limits };
        scan_folder(&ScanJob { limits, ..*job }, &|_| panic!("it was read"))
    });
    let skipped = report.unwrap().skipped;
    assert_eq!(skipped, [("a.py".into(), "reading it took longer than 0 seconds".into())]);
}

#[cfg(target_os = "linux")]
#[test]
fn files_whose_names_are_no_text_are_named_as_far_as_they_can_be() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "ok.py", "def f(): pass");
    for name in [&b"caf\xe9.py"[..], b"caf\xe9.bin"] {
        fs::write(folder.path().join(std::ffi::OsStr::from_bytes(name)), "x = 1").unwrap();
    }
    let scanned = scan(folder.path(), BTreeMap::new());
    assert_eq!(scanned.files.keys().collect::<Vec<_>>(), ["ok.py"]);
    let why = "its name is not UTF-8";
    assert_eq!(scanned.report.skipped, [("caf\u{fffd}.py".to_owned(), why.to_owned())]);
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

#[test]
fn a_scan_that_loses_part_of_its_work_fails_and_reports_nothing_as_removed() {
    let folder = tempfile::tempdir().unwrap();
    let files = (0..20).map(|number| format!("f{number}.py"));
    let known = files.map(|path| (path, "an older hash".to_owned())).collect();
    for path in BTreeMap::keys(&known) {
        write(folder.path(), path, "def f(): pass");
    }
    let outcome = job(folder.path(), &known, &AtomicBool::new(false), |job| {
        scan_folder(job, &|source| {
            assert_ne!(source.facts.path, "f7.py", "the caller fails");
            ControlFlow::Continue(())
        })
    });
    assert_eq!(outcome, Err(FolderError::Incomplete));
}

#[test]
fn endings_count_in_any_case() {
    let folder = tempfile::tempdir().unwrap();
    for path in ["README.MD", "a.Json", "B.PY", "c.TXT"] {
        write(folder.path(), path, "x = 1");
    }
    let scanned = scan(folder.path(), BTreeMap::new());
    assert_eq!(scanned.files.keys().collect::<Vec<_>>(), ["B.PY", "README.MD", "a.Json"]);
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
    // A busy machine takes longer for the same file.
    let file_time = std::time::Duration::from_secs(60);
    let limits = SourceLimits { file_time, ..SourceLimits::default() };
    run(&ScanJob { root, known, limits, cancel, progress: &|_, _| {} })
}

/// Runs some work in a thread and fails if it takes longer than a minute.
#[cfg(unix)]
fn within_a_minute<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || send.send(work()));
    receive.recv_timeout(std::time::Duration::from_secs(60)).unwrap()
}

#[cfg(unix)]
fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Waits until no process has the pipe open any more; a killed process takes a moment to end.
#[cfg(target_os = "linux")]
fn until_let_go(pipe: &Path) {
    let pipe = pipe.to_owned();
    within_a_minute(move || {
        while is_being_read(&pipe) {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    });
}

/// Whether some process has the pipe open for reading or is waiting to open it.
#[cfg(target_os = "linux")]
fn is_being_read(pipe: &Path) -> bool {
    use std::os::unix::fs::OpenOptionsExt;
    const AT_ONCE: i32 = 0o4000;
    let opened = fs::OpenOptions::new().write(true).custom_flags(AT_ONCE).open(pipe);
    opened.is_ok()
}

fn write(folder: &Path, path: &str, text: &str) {
    let file = folder.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}
