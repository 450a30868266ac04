//! Watchers that come and go, and many requests at a time.

use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use turnwise_proto::{
    context::v1::watch_thread_response::Event,
    tutor::v1::{Role, Thread},
};
use turnwise_tests::{
    deployment::Deployment,
    eventually::eventually,
    options::{Kind, Options, Service},
    procfs::cpu_ms_of,
    seed::count,
    student::{DEMO_COURSE, Student, saying},
};

use super::{BUDGET, check, replies, requests, skip, supplied, supply, watch};

in_both_deployments!(
    who_reconnects_a_hundred_times_sees_every_event_once,
    many_requests_are_answered_when_they_are_due,
);

async fn who_reconnects_a_hundred_times_sees_every_event_once(kind: Kind) {
    let mut suite = Deployment::start(kind, Options::new()).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    for _ in 0..12 {
        ada.say(&thread, "Why does minus a minus make a plus?")
            .await;
    }
    let required = check(&ada, &thread).await;
    let give = ada.request(supply(&thread, &required.request_id, BUDGET));
    supplied(&ada.channel, give).await.unwrap();
    replies(&ada, &thread, 13).await;

    let whole = all(&ada, &thread, 26).await;
    let (mut seen, mut after) = (Vec::new(), 0);
    for round in 0..100 {
        if round == 50 {
            // Also after a restart.
            suite.restart(suite.or_suite(Service::Gateway));
        }
        let ada = suite.student("ada");
        let stream = eventually("a watch begins", Duration::from_secs(30), || async {
            watch(&ada, &thread, after).await.ok()
        });
        let mut stream = stream.await;
        if seen.len() == whole.len() {
            // Nothing comes twice: the next event would be a new one.
            let said = ada.turn(saying(&thread, "ok, thanks")).await.unwrap();
            let next = stream.message().await.unwrap().unwrap();
            match next.event.unwrap() {
                Event::Message(message) => assert_eq!(message.id, said.messages[0].id),
                other => panic!("{other:?}"),
            }
            return suite.nothing_panicked();
        }
        // Pieces are not kept: who goes away among them gets the message again from its beginning.
        loop {
            let next = stream.message().await.unwrap().unwrap();
            if !matches!(next.event, Some(Event::Delta(_))) {
                after = next.event_id;
                seen.push(next.event_id);
                break;
            }
        }
        assert_eq!(seen, whole[..seen.len()]);
    }
    panic!(
        "{} of {} events in a hundred rounds",
        seen.len(),
        whole.len()
    );
}

/// The ids of a thread's events up to its message with this id.
async fn all(ada: &Student, thread: &Thread, last: i64) -> Vec<i64> {
    let mut stream = watch(ada, thread, 0).await.unwrap();
    let mut ids = Vec::new();
    loop {
        let next = stream.message().await.unwrap().unwrap();
        match next.event.unwrap() {
            Event::Delta(_) => continue,
            Event::Message(message) if message.id == last => {
                ids.push(next.event_id);
                return ids;
            }
            _ => ids.push(next.event_id),
        }
    }
}

/// The setting that says how many requests are open at a time; .ci/profiles.env has the numbers. Half of them are skipped,
/// and the others end by themselves.
const REQUESTS: &str = "CONTEXT_REQUESTS";
/// How many requests are opened in a second at least.
const OPENED_A_SECOND: usize = 10;

/// What the suite and its store have done so far; this test's polls among it.
struct Load {
    cpu_ms: f64,
    commands: f64,
}

impl Load {
    async fn of(suite: &Deployment) -> Self {
        let commands = match suite.redis() {
            None => 0.0,
            Some(redis) => {
                let client = redis::Client::open(redis.url()).unwrap();
                let mut connection = client.get_multiplexed_async_connection().await.unwrap();
                let info: String = redis::cmd("INFO")
                    .arg("stats")
                    .query_async(&mut connection)
                    .await
                    .unwrap();
                let mut lines = info.lines();
                let count = lines.find_map(|line| line.strip_prefix("total_commands_processed:"));
                count.unwrap().trim().parse().unwrap()
            }
        };
        Self {
            cpu_ms: cpu_ms_of(&suite.process_ids()),
            commands,
        }
    }
}

async fn many_requests_are_answered_when_they_are_due(kind: Kind) {
    let requested = usize::try_from(count(REQUESTS, 60)).unwrap();
    let sla = 20 + requested / OPENED_A_SECOND;
    let options = Options::new().env("CONTEXT_SLA_SECONDS", sla.to_string());
    let options = match kind {
        Kind::OneProcess => options,
        _ => options.twice(Service::Gateway),
    };
    let suite = Deployment::start(kind, options).await;
    let opened: Vec<(Student, Thread, String)> = stream::iter(0..requested)
        .map(|n| {
            let student = suite.student(&format!("student-{n}"));
            async move {
                let thread = student.open(DEMO_COURSE).await;
                let required = check(&student, &thread).await;
                (student, thread, required.request_id)
            }
        })
        .buffer_unordered(8)
        .collect()
        .await;
    let before = Load::of(&suite).await;
    stream::iter(&opened[..requested / 2])
        .for_each_concurrent(8, async |(student, thread, request_id)| {
            skip(student, thread, request_id).await.unwrap();
        })
        .await;
    let late: Vec<f64> = stream::iter(&opened)
        .map(|(student, thread, _)| async move {
            // Those that nobody skips end by themselves.
            let bound = Duration::from_secs(60 + sla as u64);
            let said = eventually("the message is answered", bound, || async {
                let messages = student.messages(&thread.thread_id, 200).await;
                let said = messages.into_iter().filter(|m| m.role() == Role::Assistant);
                let said: Vec<_> = said.collect();
                (!said.is_empty()).then_some(said)
            })
            .await;
            assert_eq!(said.len(), 1, "answered once");
            let listed = requests(student, thread).await?;
            let at = |time: Option<prost_types::Timestamp>| {
                let time = time.unwrap();
                time.seconds as f64 + f64::from(time.nanos) / 1e9
            };
            Ok::<_, tonic::Status>(at(said[0].create_time) - at(listed[0].end_time))
        })
        .buffer_unordered(8)
        .try_collect()
        .await
        .unwrap();
    // Those that were skipped were answered long before.
    let latest = late.iter().copied().fold(f64::MIN, f64::max);
    println!("figure context_resume_late_s {latest:.2} <=5");
    let load = Load::of(&suite).await;
    let each = |now: f64, then: f64| (now - then) / requested as f64;
    let cpu = each(load.cpu_ms, before.cpu_ms);
    let commands = each(load.commands, before.commands);
    println!(
        "{requested} requests; for each: {cpu:.2} CPU ms of all processes, {commands:.1} commands of Redis"
    );
    for (student, thread, _) in &opened {
        let messages = student.messages(&thread.thread_id, 200).await;
        let said = messages.iter().filter(|m| m.role() == Role::Assistant);
        assert_eq!(said.count(), 1, "answered once");
    }
    suite.nothing_panicked();
}
