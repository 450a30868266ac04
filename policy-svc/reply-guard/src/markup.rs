//! Markup that a client might run, load or draw, templates that one might fill in, and marks of models' prompts.

use crate::ascii::Ascii;

/// Elements of HTML, SVG and MathML of two letters and more.
const ELEMENTS: [&str; 78] = [
    "abbr", "animate", "area", "article", "aside", "audio", "base", "big", "blink", "body", "br",
    "button", "canvas", "center", "circle", "code", "dd", "del", "details", "dialog", "div", "dl",
    "dt", "em", "embed", "fieldset", "font", "footer", "form", "frame", "frameset", "h1", "h2",
    "h3", "head", "header", "hr", "html", "iframe", "image", "img", "input", "ins", "kbd", "label",
    "li", "link", "main", "map", "marquee", "math", "meta", "nav", "noscript", "object", "ol",
    "option", "param", "picture", "pre", "script", "section", "select", "slot", "small", "source",
    "span", "strong", "style", "sub", "summary", "sup", "svg", "table", "template", "textarea",
    "video", "xml",
];
/// Elements of one letter, which are variables as well: markup only where they are written as such.
const SHORT_ELEMENTS: [char; 6] = ['a', 'b', 'i', 'p', 'u', 's'];
/// Words that begin the address of a resource or a script.
const SCHEMES: [&str; 8] = [
    "javascript:",
    "vbscript:",
    "data:text",
    "data:image",
    "data:application",
    "mailto:",
    "file:",
    "blob:",
];

/// Marks of the templates that models' prompts are made with, which no element of HTML is.
#[rustfmt::skip]
const PROMPT_MARKS: [&str; 12] = [
    "[inst]", "[/inst]", "<<sys>>", "<</sys>>", "<bos>", "<eos>", "<unk>", "<pad>", "<think>", "<start_of_turn>",
    "<end_of_turn>", "[system_prompt]",
];
/// The least letters of a name between `<|` and `|>`: `<|x|>` may be mathematics.
const LEAST_NAME: usize = 3;

/// Whether a text, folded to lower case, holds markup.
pub(crate) fn is_found(folded: &str) -> bool {
    let seen = Ascii::of(folded);
    let schemes = seen.has_any(":") && {
        let tight = folded.split_whitespace().collect::<String>();
        SCHEMES.iter().any(|scheme| tight.contains(scheme))
    };
    schemes
        || ["<", "&lt;", "&#60;", "&#x3c;"]
            .iter()
            .any(|open| seen.may_hold(open) && elements(folded, open))
        || ["{{", "}}", "{%", "${", "<?", "<%", "<!"]
            .iter()
            .any(|sign| seen.may_hold(sign) && template(folded, sign))
        || seen.has_any("<[") && prompt_mark(folded)
        || seen.may_hold("on=") && handler(folded)
        || seen.has_any("[") && link(folded)
}

/// A mark of a prompt's template: `[INST]`, `<|im_start|>`.
fn prompt_mark(folded: &str) -> bool {
    let is_name = |name: &str| {
        name.len() >= LEAST_NAME && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    PROMPT_MARKS.iter().any(|mark| folded.contains(mark))
        || folded.match_indices("<|").any(|(at, sign)| {
            let name = folded[at + sign.len()..].split_once("|>");
            name.is_some_and(|(name, _)| is_name(name.trim()))
        })
}

fn elements(folded: &str, open: &str) -> bool {
    folded.match_indices(open).any(|(at, _)| {
        let rest = &folded[at + open.len()..];
        let closing = rest.starts_with('/');
        let name = rest.trim_start_matches('/');
        let end = name
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(name.len());
        let (name, after) = name.split_at(end);
        if name.is_empty() {
            return false;
        }
        // `3</4>`, `a</b>`: a closing tag is no mathematics.
        if closing {
            return name.starts_with(|c: char| c.is_ascii_alphabetic());
        }
        if ELEMENTS.contains(&name) || name == "title" {
            return after.is_empty() || !after.starts_with(|c: char| c.is_alphanumeric());
        }
        let mut letters = name.chars();
        let short = letters.next().filter(|_| letters.next().is_none());
        let before = folded[..at].chars().next_back();
        short.is_some_and(|letter| SHORT_ELEMENTS.contains(&letter)) && {
            let attribute = after.trim_start();
            let has_attribute = after.starts_with([' ', '/', '\n', '\t'])
                && attribute.find('=').is_some_and(|sign| {
                    attribute[..sign]
                        .trim()
                        .chars()
                        .all(|c| c.is_ascii_alphabetic())
                        && attribute[sign + 1..].contains('>')
                });
            // `a<b>c` and `a <b> c` are inequalities; `<b>bold` is none, and neither is one without a left side.
            let wraps = after.strip_prefix('>').is_some_and(|inner| {
                folded[..at].trim().is_empty()
                    || inner.starts_with(|c: char| c.is_alphabetic())
                        && before.is_none_or(|c| !c.is_alphanumeric())
            });
            has_attribute || wraps
        }
    })
}

/// Whether a sign of templates stands in the text and not as part of LaTeX: `x^{{2}}` and `\frac{{a}}{b}` are mathematics.
fn template(folded: &str, sign: &str) -> bool {
    folded.match_indices(sign).any(|(at, _)| {
        let before = folded[..at].chars().next_back();
        let after = folded[at + sign.len()..].chars().next();
        match sign {
            "{{" => before.is_none_or(|c| !(c.is_alphanumeric() || "^_}\\{".contains(c))),
            "}}" => false,
            // `$x={…}$` never begins with a brace alone but `${7*7}` and `${name}` do.
            "${" => folded[at + 2..]
                .split_once('}')
                .is_some_and(|(_, rest)| !rest.contains('$')),
            "<?" => after.is_some_and(|c| c == '=' || c.is_ascii_alphabetic()),
            "<!" => after.is_some_and(|c| c == '-' || c == '[' || c.is_ascii_alphabetic()),
            _ => true,
        }
    })
}

/// An attribute that runs a script: `onerror=`.
fn handler(folded: &str) -> bool {
    folded.match_indices("on").any(|(at, _)| {
        let rest = &folded[at + 2..];
        let end = rest
            .find(|c: char| !c.is_ascii_lowercase())
            .unwrap_or(rest.len());
        let starts = folded[..at]
            .chars()
            .next_back()
            .is_none_or(|c| !c.is_alphanumeric());
        starts && (3..=12).contains(&end) && rest[end..].trim_start().starts_with('=')
    })
}

/// A link or an image of Markdown with a target.
fn link(folded: &str) -> bool {
    folded.match_indices("](").any(|(at, _)| {
        let target = &folded[at + 2..];
        let end = target.find(')').unwrap_or(target.len());
        let opened = folded[..at].rfind('[');
        let image = opened.is_some_and(|open| folded[..open].ends_with('!'));
        let target = target[..end].trim();
        // `[1,2](x)` and `f[a](b)` are mathematics.
        let named = target.contains(|c: char| c.is_ascii_alphabetic());
        image || target.contains([':', '#']) || (named && target.contains(['/', '.']))
    }) || folded.contains("![")
}
