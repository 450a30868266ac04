//! Where the time of a turn goes: what each process spends, how long each call takes inside its service, and how long the
//! phases of the turn's own record took.

use std::collections::BTreeMap;

use tonic::transport::Channel;
use turnwise_testing::figure::{Bound, figure};
use turnwise_tests::{
    admin, deployment::Deployment, help_request::time, options::Service, procfs::cpu_ms,
    staff::Staff, student::Student as Identity, token,
};

use crate::load::{self, Worker};

/// So many turns of each student are explained.
const EXPLAINED: usize = 8;

/// The five processes, in the order of the report.
const PROCESSES: [Service; 5] = [
    Service::Gateway,
    Service::Session,
    Service::Retrieval,
    Service::Policy,
    Service::Llm,
];

/// Sums and counts of a method's or a phase's times, milliseconds.
type Sums = BTreeMap<String, (f64, f64)>;

/// Takes so many turns at this concurrency and prints the tables. `what` they are stands in the names of the figures;
/// `worker` is one with this channel and token.
pub async fn tell<W: Worker>(
    five: &Deployment,
    what: &str,
    workers: usize,
    turns: usize,
    worker: impl Fn(Channel, &str) -> W,
) {
    let run = uuid::Uuid::new_v4().simple().to_string();
    let ids: Vec<String> = (0..workers).map(|n| format!("span-{n}-{run}")).collect();
    let channels = load::channels(&five.endpoint(), workers);
    let mut students: Vec<W> = ids
        .iter()
        .zip(channels)
        .map(|(id, channel)| {
            let token = token::student(&five.data_dir, id, Identity::CLASS);
            worker(channel, &token)
        })
        .collect();
    let share = turns.div_ceil(workers).max(EXPLAINED);
    load::prepare(&mut students, share + EXPLAINED).await;
    for student in &mut students {
        student.turn().await;
    }

    let share = share - 1;
    let before = (cpus(five), calls(five).await);
    let taken = futures_util::future::join_all(students.into_iter().map(|mut student| {
        tokio::spawn(async move {
            let mut last = Vec::new();
            for n in 0..share {
                let turn_id = student.turn().await;
                if n + EXPLAINED >= share {
                    last.push(turn_id);
                }
            }
            last
        })
    }))
    .await;
    let after = (cpus(five), calls(five).await);
    let count = (workers * share) as f64;

    println!("\nWhere a {what}'s time goes, concurrency {workers}, {count} turns:\n");
    println!("| process | CPU ms/turn |");
    println!("| --- | ---: |");
    for ((service, before), after) in PROCESSES.iter().zip(before.0).zip(after.0) {
        println!("| {} | {:.3} |", service.binary(), (after - before) / count);
    }
    println!("\n| call | calls a turn | ms inside the service |");
    println!("| --- | ---: | ---: |");
    for (method, (sum, number)) in &after.1 {
        let (sum_before, number_before) = before.1.get(method).copied().unwrap_or_default();
        let number = number - number_before;
        if number > 0.0 {
            let mean = (sum - sum_before) / number;
            println!("| {method} | {:.2} | {mean:.3} |", number / count);
        }
    }

    let staff = Staff::of(five);
    let mut phases = Sums::new();
    for (id, turn_ids) in ids.iter().zip(taken) {
        for turn_id in turn_ids.unwrap() {
            let record = staff.record(id, &turn_id).await;
            for phase in record.facts.expect("a record has facts").times {
                let sum = phases.entry(phase.phase).or_default();
                sum.0 += time(phase.took).as_secs_f64() * 1000.0;
                sum.1 += 1.0;
            }
        }
    }
    println!("\n| phase, as the turn's record has it | ms |");
    println!("| --- | ---: |");
    for (phase, (sum, number)) in &phases {
        println!("| {phase} | {:.3} |", sum / number);
    }
    println!();
    for (phase, (sum, number)) in &phases {
        figure(
            &format!("{what}_phase_{phase}_ms_c{workers}"),
            sum / number,
            Bound::Report,
        );
    }
}

fn cpus(five: &Deployment) -> Vec<f64> {
    let of = |service: &Service| cpu_ms(five.process_id(*service));
    PROCESSES.iter().map(of).collect()
}

/// What the processes say of their calls: sum and number by method, over all.
async fn calls(five: &Deployment) -> Sums {
    let mut sums = Sums::new();
    for service in PROCESSES {
        let at = five.at(service).admin.expect("the benchmark sets it");
        let (_, metrics) = admin::get(at, "/metrics").await;
        for line in metrics.lines() {
            let Some((name, value)) = line.rsplit_once(' ') else {
                continue;
            };
            let Some(method) = name.split('"').nth(1) else {
                continue;
            };
            let method = method.rsplit('/').next().unwrap().to_owned();
            let value = || value.parse::<f64>().unwrap();
            if name.starts_with("rpc_server_duration_seconds_sum") {
                sums.entry(method).or_default().0 += value() * 1000.0;
            } else if name.starts_with("rpc_server_duration_seconds_count") {
                sums.entry(method).or_default().1 += value();
            }
        }
    }
    sums
}
