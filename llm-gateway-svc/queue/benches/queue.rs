//! What the local queue costs: `cargo bench -p turnwise-llm-queue --bench queue [-- --quick]`.

use std::{fs, time::Duration};

use tokio::{
    runtime::{Builder, Runtime},
    sync::mpsc,
    time::{Instant, sleep},
};
use turnwise_llm_queue::{Band, Owner, Queue, QueueOptions, Slot, SlotRequest};
use turnwise_testing::figure::{Bound, figure};

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let rounds = if quick { 20_000 } else { 500_000 };
    let runtime = Builder::new_current_thread().enable_time().build()?;
    let uncontended = runtime.block_on(uncontended(rounds))?;
    figure("queue_uncontended_ns", uncontended, Bound::AtMost(2000.0));
    for (waiting, bound) in [(300, Bound::AtMost(0.3)), (2000, Bound::Report)] {
        let starts = if quick { 100 } else { 1000 };
        let each = paused()?.block_on(watched(waiting, starts))?;
        figure(&format!("queue_start_{waiting}_watching_ms"), each, bound);
        let each = paused()?.block_on(entered(waiting))?;
        figure(
            &format!("queue_enter_behind_{waiting}_ms"),
            each,
            Bound::Report,
        );
    }
    Ok(())
}

/// Time passes as fast as there is nothing to do.
fn paused() -> std::io::Result<Runtime> {
    Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
}

/// Nanoseconds to get a free slot and free it again.
async fn uncontended(rounds: usize) -> Result<f64, Failure> {
    let queue = Queue::local(QueueOptions::with_slots(16))?;
    let mut spent = 0;
    for _ in 0..rounds / 1000 {
        let asks: Vec<_> = (0..1000).map(ask).collect();
        let before = cpu_ns()?;
        for ask in asks {
            let slot = queue.enter(ask).await?.slot().await?;
            slot.done(Some(Duration::from_millis(2)));
        }
        spent += cpu_ns()? - before;
    }
    Ok(spent as f64 / rounds as f64)
}

/// CPU milliseconds for each start while so many wait and watch their places, who get into the queue again when they are done.
async fn watched(waiting: usize, starts: usize) -> Result<f64, Failure> {
    let queue = Queue::local(QueueOptions::with_slots(2))?;
    let (started, mut slots) = mpsc::unbounded_channel();
    for student in 0..waiting + 2 {
        tokio::spawn(client(queue.clone(), student, started.clone()));
    }
    let mut before = 0;
    for start in 0..waiting + starts {
        if start == waiting {
            before = cpu_ns()?;
        }
        let slot: Slot = slots.recv().await.ok_or("no more starts")?;
        tokio::spawn(async move {
            let since = Instant::now();
            sleep(Duration::from_secs(2)).await;
            slot.done(Some(since.elapsed()));
        });
    }
    Ok((cpu_ns()? - before) as f64 / starts as f64 / 1e6)
}

/// Waits, with an eye on its place, again and again.
async fn client(queue: Queue, student: usize, started: mpsc::UnboundedSender<Slot>) {
    while let Ok(waiting) = queue.enter(ask(student)).await {
        let mut place = waiting.place();
        let slot = waiting.slot();
        tokio::pin!(slot);
        let slot = loop {
            tokio::select! {
                slot = &mut slot => break slot,
                Ok(()) = place.changed() => {
                    place.borrow_and_update();
                }
            }
        };
        let Ok(slot) = slot else { return };
        if started.send(slot).is_err() {
            return;
        }
    }
}

/// CPU milliseconds to get into the queue behind so many.
async fn entered(waiting: usize) -> Result<f64, Failure> {
    let queue = Queue::local(QueueOptions::with_slots(1))?;
    let _slot = queue.enter(ask(0)).await?.slot().await?;
    let mut entered = Vec::new();
    for student in 1..=waiting {
        entered.push(queue.enter(ask(student)).await?);
    }
    let before = cpu_ns()?;
    let rounds = 200;
    for _ in 0..rounds {
        drop(queue.enter(ask(waiting + 1)).await?);
    }
    Ok((cpu_ns()? - before) as f64 / f64::from(rounds) / 1e6)
}

fn ask(student: usize) -> SlotRequest {
    SlotRequest {
        owner: Owner {
            class: format!("tenant/class-{}", student % 10),
            student: format!("student-{student}"),
            thread: "thread".to_owned(),
            purpose: "turn",
        },
        band: Band::Interactive,
        bytes: 4000,
        max_wait: Duration::from_secs(1_000_000),
        deadline: None,
        ticket: None,
    }
}

/// The time that this thread has run, in nanoseconds.
fn cpu_ns() -> Result<u64, Failure> {
    let stat = fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(stat
        .split(' ')
        .next()
        .ok_or("an empty schedstat")?
        .parse()?)
}
