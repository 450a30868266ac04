//! retrieval-svc is killed at every stage of indexing. What was acknowledged is there, a revision is found as a whole or
//! not at all, the index answers after each start, and the upload goes on to its end.

use std::{fs, time::Duration};

use tokio::time::Instant;
use turnwise_tests::{
    eventually::eventually,
    precise_wait::wait_exactly,
    process::repository,
    seed::{Choices, count, seed_of},
    shared_data,
    standalone_service::StandaloneService,
    student::DEMO_COURSE,
    upload::{MOST_FOUND, Upload},
};

use crate::course_check::copy;

use super::{
    acknowledged::{Doubt, Ledger},
    service::{AT_ONCE, Client, UNITS},
};

/// How many kills, and by which seed.
const KILLS: &str = "RETRIEVAL_KILLS";
const SEED: &str = "RETRIEVAL_KILLS_SEED";
/// Kills for somebody who names no number: each stage, and one more.
const FEW: u64 = 8;
/// The numbers of revisions from before the first kill.
const FIRST: u64 = 1_000_000;
/// The sources that are uploaded, one after another.
const SOURCES: [&str; 3] = ["film", "notes", "talk"];
/// Kills are spread over so much more than the time of what they interrupt.
const SPREAD: f64 = 1.25;
/// How long vectors may take.
const VECTORS: Duration = Duration::from_secs(120);

/// Where a kill comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Begun,
    Staging,
    Staged,
    Committing,
    Committed,
    Deleting,
    Rebuilding,
}

impl Stage {
    const ALL: [Self; 7] = [
        Self::Begun,
        Self::Staging,
        Self::Staged,
        Self::Committing,
        Self::Committed,
        Self::Deleting,
        Self::Rebuilding,
    ];
}

/// How long what is interrupted takes when it is not.
#[derive(Default)]
struct Times {
    commit: Duration,
    delete: Duration,
    rebuild: Duration,
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_by_words_alone() {
    let kills = count(KILLS, FEW);
    run(&[], &Stage::ALL, kills).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_with_a_model() {
    let Some(model) = shared_data::embedding_model() else {
        return;
    };
    let model = format!("directory:{}", model.display());
    // Vectors take their time: of the lessons only those stay that are searched.
    let courses = tempfile::tempdir().unwrap();
    let course = courses.path().join(DEMO_COURSE);
    copy(&repository().join("courses").join(DEMO_COURSE), &course);
    for lesson in fs::read_dir(course.join("content")).unwrap() {
        let lesson = lesson.unwrap();
        let name = lesson.file_name().into_string().unwrap();
        if !UNITS.iter().any(|unit| name.starts_with(unit)) {
            fs::remove_file(lesson.path()).unwrap();
        }
    }
    let courses = courses.path().display().to_string();
    let settings = [
        ("COURSES_DIR", courses.as_str()),
        ("EMBEDDINGS", &model),
        ("EMBED_THREADS", "2"),
    ];
    // Each stage in which vectors are made or needed, once.
    let stages = [
        Stage::Committing,
        Stage::Committed,
        Stage::Deleting,
        Stage::Rebuilding,
    ];
    run(&settings, &stages, stages.len() as u64).await;
}

async fn run(settings: &[(&str, &str)], stages: &[Stage], kills: u64) {
    let seed = seed_of(SEED);
    let home = tempfile::tempdir().unwrap();
    let store = format!("embedded:{}", home.path().join("index.redb").display());
    let service = StandaloneService::retrieval(&store, settings);
    let has_model = !settings.is_empty();
    let mut rounds = Rounds {
        ledger: Ledger::default(),
        has_model,
        largest: if has_model { 24 } else { MOST_FOUND },
        times: Times::default(),
        service,
    };
    rounds.measure().await;
    let mut in_doubt = [0, 0];
    let began = Instant::now();
    for round in 0..kills {
        let stage = stages[usize::try_from(round).unwrap() % stages.len()];
        let choices = Choices::of_round(seed, round);
        if let Some(happened) = rounds.kill(stage, round, choices).await {
            in_doubt[usize::from(happened)] += 1;
        }
    }
    println!(
        "retrieval_kills: {kills} kills in {:.1} s; of what was not acknowledged when they came {} was there, {} was not",
        began.elapsed().as_secs_f64(),
        in_doubt[1],
        in_doubt[0],
    );
    rounds.service.stop();
}

struct Rounds {
    service: StandaloneService,
    ledger: Ledger,
    has_model: bool,
    /// The most chunks of a revision.
    largest: usize,
    times: Times,
}

impl Rounds {
    fn client(&self) -> Client {
        Client::of(&self.service)
    }

    /// A first revision of each source, and how long everything takes.
    async fn measure(&mut self) {
        let client = self.client();
        for (number, source) in SOURCES.into_iter().enumerate() {
            let upload = Upload::new(
                DEMO_COURSE,
                source,
                FIRST + number as u64,
                &UNITS,
                self.largest / 2,
            );
            let (mut uploading, _) = client.begin(&upload).await.unwrap();
            let all = upload.chunks.len();
            uploading.stage(&upload, 0, all).await.unwrap();
            let began = Instant::now();
            uploading.commit().await.unwrap();
            self.times.commit = self.times.commit.max(began.elapsed());
            self.ledger.commit(upload);
        }
        let began = Instant::now();
        assert!(client.delete(SOURCES[0]).await.unwrap());
        self.times.delete = began.elapsed();
        self.ledger.delete(SOURCES[0]);
        let began = Instant::now();
        client.rebuild(false).await.unwrap();
        self.times.rebuild = began.elapsed().max(self.times.commit);
        self.check(Doubt::None).await;
    }

    async fn check(&mut self, doubt: Doubt) -> bool {
        let client = self.client();
        self.ledger.check(&client, doubt).await
    }

    /// One kill, and everything that must hold after it. Answers whether what the kill left in doubt had happened.
    async fn kill(&mut self, stage: Stage, round: u64, mut choices: Choices) -> Option<bool> {
        let source = SOURCES[choices.below(SOURCES.len())];
        let size = 2 + choices.below(self.largest - 1);
        let upload = Upload::new(DEMO_COURSE, source, round, &UNITS, size);
        println!("round {round}: {stage:?}, {source}, {size} chunks");
        match stage {
            Stage::Deleting => self.kill_deleting(source, upload, choices).await,
            Stage::Rebuilding => {
                self.kill_rebuilding(choices).await;
                None
            }
            _ => self.kill_uploading(stage, upload, choices).await,
        }
    }

    async fn kill_uploading(
        &mut self,
        stage: Stage,
        upload: Upload,
        mut choices: Choices,
    ) -> Option<bool> {
        let all = upload.chunks.len();
        let (mut uploading, resume) = self.client().begin(&upload).await.unwrap();
        assert_eq!((resume.next, resume.committed), (0, false));
        let to_stage = match stage {
            Stage::Begun => 0,
            Stage::Staging => 1 + choices.below(all - 1),
            _ => all,
        };
        let mut acknowledged = 0;
        while acknowledged < to_stage {
            let to = to_stage.min(acknowledged + 1 + choices.below(AT_ONCE));
            let stored = uploading.stage(&upload, acknowledged, to).await.unwrap();
            acknowledged = usize::try_from(stored).unwrap();
            assert_eq!(acknowledged, to);
        }
        let mut sent = acknowledged;
        let mut in_doubt = false;
        match stage {
            Stage::Staging => {
                // The last of them may or may not be kept.
                sent = all.min(acknowledged + AT_ONCE);
                uploading.send(&upload, acknowledged, sent).await;
                self.service.killer()();
            }
            Stage::Committing => {
                let killing = self.kill_within(self.times.commit, &mut choices);
                let told = uploading.commit().await.is_ok();
                killing.await.unwrap();
                in_doubt = !told;
                if told {
                    self.ledger.commit(upload.clone());
                }
            }
            Stage::Committed => {
                uploading.commit().await.unwrap();
                self.service.killer()();
                self.ledger.commit(upload.clone());
            }
            _ => self.service.killer()(),
        }
        drop(uploading);
        self.start_again();

        let is_committed =
            self.ledger.of(&upload.source).map(|kept| &kept.word) == Some(&upload.word);
        let happened = if is_committed {
            self.check(Doubt::None).await;
            None
        } else if in_doubt {
            Some(self.check(Doubt::Commit(upload.clone())).await)
        } else {
            self.ledger.begin(upload.clone());
            self.check(Doubt::None).await;
            None
        };

        // The upload goes on from what was acknowledged, to its end.
        let client = self.client();
        let (mut uploading, resume) = client.begin(&upload).await.unwrap();
        let next = usize::try_from(resume.next).unwrap();
        assert!((acknowledged..=sent).contains(&next), "{resume:?}");
        assert_eq!(resume.committed, is_committed || happened == Some(true));
        if !resume.committed {
            uploading.finish(&upload, &resume, AT_ONCE).await.unwrap();
            self.ledger.commit(upload);
        }
        self.check(Doubt::None).await;
        happened
    }

    async fn kill_deleting(
        &mut self,
        source: &str,
        upload: Upload,
        mut choices: Choices,
    ) -> Option<bool> {
        if self.ledger.of(source).is_none() {
            self.client().upload(&upload).await;
            self.ledger.commit(upload);
        }
        let killing = self.kill_within(self.times.delete, &mut choices);
        let told = self.client().delete(source).await.is_ok();
        killing.await.unwrap();
        self.start_again();
        let happened = if told {
            self.ledger.delete(source);
            self.check(Doubt::None).await;
            None
        } else {
            let doubt = Doubt::Delete(source.to_owned());
            Some(self.check(doubt).await)
        };

        let was_there = self.ledger.of(source).is_some();
        assert_eq!(self.client().delete(source).await.unwrap(), was_there);
        self.ledger.delete(source);
        self.check(Doubt::None).await;
        happened
    }

    async fn kill_rebuilding(&mut self, mut choices: Choices) {
        let killing = self.kill_within(self.times.rebuild, &mut choices);
        // It changes nothing that anybody can see but the index's name.
        let _ = self.client().rebuild(true).await;
        killing.await.unwrap();
        self.start_again();
        self.check(Doubt::None).await;
        let index_id = self.client().rebuild(false).await.unwrap();
        self.check(Doubt::None).await;
        self.vectors_come().await;
        if !self.has_model {
            assert_eq!(self.client().status().await.index_id, index_id);
        }
    }

    /// Kills the service at a moment within this time, or a little later.
    fn kill_within(&self, time: Duration, choices: &mut Choices) -> tokio::task::JoinHandle<()> {
        let after = time.mul_f64(choices.share() * SPREAD);
        let killer = self.service.killer();
        tokio::task::spawn_blocking(move || {
            wait_exactly(after);
            killer();
        })
    }

    fn start_again(&mut self) {
        tokio::task::block_in_place(|| self.service.start_again());
    }

    /// Waits until every text has its vector.
    async fn vectors_come(&self) {
        if !self.has_model {
            return;
        }
        let client = self.client();
        eventually("vectors are made", VECTORS, async || {
            let status = client.status().await;
            (status.to_embed > 0 && status.embedded == status.to_embed).then_some(())
        })
        .await;
    }
}
