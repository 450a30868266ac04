//! Files with secrets, which the services read only if not everybody may.

use std::{
    fs::{self, File, Permissions},
    io::{self, Write},
    os::unix::fs::PermissionsExt,
    path::Path,
};

/// Writes a file that its owner alone may read, and puts it in place as a whole.
///
/// # Errors
///
/// If it cannot be written.
pub fn write_secret(path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let path = path.as_ref();
    let part = path.with_extension("part");
    let mut file = File::create(&part)?;
    file.set_permissions(Permissions::from_mode(0o600))?;
    file.write_all(bytes.as_ref())?;
    fs::rename(part, path)
}
