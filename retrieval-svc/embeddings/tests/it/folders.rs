//! Folders that hold no usable model: each is refused with the file, the problem and what to do.

use std::{fs, path::Path};

use safetensors::{Dtype, serialize, tensor::TensorView};
use serde_json::{Value, json};
use turnwise_retrieval_embeddings::{Directory, FolderError};

use crate::tiny_model;

/// The refusal of the small model's folder after some change.
fn refused(change: impl FnOnce(&Path)) -> FolderError {
    let folder = tiny_model::folder();
    change(folder.path());
    match Directory::open(folder.path(), 1) {
        Ok(_) => panic!("it was opened"),
        Err(error) => {
            assert!(!error.problem.is_empty() && !error.remedy.is_empty());
            error
        }
    }
}

fn refused_config(key: &str, value: Value) -> FolderError {
    refused(|folder| {
        let mut config = tiny_model::config();
        config[key] = value;
        tiny_model::write(folder, "config.json", &config);
    })
}

#[track_caller]
fn about(error: &FolderError, file: &str, word: &str) {
    assert!(error.file.ends_with(file), "{error}");
    assert!(error.problem.contains(word), "{error}");
}

#[test]
fn a_file_is_missing() {
    for file in ["config.json", "tokenizer.json", "model.safetensors"] {
        let error = refused(|folder| fs::remove_file(folder.join(file)).unwrap());
        about(&error, file, "not there");
        assert!(error.remedy.contains("scripts/fetch-model"));
    }
}

#[test]
fn a_file_is_cut_off() {
    for file in [
        "config.json",
        "tokenizer.json",
        "model.safetensors",
        "sentence_bert_config.json",
    ] {
        for part in [0, 1, 3, 7] {
            let error = refused(|folder| {
                let content = fs::read(folder.join(file)).unwrap();
                fs::write(folder.join(file), &content[..content.len() * part / 8]).unwrap();
            });
            about(&error, file, "");
        }
    }
}

#[test]
fn a_file_is_no_file() {
    let error = refused(|folder| {
        fs::remove_file(folder.join("config.json")).unwrap();
        fs::create_dir(folder.join("config.json")).unwrap();
    });
    about(&error, "config.json", "no file");
}

/// A file with a hole takes no room on disk.
#[test]
fn a_file_is_too_large() {
    for (file, bytes) in [
        ("model.safetensors", 201 << 20),
        ("tokenizer.json", 33 << 20),
        ("config.json", 2 << 20),
        ("modules.json", 2 << 20),
    ] {
        let error = refused(|folder| {
            fs::File::create(folder.join(file))
                .unwrap()
                .set_len(bytes)
                .unwrap();
        });
        about(&error, file, "larger");
    }
}

#[test]
fn the_network_is_of_another_kind_or_size() {
    for (key, value) in [
        ("model_type", json!("roberta")),
        ("hidden_size", json!(0)),
        ("hidden_size", json!(1_000_000_000_000u64)),
        ("num_hidden_layers", json!(1_000_000)),
        ("num_attention_heads", json!(0)),
        ("num_attention_heads", json!(3)),
        ("vocab_size", json!(u64::MAX)),
        ("max_position_embeddings", json!(0)),
        ("layer_norm_eps", json!(-1.0)),
        ("hidden_act", json!("tanh")),
        ("position_embedding_type", json!("relative_key")),
        ("hidden_size", json!("8")),
    ] {
        let error = refused_config(key, value);
        about(&error, "config.json", "");
    }
}

#[test]
fn the_weights_do_not_fit_the_network() {
    about(
        &refused_config("num_hidden_layers", json!(3)),
        "model.safetensors",
        "layer.2",
    );
    about(
        &refused_config("hidden_size", json!(10)),
        "model.safetensors",
        "shape",
    );
    about(
        &refused_config("intermediate_size", json!(1_000_000)),
        "model.safetensors",
        "shape",
    );
}

#[test]
fn the_weights_are_of_another_precision() {
    let error = refused(|folder| {
        let bytes = vec![0u8; 16];
        let view = TensorView::new(Dtype::F16, vec![8], &bytes).unwrap();
        let content = serialize([("embeddings.LayerNorm.bias", view)], None).unwrap();
        fs::write(folder.join("model.safetensors"), content).unwrap();
    });
    about(&error, "model.safetensors", "F16");
    assert!(error.remedy.contains("F32"));
}

#[test]
fn the_weights_are_no_numbers() {
    let error = refused(|folder| {
        let mut weights = tiny_model::weights();
        for (_, numbers) in weights.values_mut() {
            numbers.fill(f32::NAN);
        }
        tiny_model::write_weights(folder, &weights);
    });
    assert!(error.problem.contains("finite"), "{error}");
}

/// A header that promises more than there is.
#[test]
fn the_weights_lie_about_their_length() {
    for header in [
        r#"{"a":{"dtype":"F32","shape":[1000000000],"data_offsets":[0,4000000000]}}"#,
        r#"{"a":{"dtype":"F32","shape":[18446744073709551615,18446744073709551615],"data_offsets":[0,4]}}"#,
        r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}"#,
        "{}",
    ] {
        let error = refused(|folder| {
            let mut content = (header.len() as u64).to_le_bytes().to_vec();
            content.extend_from_slice(header.as_bytes());
            content.extend_from_slice(&[0; 8]);
            fs::write(folder.join("model.safetensors"), content).unwrap();
        });
        about(&error, "model.safetensors", "");
    }
    let error = refused(|folder| fs::write(folder.join("model.safetensors"), [0xff; 64]).unwrap());
    about(&error, "model.safetensors", "");
}

#[test]
fn the_tokeniser_does_not_fit() {
    let change = |change: fn(&mut Value)| {
        refused(|folder| {
            let mut tokenizer = tiny_model::tokenizer();
            change(&mut tokenizer);
            tiny_model::write(folder, "tokenizer.json", &tokenizer);
        })
    };
    let error = change(|t| t["model"]["vocab"]["five"] = json!(4_000_000));
    about(&error, "tokenizer.json", "fit");
    let error =
        change(|t| t["post_processor"]["special_tokens"]["[CLS]"]["ids"] = json!([999_999]));
    about(&error, "", "");
    let error = change(|t| {
        let start = json!({"SpecialToken": {"id": "[CLS]", "type_id": 0}});
        let single = t["post_processor"]["single"].as_array_mut().unwrap();
        single.extend(vec![start; 40]);
    });
    about(&error, "tokenizer.json", "adds");
    let error = change(|t| t["model"]["type"] = json!("Magic"));
    about(&error, "tokenizer.json", "understood");
}

#[test]
fn a_step_or_a_pooling_is_unknown() {
    let with = |file: &'static str, content: Value| {
        refused(|folder| tiny_model::write(folder, file, &content))
    };
    let module =
        |kind: &str, path: &str| json!([{"idx": 0, "name": "0", "path": path, "type": kind}]);
    about(
        &with(
            "modules.json",
            module("sentence_transformers.models.Dense", "2_Dense"),
        ),
        "modules.json",
        "Dense",
    );
    about(
        &with(
            "modules.json",
            module("sentence_transformers.models.Transformer", "../../etc"),
        ),
        "modules.json",
        "../../etc",
    );
    for pooling in [
        json!({"pooling_mode_max_tokens": true}),
        json!({"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": true}),
        json!({"pooling_mode_mean_tokens": true, "word_embedding_dimension": 9}),
        json!({"pooling_mode_mean_tokens": true, "include_prompt": false}),
        json!([]),
    ] {
        about(
            &with("1_Pooling/config.json", pooling),
            "1_Pooling/config.json",
            "",
        );
    }
    about(
        &with("sentence_bert_config.json", json!({"max_seq_length": 2})),
        "sentence_bert_config.json",
        "3",
    );
}

/// As it lies when the files of a package are unpacked into one folder: the pooling's file over the network's.
#[test]
fn the_poolings_file_in_the_networks_place() {
    let error = refused(|folder| {
        let pooling = json!({"word_embedding_dimension": 8, "pooling_mode_mean_tokens": true});
        tiny_model::write(folder, "config.json", &pooling);
    });
    about(&error, "config.json", "vocab_size");
    assert!(error.remedy.contains("fetch-model"));
}
