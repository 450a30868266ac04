//! `retrieval-quality`: prints how good retrieval is on a folder of labelled queries.

use std::{collections::BTreeMap, path::PathBuf};

use anyhow::Context;
use clap::Parser;
use tokio::time::Instant;
use turnwise_retrieval_quality::{
    course::Course,
    data::Data,
    metrics::DEFINITIONS,
    report::{self, Asked},
    run::{Kind, run},
    vectors::Vectors,
};
use turnwise_testing::figure::{Bound, figure};

/// Prints how good retrieval is on a folder of labelled queries: all tables in markdown, and `figure` lines with the bounds
/// that they have to keep.
///
/// cargo run --release -p turnwise-retrieval-quality -- --data DIR --model DIR
#[derive(Parser)]
#[command(verbatim_doc_comment)]
struct Arguments {
    /// The folder with `course` and `queries`. Without it: `data` of TURNWISE_SHARED_DIR, or of `shared` beside the
    /// repository.
    #[arg(long)]
    data: Option<PathBuf>,
    /// The folder of an embedding model. Without it, words alone are measured.
    #[arg(long, env = "EMBED_MODEL_DIR")]
    model: Option<PathBuf>,
    /// Where the model's vectors are kept between runs.
    #[arg(long, default_value = "target/quality-vectors.bin")]
    vectors: PathBuf,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let folder = arguments
        .data
        .or_else(Data::default_folder)
        .context("no data: --data names its folder")?;
    let data = Data::read(&folder)?;
    let mut vectors = match &arguments.model {
        Some(model) => Some(Vectors::open(model, &arguments.vectors).await?),
        None => None,
    };
    let mut courses = BTreeMap::new();
    for (id, pack) in &data.courses {
        courses.insert(id.clone(), Course::new(pack, vectors.as_mut()).await?);
    }

    println!("{DEFINITIONS}\n");
    let mut all = Vec::new();
    for with_model in [false, true] {
        for kind in Kind::ALL {
            let model = match (with_model, &mut vectors) {
                (false, _) => None,
                (true, None) => continue,
                (true, Some(vectors)) => Some(vectors),
            };
            let outcome = run(&data, &courses, kind, model).await?;
            all.push(Asked {
                kind,
                with_model,
                outcome,
            });
        }
    }
    report::head();
    all.iter().for_each(report::rows);
    report::reliability(&all, false);
    if vectors.is_some() {
        report::reliability(&all, true);
    }
    println!();
    all.iter().for_each(report::figures);
    speed(&data, &courses);
    Ok(())
}

/// Tells how long reading and mapping a message takes, without the search for nearest chunks.
fn speed(data: &Data, courses: &BTreeMap<String, Course>) {
    let mut times: Vec<f64> = data
        .queries
        .iter()
        .filter_map(|query| {
            let mapping = &courses.get(&query.course)?.mapping;
            let start = Instant::now();
            let turn = mapping.turn(&query.text, &query.context);
            std::hint::black_box(mapping.map(&turn, None));
            Some(start.elapsed().as_secs_f64() * 1e6)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    if let (Some(p50), Some(p99)) = (
        times.get(times.len() / 2),
        times.get(times.len() * 99 / 100),
    ) {
        figure("mapping_p50_us", *p50, Bound::AtMost(1_000.0));
        figure("mapping_p99_us", *p99, Bound::Report);
    }
}
