//! The keys that `turnwise up` makes in its data directory.

use std::os::unix::fs::PermissionsExt;

use base64::{Engine, engine::general_purpose::STANDARD};
use turnwise::data_dir::DataDir;

#[test]
fn the_key_of_card_tokens_is_made_once_and_is_nobody_elses_to_read() {
    let root = tempfile::tempdir().unwrap();
    let dir = DataDir::create(root.path()).unwrap();
    let file = dir.drill_token_keys_file();
    let text = std::fs::read_to_string(&file).unwrap();
    let (kid, key) = text.trim_end().split_once(' ').unwrap();
    assert_eq!(kid, "dev");
    assert_eq!(STANDARD.decode(key).unwrap().len(), 32);
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    // A later start keeps it, and one in an older data directory makes it.
    DataDir::create(root.path()).unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    std::fs::remove_file(&file).unwrap();
    DataDir::create(root.path()).unwrap();
    assert_ne!(std::fs::read_to_string(&file).unwrap(), text);
}
