//! The topics in a lesson's front matter, read and changed as text, so that all else stays as its author wrote it.

use serde_json::Value;

/// The full name of the key, which a lesson without one gets, and the short one.
const KEYS: [&str; 2] = ["helper_allowed_topics", "allowed_topics"];

/// The topics that the text's front matter has; none where there is no front matter.
pub fn existing(text: &str) -> Vec<String> {
    let Some(entry) = Front::of(text).and_then(|front| front.entry(text)) else {
        return Vec::new();
    };
    let mut topics = Vec::new();
    for (_, line) in lines(&text[entry.value..entry.end]) {
        let value = line[..comment(line)].trim();
        let value = value.strip_prefix("- ").unwrap_or(value);
        topics.extend(items(value));
    }
    topics
}

/// The text with these topics and no others. Comments stay: one that stood behind an item of a list gets its own line.
/// `None` if the text has no front matter.
pub fn with_topics(text: &str, topics: &[String]) -> Option<String> {
    let front = Front::of(text)?;
    let list = format!(
        "[{}]",
        topics
            .iter()
            .map(|t| scalar(t))
            .collect::<Vec<_>>()
            .join(", ")
    );
    let Some(entry) = front.entry(text) else {
        let (before, behind) = text.split_at(front.end);
        return Some(format!(
            "{before}{}: {list}{}{behind}",
            KEYS[0], front.line_end
        ));
    };
    let mut changed = format!("{} {list}", &text[..entry.value]);
    for (at, line) in lines(&text[entry.value..entry.end]) {
        let comment = &line[comment(line)..];
        match (at, line.trim().is_empty()) {
            // The line of the key keeps its end.
            (0, _) => changed.push_str(if comment.starts_with('#') { " " } else { "" }),
            (_, true) => {}
            (_, false) if !comment.starts_with('#') => continue,
            _ => changed.push_str("  "),
        }
        changed.push_str(comment);
    }
    changed.push_str(&text[entry.end..]);
    Some(changed)
}

/// Where the front matter is.
struct Front<'t> {
    /// Where its first line begins.
    begin: usize,
    /// Where the line begins that closes it.
    end: usize,
    /// How its lines end.
    line_end: &'t str,
}

/// Where the topics are.
struct Entry {
    /// Where the value begins, right behind the key's colon.
    value: usize,
    /// Where the line behind it begins.
    end: usize,
}

impl<'t> Front<'t> {
    fn of(text: &'t str) -> Option<Self> {
        let mut lines = lines(text);
        let (_, first) = lines.next().filter(|(_, line)| line.trim_end() == "---")?;
        let (end, _) = lines.find(|(_, line)| line.trim_end() == "---")?;
        Some(Self {
            begin: first.len(),
            end,
            line_end: if first.ends_with("\r\n") {
                "\r\n"
            } else {
                "\n"
            },
        })
    }

    fn entry(&self, text: &str) -> Option<Entry> {
        let front = text.get(self.begin..self.end)?;
        let (at, key) = lines(front).find_map(|(at, line)| {
            let key = line.split_once(':').map(|(key, _)| key)?;
            KEYS.contains(&key.trim_end()).then_some((at, key))
        })?;
        let value = self.begin + at + key.len() + 1;
        // The value goes on in lines that are indented or items of a list; blank lines and comments between them belong
        // to it, those behind it do not.
        let mut end = value;
        for (n, (at, line)) in lines(&text[value..self.end]).enumerate() {
            let bare = line.trim();
            let item = bare == "-" || bare.starts_with("- ");
            let inner = line.starts_with([' ', '\t']) && !bare.is_empty();
            if n == 0 || item || (inner && !bare.starts_with('#')) {
                end = value + at + line.len();
            } else if !bare.is_empty() && !bare.starts_with('#') {
                break;
            }
        }
        Some(Entry { value, end })
    }
}

/// The lines with their ends, each with where it begins.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let begin = *at;
        *at += line.len();
        Some((begin, line))
    })
}

/// Where the line's comment begins; without one, where its end does (`\n` or `\r\n`).
fn comment(line: &str) -> usize {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match quote {
            Some('"') if before == '\\' => {
                // What is escaped escapes nothing itself.
                before = ' ';
                continue;
            }
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '#' && before.is_whitespace() => return at,
            None if matches!(c, '"' | '\'')
                && (before.is_whitespace() || "[,".contains(before)) =>
            {
                quote = Some(c);
            }
            None => {}
        }
        before = c;
    }
    line.trim_end_matches(['\n', '\r']).len()
}

/// The items of a list in brackets, or the one that the text is.
fn items(text: &str) -> Vec<String> {
    let mut items = Vec::new();
    let mut item = String::new();
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '"' | '\'') && item.trim().is_empty() => quote = Some(c),
            None if ",[]".contains(c) => items.push(std::mem::take(&mut item)),
            _ => item.push(c),
        }
    }
    items.push(item);
    let items = items.into_iter().map(|item| item.trim().to_owned());
    items
        .filter(|item| !["", "~", "null"].contains(&item.as_str()))
        .collect()
}

/// A topic as YAML: plain where that means the same, else a JSON string.
fn scalar(topic: &str) -> String {
    let plain = topic.starts_with(char::is_alphabetic)
        && topic.ends_with(char::is_alphanumeric)
        && topic
            .chars()
            .all(|c| c.is_alphanumeric() || " -'’".contains(c))
        && !["null", "true", "false", "yes", "no", "on", "off", "y", "n"]
            .contains(&topic.to_lowercase().as_str());
    if plain {
        topic.to_owned()
    } else {
        Value::from(topic).to_string()
    }
}
