//! A floor under the quality of mappings, where the development queries are present.

use std::collections::BTreeMap;

use turnwise_retrieval_svc::index::CourseIndex;

use crate::{quality::Quality, shared_data};

/// Every so many queries of a source are asked: enough to notice a fall, few enough for an unoptimised build.
const EVERY: usize = 2;

#[test]
fn real_messages_map_to_their_units() {
    let Some(data) = shared_data::folder() else {
        println!("skipped: no shared data (TURNWISE_SHARED_DIR names its folder)");
        return;
    };
    let courses: BTreeMap<String, CourseIndex> = shared_data::packs(&data)
        .into_iter()
        .map(|pack| (pack.course.id.clone(), CourseIndex::new(pack)))
        .collect();
    let queries = shared_data::queries(&data);
    // A plain BM25 reaches .435/.782, .521/.827 and .307/.521 on such queries.
    for (source, recall_at_1, hit_at_6) in [
        ("oatutor-problem", 0.68, 0.90),
        ("openstax-writing", 0.56, 0.87),
        ("bridge-chat", 0.307, 0.521),
    ] {
        let mut quality = Quality::default();
        for query in queries
            .iter()
            .filter(|query| query.source == source)
            .step_by(EVERY)
        {
            let mapped = courses[&query.course].map_message(&query.text, &query.context);
            quality.add(mapped.iter().map(|m| m.unit.id.as_str()), &query.units);
        }
        println!(
            "{source}: n {}, R@1 {:.3}, hit@3 {:.3}, hit@6 {:.3}, MRR {:.3}",
            quality.queries,
            quality.recall_at_1(),
            quality.hit_at_3(),
            quality.hit_at_6(),
            quality.mrr()
        );
        assert!(quality.recall_at_1() >= recall_at_1, "{source}");
        assert!(quality.hit_at_6() >= hit_at_6, "{source}");
    }
}
