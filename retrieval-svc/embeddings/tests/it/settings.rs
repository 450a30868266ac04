//! The settings: their forms, their bounds, and what they open.

use clap::Parser;
use turnwise_retrieval_embeddings::{Choice, OpenError, Settings, open, remote::Name};

use crate::{fake_gateway::FakeGateway, local::call, tiny_model};

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    settings: Settings,
}

fn parse(args: &[&str]) -> Result<Settings, String> {
    Cli::try_parse_from(std::iter::once("test").chain(args.iter().copied()))
        .map(|cli| cli.settings)
        .map_err(|error| error.to_string())
}

#[test]
fn the_forms_of_embeddings() {
    let choice = |value: &str| parse(&["--embeddings", value]).map(|s| s.embeddings);
    assert_eq!(parse(&[]).unwrap().embeddings, Choice::None);
    assert_eq!(choice("none"), Ok(Choice::None));
    assert_eq!(
        choice("directory:/a:b"),
        Ok(Choice::Directory("/a:b".into()))
    );
    assert_eq!(choice("gateway"), Ok(Choice::Gateway(None)));
    let name = Name {
        backend: "openai_compatible".to_owned(),
        model: "BAAI/bge-m3:567m".to_owned(),
    };
    assert_eq!(
        choice("gateway:openai_compatible/BAAI/bge-m3:567m"),
        Ok(Choice::Gateway(Some(name)))
    );
    for wrong in [
        "",
        "nothing",
        "directory",
        "directory:",
        "gateway:",
        "gateway:x",
        "gateway:/x",
        "gateway:x/",
        "none:x",
    ] {
        let message = choice(wrong).unwrap_err();
        for form in [
            "EMBEDDINGS",
            "none",
            "directory:PATH",
            "gateway:BACKEND/MODEL",
        ] {
            assert!(message.contains(form), "{wrong}: {message}");
        }
    }
}

#[test]
fn bounds() {
    for (flag, good, bad) in [
        ("--embed-threads", ["1", "64"], ["0", "65"]),
        ("--embed-wait-ms", ["10", "10000"], ["9", "10001"]),
    ] {
        for value in good {
            parse(&[flag, value]).unwrap();
        }
        for value in bad {
            assert!(
                parse(&[flag, value]).unwrap_err().contains(flag),
                "{flag} {value}"
            );
        }
    }
}

#[tokio::test]
async fn what_they_open() {
    let settings = |value: &str| parse(&["--embeddings", value]).unwrap();
    let none = open(&settings("none"), None).unwrap();
    assert_eq!(none.describe(&call()).await, Ok(None));

    let folder = tiny_model::folder();
    let directory = format!("directory:{}", folder.path().display());
    let local = open(&settings(&directory), None).unwrap();
    let model = local.describe(&call()).await.unwrap().unwrap();
    assert_eq!(model.dimension, tiny_model::DIMENSION);

    let gateway = FakeGateway::of("mock", "m", 5);
    let remote = open(&settings("gateway:mock/m"), Some(gateway.client())).unwrap();
    assert_eq!(
        remote.describe(&call()).await.unwrap().unwrap().dimension,
        5
    );

    assert!(matches!(
        open(&settings("gateway"), None),
        Err(OpenError::NoGateway)
    ));
    let missing = open(&settings("directory:/nowhere/at/all"), None);
    let Err(OpenError::Folder(error)) = missing else {
        panic!("opened")
    };
    assert!(error.to_string().contains("config.json") && error.to_string().contains("fetch-model"));
}
