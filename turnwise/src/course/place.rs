//! Where a new pack goes: written and loaded beside its place, and moved there only if it is good.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use turnwise_course_pack::{Pack, PackFault, load};

/// Where the pack goes.
pub(super) struct Place {
    pack: PathBuf,
    /// Where it is written and loaded first; hidden, so that no service loads it.
    stage: PathBuf,
    /// Where the pack before it stands while the two change places.
    old: PathBuf,
}

impl Place {
    /// The place of the pack with this folder.
    pub(super) fn new(pack: &Path) -> anyhow::Result<Self> {
        let Some(name) = pack.file_name() else {
            bail!("{} has no name; name the pack's folder", pack.display());
        };
        let hidden = |ending: &str| {
            let mut hidden = std::ffi::OsString::from(".");
            hidden.push(name);
            hidden.push(ending);
            pack.with_file_name(hidden)
        };
        Ok(Self {
            pack: pack.to_path_buf(),
            stage: hidden(".import"),
            old: hidden(".old"),
        })
    }

    /// Refuses a place that is taken, and clears what an interrupted run left. A pack that it had moved away and not
    /// replaced yet may be the only copy, so it goes back first.
    pub(super) fn check(&self, force: bool) -> anyhow::Result<()> {
        let pack = self.pack.display();
        if self.old.exists() && !self.pack.exists() {
            fs::rename(&self.old, &self.pack).with_context(|| {
                format!("the pack that was here is now in {}", self.old.display())
            })?;
        }
        if self.pack.exists() {
            let mut entries = fs::read_dir(&self.pack)
                .with_context(|| format!("{pack} cannot be read as a folder"))?;
            let empty = entries.next().is_none();
            if !empty && !force {
                bail!("{pack} is there already; --force replaces it, --to names another folder");
            }
            if !empty && !self.pack.join("course.yaml").is_file() {
                bail!(
                    "{pack} holds files but is no course pack; it is not replaced, not even with \
                     --force: move it away"
                );
            }
        }
        for left in [&self.stage, &self.old] {
            if left.exists() {
                fs::remove_dir_all(left).with_context(|| {
                    format!("{} is left from an earlier run; remove it", left.display())
                })?;
            }
        }
        Ok(())
    }

    /// Writes the files beside the place and loads them as a pack; nothing is left there if it has faults, which name
    /// files as they are named here.
    pub(super) fn fill<'f>(
        &self,
        files: impl IntoIterator<Item = (&'f str, &'f [u8])>,
    ) -> anyhow::Result<Result<Pack, Vec<PackFault>>> {
        let loaded = self.write(files).map(|()| load(&self.stage));
        if !matches!(loaded, Ok(Ok(_))) {
            // The error or the faults matter, not whether what is left is there.
            let _ = fs::remove_dir_all(&self.stage);
        }
        let named = |mut faults: Vec<PackFault>| {
            for fault in &mut faults {
                if let Ok(name) = fault.file.strip_prefix(&self.stage) {
                    fault.file = name.to_path_buf();
                }
            }
            faults
        };
        Ok(loaded?.map_err(named))
    }

    fn write<'f>(
        &self,
        files: impl IntoIterator<Item = (&'f str, &'f [u8])>,
    ) -> anyhow::Result<()> {
        fs::create_dir_all(&self.stage).with_context(|| self.stage.display().to_string())?;
        for (name, content) in files {
            let path = self.stage.join(name);
            let written = path
                .parent()
                .map_or(Ok(()), fs::create_dir_all)
                .and_then(|()| fs::write(&path, content));
            written.with_context(|| path.display().to_string())?;
        }
        Ok(())
    }

    /// Moves the good pack into place.
    pub(super) fn install(&self) -> anyhow::Result<()> {
        let replaces = self.pack.exists();
        if replaces {
            fs::rename(&self.pack, &self.old)
                .with_context(|| format!("{} cannot be moved", self.pack.display()))?;
        }
        if let Err(error) = fs::rename(&self.stage, &self.pack) {
            if replaces {
                fs::rename(&self.old, &self.pack).with_context(|| {
                    format!("the pack that was here is now in {}", self.old.display())
                })?;
            }
            return Err(error)
                .with_context(|| format!("{} cannot be written", self.pack.display()));
        }
        if replaces {
            fs::remove_dir_all(&self.old)
                .with_context(|| format!("{} cannot be removed", self.old.display()))?;
        }
        Ok(())
    }
}
