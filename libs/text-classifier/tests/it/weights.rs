//! The file of a model, and that the same sentences make the same one.

use proptest::prelude::*;
use turnwise_text_classifier::{
    Classifier, WeightsError,
    train::{data_hash, train},
};

use crate::toy::{TOY, WEATHER, examples, options};

#[test]
fn a_model_is_read_as_it_was_written() {
    let bytes = TOY.write();
    let read = Classifier::read(&bytes).unwrap();
    assert_eq!(read.write(), bytes);
    assert_eq!(read.version(), "toy-000000000000002a");
    assert_eq!(read.data_hash(), 42);
    assert_eq!(read.classes(), TOY.classes());
    for text in WEATHER {
        assert_eq!(read.explain(text, 9), TOY.explain(text, 9));
    }
}

#[test]
fn the_same_sentences_make_the_same_bytes() {
    let again = train(&examples(), &options(), 42);
    assert_eq!(again.write(), TOY.write());
    let mut other = options();
    other.seed += 1;
    assert_ne!(train(&examples(), &other, 42).write(), TOY.write());
}

#[test]
fn what_is_no_model_is_refused() {
    let bytes = TOY.write();
    let error = |bytes: &[u8]| Classifier::read(bytes).unwrap_err();
    assert_eq!(error(b""), WeightsError::NoWeights);
    assert_eq!(error(b"PK\x03\x04"), WeightsError::NoWeights);
    let mut newer = bytes.clone();
    newer[4] = 99;
    assert_eq!(error(&newer), WeightsError::Format(99));
    assert_eq!(error(&[&bytes[..], b"x"].concat()), WeightsError::Damaged);
    for cut in 6..bytes.len() {
        assert_eq!(error(&bytes[..cut]), WeightsError::Damaged, "{cut}");
    }
}

#[test]
fn a_hash_of_data_knows_content_and_order() {
    let of = |files: &[&str]| data_hash(files.iter().map(|file| file.as_bytes()));
    let all = [
        of(&["a", "b"]),
        of(&["b", "a"]),
        of(&["ab"]),
        of(&["a"]),
        of(&[]),
        of(&["a", ""]),
    ];
    for (at, hash) in all.iter().enumerate() {
        assert!(!all[..at].contains(hash), "{at}");
    }
    assert_eq!(of(&["a", "b"]), all[0]);
}

proptest! {
    #[test]
    fn damage_breaks_nothing(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = TOY.write();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(read) = Classifier::read(&bytes) {
            let _ = read.explain("a storm is coming tonight", 3);
        }
    }
}
