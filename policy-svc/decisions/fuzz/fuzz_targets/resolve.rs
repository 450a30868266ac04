//! Any bytes as a model's reply. The first byte chooses a turn, the rest is what the model wrote; what must hold then is
//! what the property tests hold, too.
#![no_main]

#[path = "../../tests/it/reply/mod.rs"]
mod reply;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    reply::judge_file(data);
});
