//! Grades the answers of files in the form of `tests/it/answers`, prints what became of them by kind, and lists every verdict
//! that is not the expected one: `cargo run -p turnwise-grading --example answers -- FILE…`

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs, dead_code)]

#[path = "../tests/it/answers.rs"]
mod answers;
#[path = "../tests/it/canned.rs"]
mod canned;

fn main() {
    for file in std::env::args().skip(1) {
        let rows = answers::rows(&std::fs::read_to_string(&file).unwrap());
        let (counts, odd) = answers::counted(&rows);
        println!("{}", odd.join("\n"));
        println!("kind | right | wrong | undecided | false right | false wrong");
        for (kind, count) in counts {
            println!(
                "{kind} | {} | {} | {} ({}) | {} | {}",
                count.right,
                count.wrong,
                count.open,
                count.undecided,
                count.false_right,
                count.false_wrong
            );
        }
    }
}
