//! SubRip: numbered cues.

use crate::{
    document::Section,
    error::{ExtractError, Reason},
    vtt,
};

/// Reads a SubRip file.
pub(crate) fn read(name: &str, text: &str) -> Result<Vec<Section>, ExtractError> {
    if !text.contains("-->") {
        return Err(ExtractError::new(
            name,
            Reason::NotCaptions,
            "it holds no cue",
            "a cue is a number, a line `00:01:02,000 --> 00:01:04,500`, and its text; or name what it is with --kind",
        ));
    }
    vtt::blocks(name, text, 0, &[])
}
