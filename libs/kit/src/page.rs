//! Page sizes.

use crate::Fault;

/// The page size to use: the default for 0, refused if negative or above the most.
pub fn size(requested: i32, default: usize, most: usize) -> Result<usize, Fault> {
    match usize::try_from(requested) {
        Ok(0) => Ok(default),
        Ok(n) if n <= most => Ok(n),
        _ => Err(Fault::invalid(
            "page_size",
            format!("must be 0 (for {default}) to {most}"),
        )),
    }
}
