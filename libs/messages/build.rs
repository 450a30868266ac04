//! Makes a constant of every key of `locales/en.ftl`, so that a misspelt key does not compile, and lists each message's
//! placeholders.

use std::{collections::BTreeSet, env, error::Error, fmt::Write, fs, path::Path};

use fluent_syntax::{
    ast::{Entry, Expression, InlineExpression, Pattern, PatternElement},
    parser,
};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=locales");
    let source = fs::read_to_string("locales/en.ftl")?;
    let resource =
        parser::parse(source.as_str()).map_err(|(_, faults)| format!("en.ftl: {faults:?}"))?;
    let mut keys = String::new();
    let mut placeholders = String::new();
    for entry in &resource.body {
        if let Entry::Message(message) = entry {
            let key = message.id.name;
            let name = key.to_uppercase().replace('-', "_");
            writeln!(keys, "/// `{key}`\npub const {name}: Key = Key(\"{key}\");")?;
            let mut named = BTreeSet::new();
            if let Some(pattern) = &message.value {
                in_pattern(pattern, &mut named);
            }
            let named: Vec<_> = named.into_iter().collect();
            writeln!(placeholders, "({name}, &{named:?}),")?;
        }
    }
    writeln!(
        keys,
        "/// The names of each message's placeholders, by key, in the order of the file.\n\
         pub(super) const PLACEHOLDERS: &[(Key, &[&str])] = &[\n{placeholders}];"
    )?;
    let out = env::var("OUT_DIR")?;
    fs::write(Path::new(&out).join("keys.rs"), keys)?;
    Ok(())
}

fn in_pattern<'s>(pattern: &Pattern<&'s str>, found: &mut BTreeSet<&'s str>) {
    for element in &pattern.elements {
        if let PatternElement::Placeable { expression } = element {
            in_expression(expression, found);
        }
    }
}

fn in_expression<'s>(expression: &Expression<&'s str>, found: &mut BTreeSet<&'s str>) {
    match expression {
        Expression::Inline(inline) => in_inline(inline, found),
        Expression::Select { selector, variants } => {
            in_inline(selector, found);
            for variant in variants {
                in_pattern(&variant.value, found);
            }
        }
    }
}

fn in_inline<'s>(inline: &InlineExpression<&'s str>, found: &mut BTreeSet<&'s str>) {
    match inline {
        InlineExpression::VariableReference { id } => {
            found.insert(id.name);
        }
        InlineExpression::FunctionReference { arguments, .. } => {
            for argument in &arguments.positional {
                in_inline(argument, found);
            }
        }
        InlineExpression::Placeable { expression } => in_expression(expression, found),
        _ => {}
    }
}
