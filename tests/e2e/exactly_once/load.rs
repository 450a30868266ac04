//! Grades and turns without end, and the gaps between their acknowledgements.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{task::JoinHandle, time::Instant};
use turnwise_kit::client::GrpcClient;
use turnwise_tests::eventually::eventually;

use super::{
    acknowledged::Ledger,
    calls::{Call, Grade, TakenTurn, Thread, Turn, open_thread},
    retries::Sender,
};

/// How long calls may fail.
const BOUND: Duration = Duration::from_secs(60);

/// Students who send one call after another, each until it is acknowledged.
pub struct Load {
    stop: Arc<AtomicBool>,
    students: Vec<(Arc<AtomicUsize>, JoinHandle<Worked>)>,
}

/// What a load has done.
#[derive(Default)]
pub struct Worked {
    /// What was acknowledged.
    pub ledger: Ledger,
    /// How long each grade took, from its first try on.
    pub grades: Vec<Duration>,
    /// The longest time that a student waited for an acknowledgement.
    pub outage: Duration,
}

impl Load {
    /// Students of these names, who are new.
    pub async fn start(client: &GrpcClient, students: &[String]) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let mut working = Vec::new();
        for student in students {
            let thread = open_thread(client, student).await.unwrap();
            let acknowledged = Arc::new(AtomicUsize::new(0));
            let work = work(
                thread,
                Sender::to(client.clone()),
                Arc::clone(&acknowledged),
                Arc::clone(&stop),
            );
            working.push((acknowledged, tokio::spawn(work)));
        }
        Self {
            stop,
            students: working,
        }
    }

    /// Waits until so many more calls of each student are acknowledged.
    pub async fn go_on(&self, more: usize) {
        let count = |students: &[(Arc<AtomicUsize>, _)]| -> Vec<usize> {
            students
                .iter()
                .map(|(count, _)| count.load(Ordering::SeqCst))
                .collect()
        };
        let before = count(&self.students);
        eventually("calls are acknowledged", BOUND, async || {
            let now = count(&self.students);
            now.iter()
                .zip(&before)
                .all(|(now, before)| *now >= before + more)
                .then_some(())
        })
        .await;
    }

    /// Ends it once every student's last call is acknowledged.
    pub async fn end(self) -> Worked {
        self.stop.store(true, Ordering::SeqCst);
        let mut all = Worked::default();
        for (_, student) in self.students {
            let worked = student.await.unwrap();
            all.ledger.extend(worked.ledger);
            all.grades.extend(worked.grades);
            all.outage = all.outage.max(worked.outage);
        }
        all
    }
}

impl Worked {
    /// The median of the grades' times.
    pub fn median(&mut self) -> Duration {
        self.grades.sort_unstable();
        self.grades[self.grades.len() / 2]
    }
}

async fn work(
    thread: Thread,
    mut sender: Sender,
    acknowledged: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
) -> Worked {
    let mut worked = Worked::default();
    for n in 0.. {
        if stop.load(Ordering::SeqCst) {
            break;
        }
        let student = thread.student.clone();
        let name = format!("{student}-{n}");
        // Evidence above all.
        let mut call = if n % 4 == 3 {
            let thread = thread.clone();
            Call::Turn(TakenTurn::new(Turn { thread, name }))
        } else {
            Call::Grade(Grade::new(&student, &name))
        };
        let began = Instant::now();
        sender.deliver(&mut call).await;
        let took = began.elapsed();
        worked.ledger.note(&call);
        worked.outage = worked.outage.max(took);
        if matches!(call, Call::Grade(_)) {
            worked.grades.push(took);
        }
        acknowledged.fetch_add(1, Ordering::SeqCst);
    }
    worked
}
