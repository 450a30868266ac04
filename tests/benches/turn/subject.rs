//! What is measured: the suite as it is deployed, its floors, and a plain turn in Python, each as running processes.

use std::{fs, net::SocketAddr, os::unix::fs::MetadataExt, path::Path};

use futures_util::future::join_all;
use redis::{AsyncConnectionConfig, aio::MultiplexedConnection};
use tempfile::TempDir;
use tonic::transport::Channel;
use turnwise::data_dir::DataDir;
use turnwise_proto::exam::v1::BatchGetQuestionStatusRequest;
use turnwise_testing::redis::RedisServer;
use turnwise_tests::{
    chat,
    deployment::Deployment,
    floor::{Calls, Frozen, Role, front_request},
    options::Options,
    process::{Process, Program, repository},
    procfs::{cpu_ms, cpu_ms_of},
    student::Student as Identity,
    token,
};

use crate::{
    Args,
    chat::Chatter,
    load::{self, Doing, EchoCaller, Run, Student},
    plain::{self, Asker},
};

/// One line of the table.
pub struct Subject {
    /// Its name in the report.
    pub name: &'static str,
    endpoint: String,
    pids: Vec<u32>,
    redis: Option<RedisControl>,
    who: Who,
    /// Turns so far.
    taken: usize,
}

enum Who {
    Students(DataDir, Doing),
    /// Beside the lesson of this page's token.
    Chatters(DataDir, String),
    Echo(BatchGetQuestionStatusRequest),
    Plain(SocketAddr),
}

/// A Redis whose durability is set before each run.
#[derive(Clone)]
struct RedisControl {
    connection: MultiplexedConnection,
    pid: u32,
    appendfsync: &'static str,
}

/// What one run of a subject came to.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Milliseconds.
    pub p50_ms: f64,
    /// Milliseconds.
    pub p99_ms: f64,
    /// CPU time of the subject's own processes for a turn, milliseconds.
    pub cpu_ms: f64,
    /// CPU time of Redis for a turn, milliseconds.
    pub redis_cpu_ms: f64,
    /// CPU time of the load generator for a turn, milliseconds.
    pub load_cpu_ms: f64,
    /// Turns a second.
    pub per_second: f64,
}

/// The subjects, and all that must live as long as they.
pub struct Subjects {
    /// In the order in which a round measures them.
    pub all: Vec<Subject>,
    /// The five processes.
    pub five: Deployment,
    /// The token of a lesson's page of theirs.
    pub page: String,
    _deployments: Vec<Deployment>,
    _processes: Vec<Process>,
    _redis: Vec<RedisServer>,
    _homes: Vec<TempDir>,
}

/// Names in the report.
pub const FIVE_FLOOR: &str = "five processes, floor";
/// Five processes with Redis, AOF everysec.
pub const FIVE: &str = "five processes";
/// The same, of another commit.
pub const FIVE_BEFORE: &str = "five processes, before";
/// gateway, policy and retrieval in one process; llm-gateway-svc and session-svc beside, and Redis.
pub const THREE: &str = "three processes";
/// The same, asked with StreamTurn.
pub const FIVE_STREAM: &str = "five processes, StreamTurn";
/// The same, grading drills by the rules.
pub const FIVE_DRILLS: &str = "five processes, GradeDrill";
/// The floor of a chat.
pub const CHAT_FLOOR: &str = "five processes, chat, floor";
/// Five processes, asked for the homework helper's answers.
pub const CHAT: &str = "five processes, chat";
/// Five processes with AOF always.
pub const FIVE_ALWAYS: &str = "five processes, AOF always";
/// One process with fsync off: its floor.
pub const ONE_OFF_FLOOR: &str = "one process, fsync off, floor";
/// The same, of another commit.
pub const ONE_OFF_BEFORE: &str = "one process, fsync off, before";
/// One process with fsync off.
pub const ONE_OFF: &str = "one process, fsync off";
/// One process with fsync on: its floor.
pub const ONE_ON_FLOOR: &str = "one process, fsync on, floor";
/// The same, of another commit.
pub const ONE_ON_BEFORE: &str = "one process, fsync on, before";
/// One process with fsync on.
pub const ONE_ON: &str = "one process, fsync on";
/// A small part of a turn, in one process of Python.
pub const PYTHON: &str = "plain FastAPI, one process";

impl Subjects {
    /// Starts those that are wanted, and the five processes in any case. `chat`: the calls of a chat's floor.
    pub async fn start(chat: Calls, args: &Args) -> Self {
        let (threads, before) = (args.threads, args.before.as_deref());
        let turn = Frozen::turn().calls;
        let mut all = Vec::new();
        let mut deployments = Vec::new();
        let mut processes = Vec::new();
        let mut homes = Vec::new();

        let redis = RedisServer::start().unwrap();
        let control = RedisControl::open(&redis).await;
        let home = tempfile::tempdir().unwrap();
        let mut role = |role: &Role, threads: Option<u16>| {
            let process = spawn(role, home.path(), threads);
            let url = format!("http://{}", process.listening().address);
            let pid = process.id();
            processes.push(process);
            (url, pid)
        };
        let leaf = &Role::Leaf;
        let (policy, retrieval, llm) = (
            role(leaf, threads),
            role(leaf, threads),
            role(leaf, threads),
        );
        for (database, name, calls) in [(0, FIVE_FLOOR, &turn), (1, CHAT_FLOOR, &chat)] {
            let store = Role::Store {
                redis: format!("{}/{database}", redis.url()),
                bytes: calls.store,
            };
            let session = role(&store, threads);
            let gateway = Role::Gateway {
                policy: policy.0.clone(),
                retrieval: retrieval.0.clone(),
                llm: llm.0.clone(),
                session: session.0,
                calls: calls.clone(),
            };
            let gateway = role(&gateway, threads);
            all.push(Subject {
                name,
                endpoint: gateway.0,
                pids: vec![policy.1, retrieval.1, llm.1, session.1, gateway.1],
                redis: Some(control.clone()),
                who: Who::Echo(front_request(calls.front)),
                taken: 0,
            });
        }
        let redis = vec![redis];

        let five = Deployment::five_processes(options_over_tcp(threads, None)).await;
        let mut beside = Vec::new();
        if before.is_some() {
            let before = Deployment::five_processes(options_over_tcp(threads, before)).await;
            beside.push((FIVE_BEFORE, before));
        }
        if THREE.contains(&args.only) {
            let three = Deployment::three_processes(options_over_tcp(threads, None)).await;
            beside.push((THREE, three));
        }
        for (name, deployment) in beside {
            let redis = RedisControl::open(deployment.redis().unwrap()).await;
            all.push(Subject {
                redis: Some(redis),
                ..Subject::of(name, &deployment, Doing::Turns)
            });
            deployments.push(deployment);
        }
        let control = RedisControl::open(five.redis().unwrap()).await;
        for (name, appendfsync, doing) in [
            (FIVE, "everysec", Doing::Turns),
            (FIVE_STREAM, "everysec", Doing::Streams),
            (FIVE_DRILLS, "everysec", Doing::Drills),
            (FIVE_ALWAYS, "always", Doing::Turns),
        ] {
            all.push(Subject {
                redis: Some(RedisControl {
                    appendfsync,
                    ..control.clone()
                }),
                ..Subject::of(name, &five, doing)
            });
        }

        let page = chat::page(&five, chat::lesson(chat::LESSON)).await;
        all.push(Subject {
            redis: Some(control),
            who: Who::Chatters(five.data_dir.clone(), page.clone()),
            ..Subject::of(CHAT, &five, Doing::Turns)
        });

        for (floor, old, name, fsync) in [
            (ONE_OFF_FLOOR, ONE_OFF_BEFORE, ONE_OFF, false),
            (ONE_ON_FLOOR, ONE_ON_BEFORE, ONE_ON, true),
        ] {
            if !floor.contains(&args.only) && !old.contains(&args.only) {
                continue;
            }
            let file = home.path().join(format!("floor-{fsync}.redb"));
            let (endpoint, pid) = role(
                &Role::Suite {
                    file,
                    fsync,
                    calls: turn.clone(),
                },
                None,
            );
            all.push(Subject {
                name: floor,
                endpoint,
                pids: vec![pid],
                redis: None,
                who: Who::Echo(front_request(turn.front)),
                taken: 0,
            });
            let setting = if fsync { "on" } else { "off" };
            let checkouts = before.map(|before| (old, Some(before)));
            for (name, checkout) in checkouts.into_iter().chain([(name, None)]) {
                let options = options(checkout).env("SESSION_EMBEDDED_FSYNC", setting);
                let one = Deployment::one_process(options).await;
                all.push(Subject::of(name, &one, Doing::Turns));
                deployments.push(one);
            }
        }
        let python = args.python.clone();
        let python = python.unwrap_or_else(|| repository().join(".venv/bin/python"));
        if PYTHON.contains(&args.only)
            && let Some((address, process)) = plain::start(&python, home.path())
        {
            all.push(Subject {
                name: PYTHON,
                endpoint: format!("http://{address}"),
                pids: vec![process.id()],
                redis: None,
                who: Who::Plain(address),
                taken: 0,
            });
            processes.push(process);
        }
        homes.push(home);
        Self {
            all,
            five,
            page,
            _deployments: deployments,
            _processes: processes,
            _redis: redis,
            _homes: homes,
        }
    }
}

impl Subject {
    fn of(name: &'static str, deployment: &Deployment, doing: Doing) -> Self {
        Self {
            name,
            endpoint: deployment.endpoint(),
            pids: deployment.process_ids(),
            redis: None,
            who: Who::Students(deployment.data_dir.clone(), doing),
            taken: 0,
        }
    }

    /// What its embedded store takes on the disk, in bytes for each turn so far; `None` without such a store.
    pub fn disk_bytes_per_turn(&self) -> Option<f64> {
        let Who::Students(data_dir, _) = &self.who else {
            return None;
        };
        let file = fs::metadata(data_dir.session_store()).ok()?;
        (self.taken > 0).then(|| file.blocks() as f64 * 512.0 / self.taken as f64)
    }

    /// Takes so many turns with so many workers, after a short warm-up.
    pub async fn sample(&mut self, workers: usize, turns: usize) -> Sample {
        if let Some(redis) = &mut self.redis {
            redis.persist().await;
        }
        let endpoint = self.endpoint.clone();
        let channels = load::channels(&endpoint, workers);
        let all = |turns: usize| turns.div_ceil(workers) * workers;
        self.taken += all(warm_up(workers)) + all(turns);
        // New students each time: nobody's list of threads grows without end.
        let run = uuid::Uuid::new_v4().simple().to_string();
        let tokens = |data_dir: &DataDir, part: &str| -> Vec<(Channel, String)> {
            let channels = channels.iter().cloned().enumerate();
            let with_token = channels.map(|(n, channel)| {
                let id = format!("{part}-{n}-{run}");
                (channel, token::student(data_dir, &id, Identity::CLASS))
            });
            with_token.collect()
        };
        match &self.who {
            Who::Students(data_dir, doing) => {
                let students = |part: &str| -> Vec<Student> {
                    let them = tokens(data_dir, part).into_iter();
                    them.map(|(channel, token)| Student::new(channel, &token, *doing))
                        .collect()
                };
                load::run(students("warm-up"), warm_up(workers)).await;
                self.measure(students("student"), turns).await
            }
            Who::Chatters(data_dir, page) => {
                let chatters = |part: &str| -> Vec<Chatter> {
                    let them = tokens(data_dir, part).into_iter();
                    them.map(|(channel, token)| Chatter::new(channel, &token, page))
                        .collect()
                };
                load::run(chatters("warm-up"), warm_up(workers)).await;
                self.measure(chatters("student"), turns).await
            }
            Who::Echo(request) => {
                let callers = || -> Vec<EchoCaller> {
                    let channels = channels.iter().cloned();
                    channels
                        .map(|channel| EchoCaller::new(channel, request.clone()))
                        .collect()
                };
                load::run(callers(), warm_up(workers)).await;
                self.measure(callers(), turns).await
            }
            Who::Plain(address) => {
                let askers = || join_all((0..workers).map(|_| Asker::connect(*address)));
                load::run(askers().await, warm_up(workers)).await;
                self.measure(askers().await, turns).await
            }
        }
    }

    async fn measure<W: load::Worker>(&self, mut workers: Vec<W>, turns: usize) -> Sample {
        let share = turns.div_ceil(workers.len());
        load::prepare(&mut workers, share).await;
        let own = std::process::id();
        let redis = || self.redis.as_ref().map_or(0.0, |redis| cpu_ms(redis.pid));
        let before = (cpu_ms_of(&self.pids), redis(), cpu_ms(own));
        let Run { latencies, took } = load::run_prepared(workers, share).await;
        let after = (cpu_ms_of(&self.pids), redis(), cpu_ms(own));
        let taken = latencies.len() as f64;
        Sample {
            p50_ms: latencies.value_at_quantile(0.50) as f64 / 1000.0,
            p99_ms: latencies.value_at_quantile(0.99) as f64 / 1000.0,
            cpu_ms: (after.0 - before.0) / taken,
            redis_cpu_ms: (after.1 - before.1) / taken,
            load_cpu_ms: (after.2 - before.2) / taken,
            per_second: taken / took.as_secs_f64(),
        }
    }
}

impl RedisControl {
    async fn open(server: &RedisServer) -> Self {
        let client = redis::Client::open(server.url()).unwrap();
        // To change the rule of durability takes as long as the disk does.
        let patient = AsyncConnectionConfig::new().set_response_timeout(None);
        let mut connection = client
            .get_multiplexed_async_connection_with_config(&patient)
            .await
            .unwrap();
        let info: String = redis::cmd("INFO")
            .arg("server")
            .query_async(&mut connection)
            .await
            .unwrap();
        let pid = info
            .lines()
            .find_map(|line| line.strip_prefix("process_id:"))
            .and_then(|pid| pid.trim().parse().ok())
            .unwrap();
        Self {
            connection,
            pid,
            appendfsync: "everysec",
        }
    }

    /// Turns the append-only file on, with this subject's rule.
    async fn persist(&mut self) {
        for (name, value) in [("appendonly", "yes"), ("appendfsync", self.appendfsync)] {
            let mut set = redis::cmd("CONFIG");
            set.arg("SET").arg(name).arg(value);
            let () = set.query_async(&mut self.connection).await.unwrap();
        }
    }
}

/// Limits above the load and quiet logs; all else as deployed.
pub fn quiet_env() -> Vec<(String, String)> {
    [
        ("HELPER_RATE_LIMIT_PER_MINUTE", "1000000"),
        ("HELPER_RATE_LIMIT_PER_IP_PER_MINUTE", "1000000"),
        ("HELPER_READ_LIMIT_PER_MINUTE", "1000000"),
        ("HELPER_MAX_CONCURRENCY", "1000"),
        ("LOG_FILTER", "warn"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into()
}

/// What a deployment is told. `checkout`: of another commit, with its release binaries.
fn options(checkout: Option<&Path>) -> Options {
    let quiet = quiet_env()
        .iter()
        .fold(Options::new(), |options, (name, value)| {
            options.env(name, value)
        });
    match checkout {
        Some(checkout) => quiet
            .binaries(&checkout.join("target/release"))
            .courses(&checkout.join("courses")),
        None => quiet,
    }
}

/// The same for several processes. `threads`: worker threads of each; `None`: its own default.
pub fn options_over_tcp(threads: Option<u16>, checkout: Option<&Path>) -> Options {
    let five = options(checkout)
        .keeping_to_itself()
        .env("ADMIN_LISTEN", "127.0.0.1:0");
    threads.into_iter().fold(five, |five, threads| {
        five.env("WORKER_THREADS", threads.to_string())
    })
}

fn spawn(role: &Role, home: &std::path::Path, threads: Option<u16>) -> Process {
    let threads = threads.into_iter();
    Process::spawn(&Program {
        name: "floor",
        folder: None,
        args: vec![serde_json::to_string(role).unwrap().into()],
        env: threads
            .map(|threads| ("WORKER_THREADS".to_owned(), threads.to_string()))
            .collect(),
        home: home.to_owned(),
    })
}

/// So many turns before those that count.
fn warm_up(workers: usize) -> usize {
    (4 * workers).max(32)
}
