//! Markdown as packs use it: front matter, and sections under `##` headings with attributes.

use crate::fault::Sink;
use crate::yaml::{self, Node, Value};

/// A Markdown file, taken apart.
pub(super) struct Document<'t> {
    /// The front matter's YAML.
    pub(super) front: Node<'t>,
    /// What follows it.
    pub(super) body: &'t str,
    /// The line on which the body starts.
    pub(super) body_line: usize,
}

/// Parts front matter and body. A file without readable front matter gives `None` and a fault.
pub(super) fn split<'t>(text: &'t str, sink: &mut Sink<'_>) -> Option<Document<'t>> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    if first.trim_end() != "---" {
        sink.add(
            1,
            "the file does not begin with front matter",
            "begin it with a line `---`, then `key: value` lines, then another line `---`",
        );
        return None;
    }
    let mut end = first.len();
    for (n, line) in lines.enumerate() {
        if line.trim_end() == "---" {
            let front = yaml::parse(&text[first.len()..end], 2, sink)?;
            let front = match front.value {
                // Nothing between the markers is a map without keys: each missing key is named.
                Value::Null => Node {
                    line: 1,
                    plain: false,
                    value: Value::Map(Vec::new()),
                },
                _ => front,
            };
            return Some(Document {
                front,
                body: &text[end + line.len()..],
                body_line: n + 3,
            });
        }
        end += line.len();
    }
    sink.add(
        1,
        "the front matter does not end",
        "close it with a line `---` before the text begins",
    );
    None
}

/// One section of a body.
pub(super) struct Section {
    /// The line of its heading.
    pub(super) line: usize,
    /// The heading, without its attributes.
    pub(super) heading: String,
    /// Its attributes.
    pub(super) attributes: Attributes,
    /// Its text, trimmed.
    pub(super) text: String,
}

/// What stands in braces behind a heading: `{#id .kind key=value key="a value"}`.
#[derive(Default)]
pub(super) struct Attributes {
    pub(super) id: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) url: Option<String>,
    pub(super) section: Option<String>,
}

/// Cuts a body at its `##` headings; those inside code fences are text. A backslash before a line
/// that begins with `#`, a backtick or `~` keeps it from being a heading or a fence, and is dropped.
pub(super) fn sections(body: &str, body_line: usize, sink: &mut Sink<'_>) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut fence: Option<(&str, usize)> = None;
    for (n, line) in body.lines().enumerate() {
        let number = body_line + n;
        let bare = line.trim_start();
        match fence {
            Some((mark, _)) if closes(bare, mark) => fence = None,
            Some(_) => {}
            None => fence = fence_mark(bare).map(|mark| (mark, number)),
        }
        if fence.is_none()
            && let Some(heading) = line
                .strip_prefix("## ")
                .or((line.trim_end() == "##").then_some(""))
        {
            let (heading, attributes) = heading_parts(heading.trim(), number, sink);
            if heading.is_empty() {
                sink.add(
                    number,
                    "this heading is empty",
                    "write what the section is about behind `##`",
                );
            }
            sections.push(Section {
                line: number,
                heading,
                attributes,
                text: String::new(),
            });
        } else if let Some(section) = sections.last_mut() {
            let plain = if fence.is_none() && is_escaped(bare) {
                line.replacen('\\', "", 1)
            } else {
                line.to_owned()
            };
            section.text.push_str(&plain);
            section.text.push('\n');
        } else if !bare.is_empty() && !line.starts_with("# ") {
            sink.add(
                number,
                "this text stands before the first `##` heading, so it belongs to no chunk",
                "put a `## Heading` line above it",
            );
            break;
        }
    }
    if let Some((mark, line)) = fence {
        sink.add(
            line,
            "this code fence is never closed",
            format!("add a line `{mark}` where the code ends"),
        );
    }
    for section in &mut sections {
        section.text = section.text.trim().to_owned();
        if section.text.is_empty() {
            sink.add(
                section.line,
                format!("the section `{}` has no text", section.heading),
                "write its text below the heading, or remove the heading",
            );
        }
    }
    sections
}

/// The run of backticks or tildes that opens a code fence.
fn fence_mark(line: &str) -> Option<&str> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    let rest = &line[length..];
    (length >= 3 && !rest.contains(mark)).then(|| &line[..length])
}

/// Whether the line begins with backslashes and then what would be a heading or a fence.
fn is_escaped(line: &str) -> bool {
    line.starts_with('\\') && line.trim_start_matches('\\').starts_with(['#', '`', '~'])
}

/// Whether the line closes the fence that `mark` opened.
fn closes(line: &str, mark: &str) -> bool {
    let line = line.trim_end();
    line.starts_with(mark) && line.chars().all(|c| mark.starts_with(c))
}

/// Parts a heading from the attributes behind it. Braces that do not begin with `#`, `.` or a key
/// belong to the heading, as in `## The set {1, 2}`.
fn heading_parts(heading: &str, line: usize, sink: &mut Sink<'_>) -> (String, Attributes) {
    let mut problem = None;
    if heading.ends_with('}') {
        for (at, _) in heading.match_indices('{') {
            let before = &heading[..at];
            let inner = &heading[at + 1..heading.len() - 1];
            let apart = before.is_empty() || before.ends_with(char::is_whitespace);
            if !apart || !looks_like_attributes(inner) {
                continue;
            }
            match attributes(inner) {
                Ok(attributes) => return (before.trim().to_owned(), attributes),
                Err(message) => problem = problem.or(Some((before, message))),
            }
        }
    }
    let Some((before, message)) = problem else {
        return (heading.to_owned(), Attributes::default());
    };
    sink.add(
        line,
        message,
        "write `{#chunk-id .kind url=\"…\" section=\"…\"}`, each part at most once; an id and a kind \
         have letters, digits, `.`, `_` and `-`",
    );
    (before.trim().to_owned(), Attributes::default())
}

fn looks_like_attributes(inner: &str) -> bool {
    let inner = inner.trim();
    inner.is_empty()
        || inner.starts_with(['#', '.'])
        || inner.split_once('=').is_some_and(|(key, _)| {
            key.len() > 1 && key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
        })
}

fn attributes(inner: &str) -> Result<Attributes, String> {
    let mut found = Attributes::default();
    let mut rest = inner.trim_start();
    while !rest.is_empty() {
        let (slot, value, name) = if let Some(after) = rest.strip_prefix('#') {
            let value = word(&mut rest, after);
            if !crate::ids::is_id(&value) {
                return Err(format!("the chunk id `{value}` is not well formed"));
            }
            (&mut found.id, value, "id")
        } else if let Some(after) = rest.strip_prefix('.') {
            let value = word(&mut rest, after);
            if value.is_empty()
                || !value
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
            {
                return Err(format!("the kind `{value}` is not well formed"));
            }
            (&mut found.kind, value, "kind")
        } else {
            let Some((key, after)) = rest.split_once('=') else {
                return Err(format!("`{rest}` is not an attribute"));
            };
            let slot = match key {
                "url" => &mut found.url,
                "section" => &mut found.section,
                _ => return Err(format!("a heading has no attribute `{key}`")),
            };
            let value =
                value(&mut rest, after).ok_or(format!("the quotes of `{key}` do not close"))?;
            if value.trim().is_empty() {
                return Err(format!("the attribute `{key}` is empty"));
            }
            (slot, value, if key == "url" { "url" } else { "section" })
        };
        if slot.replace(value).is_some() {
            return Err(format!("the heading has more than one {name}"));
        }
        rest = rest.trim_start();
    }
    Ok(found)
}

/// Takes a word up to white space and moves `rest` behind it.
fn word<'t>(rest: &mut &'t str, from: &'t str) -> String {
    let end = from.find(char::is_whitespace).unwrap_or(from.len());
    *rest = &from[end..];
    from[..end].to_owned()
}

/// Takes a word or a text in double quotes (`\"` and `\\` inside) and moves `rest` behind it.
fn value<'t>(rest: &mut &'t str, from: &'t str) -> Option<String> {
    let Some(quoted) = from.strip_prefix('"') else {
        return Some(word(rest, from));
    };
    let mut text = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                *rest = &quoted[at + 1..];
                return Some(text);
            }
            '\\' => text.push(chars.next()?.1),
            _ => text.push(c),
        }
    }
    None
}
