//! Reads the files of an archive, from a .zip or from the folder it was unpacked to.
//!
//! Archives are untrusted. Nothing is unpacked to disk, so names in an archive cannot lead anywhere
//! on this machine, and an archive that grows too large while unpacking is refused.

use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::Path;

use anyhow::{Context, bail};
use zip::ZipArchive;

/// The most files of an archive.
const FILES_MAX: usize = 200_000;
/// The largest file that is read, in bytes.
const FILE_MAX: u64 = 64 << 20;
/// The most bytes of all files together.
const ALL_MAX: u64 = 2 << 30;

/// Returns the JSON files of an archive with their paths in it, sorted by path.
pub(crate) fn files(path: &Path) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let mut found = if path.is_dir() { unpacked(path)? } else { zipped(path)? };
    found.sort();
    Ok(found)
}

fn zipped(path: &Path) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let file = File::open(path).with_context(|| path.display().to_string())?;
    let mut archive = ZipArchive::new(BufReader::new(file)).with_context(|| {
        format!("{} is no .zip\n  try: the file World Anvil's export gave you", path.display())
    })?;
    let mut gathered = Gathered::default();
    for index in 0..archive.len() {
        let file = archive.by_index(index).context("the archive is damaged")?;
        let name = file.name().context("the archive is damaged")?.into_owned();
        if file.is_file() && is_json(&name) {
            gathered.take(name, file)?;
        }
    }
    Ok(gathered.files)
}

fn unpacked(path: &Path) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let mut gathered = Gathered::default();
    let mut open = vec![path.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let entry = entry?;
            let (kind, inside) = (entry.file_type()?, entry.path());
            // Links are skipped: one could lead out of the folder, or in circles.
            if kind.is_dir() {
                open.push(inside);
            } else if kind.is_file() && is_json(&inside.to_string_lossy()) {
                let name = inside.strip_prefix(path).unwrap_or(&inside);
                let name = name.to_string_lossy().replace('\\', "/");
                gathered.take(name, File::open(&inside)?)?;
            }
        }
    }
    Ok(gathered.files)
}

/// The files read so far, within the limits.
#[derive(Default)]
struct Gathered {
    files: Vec<(String, Vec<u8>)>,
    bytes: u64,
}

impl Gathered {
    fn take(&mut self, name: String, file: impl Read) -> anyhow::Result<()> {
        let mut bytes = Vec::new();
        let read = file.take(FILE_MAX + 1).read_to_end(&mut bytes);
        read.with_context(|| format!("{name} cannot be read"))?;
        self.bytes += bytes.len() as u64;
        if bytes.len() as u64 > FILE_MAX || self.bytes > ALL_MAX || self.files.len() >= FILES_MAX {
            bail!("the archive is larger than any world ({name})");
        }
        self.files.push((name, bytes));
        Ok(())
    }
}

fn is_json(name: &str) -> bool {
    name.to_lowercase().ends_with(".json")
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    #[test]
    fn a_zip_and_its_folder_hold_the_same() {
        let place = tempfile::tempdir().unwrap();
        let (zip, folder) = (place.path().join("world.zip"), place.path().join("world"));
        let mut writer = ZipWriter::new(File::create(&zip).unwrap());
        for name in ["articles/b.json", "articles/a.json", "images/a.png"] {
            writer.start_file(name, SimpleFileOptions::default()).unwrap();
            writer.write_all(b"{}").unwrap();
            let file = folder.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "{}").unwrap();
        }
        writer.finish().unwrap();
        let found = files(&zip).unwrap();
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["articles/a.json", "articles/b.json"]);
        assert_eq!(files(&folder).unwrap(), found);
        assert!(files(&folder.join("articles/a.json")).is_err(), "no .zip");
    }
}
