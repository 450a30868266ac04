//! Peers that hold connections and say nothing: on every port of every service, with and without TLS, and more of them
//! than a process may open files.

use std::{fs, net::SocketAddr, sync::Arc, time::Duration};

use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit, setrlimit};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{Instant, sleep, timeout},
};
use tokio_rustls::{
    TlsConnector,
    rustls::{
        ClientConfig, RootCertStore,
        pki_types::{CertificateDer, ServerName, pem::PemObject},
    },
};
use turnwise_tests::{
    admin,
    deployment::Deployment,
    options::{Kind, Options, Service},
    procfs::cpu_ms,
    student::DEMO_COURSE,
};

in_both_deployments!(every_port_closes_who_says_nothing);

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const SETTINGS: &[u8] = b"\x00\x00\x00\x04\x00\x00\x00\x00\x00";
/// The settings' proof time is a second; what is open after so long stays open.
const BOUND: Duration = Duration::from_secs(15);

fn options() -> Options {
    with_admin().env("CONNECTION_PROOF_SECONDS", "1")
}

fn with_admin() -> Options {
    Options::new().env("ADMIN_LISTEN", "127.0.0.1:0")
}

fn admin_port(suite: &mut Deployment, service: Service) -> SocketAddr {
    let told = suite.at(service).admin;
    told.unwrap_or_else(|| suite.process(service).printed_admin())
}

async fn connect(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.unwrap()
}

async fn closed(mut socket: impl AsyncRead + Unpin) -> bool {
    let mut bytes = [0; 1024];
    let end = async { while let Ok(1..) = socket.read(&mut bytes).await {} };
    timeout(BOUND, end).await.is_ok()
}

fn open_files(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count()
}

async fn every_port_closes_who_says_nothing(kind: Kind) {
    let mut suite = Deployment::start(kind, options()).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let settings = [PREFACE, SETTINGS].concat();
    let mut waiting = Vec::new();
    for service in suite.services() {
        let at = suite.at(service);
        let admin = admin_port(&mut suite, service);
        for (address, says) in [
            (at.address, &b""[..]),
            (at.address, &PREFACE[..7]),
            (at.address, &settings),
            (admin, b""),
            (admin, b"GET /metrics HTTP/1.1\r\nHost: "),
        ] {
            let mut socket = connect(address).await;
            socket.write_all(says).await.unwrap();
            waiting.push((service, address, says.len(), socket));
        }
    }
    for (service, address, said, socket) in waiting {
        assert!(
            closed(socket).await,
            "{service:?} at {address} after {said} bytes"
        );
    }
    // Who has called goes on meanwhile.
    ada.say(&thread, "hello").await;
    suite.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn with_tls_the_proof_is_a_call_and_not_the_handshake() {
    let mut suite = Deployment::five_processes(options().mutual_tls()).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    let address = suite.address();
    let mut roots = RootCertStore::empty();
    let authority = &suite.certificates.as_ref().unwrap().authority;
    roots
        .add(CertificateDer::from_pem_slice(authority).unwrap())
        .unwrap();
    let mut config = ClientConfig::builder()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let connector = TlsConnector::from(Arc::new(config));
    let name = ServerName::try_from("localhost").unwrap();
    let handshake = async || {
        let socket = connect(address).await;
        connector.connect(name.clone(), socket).await.unwrap()
    };

    let silent = connect(address).await;
    let mut half_hello = connect(address).await;
    half_hello
        .write_all(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc")
        .await
        .unwrap();
    let shaken = handshake().await;
    let mut preface = handshake().await;
    preface.write_all(PREFACE).await.unwrap();
    preface.write_all(SETTINGS).await.unwrap();
    assert!(closed(silent).await, "no handshake");
    assert!(closed(half_hello).await, "half a handshake");
    assert!(closed(shaken).await, "a handshake and nothing more");
    assert!(closed(preface).await, "a handshake, a preface and no call");
    ada.say(&thread, "hello").await;
    suite.stop();
}

/// A process with 512 files and 700 peers that say nothing.
#[tokio::test(flavor = "multi_thread")]
async fn more_silent_peers_than_files_keep_nobody_out() {
    let before = getrlimit(Resource::Nofile);
    let soft = |soft| Rlimit {
        current: Some(soft),
        maximum: before.maximum,
    };
    setrlimit(Resource::Nofile, soft(512)).unwrap();
    let mut suite = Deployment::one_process(Options::new()).await;
    setrlimit(
        Resource::Nofile,
        soft(before.maximum.unwrap_or(4096).min(4096)),
    )
    .unwrap();
    let pid = suite.process_id(Service::Suite);
    let address = suite.address();
    let mut silent = Vec::new();
    for _ in 0..700 {
        silent.push(connect(address).await);
    }
    let (cpu, started) = (cpu_ms(pid), Instant::now());
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    ada.say(&thread, "hello").await;
    assert!(started.elapsed() < Duration::from_secs(4), "served at once");
    assert!(open_files(pid) < 400, "{} files", open_files(pid));
    sleep(Duration::from_secs(1)).await;
    let busy = (cpu_ms(pid) - cpu) / started.elapsed().as_millis() as f64;
    assert!(busy < 0.5, "{busy} of a core");
    for socket in silent {
        assert!(closed(socket).await);
    }
    ada.say(&thread, "hello again").await;
    suite.stop();
}

/// Files run out all the same, because somebody took them away: the process waits, says so, and goes on.
#[tokio::test(flavor = "multi_thread")]
async fn when_files_run_out_the_accept_loop_waits_and_says_so() {
    let mut suite = Deployment::one_process(with_admin()).await;
    let ada = suite.student("ada");
    let thread = ada.open(DEMO_COURSE).await;
    ada.say(&thread, "hello").await;
    let admin_port = admin_port(&mut suite, Service::Suite);
    let refused = async || {
        let (_, metrics) = admin::get(admin_port, "/metrics").await;
        let line = metrics.lines().find(|l| {
            l.starts_with("connections_ended_total{") && l.contains(r#"cause="not_accepted""#)
        });
        line.and_then(|l| l.rsplit(' ').next()?.parse::<u64>().ok())
            .unwrap_or(0)
    };
    assert_eq!(refused().await, 0);
    let id = suite.process_id(Service::Suite);
    let pid = Pid::from_raw(id.cast_signed());
    let few = Rlimit {
        current: Some(open_files(id) as u64 + 4),
        maximum: getrlimit(Resource::Nofile).maximum,
    };
    let before = prlimit(pid, Resource::Nofile, few).unwrap();
    let mut silent = Vec::new();
    for _ in 0..40 {
        silent.push(connect(suite.address()).await);
    }
    let cpu = cpu_ms(id);
    sleep(Duration::from_secs(2)).await;
    let busy = (cpu_ms(id) - cpu) / 2000.0;
    assert!(busy < 0.3, "{busy} of a core");
    prlimit(pid, Resource::Nofile, before).unwrap();
    let complains = |line: &str| line.contains("connections cannot be accepted");
    let log = suite.process(Service::Suite).log();
    let said = log.wait_for(BOUND, |line| complains(line).then_some(()));
    assert!(said.is_some(), "the log says so");
    let lines = log.all();
    assert_eq!(lines.iter().filter(|line| complains(line)).count(), 1);
    // As many tries as a loop that waits makes, and not as one that spins.
    let tries = refused().await;
    assert!((1..100).contains(&tries), "{tries} tries");
    let bob = suite.student("bob");
    bob.open(DEMO_COURSE).await;
    suite.stop();
}
