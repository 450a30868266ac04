//! Makes a constant of every key of `locales/en.ftl`, so that a misspelt key does not compile.

use std::{env, error::Error, fmt::Write, fs, path::Path};

use fluent_syntax::{ast::Entry, parser};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=locales");
    let source = fs::read_to_string("locales/en.ftl")?;
    let resource =
        parser::parse(source.as_str()).map_err(|(_, faults)| format!("en.ftl: {faults:?}"))?;
    let mut keys = String::new();
    for entry in &resource.body {
        if let Entry::Message(message) = entry {
            let key = message.id.name;
            let name = key.to_uppercase().replace('-', "_");
            writeln!(keys, "/// `{key}`\npub const {name}: Key = Key(\"{key}\");")?;
        }
    }
    let out = env::var("OUT_DIR")?;
    fs::write(Path::new(&out).join("keys.rs"), keys)?;
    Ok(())
}
