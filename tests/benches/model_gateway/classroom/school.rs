//! The school: the model server, the gateway's replicas, their Redis, and what they cost.

use std::time::Duration;

use tempfile::TempDir;
use turnwise_kit::client::GrpcClient;
use turnwise_testing::{
    model_server::{ServiceTime, Settings, Statistics},
    redis::RedisServer,
};
use turnwise_tests::{
    help_request::HelpRequest,
    model_gateway::{ModelGateway, REDIS_SETTING},
    model_server::ModelServerProcess,
    procfs::cpu_ms_of,
};

use crate::Args;

/// The model's slots.
pub const SLOTS: usize = 2;
/// What the model needs for a call, seconds, unscaled.
pub const SERVICE_SECONDS: f64 = 2.0;
/// How long a call is thought to take before any has ended, seconds, unscaled: the gateway's default.
const EXPECTED_SECONDS: f64 = 3.0;
/// How long a held place is held beyond its time, seconds, unscaled: the gateway's default.
const GRACE_SECONDS: f64 = 5.0;
/// In how many pieces the model's answer comes; each costs the gateway a frame.
const PIECES: usize = 4;
/// Calls made before those that count, so that the service time is known as it would be in a school's box.
const WARM_UP: usize = 16;
/// The most that is divided: at this scale the model needs 20 ms.
const FAST_SCALE: f64 = 100.0;
/// So many students share a connection.
const STUDENTS_PER_CHANNEL: usize = 50;

/// How much shorter everything is.
#[derive(Debug, Clone, Copy)]
pub struct Scale(f64);

impl Scale {
    /// Divides by `factor`.
    pub fn new(factor: f64) -> Self {
        Self(factor)
    }

    /// So many seconds, scaled.
    pub fn seconds(self, seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds / self.0)
    }

    /// The model's time for a call.
    pub fn service(self) -> Duration {
        self.seconds(SERVICE_SECONDS)
    }

    /// The least time in which the model can answer so many calls.
    pub fn ideal(self, calls: usize) -> Duration {
        self.service().mul_f64(calls as f64 / SLOTS as f64)
    }
}

/// A school that runs. Its processes end with the value.
pub struct School {
    /// How much shorter everything is.
    pub scale: Scale,
    /// The replicas.
    pub replicas: Vec<ModelGateway>,
    model: ModelServerProcess,
    redis: Option<(RedisServer, u32)>,
    _home: TempDir,
}

/// CPU time, milliseconds.
#[derive(Debug, Clone, Copy)]
pub struct Spent {
    /// All replicas.
    pub ours: f64,
    /// Redis.
    pub redis: f64,
}

impl School {
    /// Starts one at the scale of the arguments.
    pub async fn start(args: &Args, replicas: usize, redis: bool) -> Self {
        Self::at(Scale::new(args.scale), replicas, redis).await
    }

    /// Starts one that is faster where the time that a hand-off takes changes nothing.
    pub async fn start_fast(args: &Args, replicas: usize, redis: bool) -> Self {
        Self::at(Scale::new(args.scale.max(FAST_SCALE)), replicas, redis).await
    }

    async fn at(scale: Scale, replicas: usize, redis: bool) -> Self {
        let home = tempfile::tempdir().unwrap();
        let model = ModelServerProcess::start(
            &Settings {
                service_time: ServiceTime::constant(scale.service()),
                pieces: PIECES,
                ..Settings::default()
            },
            home.path(),
        );
        let redis = redis.then(|| {
            let server = RedisServer::start().unwrap();
            let info = server.command(&["INFO", "server"]).unwrap().text();
            let pid = info
                .lines()
                .find_map(|line| line.strip_prefix("process_id:"))
                .and_then(|pid| pid.trim().parse().ok())
                .unwrap();
            (server, pid)
        });
        let expected = scale.seconds(EXPECTED_SECONDS).as_secs_f64();
        let grace = scale.seconds(GRACE_SECONDS).as_secs().max(1);
        let replicas = (0..replicas)
            .map(|index| {
                let mut settings = vec![
                    ("HELPER_MAX_CONCURRENCY", SLOTS.to_string()),
                    ("QUEUE_EXPECTED_CALL_SECONDS", format!("{expected:.3}")),
                    // Whole seconds: at a scale above 5 it is longer than it should be.
                    ("QUEUE_PLACE_GRACE_SECONDS", grace.to_string()),
                    ("QUEUE_REPLICAS", replicas.to_string()),
                    ("QUEUE_REPLICA_INDEX", index.to_string()),
                ];
                if let Some((server, _)) = &redis {
                    settings.push((REDIS_SETTING, server.url()));
                }
                ModelGateway::start(&model.url(), &settings)
            })
            .collect();
        let school = Self {
            scale,
            replicas,
            model,
            redis,
            _home: home,
        };
        school.warm_up().await;
        school
    }

    async fn warm_up(&self) {
        let clients = self.clients(SLOTS);
        let calls = clients.iter().enumerate().map(|(n, client)| async move {
            for _ in 0..WARM_UP / SLOTS {
                let request =
                    help_request("warm-up", &format!("early-{n}"), self.scale.seconds(400.0));
                let outcome = request.send(client).await;
                outcome.result.expect("a school without students answers");
            }
        });
        futures_util::future::join_all(calls).await;
        self.model.reset_statistics().await;
    }

    /// A connection for each of so many students; some share one, and they are spread evenly over the replicas.
    pub fn clients(&self, students: usize) -> Vec<GrpcClient> {
        let replicas = self.replicas.len();
        let channels = students
            .div_ceil(STUDENTS_PER_CHANNEL)
            .max(1)
            .next_multiple_of(replicas);
        let channels: Vec<GrpcClient> = (0..channels)
            .map(|n| self.replicas[n % replicas].client())
            .collect();
        channels.iter().cycle().take(students).cloned().collect()
    }

    /// What the model has seen since the start, or since this was last asked for.
    pub async fn seen_by_model(&self) -> Statistics {
        let seen = self.model.statistics().await;
        self.model.reset_statistics().await;
        seen
    }

    /// CPU time so far.
    pub fn spent(&self) -> Spent {
        let pids: Vec<u32> = self
            .replicas
            .iter()
            .map(|replica| replica.process.id())
            .collect();
        Spent {
            ours: cpu_ms_of(&pids),
            redis: self
                .redis
                .as_ref()
                .map_or(0.0, |(_, pid)| cpu_ms_of(&[*pid])),
        }
    }
}

/// A request that asks for this wait.
pub fn help_request(class: &str, student: &str, max_wait: Duration) -> HelpRequest {
    HelpRequest {
        class: class.to_owned(),
        student: student.to_owned(),
        thread: format!("{student}-thread"),
        max_wait: Some(max_wait),
        timeout: max_wait + Duration::from_secs(60),
        ticket: String::new(),
    }
}
