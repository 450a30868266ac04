//! A start with `rediss://`: which authority the server's certificate must be of, and another one while it serves.

use std::{error::Error, time::Duration};

use clap::Parser;
use turnwise_kit::Kit;
use turnwise_session_store::StudentKey;
use turnwise_session_svc::Settings;
use turnwise_testing::{
    ReservedPort,
    certificates::Certificates,
    redis::{RedisServer, ServerOptions, Value},
};

use crate::bench::{make_thread, new_thread};

/// Nothing here takes so long.
const NEVER: Duration = Duration::from_secs(60);

#[derive(Parser, Debug)]
struct Cli {
    #[command(flatten)]
    settings: Settings,
}

fn settings(arguments: &[&str]) -> Settings {
    let arguments = ["session-svc"].iter().chain(arguments);
    Cli::try_parse_from(arguments).unwrap().settings
}

/// A Redis that takes TLS on this port, beside its own.
fn server(port: &ReservedPort, certificates: &Certificates) -> RedisServer {
    let [authority, certificate, key] = certificates.files().map(|(_, file)| file);
    let options = ServerOptions::default()
        .set("tls-port", &port.number().to_string())
        .set("tls-ca-cert-file", &authority.display().to_string())
        .set("tls-cert-file", &certificate.display().to_string())
        .set("tls-key-file", &key.display().to_string())
        .set("tls-auth-clients", "no");
    RedisServer::start_with(&options).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_is_called_with_tls_and_its_authority_is_read_again() {
    let home = tempfile::tempdir().unwrap();
    let mut certificates = Certificates::make(home.path());
    let port = ReservedPort::new().unwrap();
    let mut server = server(&port, &certificates);
    let address = format!("rediss://127.0.0.1:{}/0", port.number());
    let [(_, authority), ..] = certificates.files();
    let authority = authority.display().to_string();

    let kit = Kit::for_tests();
    let nobody = settings(&["--session-store", &address]).open(&kit).await;
    let refused = nobody.err().unwrap();
    let mut said = refused.to_string();
    let mut cause = refused.source();
    while let Some(error) = cause {
        said = format!("{said}: {error}");
        cause = error.source();
    }
    assert!(said.contains("_REDIS_CA_FILE"), "{said}");

    let arguments = [
        "--session-store",
        &address,
        "--session-redis-ca-file",
        &authority,
    ];
    let sessions = settings(&arguments).open(&kit).await.unwrap();
    let ada = StudentKey {
        tenant: "school".to_owned(),
        student: "ada".to_owned(),
    };
    make_thread(&sessions, &ada, "before").await;
    assert!(matches!(server.command(&["DBSIZE"]), Ok(Value::Int(1..))));

    // Of an authority that nobody knew at the start.
    certificates.replace_authority();
    certificates.issue(&["127.0.0.1"], 4096);
    certificates.forget_authorities();
    certificates.write();
    server.kill();
    server.start_again().unwrap();
    let comes = async {
        let mut made = false;
        while !made {
            made = sessions
                .create_thread(&ada, new_thread("after"))
                .await
                .is_ok();
        }
    };
    tokio::time::timeout(NEVER, comes).await.unwrap();
    kit.shutdown.cancel();
}
