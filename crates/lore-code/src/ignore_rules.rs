//! Which files a source tree excludes: `.gitignore` and similar files.
//!
//! These files are read here and not by the walker, because a tree may contain anything under these
//! names. Only regular files of limited size are read, and links are not followed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::folder::read_plain;

/// The largest rule file that is read, in bytes.
const RULES_BYTES: u64 = 256 << 10;

/// The ignore rules of a source tree, read on demand.
pub(crate) struct IgnoreRules {
    root: PathBuf,
    known: Mutex<HashMap<PathBuf, Arc<Gitignore>>>,
}

impl IgnoreRules {
    /// Creates the rules of the tree below a folder.
    pub(crate) fn of(root: &Path) -> Self {
        Self { root: root.to_owned(), known: Mutex::default() }
    }

    /// Whether a file or folder is excluded. The nearest matching rule file decides.
    pub(crate) fn excludes(&self, path: &Path, is_folder: bool) -> bool {
        let inside = |folder: &&Path| folder.starts_with(&self.root);
        for folder in path.ancestors().skip(1).take_while(inside) {
            match self.of_folder(folder).matched(path, is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }

    fn of_folder(&self, folder: &Path) -> Arc<Gitignore> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rules) = known.get(folder) {
            return Arc::clone(rules);
        }
        let rules = Arc::new(self.read(folder));
        known.insert(folder.to_owned(), Arc::clone(&rules));
        rules
    }

    fn read(&self, folder: &Path) -> Gitignore {
        let mut rules = GitignoreBuilder::new(folder);
        // Later files take precedence over earlier ones.
        let names = [".git/info/exclude", ".gitignore", ".ignore"];
        let of_root = usize::from(folder != self.root);
        for name in names.iter().skip(of_root) {
            let text = read_plain(&folder.join(name), RULES_BYTES).unwrap_or_default();
            for line in text.lines() {
                // An invalid line excludes nothing.
                let _ = rules.add_line(None, line);
            }
        }
        rules.build().unwrap_or_else(|_| Gitignore::empty())
    }
}
