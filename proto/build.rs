//! Compiles the protos without protoc and writes the descriptor set that reflection serves.

use std::path::{Path, PathBuf};
use std::{env, error::Error, fs};

use prost::Message;

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut files = Vec::new();
    collect(&root.join("turnwise"), &mut files)?;
    files.sort();

    // The compiler for Rust honours no rerun setting of its own, so the lines are printed here.
    println!("cargo:rerun-if-changed=turnwise");
    println!("cargo:rerun-if-changed=third_party");

    let mut compiler = protox::Compiler::new([root.clone(), root.join("third_party")])?;
    compiler.include_imports(true).include_source_info(true);
    compiler.open_files(&files)?;
    let descriptors = compiler.file_descriptor_set();
    fs::write(out.join("turnwise.bin"), descriptors.encode_to_vec())?;

    // Only some records have these, and all are moved from one stack frame to the next.
    let mut builder = tonic_prost_build::configure()
        .bytes(".")
        .btree_map(".")
        .boxed(".turnwise.explain.v1.TurnFacts.help")
        .boxed(".turnwise.explain.v1.TurnTexts.graded")
        .boxed(".turnwise.session.v1.EvidenceStart.graded")
        .boxed(".turnwise.session.v1.TurnStart.graded")
        .boxed(".turnwise.session.v1.TurnStart.help");
    // What a client of the edge reads as JSON, as the fields are called here.
    for card in ["ConceptCard", "WorkedExample", "DrillCard"] {
        let derive = r#"#[derive(serde::Serialize)] #[serde(rename_all = "camelCase")]"#;
        builder = builder.message_attribute(format!("turnwise.tutor.v1.{card}"), derive);
    }
    builder.compile_fds(descriptors)?;
    Ok(())
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "proto") {
            files.push(path);
        }
    }
    Ok(())
}
