//! What a search costs, in time and memory: `cargo bench -p turnwise-retrieval-index --bench scan [-- --quick]`.
//!
//! Rows are generated: 50 chunks to a unit, 80 different terms and about 750 bytes of text to a chunk, 384 values to a
//! vector. Scopes are random, so that nearly every search finds its rows outside the processor's caches. Under `--quick`
//! the collection of 1,000,000 chunks is left out; under `--scoped` all but searches in six units of 100,000 chunks.

use std::{env, error::Error, fs, hint::black_box, path::Path, process::Command, sync::Arc};

use futures_util::FutureExt;
use tokio::time::Instant;
use turnwise_retrieval_index::{
    Content, EmbeddedEngine, Engine, Filter, Fusion, Index, Namespace, Part, Precision, Query,
    Statistics,
};
use turnwise_testing::figure::{Bound, figure};

mod corpus;

use corpus::{Corpus, DIMENSION, ROWS_IN_UNIT};

type Failure = Box<dyn Error + Send + Sync>;

/// The allocator of the services.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const CHUNKS: usize = 100_000;
const SEARCHES: usize = 4_000;
/// The bytes that a chunk may take: 1.3 times its vector, and 1 KiB.
const MOST_BYTES: f64 = 1.3 * (DIMENSION * 4) as f64 + 1024.0;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--load") {
        return load(Path::new(
            arguments.get(at + 1).ok_or("--load needs a folder")?,
        ));
    }
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let corpus = Corpus::new(CHUNKS);
    let part = Arc::new(corpus.part("", corpus.documents(0..CHUNKS))?);
    let exact = open(&[Arc::clone(&part)], Precision::F32)?;
    floor(&part);
    scoped(&*exact, &corpus, true)?;
    if arguments.iter().any(|argument| argument == "--scoped") {
        return Ok(());
    }
    let close = open(&[Arc::clone(&part)], Precision::Int8)?;
    int8(&*exact, &*close, &corpus)?;
    drop((exact, close));
    for (name, rows) in [("one_part", CHUNKS), ("2000_parts", ROWS_IN_UNIT)] {
        loaded(name, &corpus, &part, rows)?;
    }
    drop(part);
    mapping()?;
    for chunks in [10_000, 1_000_000] {
        if quick && chunks > CHUNKS {
            continue;
        }
        let corpus = Corpus::new(chunks);
        let part = Arc::new(corpus.part("", corpus.documents(0..chunks))?);
        scoped(&*open(&[part], Precision::F32)?, &corpus, false)?;
    }
    Ok(())
}

/// An index over parts.
fn open(parts: &[Arc<Part>], precision: Precision) -> Result<Arc<dyn Index>, Failure> {
    let engine = EmbeddedEngine::new(Some(corpus::model()), precision);
    for part in parts {
        let published = engine.publish(Arc::clone(part)).now_or_never();
        published.ok_or("publishing is not ready at once")??;
    }
    let content = Content {
        id: "bench".into(),
        tenant: "school".into(),
        course: "course".into(),
        parts: parts.iter().map(|part| part.id().clone()).collect(),
        statistics: Arc::new(Statistics::of(parts.iter().map(|part| &**part))),
    };
    let opened = engine.open(content).now_or_never();
    Ok(opened.ok_or("opening is not ready at once")??)
}

/// Microseconds of each search, sorted.
fn time(index: &dyn Index, searches: &[(Query, Filter)], top: usize) -> Result<Vec<f64>, Failure> {
    let mut spent = Vec::with_capacity(searches.len());
    for (query, filter) in searches {
        let start = Instant::now();
        let found = index
            .search(Namespace::Chunks, query, filter, top)
            .now_or_never();
        spent.push(start.elapsed().as_secs_f64() * 1e6);
        black_box(found.ok_or("a search is not ready at once")??);
    }
    spent.sort_by(f64::total_cmp);
    Ok(spent)
}

/// The value below which so many hundredths of sorted values are.
fn percentile(sorted: &[f64], hundredths: usize) -> f64 {
    let at = sorted.len() * hundredths / 100;
    sorted
        .get(at.min(sorted.len() - 1))
        .copied()
        .unwrap_or(f64::NAN)
}

/// The reference: six runs of rows read once each, and nothing else done but their dot products, one by one.
fn floor(part: &Part) {
    let rows: Vec<f32> = part
        .rows(Namespace::Chunks)
        .filter_map(|row| row.vector())
        .flatten()
        .copied()
        .collect();
    let mut random = fastrand::Rng::with_seed(3);
    let query: Vec<f32> = rows[..DIMENSION].to_vec();
    let mut spent: Vec<f64> = (0..SEARCHES)
        .map(|_| {
            let units = [(); 6].map(|()| random.usize(0..CHUNKS / ROWS_IN_UNIT));
            let start = Instant::now();
            for unit in units {
                let width = ROWS_IN_UNIT * DIMENSION;
                for row in rows[unit * width..(unit + 1) * width].chunks_exact(DIMENSION) {
                    let mut sums = [0.0_f32; 16];
                    for (row, query) in row.chunks_exact(16).zip(query.chunks_exact(16)) {
                        for lane in 0..16 {
                            sums[lane] += row[lane] * query[lane];
                        }
                    }
                    black_box(sums);
                }
            }
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    spent.sort_by(f64::total_cmp);
    figure(
        "bare_dot_products_p50_us",
        percentile(&spent, 50),
        Bound::Report,
    );
    figure(
        "bare_dot_products_p99_us",
        percentile(&spent, 99),
        Bound::Report,
    );
}

/// Searches in six random units.
fn scoped(index: &dyn Index, corpus: &Corpus, bound: bool) -> Result<(), Failure> {
    let searches = corpus.searches(SEARCHES);
    time(index, &searches[..SEARCHES / 10], 8)?;
    let both = time(index, &searches, 8)?;
    let chunks = corpus.chunks;
    if !bound {
        figure(
            &format!("scoped_{chunks}_p50_us"),
            percentile(&both, 50),
            Bound::Report,
        );
        figure(
            &format!("scoped_{chunks}_p99_us"),
            percentile(&both, 99),
            Bound::Report,
        );
        return Ok(());
    }
    figure("scoped_p50_us", percentile(&both, 50), Bound::AtMost(100.0));
    figure("scoped_p99_us", percentile(&both, 99), Bound::AtMost(300.0));
    let words: Vec<_> = (searches.iter().cloned())
        .map(|(query, filter)| {
            (
                Query {
                    vector: None,
                    ..query
                },
                filter,
            )
        })
        .collect();
    let words = time(index, &words, 8)?;
    figure("scoped_words_p50_us", percentile(&words, 50), Bound::Report);
    let meaning: Vec<_> = (searches.into_iter())
        .map(|(query, filter)| {
            (
                Query {
                    terms: Arc::default(),
                    ..query
                },
                filter,
            )
        })
        .collect();
    let meaning = time(index, &meaning, 8)?;
    figure(
        "scoped_meaning_p50_us",
        percentile(&meaning, 50),
        Bound::Report,
    );
    Ok(())
}

/// The nearest 40 of a course of 3,000 chunks, as mapping a message asks for.
fn mapping() -> Result<(), Failure> {
    let corpus = Corpus::new(3_000);
    let part = Arc::new(corpus.part("", corpus.documents(0..3_000))?);
    for (name, precision) in [("f32", Precision::F32), ("int8", Precision::Int8)] {
        let index = open(&[Arc::clone(&part)], precision)?;
        let everywhere = |(query, _): (Query, Filter)| {
            let fusion = Fusion {
                depth: 40,
                ..Fusion::default()
            };
            (
                Query {
                    terms: Arc::default(),
                    fusion,
                    ..query
                },
                Filter::default(),
            )
        };
        let searches: Vec<_> = corpus
            .searches(SEARCHES)
            .into_iter()
            .map(everywhere)
            .collect();
        let spent = time(&*index, &searches, 40)?;
        let bound = Bound::AtMost(700.0);
        figure(
            &format!("unscoped_3000_{name}_p50_us"),
            percentile(&spent, 50),
            bound,
        );
        figure(
            &format!("unscoped_3000_{name}_p99_us"),
            percentile(&spent, 99),
            Bound::Report,
        );
    }
    Ok(())
}

/// How many of the best eight are found by vectors that are kept as bytes, and how fast.
fn int8(exact: &dyn Index, close: &dyn Index, corpus: &Corpus) -> Result<(), Failure> {
    let searches = corpus.searches(SEARCHES);
    let (mut kept, mut all) = (0, 0);
    for (query, filter) in &searches {
        let query = Query {
            terms: Arc::default(),
            ..query.clone()
        };
        let find = |index: &dyn Index| -> Result<Vec<Box<str>>, Failure> {
            let found = index
                .search(Namespace::Chunks, &query, filter, 8)
                .now_or_never();
            let hits = found.ok_or("a search is not ready at once")??;
            Ok(hits.into_iter().map(|hit| hit.id).collect())
        };
        let (exact, close) = (find(exact)?, find(close)?);
        all += exact.len();
        kept += exact.iter().filter(|id| close.contains(id)).count();
    }
    figure(
        "int8_recall_at_8",
        kept as f64 / f64::from(all as u32),
        Bound::AtLeast(0.97),
    );
    let both = time(close, &searches, 8)?;
    figure("int8_scoped_p50_us", percentile(&both, 50), Bound::Report);
    figure("int8_scoped_p99_us", percentile(&both, 99), Bound::Report);
    Ok(())
}

/// Keeps the rows as encoded parts of so many rows, and loads them in a process of its own.
fn loaded(name: &str, corpus: &Corpus, whole: &Part, rows: usize) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    for (place, first) in (0..CHUNKS).step_by(rows).enumerate() {
        let bytes = if rows == CHUNKS {
            whole.encode()
        } else {
            let documents = corpus.documents(first..first + rows);
            corpus.part(&format!("{place:06}"), documents)?.encode()
        };
        fs::write(folder.path().join(format!("{place:06}")), bytes)?;
    }
    let out = Command::new(env::current_exe()?)
        .arg("--load")
        .arg(folder.path())
        .output()?;
    let out = String::from_utf8(out.stdout)?;
    let mut values = out.split_whitespace().map(str::parse::<f64>);
    let mut next = || values.next().ok_or("the loading process failed");
    let (milliseconds, counted, resident) = (next()??, next()??, next()??);
    // Two thousand dictionaries take more than one; that is told, but not what the bound is for.
    let most = if rows == CHUNKS {
        Bound::AtMost(MOST_BYTES)
    } else {
        Bound::Report
    };
    figure(
        &format!("load_{name}_ms"),
        milliseconds,
        Bound::AtMost(2000.0),
    );
    figure(&format!("bytes_per_chunk_{name}"), counted, most);
    // What the allocator holds on to after loading is in it.
    figure(
        &format!("resident_bytes_per_chunk_{name}"),
        resident,
        Bound::Report,
    );
    Ok(())
}

/// Loads parts from a folder, opens an index and searches once; prints the milliseconds from bytes to the answer, the bytes
/// of the parts for each chunk, and those that the process has grown by.
fn load(folder: &Path) -> Result<(), Failure> {
    let corpus = Corpus::new(CHUNKS);
    let vectors = corpus.vectors();
    let mut files: Vec<_> = fs::read_dir(folder)?
        .map(|file| file.map(|file| file.path()))
        .collect::<Result<_, _>>()?;
    files.sort();
    let searches = corpus.searches(1);
    let several = files.len() > 1;
    let before = resident()?;
    let start = Instant::now();
    let mut parts = Vec::with_capacity(files.len());
    for (place, file) in files.iter().enumerate() {
        let source = if several {
            format!("{place:06}")
        } else {
            String::new()
        };
        let bytes = fs::read(file)?;
        let model = Some(corpus::model());
        let part = Part::decode(&corpus::part_id(&source), &bytes, model, |contents| {
            let find = |content: &[u8; 32]| {
                let row = corpus::row_of(content);
                Some(vectors[row * DIMENSION..(row + 1) * DIMENSION].to_vec())
            };
            contents.iter().map(find).collect()
        })?;
        parts.push(Arc::new(part));
    }
    let index = open(&parts, Precision::F32)?;
    time(&*index, &searches, 8)?;
    let spent = start.elapsed().as_secs_f64() * 1e3;
    let counted: usize = parts.iter().map(|part| part.memory()).sum();
    drop(parts);
    // The allocator gives freed memory back a little later.
    let pause = Instant::now();
    while pause.elapsed().as_millis() < 200 {
        black_box(vec![0_u8; 100_000]);
    }
    let grown = resident()? - before;
    black_box(&index);
    println!(
        "{spent} {} {}",
        counted as f64 / CHUNKS as f64,
        grown / CHUNKS as f64
    );
    Ok(())
}

/// The memory that this process has, in bytes.
fn resident() -> Result<f64, Failure> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next());
    Ok(kib.ok_or("no VmRSS in /proc/self/status")?.parse::<f64>()? * 1024.0)
}
