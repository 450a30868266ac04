//! Key paths of JSON: JSON Pointers and the dotted form.
//!
//! A path that is empty or begins with `/` is a JSON Pointer (RFC 6901). Any other is in the dotted form, another spelling
//! of the same: names behind dots, and anything in brackets: `steps[0]`, `['odd key']`, `["odd key"]`, or a bare word. In
//! quotes, a backslash stands before a quote or a backslash. As in a pointer, a step picks a member of an object by its
//! key, and an element of a list by its number.

/// The steps of a path, each as a key or a number is written.
///
/// # Errors
/// The path is of neither form; the text says what to write.
pub fn parse(path: &str) -> Result<Vec<String>, String> {
    match path.strip_prefix('/') {
        Some(tokens) => tokens.split('/').map(unescaped).collect(),
        None if path.is_empty() => Ok(Vec::new()),
        None => dotted(path),
    }
}

/// A pointer's token with `~1` for `/` and `~0` for `~`.
fn unescaped(token: &str) -> Result<String, String> {
    let mut out = String::with_capacity(token.len());
    let mut chars = token.chars();
    while let Some(c) = chars.next() {
        match (c, chars.as_str().chars().next()) {
            ('~', Some(digit @ ('0' | '1'))) => {
                out.push(if digit == '0' { '~' } else { '/' });
                chars.next();
            }
            ('~', _) => {
                return Err("in a JSON Pointer, write `~0` for `~` and `~1` for `/`".to_owned());
            }
            _ => out.push(c),
        }
    }
    Ok(out)
}

fn dotted(path: &str) -> Result<Vec<String>, String> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let (step, after) = bracketed(inner)?;
            steps.push(step);
            rest = after;
            continue;
        }
        // Only the first name stands without a dot.
        let name = match rest.strip_prefix('.') {
            Some(name) if !steps.is_empty() => name,
            None if steps.is_empty() => rest,
            _ => return Err("names stand behind one dot each, as in `a.b[0]`".to_owned()),
        };
        let end = name.find(['.', '[']).unwrap_or(name.len());
        if end == 0 || name[..end].contains(']') {
            return Err(
                "a name is missing, or has a bracket in it; write an odd name as `['odd name']`"
                    .to_owned(),
            );
        }
        steps.push(name[..end].to_owned());
        rest = &name[end..];
    }
    Ok(steps)
}

/// What stands in brackets, the first of which is taken off; and what follows the last.
fn bracketed(inner: &str) -> Result<(String, &str), String> {
    let open = || "a bracket or a quote does not close; write `[0]` or `['key']`".to_owned();
    let Some(quote @ ('\'' | '"')) = inner.chars().next() else {
        let (word, rest) = inner.split_once(']').ok_or_else(open)?;
        if word.is_empty() || word.contains(['[', '\'', '"']) {
            return Err("write a number in the brackets, or a key in quotes".to_owned());
        }
        return Ok((word.to_owned(), rest));
    };
    let mut step = String::new();
    let mut chars = inner[1..].chars();
    loop {
        match chars.next().ok_or_else(open)? {
            '\\' => step.push(chars.next().ok_or_else(open)?),
            c if c == quote => break,
            c => step.push(c),
        }
    }
    let rest = chars.as_str().strip_prefix(']').ok_or_else(open)?;
    Ok((step, rest))
}
