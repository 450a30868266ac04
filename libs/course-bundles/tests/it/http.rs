//! Bundles that a web server has.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use http::StatusCode;
use turnwise_course_bundles::MAX_BUNDLE_BYTES;
use turnwise_testing::web_server::WebServer;

use crate::fixture::{Files, Shelf, bundle, polls, status, title};

/// A web server with these files.
async fn server(files: &Files) -> WebServer {
    let files = files.clone();
    WebServer::start(move |request| files.answer(request))
        .await
        .unwrap()
}

fn address(server: &WebServer, path: &str, sha256: &str) -> String {
    format!("http://{}{path}#sha256={sha256}\n", server.address())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bundle_is_fetched_once_and_for_all() {
    let (files, one) = (Files::default(), bundle("One"));
    files.put("/courses/tiny.tar.zst", one.bytes);
    let web = server(&files).await;
    let shelf = Shelf::new();
    let line = address(&web, "/courses/tiny.tar.zst", &one.digest);
    shelf.put("tiny.bundle", format!("# The course of class 7.\n\n{line}"));
    assert_eq!(title(&shelf.open().unwrap()), "One");
    assert_eq!(web.asked(), ["/courses/tiny.tar.zst"]);
    // What the archive has needs no server.
    drop(web);
    assert_eq!(title(&shelf.open().unwrap()), "One");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_address_is_another_version() {
    let (files, one, two) = (Files::default(), bundle("One"), bundle("Two"));
    files.put("/tiny.tar.zst", one.bytes);
    let web = server(&files).await;
    let shelf = Shelf::new();
    shelf.put("tiny.bundle", address(&web, "/tiny.tar.zst", &one.digest));
    let library = shelf.open().unwrap();
    files.put("/tiny.tar.zst", two.bytes);
    // Who serves it cannot change it.
    assert!(!polls(&library));
    shelf.put("tiny.bundle", address(&web, "/tiny.tar.zst", &two.digest));
    assert!(polls(&library));
    assert_eq!(title(&library), "Two");
    // And back, without asking anybody.
    let asked = web.asked().len();
    shelf.put("tiny.bundle", address(&web, "/tiny.tar.zst", &one.digest));
    assert!(polls(&library));
    assert_eq!(
        (title(&library), web.asked().len()),
        ("One".to_owned(), asked)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_had_keeps_what_was_served() {
    let log = tempfile::NamedTempFile::new().unwrap();
    let subscriber = tracing_subscriber::fmt().with_writer(log.reopen().unwrap());
    let _guard = tracing::subscriber::set_default(subscriber.with_ansi(false).finish());
    let (files, one, two) = (Files::default(), bundle("One"), bundle("Two"));
    files.put("/good", one.bytes);
    files.put("/bad", bundle("Three").bytes);
    let web = server(&files).await;
    let shelf = Shelf::new();
    shelf.put("tiny.bundle", address(&web, "/good", &one.digest));
    let library = shelf.open().unwrap();
    shelf.put("tiny.bundle", address(&web, "/bad", &two.digest));
    assert!(!polls(&library));
    assert_eq!(
        (title(&library), shelf.archived().len()),
        ("One".to_owned(), 1)
    );
    let said = fs::read_to_string(log.path()).unwrap();
    let warned = said.lines().find(|line| line.contains("WARN")).unwrap();
    for part in [
        "tiny.bundle",
        "/bad: its SHA-256 is",
        &two.digest,
        "check the address",
    ] {
        assert!(warned.contains(part), "{warned}");
    }
    files.put("/bad", two.bytes);
    // It is looked for again although its file is the same.
    assert!((0..30).any(|_| polls(&library)));
    assert_eq!(title(&library), "Two");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_had_at_a_start_stops_it() {
    let (files, good) = (Files::default(), bundle("One"));
    files.put("/other", bundle("Two").bytes);
    files.put("/large", vec![0; MAX_BUNDLE_BYTES + 1]);
    let web = server(&files).await;
    let gone = server(&files).await;
    let gone_address = address(&gone, "/tiny.tar.zst", &good.digest);
    drop(gone);
    let at = |path: &str| address(&web, path, &good.digest);
    for (line, says) in [
        (at("/other"), "its SHA-256 is"),
        (at("/nowhere"), "404 Not Found"),
        (at("/large"), "has more than"),
        (at("/nowhere?key=secret"), "/nowhere: "),
        (gone_address, "the server cannot be asked"),
    ] {
        let shelf = Shelf::new();
        shelf.put("tiny.bundle", &line);
        let fault = shelf.refused();
        assert!(fault.message.contains(says), "{line}: {fault}");
        assert!(!fault.message.contains("secret"), "{fault}");
    }
}

#[test]
fn an_address_that_is_none_says_what_one_is() {
    let hash = "a".repeat(64);
    for (line, says) in [
        (String::new(), "not exactly one address"),
        (
            format!("http://a/b#sha256={hash}\nhttp://a/c#sha256={hash}"),
            "not exactly one",
        ),
        ("courses/tiny.tar".to_owned(), "no address"),
        (format!("ftp://a/b#sha256={hash}"), "unknown kind"),
        ("https://a/b".to_owned(), "no `#sha256=`"),
        (
            format!("https://a/b#sha256={}", &hash[1..]),
            "no `#sha256=`",
        ),
        (
            format!("https://me:secret@a/b#sha256={hash}"),
            "COURSE_BUNDLE_LOGINS_FILE",
        ),
        ("oci://a/b:latest".to_owned(), "a tag may change"),
        (format!("oci://a@sha256:{hash}"), "no repository"),
        (
            format!("oci://a/../b@sha256:{hash}"),
            "the repository's name",
        ),
        (
            format!("oci://a/b:1@sha256:{hash}"),
            "the repository's name",
        ),
        (
            format!("oci://me:secret@a/b@sha256:{hash}"),
            "COURSE_BUNDLE_LOGINS_FILE",
        ),
        (format!("oci://a?b/c@sha256:{hash}"), "no host"),
    ] {
        let shelf = Shelf::new();
        shelf.put("tiny.bundle", &line);
        let fault = shelf.refused();
        assert!(fault.message.contains(says), "{line}: {fault}");
        assert!(fault.remedy.contains("oci://HOST"), "{fault}");
        assert!(!fault.to_string().contains("secret"), "{fault}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_wants_a_login_gets_it() {
    let one = bundle("One");
    let bytes = one.bytes.clone();
    let web = WebServer::start(move |request| {
        let given = request.headers.get("authorization");
        // me:secret
        if given.is_some_and(|value| value == "Basic bWU6c2VjcmV0") {
            http::Response::new(bytes.clone().into())
        } else {
            status(StatusCode::UNAUTHORIZED)
        }
    })
    .await
    .unwrap();
    let mut shelf = Shelf::new();
    shelf.put("tiny.bundle", address(&web, "/tiny", &one.digest));
    assert!(shelf.refused().message.contains("401"));
    for bad in ["", "{}", r#"{"auths": {"a": {"auth": "secret"}}}"#] {
        shelf.logins(bad);
        let said = shelf.open().map(|_| ()).unwrap_err().to_string();
        assert!(!said.contains("secret"), "{said}");
        is_named_once(&said);
    }
    let login = format!(
        r#"{{"auths": {{"{}": {{"auth": "bWU6c2VjcmV0"}}}}}}"#,
        web.address()
    );
    let file = shelf.logins(&login);
    assert_eq!(title(&shelf.open().unwrap()), "One");
    fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    let said = shelf.open().map(|_| ()).unwrap_err().to_string();
    assert!(said.contains("everybody on this machine"), "{said}");
    is_named_once(&said);
}

/// The setting, and the file.
#[track_caller]
fn is_named_once(said: &str) {
    for part in ["COURSE_BUNDLE_LOGINS_FILE", "logins.json"] {
        assert_eq!(said.matches(part).count(), 1, "{said}");
    }
}
