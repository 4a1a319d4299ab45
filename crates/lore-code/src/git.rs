//! The git command line, with restrictions.
//!
//! The only place in this crate that starts a program. URLs and branches are validated first and
//! never placed where git looks for options. Hooks, prompts, submodules, filters and unusual
//! protocols are disabled; time and size are limited. Processes that git starts (ssh, https) belong
//! to its process group and are killed with it.

use std::fs;
use std::io::Read;
use std::net::{IpAddr, Ipv6Addr};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The limits of a git command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GitLimits {
    /// The longest time for one command.
    pub time: Duration,
    /// The largest size of the copy, in bytes.
    pub bytes: u64,
}

impl Default for GitLimits {
    fn default() -> Self {
        Self { time: Duration::from_secs(300), bytes: 2 << 30 }
    }
}

/// An up-to-date copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    /// The commit that is checked out.
    pub head: String,
}

/// Why there is no copy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// The URL is not allowed.
    #[error("{0}")]
    Refused(String),
    /// The branch name is not valid.
    #[error("{0:?} is not the name of a branch")]
    NoBranch(String),
    /// Git could not be started.
    #[error("git could not be started: {0}")]
    Missing(String),
    /// Git reported an error.
    #[error("git failed: {0}")]
    Failed(String),
    /// It took too long; the remote may be slow or unreachable.
    #[error("git was stopped because it took longer than {} seconds", .0.as_secs())]
    TooSlow(Duration),
    /// The copy became too large.
    #[error("git was stopped because the copy has more than {0} bytes")]
    TooLarge(u64),
    /// It was cancelled.
    #[error("git was cancelled")]
    Cancelled,
}

/// A remote repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Remote<'r> {
    /// Its URL.
    pub address: &'r str,
    /// The branch to use; `None` for the default branch of the repository.
    pub branch: Option<&'r str>,
    /// The IP addresses of its host, resolved and checked by the caller. For an https URL with a
    /// host name, git connects to these only. If there are none, git resolves the name itself.
    pub at: &'r [IpAddr],
}

/// Checks the URL and the branch.
pub fn check(remote: Remote<'_>) -> Result<(), GitError> {
    Address::parse(remote.address)?;
    remote.branch.map_or(Ok(()), check_branch)
}

/// Clones a repository into a folder, or updates the clone in that folder.
pub fn sync(
    remote: Remote<'_>,
    folder: &Path,
    limits: &GitLimits,
    cancel: &AtomicBool,
) -> Result<Checkout, GitError> {
    check(remote)?;
    let guard = Guard { folder, limits, cancel };
    match guard.update(remote) {
        // A damaged copy cannot be repaired, so make a new one.
        Some(Err(GitError::Failed(_))) | None => guard.clone(remote)?,
        Some(outcome) => outcome?,
    }
    Ok(Checkout { head: guard.head()? })
}

/// Removes the copy of a repository, if there is one.
pub fn drop_copy(folder: &Path) -> std::io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Returns the commit that is checked out in a folder.
pub fn head(folder: &Path, cancel: &AtomicBool) -> Result<String, GitError> {
    // This reads only two small files, but a folder can contain anything.
    let limits = GitLimits { time: Duration::from_secs(5), ..GitLimits::default() };
    Guard { folder, limits: &limits, cancel }.head()
}

/// Runs git commands under limits.
struct Guard<'g> {
    folder: &'g Path,
    limits: &'g GitLimits,
    cancel: &'g AtomicBool,
}

impl Guard<'_> {
    /// Updates the copy; `None` if there is none.
    fn update(&self, remote: Remote<'_>) -> Option<Result<(), GitError>> {
        self.folder.join(".git").is_dir().then(|| {
            let wanted = remote.branch.map_or("HEAD".to_owned(), |b| format!("refs/heads/{b}"));
            let mut fetch = connecting(remote);
            fetch.arg("-C").arg(self.folder).args(["fetch", "--quiet", "--depth=1", "--no-tags"]);
            fetch.args(["--", remote.address, &wanted]);
            self.run(fetch)?;
            let mut reset = guarded();
            reset.arg("-C").arg(self.folder).args(["reset", "--quiet", "--hard", "FETCH_HEAD"]);
            self.run(reset).map(drop)
        })
    }

    /// Clones into a temporary folder and renames it, so that the copy is complete or does not
    /// exist.
    fn clone(&self, remote: Remote<'_>) -> Result<(), GitError> {
        let failed = |error: std::io::Error| GitError::Failed(error.to_string());
        let partial = self.folder.with_extension("partial");
        drop_copy(&partial).map_err(failed)?;
        let mut command = connecting(remote);
        command.args(["clone", "--quiet", "--depth=1", "--single-branch", "--no-tags"]);
        if let Some(branch) = remote.branch {
            command.arg(format!("--branch={branch}"));
        }
        command.arg("--").arg(remote.address).arg(&partial);
        Guard { folder: &partial, ..*self }.run(command)?;
        drop_copy(self.folder).map_err(failed)?;
        fs::rename(&partial, self.folder).map_err(failed)
    }

    /// Returns the commit that is checked out.
    fn head(&self) -> Result<String, GitError> {
        let mut command = guarded();
        command.arg("-C").arg(self.folder).args(["rev-parse", "--verify", "HEAD"]);
        let commit = self.run(command)?;
        Ok(commit.trim().to_owned())
    }

    /// Runs a command and returns its output.
    fn run(&self, mut command: Command) -> Result<String, GitError> {
        let mut child = command.spawn().map_err(|error| GitError::Missing(error.to_string()))?;
        let (output, errors) = (heard(child.stdout.take()), heard(child.stderr.take()));
        let watched = self.watch(&mut child);
        // Also ends processes it left behind, which would keep its output open.
        end_group(&mut child);
        let status = child.wait().map_err(|error| GitError::Failed(error.to_string()))?;
        watched?;
        let said = |heard: thread::JoinHandle<String>| heard.join().unwrap_or_default();
        if status.success() {
            return Ok(said(output));
        }
        Err(GitError::Failed(said(errors).trim().chars().take(500).collect()))
    }

    fn watch(&self, child: &mut Child) -> Result<(), GitError> {
        let start = Instant::now();
        let mut looks = 0_u32;
        while matches!(child.try_wait(), Ok(None)) {
            if self.cancel.load(Ordering::Relaxed) {
                return Err(GitError::Cancelled);
            }
            if start.elapsed() > self.limits.time {
                return Err(GitError::TooSlow(self.limits.time));
            }
            looks += 1;
            if looks.is_multiple_of(20) && size_of_folder(self.folder) > self.limits.bytes {
                return Err(GitError::TooLarge(self.limits.bytes));
            }
            // Poll quickly first, because most commands end at once, then less often.
            thread::sleep(Duration::from_millis(u64::from(looks).min(50)));
        }
        Ok(())
    }
}

/// Reads the beginning of a command's output in a thread. The rest is discarded, so that the
/// command does not block on a full pipe.
fn heard(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    const MOST: u64 = 64 << 10;
    thread::spawn(move || {
        let Some(mut pipe) = pipe else { return String::new() };
        let mut bytes = Vec::new();
        let read = pipe.by_ref().take(MOST).read_to_end(&mut bytes);
        let rest = read.and_then(|_| std::io::copy(&mut pipe, &mut std::io::sink()));
        // A broken pipe counts as the end of the output.
        drop(rest);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Kills a command with its process group.
#[cfg(unix)]
fn end_group(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // Errors are ignored: the group may have ended already.
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.kill();
}

/// Kills a command.
#[cfg(not(unix))]
fn end_group(child: &mut Child) {
    let _ = child.kill();
}

/// Returns a git command that connects to one host only, whatever redirects or DNS say.
fn connecting(remote: Remote<'_>) -> Command {
    let mut command = guarded();
    command.args(["-c", "http.followRedirects=false"]);
    if let (Some((host, port)), false) = (host_of(remote.address), remote.at.is_empty()) {
        let written = |address: &IpAddr| match address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        let at: Vec<_> = remote.at.iter().map(written).collect();
        let pinned = format!("http.curloptResolve={host}:{port}:{}", at.join(","));
        // A proxy would resolve the name again.
        command.args(["-c", "http.proxy=", "-c", &pinned]);
    }
    command
}

/// Returns the host and the port of an https URL, unless the host is an IP address.
fn host_of(address: &str) -> Option<(&str, &str)> {
    match Address::parse(address) {
        Ok(Address::Https { host, port }) => {
            let is_name = host.parse::<IpAddr>().is_err() && !host.starts_with('[');
            is_name.then_some((host, port))
        }
        _ => None,
    }
}

/// Returns a git command that runs nothing that comes with a repository.
fn guarded() -> Command {
    let mut command = Command::new("git");
    let settings = [
        "core.hooksPath=/dev/null",
        "core.fsmonitor=false",
        // Keep links as links, which nothing follows. Otherwise each would become a file with a
        // path in it.
        "core.symlinks=true",
        "protocol.ext.allow=never",
        "submodule.recurse=false",
        "filter.lfs.smudge=",
        "filter.lfs.process=",
        "filter.lfs.required=false",
        // The user who has a repository scanned may not be the owner of these passwords.
        "credential.helper=",
        // There is nobody to answer prompts. A host that does not respond for a minute is given up.
        "core.sshCommand=ssh -oBatchMode=yes -oConnectTimeout=30 -oServerAliveInterval=20 \
         -oControlPath=none",
        "http.lowSpeedLimit=100",
        "http.lowSpeedTime=60",
        "gc.auto=0",
    ];
    for setting in settings {
        command.arg("-c").arg(setting);
    }
    for variable in [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_EXEC_PATH",
    ] {
        command.env_remove(variable);
    }
    command
        .env("GIT_TERMINAL_PROMPT", "0")
        // The user's settings could rewrite URLs, for example to ssh.
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_ALLOW_PROTOCOL", "https:ssh:file")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // A process group of its own, so that all its processes can be killed together.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

/// Where an address leads.
enum Address<'a> {
    /// To a folder on this machine, for tests and mirrors.
    Folder,
    /// To a host, by ssh.
    Ssh,
    /// To a host, by https.
    Https { host: &'a str, port: &'a str },
}

impl<'a> Address<'a> {
    /// Parses an address. What git could take for an option, a program or another protocol is
    /// refused.
    fn parse(address: &'a str) -> Result<Self, GitError> {
        let has_user = |rest: &str| rest.split('/').next().unwrap_or_default().contains('@');
        if address.strip_prefix("https://").is_some_and(has_user) {
            // The address is not repeated, because messages are kept and shown to others.
            let why = "the address must not hold a user name or password";
            return Err(GitError::Refused(why.into()));
        }
        let is_clean = !address
            .contains(|letter: char| letter.is_control() || letter.is_whitespace())
            && !address.contains("::");
        Self::read(address).filter(|_| is_clean).ok_or_else(|| {
            GitError::Refused(format!(
                "{address:?} is not an address like https://host/owner/name, ssh://… or git@…"
            ))
        })
    }

    fn read(address: &'a str) -> Option<Self> {
        if address.starts_with('/') || address.starts_with("file:///") {
            return Some(Self::Folder);
        }
        if let Some(rest) = address.strip_prefix("git@") {
            // Without a colon it would be a local path.
            let (host, path) = rest.split_once(':')?;
            let fits = is_host(host) && !path.is_empty() && !path.starts_with('-');
            return fits.then_some(Self::Ssh);
        }
        let by_ssh = address.strip_prefix("ssh://");
        let rest = by_ssh.or_else(|| address.strip_prefix("https://"))?;
        let (authority, path) = rest.split_once('/')?;
        let (user, host) = authority.rsplit_once('@').unwrap_or(("git", authority));
        let numbered = host.rsplit_once(':').filter(|_| !host.ends_with(']'));
        let (host, port) = numbered.unwrap_or((host, "443"));
        let fits = is_host(host) && is_word(user) && !path.is_empty();
        port.parse::<u16>().ok().filter(|_| fits)?;
        Some(if by_ssh.is_some() { Self::Ssh } else { Self::Https { host, port } })
    }
}

/// Whether this is the name of a host, or its IP address.
fn is_host(host: &str) -> bool {
    let number = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    is_word(host) || number.is_some_and(|host| host.parse::<Ipv6Addr>().is_ok())
}

/// Whether a user or host name is harmless. Ssh takes `-oProxyCommand=…` for an option, even in
/// brackets.
fn is_word(name: &str) -> bool {
    let is_plain = |letter: char| letter.is_alphanumeric() || ".-_".contains(letter);
    !name.is_empty() && !name.starts_with('-') && name.chars().all(is_plain)
}

fn check_branch(branch: &str) -> Result<(), GitError> {
    let allowed = |letter: char| letter.is_alphanumeric() || "-_./+#".contains(letter);
    let fits = !branch.is_empty()
        && !branch.starts_with(['-', '/', '.'])
        && !branch.contains("..")
        && branch.chars().all(allowed);
    if fits { Ok(()) } else { Err(GitError::NoBranch(branch.to_owned())) }
}

fn size_of_folder(folder: &Path) -> u64 {
    let walk = ignore::WalkBuilder::new(folder).standard_filters(false).follow_links(false).build();
    walk.filter_map(|entry| entry.ok()?.metadata().ok()).map(|meta| meta.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_user_and_no_host_is_an_option_to_ssh() {
        for address in [
            "git@-oProxyCommand=x:y/z",
            "ssh://-oProxyCommand=x/y",
            "ssh://me@-oProxyCommand=x/y",
            "ssh://-l@host/y",
            "https://-host/y",
            "ssh://git@[-oProxyCommand=x]/x",
            "git@[-oProxyCommand=x]:y/z",
        ] {
            assert!(Address::parse(address).is_err(), "{address}");
        }
        for address in ["git@host:a/-b", "ssh://me@my-host/a@-b", "https://host/-a", "/srv/-a"] {
            assert!(Address::parse(address).is_ok(), "{address}");
        }
    }

    #[test]
    fn an_address_has_a_host_and_something_there() {
        for address in [
            "git@:x/y",
            "git@host",
            "git@host/x",
            "git@host:",
            "ssh://",
            "ssh:///x",
            "ssh://git@/x",
            "ssh://host",
            "ssh://host:port/x",
            "https://:443/x",
            "http://host/x",
            "ext::sh -c x",
            "owner/name",
        ] {
            assert!(Address::parse(address).is_err(), "{address}");
        }
        for address in [
            "git@github.com:owner/name.git",
            "ssh://git@github.com/owner/name",
            "ssh://host:2222/srv/name",
            "https://git.example.org:8443/a/b",
            "https://[2001:db8:0:0:0:0:0:7]:8443/a",
            "file:///srv/a",
        ] {
            assert!(Address::parse(address).is_ok(), "{address}");
        }
    }

    #[test]
    fn credentials_in_addresses_are_refused_and_not_repeated() {
        for address in [
            "https://name:secret@host/x",
            "https://secret@host/x",
            "https://@host/x",
            "https://a@secret@host:443/x",
        ] {
            let refused = Address::parse(address).err().unwrap().to_string();
            assert!(refused.contains("password"), "{refused}");
            assert!(!refused.contains("secret"), "{refused}");
        }
        assert!(Address::parse("https://host/@scope/name").is_ok());
    }

    #[test]
    fn git_is_held_to_the_addresses_that_were_looked_up() {
        let at = ["192.0.2.7".parse().unwrap(), "2001:db8::7".parse().unwrap()];
        let settings = |address, at: &[IpAddr]| -> Vec<String> {
            let command = connecting(Remote { address, branch: None, at });
            command.get_args().map(|word| word.to_string_lossy().into_owned()).collect()
        };
        let pinned = settings("https://git.example.org/a/b", &at);
        let resolve = "http.curloptResolve=git.example.org:443:192.0.2.7,[2001:db8::7]";
        for setting in [resolve, "http.followRedirects=false", "http.proxy="] {
            assert!(pinned.iter().any(|word| word == setting), "{setting}: {pinned:?}");
        }
        let other = settings("https://git.example.org:8443/a", &at);
        assert!(other.iter().any(|word| word.contains("git.example.org:8443:192.0.2.7")));
        for (address, at) in [("https://192.0.2.7/a", &at[..]), ("/srv/a", &[])] {
            assert!(!settings(address, at).iter().any(|word| word.contains("curloptResolve")));
        }
    }
}
