//! Who is served how often: students of one class among each other, and classes among each other.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::{
    task::JoinSet,
    time::{Duration, Instant},
};
use turnwise_kit::client::GrpcClient;
use turnwise_testing::figure::{Bound, figure};

use super::school::{SLOTS, School, help_request};
use crate::Args;

/// The students of a class.
const CLASS: usize = 30;
/// How many threads the busiest of them has.
const THREADS: usize = 8;
/// A wait that is long enough for everybody.
const LONG: Duration = Duration::from_secs(120);
/// What Jain's index must come to.
const JAIN: f64 = 0.98;

/// Thirty students of one class always have one request waiting, and one of them has eight.
pub async fn closed_loop(name: &str, school: &School, args: &Args) {
    let before = school.spent();
    let served = closed(&school.clients(CLASS + THREADS - 1), args.calls()).await;
    let after = school.spent();
    let seen = school.seen_by_model().await.completions;
    let calls: usize = served.iter().sum();
    figure(
        &format!("{name}_closed_jain"),
        jain(&served),
        Bound::AtLeast(JAIN),
    );
    figure(
        &format!("{name}_closed_calls_at_model"),
        seen.max_in_flight as f64,
        Bound::AtMost(SLOTS as f64),
    );
    figure(
        &format!("{name}_closed_cpu_ms_per_answer"),
        (after.ours - before.ours) / calls as f64,
        Bound::Report,
    );
}

/// The same where students are served as they come: the index must show it.
pub async fn must_fail(name: &str, client: &GrpcClient, args: &Args) {
    let clients = vec![client.clone(); CLASS + THREADS - 1];
    let served = closed(&clients, args.calls()).await;
    figure(
        &format!("{name}_closed_jain"),
        jain(&served),
        Bound::Below(JAIN),
    );
}

/// How often each student was served in the first so many calls. The last of them has all the clients that are left over.
async fn closed(clients: &[GrpcClient], calls: usize) -> Vec<usize> {
    let served: Arc<Vec<AtomicUsize>> = Arc::new((0..CLASS).map(|_| AtomicUsize::new(0)).collect());
    let answered = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    for (n, client) in clients.iter().cloned().enumerate() {
        let student = n.min(CLASS - 1);
        let mut request = help_request("class-0", &format!("student-{student}"), LONG);
        request.thread = format!("thread-{n}");
        let (served, answered) = (Arc::clone(&served), Arc::clone(&answered));
        tasks.spawn(async move {
            while answered.load(Ordering::Relaxed) < calls {
                request
                    .send(&client)
                    .await
                    .result
                    .expect("everybody is served");
                if answered.fetch_add(1, Ordering::Relaxed) < calls {
                    served[student].fetch_add(1, Ordering::Relaxed);
                }
            }
        });
    }
    tasks.join_all().await;
    served
        .iter()
        .map(|count| count.load(Ordering::Relaxed))
        .collect()
}

/// Jain's index of fairness (Jain, Chiu, Hawe: A quantitative measure of fairness and discrimination for resource
/// allocation in shared computer systems, 1984): 1 if all have the same, 1/n if one of n has everything.
fn jain(served: &[usize]) -> f64 {
    let sum: f64 = served.iter().map(|count| *count as f64).sum();
    let squares: f64 = served.iter().map(|count| (*count as f64).powi(2)).sum();
    if squares == 0.0 {
        return 0.0;
    }
    sum * sum / (served.len() as f64 * squares)
}

/// A class of thirty presses beside one that sends nine times as much.
pub async fn large_class(name: &str, school: &School, args: &Args) {
    let large = args.students() * 9 / 10;
    let small = args.students() - large;
    let mut tasks = JoinSet::new();
    for (n, client) in school.clients(large + small).into_iter().enumerate() {
        // Mixed as they come.
        let is_small = n % 10 == 9;
        let class = if is_small { "small" } else { "large" };
        let request = help_request(class, &format!("student-{n}"), LONG);
        tasks.spawn(async move {
            let outcome = request.send(&client).await;
            let started = outcome.started().expect("everybody is served");
            (started, is_small)
        });
    }
    let mut starts: Vec<(Instant, bool)> = tasks.join_all().await;
    starts.sort();
    let last = starts.iter().rposition(|(_, is_small)| *is_small).unwrap();
    let seen = school.seen_by_model().await.completions;
    // Half of the starts, as long as the small class has somebody in the queue; the first few come before all have pressed.
    figure(
        &format!("{name}_small_class_share"),
        small as f64 / (last + 1) as f64,
        Bound::AtLeast(0.45),
    );
    figure(
        &format!("{name}_small_class_calls_at_model"),
        seen.max_in_flight as f64,
        Bound::AtMost(SLOTS as f64),
    );
}
