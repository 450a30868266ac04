//! Markdown: headings are sections; front matter, comments and the attributes of headings are no text.

use crate::document::{Place, Section};

/// Cuts Markdown at its headings (`#` to `######`, and lines underlined by `=` or `-`). The text below them stays as it is
/// written.
pub(crate) fn read(text: &str) -> Vec<Section> {
    let mut sections = vec![Section::default()];
    let mut separator = "\n\n";
    let mut fence: Option<&str> = None;
    let mut lines = without_comments(without_front_matter(text))
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect::<Vec<_>>()
        .into_iter()
        .peekable();
    while let Some(line) = lines.next() {
        let bare = line.trim_start();
        if let Some(mark) = fence {
            // An empty line in a fence ends no paragraph.
            let line = if bare.is_empty() { " " } else { &line };
            push(&mut sections, "\n", line);
            if bare.starts_with(mark) && bare.trim_start_matches(mark).is_empty() {
                fence = None;
                separator = "\n\n";
            }
            continue;
        }
        if bare.is_empty() {
            separator = "\n\n";
            continue;
        }
        if let Some(mark) = ["```", "~~~"]
            .into_iter()
            .find(|mark| bare.starts_with(mark))
        {
            fence = Some(mark);
            push(&mut sections, "\n\n", &line);
            continue;
        }
        if let Some(heading) = heading(bare) {
            sections.push(Section::new(heading));
            separator = "\n\n";
            continue;
        }
        // A heading that is underlined is a paragraph of its own.
        if separator == "\n\n" && lines.peek().is_some_and(|next| is_underline(next)) {
            sections.push(Section::new(without_attributes(bare)));
            lines.next();
            continue;
        }
        push(&mut sections, separator, &line);
        separator = "\n";
    }
    sections
}

fn push(sections: &mut [Section], separator: &str, line: &str) {
    if let Some(section) = sections.last_mut() {
        section.push(separator, line, Place::default());
    }
}

/// What follows the front matter, between two lines `---` at the beginning.
pub(crate) fn without_front_matter(text: &str) -> &str {
    let Some(rest) = text
        .strip_prefix("---")
        .and_then(|rest| rest.trim_start_matches([' ', '\t']).strip_prefix('\n'))
    else {
        return text;
    };
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        end += line.len();
        if matches!(line.trim_end(), "---" | "...") {
            return rest.get(end..).unwrap_or_default();
        }
    }
    text
}

/// The text without `<!-- comments -->`; one that is not closed is text.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from)) = rest.split_once("<!--") {
        out.push_str(before);
        let Some((_, after)) = from.split_once("-->") else {
            out.push_str("<!--");
            out.push_str(from);
            return out;
        };
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The heading's text, if the line is one.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    if !(1..=6).contains(&level) || !(text.is_empty() || text.starts_with([' ', '\t'])) {
        return None;
    }
    let text = without_attributes(text.trim());
    // `## Heading ##` may be closed as it is opened.
    let open = text.trim_end_matches('#');
    Some(if open.is_empty() || open.ends_with([' ', '\t']) {
        open.trim_end()
    } else {
        text
    })
}

/// A heading without the attributes behind it: `{#id .kind url="…"}`.
fn without_attributes(heading: &str) -> &str {
    heading
        .strip_suffix('}')
        .and_then(|rest| rest.rsplit_once('{'))
        .filter(|(_, inside)| inside.trim_start().starts_with(['#', '.']))
        .map_or(heading, |(before, _)| before.trim_end())
}

fn is_underline(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 2 && (line.bytes().all(|b| b == b'=') || line.bytes().all(|b| b == b'-'))
}
