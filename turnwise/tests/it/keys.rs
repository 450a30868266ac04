//! The keys that `turnwise up` makes in its data directory.

use std::os::unix::fs::PermissionsExt;

use base64::{Engine, engine::general_purpose::STANDARD};
use turnwise::data_dir::DataDir;

#[test]
fn the_keys_of_tokens_are_made_once_and_are_nobody_elses_to_read() {
    let files = [
        DataDir::drill_token_keys_file,
        DataDir::scope_token_keys_file,
    ];
    let mut keys = Vec::new();
    for of in files {
        let root = tempfile::tempdir().unwrap();
        let dir = DataDir::create(root.path()).unwrap();
        let file = of(&dir);
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
        keys.extend(files.map(|of| std::fs::read_to_string(of(&dir)).unwrap()));
    }
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 4, "each file has a key of its own");
}
