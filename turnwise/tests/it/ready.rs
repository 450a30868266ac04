//! `turnwise ready`, as an engine asks it.

use std::{
    io::{Read, Write},
    net::TcpListener,
    process::{Command, Output},
    thread,
};

fn ready(admin: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_turnwise"))
        .arg("ready")
        .env("ADMIN_LISTEN", admin)
        .output()
        .unwrap()
}

/// An admin port that gives one answer; its port.
fn admin(answer: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let (mut caller, _) = listener.accept().unwrap();
        let mut asked = [0; 1024];
        let length = caller.read(&mut asked).unwrap();
        assert!(asked[..length].starts_with(b"GET /readyz "));
        write!(
            caller,
            "HTTP/1.1 {answer}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
        )
        .unwrap();
    });
    port
}

#[test]
fn a_service_that_takes_calls_is_ready() {
    // As a container has it: of all interfaces.
    let port = admin("200 OK");
    let output = ready(&format!("0.0.0.0:{port}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

#[test]
fn one_that_drains_or_is_away_is_not() {
    let port = admin("503 Service Unavailable");
    let output = ready(&format!("127.0.0.1:{port}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(said.contains("does not take calls"), "{said}");

    let closed = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = closed.local_addr().unwrap().to_string();
    drop(closed);
    let output = ready(&address);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(
        said.contains(&address) && said.contains("ADMIN_LISTEN"),
        "{said}"
    );
}

#[test]
fn without_an_address_it_says_which_setting_is_missing() {
    let output = Command::new(env!("CARGO_BIN_EXE_turnwise"))
        .arg("ready")
        .env_remove("ADMIN_LISTEN")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(said.contains("--admin-listen"), "{said}");
}
