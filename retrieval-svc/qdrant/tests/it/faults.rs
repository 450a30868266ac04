//! A server that is away, slow or out of its mind.

use std::{
    io::Write,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use tokio::{io::AsyncWriteExt, net::TcpListener, sync::watch, task::yield_now, time::timeout};
use tonic::Code;
use turnwise_kit::Kit;
use turnwise_retrieval_index::{Engine, EngineError, Index, Part, SourceError, Sources};
use turnwise_retrieval_qdrant::{Options, Qdrant};
use turnwise_testing::{ReservedPort, write_secret};

use crate::{
    corpus::{
        chunk, chunks_for, content, head, model, open, part, part_id, source, uploaded, vector,
    },
    databases::Place,
    fake::{Fake, Fault},
};

fn pack() -> Arc<Part> {
    let documents = (0..5)
        .map(|n| chunk(&format!("c{n}"), "u", &["area"], Some(vector(n))))
        .collect();
    part(part_id("", "maths", "", "1"), Some(model("a")), documents)
}

fn hasty(place: &Place) -> Qdrant {
    let options = Options {
        read_timeout: Duration::from_secs(2),
        write_timeout: Duration::from_secs(2),
        ..place.options("hasty", Some(model("a")))
    };
    Qdrant::new(&options, &Kit::for_tests()).unwrap()
}

async fn search(index: &Arc<dyn Index>) -> Result<usize, EngineError> {
    let hits = chunks_for(index, &["area"], Some(vector(1)), 10).await?;
    Ok(hits.len())
}

#[tokio::test]
async fn a_server_that_is_away_is_unavailable_and_found_again() {
    let port = ReservedPort::new().unwrap();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port.number()));
    let fake = Fake::serve(Arc::default(), address).await;
    let place = Place::new(fake.url());
    let engine = place.engine("away", Some(model("a")));
    let index = open(&engine, "school", "maths", &[pack()]).await;
    assert_eq!(search(&index).await, Ok(5));

    let state = fake.stop();
    assert!(matches!(
        search(&index).await,
        Err(EngineError::Unavailable(_))
    ));
    let held = engine.holds(pack().id()).await;
    assert!(matches!(held, Err(EngineError::Unavailable(_))));
    let key = source("school", "maths", "book");
    let begun = engine.begin(&key, &head("1", 1)).await;
    assert!(matches!(begun, Err(SourceError::Unavailable(_))));

    let _fake = Fake::serve(state, address).await;
    assert_eq!(search(&index).await, Ok(5));
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up() {
    let fake = Fake::start().await;
    let engine = hasty(&Place::new(fake.url()));
    let index = open(&engine, "school", "maths", &[pack()]).await;
    fake.state.fail(Some(Fault::Hang));
    let started = tokio::time::Instant::now();
    assert!(matches!(
        search(&index).await,
        Err(EngineError::Unavailable(_))
    ));
    assert!(started.elapsed() < Duration::from_secs(5));
    let published = engine.publish(pack()).await;
    assert!(matches!(published, Err(EngineError::Unavailable(_))));
}

#[tokio::test]
async fn what_may_pass_is_tried_again_and_what_will_not_is_not() {
    let fake = Fake::start().await;
    let place = Place::new(fake.url());
    let engine = place.engine("again", Some(model("a")));
    let index = open(&engine, "school", "maths", &[pack()]).await;
    for code in [
        Code::Unavailable,
        Code::Cancelled,
        Code::Internal,
        Code::ResourceExhausted,
    ] {
        fake.state.fail(Some(Fault::Code(code, 2)));
        assert_eq!(search(&index).await, Ok(5), "{code:?}");
        fake.state.fail(Some(Fault::Code(code, 100)));
        fake.state.calls();
        let failed = search(&index).await;
        assert!(
            matches!(failed, Err(EngineError::Unavailable(_))),
            "{code:?}: {failed:?}"
        );
        assert_eq!(fake.state.calls().len(), 4, "{code:?}");
    }
    fake.state
        .fail(Some(Fault::Code(Code::InvalidArgument, 100)));
    fake.state.calls();
    assert!(matches!(
        search(&index).await,
        Err(EngineError::Protocol(_))
    ));
    assert_eq!(fake.state.calls().len(), 1);
    fake.state
        .fail(Some(Fault::Code(Code::PermissionDenied, 1)));
    let Err(EngineError::Unavailable(message)) = search(&index).await else {
        panic!("a refused key went through");
    };
    assert!(message.contains("QDRANT_API_KEY_FILE"), "{message}");
}

#[tokio::test]
async fn senseless_answers_are_refused() {
    let fake = Fake::start().await;
    let place = Place::new(fake.url());
    let engine = place.engine("odd", Some(model("a")));
    let index = open(&engine, "school", "maths", &[pack()]).await;
    for fault in [
        Fault::NoPayload,
        Fault::NoLists,
        Fault::NoNumbers,
        Fault::Elsewhere,
    ] {
        fake.state.fail(Some(fault));
        let answer = search(&index).await;
        assert!(
            matches!(answer, Err(EngineError::Protocol(_))),
            "{fault:?}: {answer:?}"
        );
    }
    fake.state.fail(None);
    assert_eq!(search(&index).await, Ok(5));
}

#[tokio::test]
async fn a_write_that_is_not_applied_is_not_acknowledged() {
    let fake = Fake::start().await;
    let place = Place::new(fake.url());
    let engine = place.engine("late", Some(model("a")));
    let key = source("school", "maths", "book");
    engine.begin(&key, &head("1", 1)).await.unwrap();
    engine.holds(pack().id()).await.unwrap();
    fake.state.fail(Some(Fault::NotApplied));
    let staged = engine.stage(&key, "1", 0, vec![uploaded(0, "text")]).await;
    assert!(
        matches!(staged, Err(SourceError::Unavailable(_))),
        "{staged:?}"
    );
    let published = engine.publish(pack()).await;
    assert!(
        matches!(published, Err(EngineError::Unavailable(_))),
        "{published:?}"
    );
    fake.state.fail(None);
    assert_eq!(engine.holds(pack().id()).await, Ok(false));
    let early = engine.open(content("school", "maths", &[pack()])).await;
    assert!(matches!(early.err(), Some(EngineError::MissingPart { .. })));
    assert_eq!(
        engine.stage(&key, "1", 0, vec![uploaded(0, "text")]).await,
        Ok(1)
    );
}

#[tokio::test]
async fn garbage_on_the_line_is_unavailable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let junk = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(&[0xff; 4096]).await;
        }
    });
    let engine = hasty(&Place::new(url));
    let held = engine.holds(pack().id()).await;
    assert!(matches!(held, Err(EngineError::Unavailable(_))), "{held:?}");
    junk.abort();
}

#[tokio::test]
async fn the_key_of_a_file_is_shown() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    writeln!(file, "secret").unwrap();
    let fake = Fake::start().await;
    fake.state.demand_keys(&["secret"]);
    let place = Place::new(fake.url());
    let without = place.engine("key", Some(model("a")));
    let refused = without.holds(pack().id()).await;
    assert!(
        matches!(refused, Err(EngineError::Unavailable(_))),
        "{refused:?}"
    );
    let options = Options {
        api_key_file: Some(file.path().to_owned()),
        ..place.options("key", Some(model("a")))
    };
    let with = Qdrant::new(&options, &Kit::for_tests()).unwrap();
    assert_eq!(with.holds(pack().id()).await, Ok(false));
    assert!(!format!("{with:?}").contains("secret"));
}

#[tokio::test]
async fn the_key_changes_while_searches_run() {
    /// Longer than anything here takes.
    const SOON: Duration = Duration::from_secs(30);
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("key");
    write_secret(&file, "old").unwrap();
    let fake = Fake::start().await;
    fake.state.demand_keys(&["old"]);
    let place = Place::new(fake.url());
    let options = Options {
        api_key_file: Some(file.clone()),
        ..place.options("rotation", Some(model("a")))
    };
    let kit = Kit::for_tests();
    let engine = Qdrant::new(&options, &kit).unwrap();
    let index = open(&engine, "school", "maths", &[pack()]).await;
    let (done, mut rounds) = watch::channel(0);
    let load = tokio::spawn(async move {
        // Until nobody waits for another round.
        while !done.is_closed() {
            let found = tokio::join!(search(&index), search(&index), search(&index));
            assert_eq!(found, (Ok(5), Ok(5), Ok(5)));
            done.send_modify(|count| *count += 1);
        }
    });
    // What was sent before is answered once another round has begun and ended.
    let mut goes_on = async || {
        let wanted = *rounds.borrow_and_update() + 2;
        let more = timeout(SOON, rounds.wait_for(|count| *count >= wanted)).await;
        more.expect("searches go on").expect("no search fails");
    };
    goes_on().await;
    fake.state.demand_keys(&["old", "new"]);
    write_secret(&file, "new").unwrap();
    let taken = async {
        let line = r#"files_read_again_total{setting="QDRANT_API_KEY_FILE"} 1"#;
        while !kit.metrics.encode().contains(line) {
            yield_now().await;
        }
    };
    timeout(SOON, taken).await.expect("the key is read again");
    goes_on().await;
    fake.state.demand_keys(&["new"]);
    goes_on().await;
    drop(rounds);
    load.await.unwrap();
}
