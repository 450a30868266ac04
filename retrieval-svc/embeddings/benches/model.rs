//! How long a query and a document take with the real model: `EMBED_MODEL_DIR=DIR cargo bench -p
//! turnwise-retrieval-embeddings --bench model`.

use std::time::Duration;

use tokio::{runtime::Runtime, time::Instant};
use turnwise_kit::CallContext;
use turnwise_retrieval_embeddings::{Directory, EmbedError, Embedder, Purpose};
use turnwise_testing::figure::{Bound, figure};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Words of lessons, so that texts of any length can be made.
const WORDS: [&str; 12] = [
    "fraction",
    "denominator",
    "multiply",
    "both",
    "sides",
    "of",
    "the",
    "equation",
    "by",
    "3/4",
    "then",
    "simplify",
];
const QUERIES: usize = 200;
const CHUNKS: usize = 256;

fn main() -> Result<(), Failure> {
    let Some(folder) = std::env::var_os("EMBED_MODEL_DIR") else {
        println!("skipped: EMBED_MODEL_DIR names no model; scripts/fetch-model brings one");
        return Ok(());
    };
    let runtime = Runtime::new()?;
    let begun = runtime.block_on(async { Instant::now() });
    for threads in [1, 2] {
        let model = Directory::open(folder.as_ref(), threads)?;
        if threads == 1 {
            figure("embed_open_ms", ms(begun.elapsed()), Bound::Report);
        }
        runtime.block_on(measure(&model, threads))?;
    }
    Ok(())
}

async fn measure(model: &Directory, threads: usize) -> Result<(), EmbedError> {
    let call = CallContext::background(None, Duration::from_secs(600));
    for words in [8, 40] {
        let mut times = Vec::with_capacity(QUERIES);
        for at in 0..QUERIES {
            let begun = Instant::now();
            model
                .embed(vec![text(words, at)], Purpose::Query, &call)
                .await?;
            times.push(ms(begun.elapsed()));
        }
        times.sort_by(f64::total_cmp);
        let name = format!("embed_query_{words}_words_t{threads}");
        figure(&format!("{name}_p50_ms"), times[QUERIES / 2], Bound::Report);
        figure(
            &format!("{name}_p99_ms"),
            times[QUERIES * 99 / 100],
            Bound::Report,
        );
    }
    // As chunks of lessons are: about 20 to 160 words, nearly all of a length of their own.
    let chunks: Vec<_> = (0..CHUNKS)
        .map(|at| text(20 + at * 140 / CHUNKS, at))
        .collect();
    let begun = Instant::now();
    model.embed(chunks, Purpose::Document, &call).await?;
    let rate = 1000.0 * CHUNKS as f64 / ms(begun.elapsed());
    figure(
        &format!("embed_chunks_t{threads}_per_s"),
        rate,
        Bound::Report,
    );

    let documents: Vec<_> = (0..CHUNKS).map(|at| text(160, at)).collect();
    let indexing = model.embed(documents, Purpose::Document, &call);
    tokio::pin!(indexing);
    let mut worst: f64 = 0.0;
    for at in 0..20 {
        let begun = Instant::now();
        tokio::select! {
            biased;
            vectors = model.embed(vec![text(8, at)], Purpose::Query, &call) => {
                vectors?;
                worst = worst.max(ms(begun.elapsed()));
            }
            vectors = &mut indexing => {
                vectors?;
                break;
            }
        }
    }
    figure(
        &format!("embed_query_while_indexing_t{threads}_worst_ms"),
        worst,
        Bound::Report,
    );
    Ok(())
}

fn text(words: usize, at: usize) -> Box<str> {
    let words: Vec<&str> = (0..words)
        .map(|word| WORDS[(word * 5 + at * 7) % WORDS.len()])
        .collect();
    words.join(" ").into()
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
