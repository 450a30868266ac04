//! A process that is killed while it stages, commits and keeps what it derives: the test runs itself again as that
//! process. Whatever it said was done is there afterwards, once; what it was about to do is there as a whole or not at
//! all.
//!
//! INDEX_KILLS and INDEX_KILLS_SEED say how many kills and which; every run prints its seed.

use std::{
    collections::BTreeMap,
    env,
    fmt::{self, Display},
    io::{BufRead, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    str::FromStr,
    time::Duration,
};

use tokio::{runtime::Runtime, time::Instant};
use turnwise_retrieval_index::{Cache, Progress, Sources};
use turnwise_retrieval_store::Store;
use turnwise_testing::choices::Choices;

use crate::{
    bench::{chunks, head, key, model, open, part, state, vectors},
    expected::Expected,
};

/// Tells the process that it is started by this test: the folder that it works in, and its seed.
const FOLDER: &str = "TURNWISE_TEST_FOLDER";
const SEED: &str = "TURNWISE_TEST_SEED";
/// How many kills, and by which seed.
const KILLS: &str = "INDEX_KILLS";
const KILLS_SEED: &str = "INDEX_KILLS_SEED";
/// Kills for somebody who names no number.
const FEW: u64 = 12;
/// The seed of somebody who names none: with this one some kills come soon after the beginning of a job, at each stage.
const USUAL: u64 = 6;
/// The sources that are uploaded.
const SOURCES: [&str; 3] = ["a", "b", "c"];
/// How many vectors there are to keep.
const VECTORS: u32 = 20_000;
/// Every so many kills the store begins anew, so that its making is hit, too.
const ANEW: u64 = 8;

/// What the process is about to do.
#[derive(Debug, Clone, PartialEq)]
enum Job {
    Open,
    Begin(String, u32),
    Stage(String, u32, u32, u32),
    Commit(String, u32),
    Remove(String),
    Vectors(u32, u32),
    Part(String, u32),
}

/// What a kill can hit.
const STAGES: [&str; 4] = ["opening", "staging", "committing", "caching"];

impl Job {
    fn stage(&self) -> &'static str {
        match self {
            Self::Open => "opening",
            Self::Begin(..) | Self::Stage(..) => "staging",
            Self::Commit(..) | Self::Remove(_) => "committing",
            Self::Vectors(..) | Self::Part(..) => "caching",
        }
    }
}

impl Display for Job {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open => write!(out, "open"),
            Self::Begin(source, revision) => write!(out, "begin {source} {revision}"),
            Self::Stage(source, revision, first, to) => {
                write!(out, "stage {source} {revision} {first} {to}")
            }
            Self::Commit(source, revision) => write!(out, "commit {source} {revision}"),
            Self::Remove(source) => write!(out, "remove {source}"),
            Self::Vectors(from, to) => write!(out, "vectors {from} {to}"),
            Self::Part(source, revision) => write!(out, "part {source} {revision}"),
        }
    }
}

impl FromStr for Job {
    type Err = ();

    /// What was printed; an error if the line was cut.
    fn from_str(line: &str) -> Result<Self, ()> {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |word: &str| word.parse::<u32>().map_err(|_| ());
        Ok(match words[..] {
            ["open"] => Self::Open,
            ["begin", source, revision] => Self::Begin(source.to_owned(), number(revision)?),
            ["stage", source, revision, first, to] => Self::Stage(
                source.to_owned(),
                number(revision)?,
                number(first)?,
                number(to)?,
            ),
            ["commit", source, revision] => Self::Commit(source.to_owned(), number(revision)?),
            ["remove", source] => Self::Remove(source.to_owned()),
            ["vectors", from, to] => Self::Vectors(number(from)?, number(to)?),
            ["part", source, revision] => Self::Part(source.to_owned(), number(revision)?),
            _ => return Err(()),
        })
    }
}

/// How many chunks a revision has.
fn count(revision: u32) -> u32 {
    3 + revision * 31 % 90
}

fn encoded(source: &str, revision: u32) -> Vec<u8> {
    format!("the part of {source} {revision} ")
        .repeat(3000)
        .into_bytes()
}

#[test]
#[ignore = "the other process of the test in this file"]
fn other_process() {
    let Some(folder) = env::var_os(FOLDER).map(PathBuf::from) else {
        return;
    };
    let seed = env::var(SEED).unwrap().parse().unwrap();
    Runtime::new()
        .unwrap()
        .block_on(work_until_killed(&folder, Choices::new(seed)));
}

async fn work_until_killed(folder: &Path, mut choices: Choices) {
    tell("do open");
    let store = open(folder);
    tell("ok");
    // The revision that each source is at: after all that it has, or has begun.
    let mut revisions = BTreeMap::new();
    for source in SOURCES {
        let revision = match state(&store, &key(source)).await {
            Some(state) => match (state.pending, state.committed) {
                (Some((head, _)), _) => head.revision.parse().unwrap(),
                (None, Some((head, _))) => head.revision.parse::<u32>().unwrap() + 1,
                (None, None) => unreachable!(),
            },
            None => 1,
        };
        revisions.insert(source, revision);
    }
    loop {
        let source = SOURCES[choices.below(SOURCES.len())];
        let revision = revisions[source];
        let jobs = match state(&store, &key(source))
            .await
            .and_then(|state| state.pending)
        {
            None if choices.below(8) == 0 => vec![Job::Remove(source.to_owned())],
            None => vec![Job::Begin(source.to_owned(), revision)],
            Some((head, kept)) if kept == head.chunks => vec![
                Job::Commit(source.to_owned(), revision),
                Job::Part(source.to_owned(), revision),
            ],
            Some((head, kept)) => {
                let to = (kept + 1 + choices.below(40) as u32).min(head.chunks);
                // Sometimes what was told already is told again.
                let first = kept.saturating_sub(choices.below(4) as u32);
                let from = choices.below(VECTORS as usize - 3000) as u32;
                vec![
                    Job::Stage(source.to_owned(), revision, first, to),
                    Job::Vectors(from, from + 1 + choices.below(3000) as u32),
                ]
            }
        };
        for job in jobs {
            tell(&format!("do {job}"));
            work(&store, &job).await;
            tell("ok");
            if let Job::Commit(..) = job {
                revisions.insert(source, revision + 1);
            }
        }
    }
}

async fn work(store: &Store, job: &Job) {
    match job {
        Job::Open => {}
        Job::Begin(source, revision) => {
            let begun = store
                .begin(&key(source), &head(&revision.to_string(), count(*revision)))
                .await;
            assert!(matches!(begun, Ok(Progress::Staged(_))), "{begun:?}");
        }
        Job::Stage(source, revision, first, to) => {
            let (key, revision) = (key(source), revision.to_string());
            let given = chunks(&key, &revision, *first..*to);
            assert_eq!(store.stage(&key, &revision, *first, given).await, Ok(*to));
        }
        Job::Commit(source, revision) => {
            let (key, at) = (key(source), u64::from(*revision));
            let committed = store.commit(&key, &revision.to_string(), at).await;
            assert_eq!(committed, Ok(()));
        }
        Job::Remove(source) => {
            store.remove(&key(source)).await.unwrap();
        }
        Job::Vectors(from, to) => {
            let model = model("m", 64);
            store.keep_vectors(&model, &vectors(&model, *from..*to));
        }
        Job::Part(source, revision) => {
            let id = part(source, &revision.to_string());
            store.keep_part(&id, &encoded(source, *revision), &[]);
        }
    }
}

/// One line for the test, at once.
fn tell(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "# {line}").unwrap();
    out.flush().unwrap();
}

/// What the store should hold.
type World = BTreeMap<String, Expected>;

/// The world after a job.
fn after(world: &World, job: &Job) -> World {
    let mut world = world.clone();
    let mut of = |source: &String| world.remove(source).unwrap_or_default();
    let changed = match job {
        Job::Begin(source, revision) => {
            let mut expected = of(source);
            expected.begin(&head(&revision.to_string(), count(*revision)));
            Some((source, expected))
        }
        Job::Stage(source, revision, first, to) => {
            let mut expected = of(source);
            let given = chunks(&key(source), &revision.to_string(), *first..*to);
            expected
                .stage(&revision.to_string(), *first, given)
                .unwrap();
            Some((source, expected))
        }
        Job::Commit(source, revision) => {
            let mut expected = of(source);
            expected
                .commit(&revision.to_string(), u64::from(*revision))
                .unwrap();
            Some((source, expected))
        }
        Job::Remove(source) => {
            let mut expected = of(source);
            expected.remove();
            Some((source, expected))
        }
        Job::Open | Job::Vectors(..) | Job::Part(..) => None,
    };
    if let Some((source, expected)) = changed {
        world.insert(source.clone(), expected);
    }
    world
}

/// Whether the store holds exactly this.
async fn is(store: &Store, world: &World) -> bool {
    for source in SOURCES {
        let key = key(source);
        let expected = world.get(source).cloned().unwrap_or_default();
        if state(store, &key).await != expected.state(&key)
            || store.chunks(&key).await != expected.chunks()
        {
            return false;
        }
    }
    true
}

/// Whatever the cache answers is right; how many vectors it has.
fn kept(store: &Store) -> usize {
    let model = model("m", 64);
    let right = vectors(&model, 0..VECTORS);
    let contents: Vec<_> = right.iter().map(|(content, _)| *content).collect();
    let found = store.vectors(&model, &contents);
    for source in SOURCES {
        for revision in 1..200 {
            let found = store.part(&part(source, &revision.to_string()));
            assert!(found.is_none_or(|found| found == encoded(source, revision)));
        }
    }
    let pairs = found.iter().zip(&right);
    pairs
        .filter_map(|(found, (_, right))| found.as_ref().map(|found| assert_eq!(found, right)))
        .count()
}

/// Reads what the process tells; kills it so many jobs of a stage later.
struct Witness {
    world: World,
    doing: Option<Job>,
    hit: BTreeMap<&'static str, u32>,
}

impl Witness {
    fn note(&mut self, line: &str) {
        // The test's own words stand before the first one.
        let Some((_, told)) = line.split_once("# ") else {
            return;
        };
        if told == "ok" {
            let done = self.doing.take().expect("what is done was begun");
            self.world = after(&self.world, &done);
        } else if let Some(job) = told.strip_prefix("do ") {
            self.doing = job.parse().ok();
        }
    }

    fn watch(&mut self, mut child: Child, target: &str, mut times: usize, linger: Duration) {
        let mut lines = BufReader::new(child.stdout.take().unwrap()).split(b'\n');
        while times > 0 {
            let line = lines.next().expect("the process goes on").unwrap();
            let line = String::from_utf8_lossy(&line);
            self.note(&line);
            if line.contains("# do ") && self.doing.as_ref().unwrap().stage() == target {
                times -= 1;
            }
        }
        // Somewhere in the middle of it; a timer would be too coarse.
        let until = Instant::now() + linger;
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let rest: Vec<Vec<u8>> = lines.map(Result::unwrap).collect();
        for line in rest {
            self.note(&String::from_utf8_lossy(&line));
        }
        let stage = self.doing.as_ref().map_or("in between", Job::stage);
        *self.hit.entry(stage).or_default() += 1;
    }

    /// What was done is there, and what was begun is there as a whole or not at all.
    async fn assert_nothing_lost(&mut self, folder: &Path, round: u64) {
        let store = open(folder);
        let done = self.doing.take().map(|job| after(&self.world, &job));
        match done {
            Some(done) if is(&store, &done).await => self.world = done,
            _ => assert!(
                is(&store, &self.world).await,
                "after kill {round}: {:?}",
                store.list("school", "maths").await
            ),
        }
        kept(&store);
    }
}

fn number(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name} must be a number")),
    )
}

#[test]
fn kills_at_every_stage_lose_nothing_and_leave_nothing_half_done() {
    let seed = number(KILLS_SEED).unwrap_or(USUAL);
    let kills = number(KILLS).unwrap_or(FEW);
    println!("{KILLS_SEED}={seed}");
    let runtime = Runtime::new().unwrap();
    let mut folder = tempfile::tempdir().unwrap();
    let mut witness = Witness {
        world: World::new(),
        doing: None,
        hit: BTreeMap::new(),
    };
    let mut after_restart = 0;
    for round in 0..kills {
        let mut choices = Choices::of_round(seed, round);
        if round % ANEW == 0 {
            folder = tempfile::tempdir().unwrap();
            witness.world = World::new();
        }
        let child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "kill::other_process", "--ignored", "--nocapture"])
            .env(FOLDER, folder.path())
            .env(SEED, choices.below(usize::MAX).to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // Opening happens once; the others after some work.
        let target = STAGES[round as usize % STAGES.len()];
        let times = if target == "opening" {
            1
        } else {
            1 + choices.below(25)
        };
        let linger = Duration::from_micros(choices.below(4000) as u64);
        witness.watch(child, target, times, linger);
        runtime.block_on(witness.assert_nothing_lost(folder.path(), round));
        after_restart = kept(&open(folder.path()));
    }
    println!(
        "{kills} kills: {:?}; at last {after_restart} vectors",
        witness.hit
    );
    if kills >= 40 {
        for stage in STAGES {
            assert!(witness.hit.contains_key(stage), "no kill while {stage}");
        }
    }
}
