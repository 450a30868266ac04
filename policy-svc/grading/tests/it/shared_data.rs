//! Minimum lines on the real drills of the shared data. Skipped where the data is not there.

use std::path::{Path, PathBuf};

use turnwise_grading::{Drill, Verdict, grade};

use crate::drills::{Report, sets, spellings};

fn directory() -> Option<PathBuf> {
    let directory = std::env::var_os("TURNWISE_SHARED_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let data = directory.join("data");
    if data.join("drills").is_dir() {
        Some(data)
    } else {
        eprintln!("skipped: no shared data at {}", data.display());
        None
    }
}

#[test]
fn real_drills_are_decided_as_their_keys_say() {
    let Some(directory) = directory() else {
        return;
    };
    for (name, rows) in sets(&directory) {
        let mut report = Report::default();
        for row in &rows {
            let drill = Drill {
                prompt: &row.question,
                question_latex: "",
                key: row.key.as_deref(),
            };
            let own = grade(&drill, &row.gold).verdict;
            report.gold(own);
            if own == Verdict::Right {
                for other in spellings(&row.gold) {
                    report.spelling(grade(&drill, &other).verdict);
                }
            }
            for wrong in &row.wrong {
                report.option(grade(&drill, wrong).verdict);
            }
        }
        let (coverage, agreement) = if name.ends_with("with key") {
            (0.99, 0.998)
        } else {
            // Keys of the data that are mistaken, or lost a sign on the way, are called wrong.
            (0.53, 0.91)
        };
        assert!(report.rows > 100, "{name}: {report:?}");
        assert!(report.coverage() >= coverage, "{name}: {report:?}");
        assert!(report.agreement() >= agreement, "{name}: {report:?}");
        assert_eq!(report.spellings_wrong, 0, "{name}: {report:?}");
        // Four options of the data are the key in another order or spelling.
        assert!(report.options_right <= 4, "{name}: {report:?}");
    }
}
