//! WebVTT: cues with settings and voices; notes, styles and regions are no speech.

use crate::{
    captions::{self, Cue},
    document::Section,
    error::{ExtractError, Reason},
};

/// Reads a WebVTT file.
pub(crate) fn read(name: &str, text: &str) -> Result<Vec<Section>, ExtractError> {
    let first = text.lines().next().unwrap_or_default();
    let header = first
        .strip_prefix("WEBVTT")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
    if !header {
        return Err(ExtractError::new(
            name,
            Reason::NotCaptions,
            "it does not begin with a line `WEBVTT`",
            "add that line and an empty one, or name what it is with --kind",
        )
        .at("line 1"));
    }
    blocks(name, text, 1, &["NOTE", "STYLE", "REGION"])
}

/// Reads the blocks of captions, which empty lines part, from a line on.
///
/// Lines behind an empty one that are no cue belong to the cue before: so captions with an empty line in their text lose
/// nothing.
pub(crate) fn blocks(
    name: &str,
    text: &str,
    skip: usize,
    silent: &[&str],
) -> Result<Vec<Section>, ExtractError> {
    let lines: Vec<(usize, &str)> = text
        .lines()
        .enumerate()
        .map(|(n, line)| (n + 1, line))
        .skip(skip)
        .collect();
    let mut cues: Vec<Cue> = Vec::new();
    // The header's own lines reach to the first empty one.
    let mut in_header = skip > 0;
    for block in lines.split(|(_, line)| line.trim().is_empty()) {
        let Some((number, first)) = block.first().copied() else {
            in_header = false;
            continue;
        };
        let times = block.iter().position(|(_, line)| line.contains("-->"));
        if std::mem::take(&mut in_header) && times.is_none() {
            continue;
        }
        // Above a cue's times stands its name, if it has one; what is above that goes on with the cue before.
        let above = match times {
            None => block.len(),
            Some(times) if times <= 1 || is_number(block[times - 1].1) => times.saturating_sub(1),
            Some(times) => times,
        };
        if above > 0 && !is_silent(first, silent) {
            let Some(cue) = cues.last_mut() else {
                return Err(ExtractError::new(
                    name,
                    Reason::NotCaptions,
                    "this text stands before the first cue",
                    "begin it with its times: `00:01:02.000 --> 00:01:04.500`",
                )
                .at(format!("line {number}")));
            };
            let text: Vec<&str> = block.iter().take(above).map(|(_, line)| *line).collect();
            cue.lines.extend(captions::speech(&text).0);
        }
        let Some(times) = times else {
            continue;
        };
        let mut text: Vec<&str> = Vec::new();
        for (place, (number, line)) in block.iter().enumerate().skip(times) {
            // A file may lack the empty line between two cues.
            if place == times || line.contains("-->") {
                let start = captions::timing(name, line, *number)?;
                if place > times {
                    // The line above may be the cue's number.
                    if text.last().is_some_and(|line| is_number(line)) {
                        text.pop();
                    }
                    finish(&mut cues, &mut text);
                }
                cues.push(Cue {
                    start,
                    voice: String::new(),
                    lines: Vec::new(),
                });
            } else {
                text.push(line);
            }
        }
        finish(&mut cues, &mut text);
    }
    Ok(vec![captions::section(&cues)])
}

fn is_silent(first: &str, silent: &[&str]) -> bool {
    silent.iter().any(|word| {
        first
            .strip_prefix(word)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', ':']))
    })
}

fn is_number(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit())
}

/// Gives the last cue the text that was gathered for it.
fn finish(cues: &mut [Cue], text: &mut Vec<&str>) {
    if let Some(cue) = cues.last_mut() {
        (cue.lines, cue.voice) = captions::speech(text);
    }
    text.clear();
}
