//! Checks the write-ahead log file before SQLite reads it.
//!
//! SQLite reads a log up to the first invalid frame and overwrites the rest. That is right for a
//! write that a crash cut off. It is wrong for a byte that a bad disk changed in the middle of the
//! log, because acknowledged commits follow it. So a program checks the log before it opens a
//! store. The index file beside the log (`-shm`) tells how many frames there were when the last
//! program stopped, unless the machine was restarted since then. Without it, valid commits behind
//! the invalid frame reveal the damage.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use lore_store::{StoreError, StoreResult};
use rusqlite::Connection;

use crate::fault::{io, told};
use crate::file::with_suffix;

const LOG: &str = "-wal";
const INDEX: &str = "-shm";
/// Where a damaged log is copied to before SQLite overwrites it.
const SET_ASIDE: &str = "-wal.damaged";
const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
/// How often to read a log again if another process restarted it meanwhile.
const ATTEMPTS: usize = 5;

/// Fails with [`StoreError::Corrupt`] if acknowledged commits of the store at `path` can no longer
/// be read from its log.
///
/// Must be called before this process opens the store: closing the files read here drops all locks
/// that this process holds on them.
pub fn check_log(path: &Path) -> StoreResult<()> {
    let wal = with_suffix(path, LOG);
    for _ in 0..ATTEMPTS {
        // The index first: frames are only added, so the log then has at least those in the index.
        let index = contents(&with_suffix(path, INDEX))?;
        let before = contents(&wal)?;
        let damage = Log::of(&before).damage(Index::read(&index));
        let same = contents(&wal)?.get(..HEADER) == before.get(..HEADER);
        match damage {
            Some(damage) if same => {
                return Err(StoreError::Corrupt(format!(
                    "{}: {damage}; without a backup, `lorewell doctor --accept` goes on with what \
                     can be read of it",
                    wal.display()
                )));
            }
            None => return Ok(()),
            Some(_) => {}
        }
    }
    Ok(())
}

/// Continues with as much of a damaged log as can be read. Returns where the damaged log is kept;
/// `None` if there was no damage.
pub fn accept_log(path: &Path) -> StoreResult<Option<PathBuf>> {
    let Some(aside) = keep_damaged(path)? else { return Ok(None) };
    let recover = || -> rusqlite::Result<()> {
        let db = Connection::open(path)?;
        db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()))?;
        db.close().map_err(|(_, error)| error)
    };
    recover().map_err(|error| told(&error))?;
    Ok(Some(aside))
}

/// Copies a damaged log, because SQLite is going to overwrite it, and returns where the copy is.
pub(crate) fn keep_damaged(path: &Path) -> StoreResult<Option<PathBuf>> {
    if check_log(path).is_ok() {
        return Ok(None);
    }
    let aside = with_suffix(path, SET_ASIDE);
    match fs::copy(with_suffix(path, LOG), &aside) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(io("setting the log aside", &error))
        }
        Ok(_) | Err(_) => Ok(Some(aside)),
    }
}

/// Reads a file; a missing or inaccessible one counts as empty. Opening the store then reports why.
fn contents(path: &Path) -> StoreResult<Vec<u8>> {
    use ErrorKind::{NotADirectory, NotFound, PermissionDenied};
    match fs::read(path) {
        Err(error) if [NotADirectory, NotFound, PermissionDenied].contains(&error.kind()) => {
            Ok(Vec::new())
        }
        read => read.map_err(|error| io("reading the log", &error)),
    }
}

/// A parsed log.
struct Log<'b> {
    /// Whether the header matches its checksum.
    whole: bool,
    salts: &'b [u8],
    frames: Vec<Frame>,
}

struct Frame {
    /// Whether it belongs to this log, and not to an earlier one in the same file.
    own: bool,
    /// Whether its checksum matches, given the previous frame as it is now.
    whole: bool,
    /// Whether it is the last frame of a commit.
    commits: bool,
}

impl<'b> Log<'b> {
    fn of(bytes: &'b [u8]) -> Self {
        let salts = bytes.get(16..24).unwrap_or_default();
        let nothing = Self { whole: false, salts, frames: Vec::new() };
        let (Some(header), Some(magic), Some(page)) =
            (bytes.get(..HEADER), word(bytes, 0), word(bytes, 8))
        else {
            return nothing;
        };
        let sum = Sum { big_endian: magic & 1 == 1 };
        let whole = sum.over((0, 0), header.get(..24).unwrap_or_default()) == stored(header, 24);
        let page = page as usize;
        if !(512..=65_536).contains(&page) || !page.is_power_of_two() {
            return nothing;
        }
        let mut before = stored(header, 24);
        let frames = bytes.get(HEADER..).unwrap_or_default().chunks_exact(FRAME_HEADER + page);
        let frames = frames.map(|frame| {
            let (head, body) = frame.split_at(FRAME_HEADER);
            let start = sum.over(before, head.get(..8).unwrap_or_default());
            let computed = sum.over(start, body);
            before = stored(head, 16);
            Frame {
                own: head.get(8..16) == Some(salts),
                whole: computed == before,
                commits: word(head, 4) != Some(0),
            }
        });
        Self { whole, salts, frames: frames.collect() }
    }

    /// Describes the acknowledged commits that can no longer be read, if there are any.
    fn damage(&self, index: Option<Index<'_>>) -> Option<String> {
        let readable = self.frames.iter().take_while(|frame| frame.own && frame.whole).count();
        let readable = if self.whole { readable } else { 0 };
        // A program that restarts the log first says so in the index, which then counts no frames.
        match index.filter(|index| !self.whole || index.salts == self.salts) {
            Some(index) => {
                let lost = index.frames > readable.max(index.in_file);
                lost.then(|| format!("{readable} of {} frames can be read", index.frames))
            }
            None => self.lost_behind(readable),
        }
    }

    /// Describes the commits behind the first invalid frame, where no index tells how long the log
    /// was.
    fn lost_behind(&self, readable: usize) -> Option<String> {
        let odd = self.frames.get(readable)?;
        let behind = self.frames.get(readable + 1..).unwrap_or_default();
        let behind = behind.iter().filter(|frame| frame.own && frame.whole && frame.commits);
        // A commit is on disk before the next one begins, but a crash may leave anything of the
        // last.
        let commits = behind.count() + usize::from(odd.own && odd.commits);
        (commits > 1).then(|| {
            let frame = readable + 1;
            format!("frame {frame} is not as it was written, and {commits} commits from there on")
        })
    }
}

/// What the index file says about its log.
#[derive(Clone, Copy)]
struct Index<'b> {
    /// How many frames are committed.
    frames: usize,
    /// How many of them a checkpoint has copied to the database file.
    in_file: usize,
    salts: &'b [u8],
}

impl<'b> Index<'b> {
    /// Parses the index header, which is stored twice, in native byte order. `None` if the two
    /// differ.
    fn read(bytes: &'b [u8]) -> Option<Self> {
        let header = bytes.get(..48).filter(|header| bytes.get(48..96) == Some(header))?;
        let number = |at: usize| {
            let bytes = bytes.get(at..at + 4)?.try_into().ok()?;
            Some(u32::from_ne_bytes(bytes) as usize)
        };
        let ready = header.get(12) == Some(&1);
        ready.then_some(())?;
        Some(Self { frames: number(16)?, in_file: number(96)?, salts: header.get(32..40)? })
    }
}

/// The running checksum of a log.
struct Sum {
    big_endian: bool,
}

impl Sum {
    fn over(&self, (mut first, mut second): (u32, u32), bytes: &[u8]) -> (u32, u32) {
        for pair in bytes.chunks_exact(8) {
            let (left, right) = pair.split_at(4);
            first = first.wrapping_add(self.word(left)).wrapping_add(second);
            second = second.wrapping_add(self.word(right)).wrapping_add(first);
        }
        (first, second)
    }

    fn word(&self, bytes: &[u8]) -> u32 {
        let bytes = bytes.try_into().unwrap_or_default();
        if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn stored(bytes: &[u8], at: usize) -> (u32, u32) {
    (word(bytes, at).unwrap_or_default(), word(bytes, at + 4).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A store with five commits in its log, as a killed program leaves it.
    fn left_behind(home: &Path) -> (PathBuf, Vec<u8>, Vec<u8>) {
        let path = home.join("s.sqlite");
        let db = Connection::open(&path).unwrap();
        db.pragma_update(None, "journal_mode", "wal").unwrap();
        db.execute_batch("PRAGMA synchronous = FULL; CREATE TABLE t (x TEXT)").unwrap();
        for number in 0..4 {
            db.execute("INSERT INTO t VALUES (?1)", [format!("{number}").repeat(3_000)]).unwrap();
        }
        let killed = home.join("killed.sqlite");
        fs::copy(&path, &killed).unwrap();
        let read = |suffix| fs::read(with_suffix(&path, suffix)).unwrap();
        (killed, read(LOG), read(INDEX))
    }

    fn put(path: &Path, log: &[u8], index: Option<&[u8]>) {
        fs::write(with_suffix(path, LOG), log).unwrap();
        match index {
            Some(index) => fs::write(with_suffix(path, INDEX), index).unwrap(),
            None => {
                let _ = fs::remove_file(with_suffix(path, INDEX));
            }
        }
    }

    #[test]
    fn a_log_as_it_was_left_is_whole() {
        let home = tempfile::tempdir().unwrap();
        let (path, log, index) = left_behind(home.path());
        put(&path, &log, Some(&index));
        assert_eq!(check_log(&path), Ok(()));
        put(&path, &log, None);
        assert_eq!(check_log(&path), Ok(()));
        put(&path, &[], None);
        assert_eq!(check_log(&path), Ok(()));
    }

    #[test]
    fn every_flipped_byte_of_a_log_is_found() {
        let home = tempfile::tempdir().unwrap();
        let (path, log, index) = left_behind(home.path());
        for place in (0..HEADER + FRAME_HEADER).chain((60..log.len()).step_by(97)) {
            let mut odd = log.clone();
            odd[place] ^= 4;
            put(&path, &odd, Some(&index));
            assert!(check_log(&path).is_err(), "byte {place}");
        }
        for length in [0, 10, 100, log.len() / 2, log.len() - 1] {
            put(&path, &log[..length], Some(&index));
            assert!(check_log(&path).is_err(), "cut to {length}");
        }
    }

    #[test]
    fn without_an_index_what_lies_behind_tells() {
        let home = tempfile::tempdir().unwrap();
        let (path, log, _) = left_behind(home.path());
        let mut odd = log.clone();
        odd[HEADER + FRAME_HEADER + 100] ^= 1;
        put(&path, &odd, None);
        assert!(check_log(&path).is_err());
        // A write that a crash cut off is not damage.
        for length in [10, log.len() / 2, log.len() - 1] {
            put(&path, &log[..length], None);
            assert_eq!(check_log(&path), Ok(()), "cut to {length}");
        }
        let mut torn = log.clone();
        let end = torn.len() - 10;
        torn[end] ^= 1;
        put(&path, &torn, None);
        assert_eq!(check_log(&path), Ok(()));
    }

    #[test]
    fn what_was_written_and_not_acknowledged_is_no_damage() {
        let home = tempfile::tempdir().unwrap();
        let (path, mut log, index) = left_behind(home.path());
        // As after a failed sync: complete commits that the index does not know of.
        let known = Log::of(&log).frames.len();
        let frame = log.len() / known - 1;
        let stale = log[log.len() - 2 * frame..].to_vec();
        log.extend_from_slice(&stale);
        put(&path, &log, Some(&index));
        assert_eq!(check_log(&path), Ok(()));
    }

    #[test]
    fn accepted_damage_is_kept_aside_and_the_rest_goes_on() {
        let home = tempfile::tempdir().unwrap();
        let (path, mut log, index) = left_behind(home.path());
        let place = log.len() - 5_000;
        log[place] ^= 1;
        put(&path, &log, Some(&index));
        assert_eq!(accept_log(&path).unwrap(), Some(with_suffix(&path, SET_ASIDE)));
        assert_eq!(check_log(&path), Ok(()));
        assert_eq!(fs::read(with_suffix(&path, SET_ASIDE)).unwrap(), log);
        let db = Connection::open(&path).unwrap();
        let count: i64 = db.query_row("SELECT count(*) FROM t", (), |row| row.get(0)).unwrap();
        assert!((1..4).contains(&count), "{count}");
    }
}
