//! Embeddings of every backend, and those that are refused.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use turnwise_llm_backends::{Embeddings, Failure, Operation, failure::Problem, mock::Fault};

use crate::{
    harness::{connect, mock, problem},
    openai, openai_compatible,
    upstream::{Upstream, at_ollama},
};

fn base64(numbers: &[f32]) -> String {
    let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    STANDARD.encode(bytes)
}

fn item(index: usize, embedding: &Value) -> Value {
    json!({"object": "embedding", "index": index, "embedding": embedding})
}

fn openai_answer(data: &[Value]) -> String {
    json!({
        "object": "list", "data": data, "model": "text-embedding-3-small",
        "usage": {"prompt_tokens": 8, "total_tokens": 8}
    })
    .to_string()
}

fn expected(model: &str) -> Embeddings {
    Embeddings {
        vectors: vec![vec![0.25, -1.0], vec![1e-3, 2.0]],
        model: model.to_owned(),
        input_tokens: 8,
    }
}

#[tokio::test]
async fn ollama_embeds() {
    let answer = json!({
        "model": "nomic-embed-text", "embeddings": [[0.25, -1], [1e-3, 2.0]],
        "total_duration": 14_143_917, "load_duration": 1_019_500, "prompt_eval_count": 8
    });
    let mut server = Upstream::saying(answer.to_string()).await;
    let ollama = connect(&at_ollama(&server.url));
    let embeddings = ollama.embed(&["one", "two"]).await.unwrap();
    assert_eq!(embeddings, expected("nomic-embed-text"));
    let asked = server.asked.recv().await.unwrap();
    assert_eq!(asked.path, "/api/embed");
    assert_eq!(
        asked.body,
        json!({"model": "nomic-embed-text", "input": ["one", "two"]})
    );
    ollama.embed_by("other", &["one", "two"]).await.unwrap();
    let asked = server.asked.recv().await.unwrap();
    assert_eq!(asked.body["model"], "other");
}

#[tokio::test]
async fn openai_and_compatible_servers_embed_in_both_encodings() {
    // In another order than the texts.
    let numbers = [item(1, &json!([1e-3, 2.0])), item(0, &json!([0.25, -1]))];
    let encoded = [
        item(1, &json!(base64(&[1e-3, 2.0]))),
        item(0, &json!(base64(&[0.25, -1.0]))),
    ];
    // Some servers leave the index out and keep the order.
    let unnumbered = [
        json!({"embedding": [0.25, -1]}),
        json!({"embedding": base64(&[1e-3, 2.0])}),
    ];
    for data in [&numbers, &encoded, &unnumbered] {
        let mut server = Upstream::saying(openai_answer(data)).await;
        for (args, encoding) in [
            (openai::at(&server.url), "base64"),
            (openai_compatible::at(&server.url), "float"),
        ] {
            let model = connect(&args);
            let embeddings = model.embed(&["one", "two"]).await.unwrap();
            assert_eq!(embeddings, expected("text-embedding-3-small"));
            let asked = server.asked.recv().await.unwrap();
            assert_eq!(asked.path, "/v1/embeddings");
            assert_eq!(
                asked.body,
                json!({
                    "model": "text-embedding-3-small", "input": ["one", "two"], "encoding_format": encoding
                })
            );
            let key = asked.headers.get("authorization").is_some();
            assert_eq!(key, model.0.name() == "openai");
        }
    }
}

#[tokio::test]
async fn what_is_no_embedding_of_each_text_is_refused() {
    let good = json!([0.5, 0.5]);
    let long: Vec<f32> = vec![0.5; 16_385];
    let with = |data: &[Value]| openai_answer(data);
    for (answer, expected) in [
        ("garbage".to_owned(), Problem::Unreadable),
        ("{}".to_owned(), Problem::Unreadable),
        (
            json!({"error": {"message": "secret"}}).to_string(),
            Problem::Reported,
        ),
        (with(&[]), Problem::WrongCount),
        (with(&[item(0, &good)]), Problem::WrongCount),
        (
            with(&[item(0, &good), item(1, &good), item(2, &good)]),
            Problem::WrongCount,
        ),
        (with(&[item(0, &good), item(0, &good)]), Problem::WrongCount),
        (with(&[item(0, &good), item(7, &good)]), Problem::WrongCount),
        (
            with(&[item(0, &good), item(1, &json!([0.5]))]),
            Problem::WrongLength,
        ),
        (
            with(&[item(0, &json!([])), item(1, &json!([]))]),
            Problem::WrongLength,
        ),
        (
            with(&[item(0, &json!(long)), item(1, &json!(long))]),
            Problem::WrongLength,
        ),
        (
            with(&[item(0, &good), item(1, &json!(base64(&[f32::NAN, 0.0])))]),
            Problem::NotFinite,
        ),
        (
            with(&[item(0, &good), item(1, &json!("AAAA"))]),
            Problem::Unreadable,
        ),
        (
            with(&[item(0, &good), item(1, &json!("not base64"))]),
            Problem::Unreadable,
        ),
        (
            with(&[item(0, &good), item(1, &json!([null, 1]))]),
            Problem::Unreadable,
        ),
        (
            with(&[item(0, &good)]).replace("0.5]", "NaN]"),
            Problem::Unreadable,
        ),
    ] {
        let server = Upstream::saying(answer.clone()).await;
        let failure = connect(&openai_compatible::at(&server.url))
            .embed(&["one", "two"])
            .await
            .unwrap_err();
        assert_eq!(problem(&failure), expected, "{answer:.200}");
        assert!(failure.counts_against_breaker());
        assert!(!format!("{failure:?} {failure}").contains("secret"));
    }
    for (answer, expected) in [
        ("{}", Problem::Unreadable),
        ("{\"error\": \"secret\"}", Problem::Reported),
        ("{\"embeddings\": [[1]]}", Problem::WrongCount),
        ("{\"embeddings\": [[1], [1, 2]]}", Problem::WrongLength),
        ("{\"embeddings\": [[], []]}", Problem::WrongLength),
    ] {
        let server = Upstream::saying(answer).await;
        let ollama = connect(&at_ollama(&server.url));
        let failure = ollama.embed(&["one", "two"]).await.unwrap_err();
        assert_eq!(problem(&failure), expected, "{answer}");
    }
}

#[tokio::test]
async fn numbers_that_are_finite_in_double_precision_only_are_refused() {
    for number in ["1e39", "-1e300", "1e999"] {
        let server = Upstream::saying(format!("{{\"embeddings\": [[{number}, 1]]}}")).await;
        let failure = connect(&at_ollama(&server.url)).embed(&["one"]).await;
        let problem = problem(&failure.unwrap_err());
        assert!(matches!(problem, Problem::NotFinite | Problem::Unreadable));
    }
}

#[tokio::test]
async fn embeddings_fail_as_completions_do() {
    for (status, retry) in [(503, true), (400, false)] {
        let server = Upstream::status(status).await;
        let failure = connect(&at_ollama(&server.url)).embed(&["a"]).await;
        let failure = failure.unwrap_err();
        assert_eq!(failure.may_retry(), retry, "{failure:?}");
    }
    let server = Upstream::status(404).await;
    let ollama = connect(&at_ollama(&server.url));
    let unknown = Failure::UnknownModel {
        backend: "ollama",
        model: "nomic-embed-text".to_owned(),
    };
    assert_eq!(ollama.embed(&["a"]).await.unwrap_err(), unknown);
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[tokio::test]
async fn the_mocks_vectors_are_unit_vectors_and_near_where_texts_are_alike() {
    let mock = mock(&[]);
    assert_eq!(mock.0.default_model(Operation::Embedding), "mock");
    let texts = [
        "Solve the linear equation x + 7 = 12.",
        "solve the linear equation: X + 7 = 12",
        "Solving linear equations",
        "The Normans landed at Hastings in 1066.",
        "!?",
        "∑",
    ];
    let embeddings = mock.embed(&texts).await.unwrap();
    assert_eq!(embeddings, mock.embed(&texts).await.unwrap());
    assert_eq!(embeddings.model, "mock");
    assert!(embeddings.input_tokens > 0);
    let vectors = &embeddings.vectors;
    for vector in vectors {
        assert_eq!(vector.len(), 64);
        assert!((cosine(vector, vector) - 1.0).abs() < 1e-5);
    }
    let to_first = |other: usize| cosine(&vectors[0], &vectors[other]);
    assert!(to_first(1) > 0.999, "the same words");
    assert!(to_first(2) > 0.4, "{}", to_first(2));
    assert!(to_first(3) < to_first(2) / 2.0, "{}", to_first(3));

    let eight = mock.embed_by("mock:length:8", &["a", "b"]).await.unwrap();
    assert!(eight.vectors.iter().all(|vector| vector.len() == 8));
}

#[tokio::test]
async fn the_mocks_faulty_vectors_are_refused() {
    let mock = mock(&["--mock-embed-model", "mock:break:not_finite"]);
    for (name, fault) in Fault::ALL {
        let expected = match fault {
            Fault::WrongCount => Problem::WrongCount,
            Fault::UnequalLengths | Fault::EmptyVectors => Problem::WrongLength,
            Fault::NotFinite => Problem::NotFinite,
        };
        let model = format!("mock:break:{name}");
        for texts in [&["one"][..], &["one", "two"]] {
            let failure = mock.embed_by(&model, texts).await.unwrap_err();
            assert_eq!(problem(&failure), expected, "{name}");
        }
    }
    let failure = mock.embed(&["one"]).await.unwrap_err();
    assert_eq!(problem(&failure), Problem::NotFinite);
}
