//! Servers, sentinels and clusters that are called with TLS.

use std::{path::Path, sync::Arc};

use rustls::{
    RootCertStore,
    pki_types::{CertificateDer, pem::PemObject},
};
use turnwise_redis::{ClientConfig, Failure, FailureKind, OpenError, Redis, RedisOptions, Value};
use turnwise_testing::{
    ReservedPort,
    certificates::Certificates,
    redis::{RedisServer, ServerOptions},
};

use crate::calls::{PATIENCE, add, key};

/// The lines of a server's or sentinel's configuration with which it takes TLS on this port, beside its own.
fn lines(port: &ReservedPort, certificates: &Certificates) -> [(&'static str, String); 6] {
    let [authority, certificate, key] = certificates.files().map(|(_, file)| file);
    let shown = |file: &Path| file.display().to_string();
    [
        ("tls-port", port.number().to_string()),
        ("tls-cert-file", shown(&certificate)),
        ("tls-key-file", shown(&key)),
        ("tls-ca-cert-file", shown(&authority)),
        ("tls-auth-clients", "no".to_owned()),
        ("tls-replication", "yes".to_owned()),
    ]
}

fn server(port: &ReservedPort, certificates: &Certificates, more: &[(&str, &str)]) -> RedisServer {
    let lines = lines(port, certificates);
    let lines = lines.iter().map(|(name, value)| (*name, value.as_str()));
    let options = lines
        .chain(more.iter().copied())
        .fold(ServerOptions::default(), |options, (name, value)| {
            options.set(name, value)
        });
    RedisServer::start_with(&options).unwrap()
}

/// A client that trusts this authority.
fn trusting(authority: &[u8], address: String) -> RedisOptions {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(authority) {
        roots.add(certificate.unwrap()).unwrap();
    }
    let config = ClientConfig::builder().with_root_certificates(roots);
    let config = Arc::new(config.with_no_client_auth());
    RedisOptions {
        tls: Some(Arc::new(move || Arc::clone(&config))),
        ..RedisOptions::new(address)
    }
}

async fn count(redis: &Redis) -> Result<Value, Failure> {
    redis.run(&add(), "a", &[key("a")], 1).await
}

#[tokio::test]
async fn a_server_is_called_with_tls_if_its_certificate_is_right() {
    let dir = tempfile::tempdir().unwrap();
    let mut certificates = Certificates::make(dir.path());
    let port = ReservedPort::new().unwrap();
    let server_of = |certificates: &Certificates| server(&port, certificates, &[]);
    let address = || format!("rediss://127.0.0.1:{}", port.number());
    {
        let _server = server_of(&certificates);
        let redis = Redis::open(&trusting(&certificates.authority, address())).await;
        let redis = redis.unwrap();
        assert_eq!(count(&redis).await.unwrap(), Value::Int(1));
        assert_eq!(count(&redis).await.unwrap(), Value::Int(2));

        let elsewhere = tempfile::tempdir().unwrap();
        let stranger = Certificates::make(elsewhere.path());
        // Both authorities have one name, so the signature tells them apart.
        refused(trusting(&stranger.authority, address()), "BadSignature").await;
    }
    certificates.issue(&["redis.example"], 4096);
    certificates.write();
    {
        let _server = server_of(&certificates);
        refused(
            trusting(&certificates.authority, address()),
            "not valid for name",
        )
        .await;
    }
    certificates.issue(&["127.0.0.1"], 2001);
    certificates.write();
    let _server = server_of(&certificates);
    refused(trusting(&certificates.authority, address()), "expired").await;
}

/// Nothing is sent over such a connection, and the failure says what is wrong with it.
async fn refused(options: RedisOptions, problem: &str) {
    let redis = Redis::open(&options).await.unwrap();
    let failure = count(&redis).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Unavailable);
    assert!(failure.is_certainly_not_done());
    assert!(failure.to_string().contains(problem), "{failure}");
}

#[tokio::test]
async fn address_and_authority_go_together() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Certificates::make(dir.path()).authority;
    let nobody = Redis::open(&RedisOptions::new("rediss://127.0.0.1:1")).await;
    assert_eq!(nobody.err(), Some(OpenError::NoAuthority));
    let plain = Redis::open(&trusting(&authority, "redis://127.0.0.1:1".to_owned())).await;
    assert_eq!(plain.err(), Some(OpenError::Plain));
}

#[tokio::test]
async fn sentinels_and_their_primary_are_called_with_tls_and_each_with_its_own_password() {
    let dir = tempfile::tempdir().unwrap();
    let certificates = Certificates::make(dir.path());
    let (of_server, of_sentinel) = (ReservedPort::new().unwrap(), ReservedPort::new().unwrap());
    let user = ("user", "pupil on >of-the-servers ~* &* +@all");
    let server = server(&of_server, &certificates, &[user]);
    let mut config = format!("sentinel monitor main 127.0.0.1 {} 1\n", of_server.number());
    for (name, value) in lines(&of_sentinel, &certificates) {
        config += &format!("{name} {value}\n");
    }
    let sentinel = RedisServer::start_sentinel(&config).unwrap();
    let acl = |rules: &[&str]| {
        let words = [&["ACL", "SETUSER"], rules].concat();
        sentinel.command(&words).unwrap();
    };
    acl(&["watcher", "on", ">of-the-sentinels", "&*", "+@all"]);
    acl(&["default", "off"]);

    let address = format!(
        "rediss+sentinel://pupil:of-the-servers@127.0.0.1:{}/main",
        of_sentinel.number()
    );
    let right = RedisOptions {
        sentinel_user: Some("watcher".to_owned()),
        sentinel_password: Some(Arc::new(|| "of-the-sentinels".to_owned())),
        ..trusting(&certificates.authority, address)
    };
    let redis = Redis::open(&right).await.unwrap();
    assert_eq!(count(&redis).await.unwrap(), Value::Int(1));
    assert_eq!(server.command(&["GET", &key("a")]).unwrap().text(), "1");

    let wrong = RedisOptions {
        sentinel_password: Some(Arc::new(|| "of-the-servers".to_owned())),
        ..right
    };
    let redis = Redis::open(&wrong).await.unwrap();
    assert!(count(&redis).await.unwrap_err().is_certainly_not_done());
}

#[tokio::test]
async fn the_nodes_of_a_cluster_are_called_with_tls() {
    let dir = tempfile::tempdir().unwrap();
    let certificates = Certificates::make(dir.path());
    let port = ReservedPort::new().unwrap();
    let more = [("cluster-enabled", "yes"), ("tls-cluster", "yes")];
    let node = server(&port, &certificates, &more);
    node.command(&["CLUSTER", "ADDSLOTSRANGE", "0", "16383"])
        .unwrap();
    let address = format!("rediss+cluster://127.0.0.1:{}", port.number());
    let redis = Redis::open(&trusting(&certificates.authority, address)).await;
    let redis = redis.unwrap();
    // A node takes a moment to believe that the cluster is in order.
    let counted = async {
        loop {
            match count(&redis).await {
                Ok(value) => return value,
                Err(failure) => assert_eq!(failure.kind(), FailureKind::Unavailable, "{failure}"),
            }
        }
    };
    let counted = tokio::time::timeout(PATIENCE, counted).await;
    assert_eq!(counted.unwrap(), Value::Int(1));
}
