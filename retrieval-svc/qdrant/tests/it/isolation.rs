//! No string lets a search leave its tenant, its course, its parts or its units.

use proptest::{prelude::*, test_runner::TestRunner};
use turnwise_retrieval_index::{Engine, Filter, Namespace, Sources};
use turnwise_retrieval_qdrant::Qdrant;

use crate::{
    corpus::{chunk, content, head, open, part, part_id, query, source, uploaded},
    databases::Place,
    fake::Fake,
};

/// Any text, and texts that are made to be confused with others.
fn names() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{1,12}",
        "[ab/%;*\"'\\\\\u{0}-\u{1f}]{1,6}",
        any::<String>().prop_filter("not empty", |text| !text.is_empty()),
    ]
}

fn different() -> impl Strategy<Value = (String, String)> {
    prop_oneof![
        (names(), names()),
        // One more character at either end, or the separator moved.
        (names(), "[/%a\u{0} ]").prop_map(|(name, more)| (name.clone(), name + &more)),
        (names(), "[/%a\u{0} ]").prop_map(|(name, more)| (name.clone(), more + &name)),
    ]
    .prop_filter("different", |(one, other)| one != other)
}

#[derive(Debug, Clone)]
struct Names {
    tenants: (String, String),
    courses: (String, String),
    units: (String, String),
    sources: (String, String),
}

fn all_names() -> impl Strategy<Value = Names> {
    (different(), different(), different(), different()).prop_map(
        |(tenants, courses, units, sources)| Names {
            tenants,
            courses,
            units,
            sources,
        },
    )
}

async fn try_names(engine: &Qdrant, names: Names) -> Result<(), String> {
    let (tenant, tenants) = (&names.tenants.0, [&names.tenants.0, &names.tenants.1]);
    let (course, courses) = (&names.courses.0, [&names.courses.0, &names.courses.1]);
    let units = [&names.units.0, &names.units.1];
    let mut parts = Vec::new();
    // Every pair of tenant and course has the same row ids and words; the text tells them apart.
    for owner in std::iter::once("").chain(tenants.map(String::as_str)) {
        for of in courses {
            for (at, from) in [&names.sources.0, &names.sources.1].into_iter().enumerate() {
                let documents = units
                    .iter()
                    .enumerate()
                    .map(|(unit, name)| {
                        let mut row = chunk(&format!("c{at}{unit}"), name, &["area"], None);
                        let mark = format!("{owner:?} {of:?} {at} {unit}");
                        row.passage.as_mut().unwrap().text = mark.into();
                        row
                    })
                    .collect();
                parts.push(part(part_id(owner, of, from, "1"), None, documents));
                engine
                    .publish(parts[parts.len() - 1].clone())
                    .await
                    .unwrap();
            }
        }
    }
    let mine = parts.iter().filter(|part| {
        let id = part.id();
        *id.course == **course && (*id.tenant == **tenant) && *id.source == *names.sources.0
    });
    let mine: Vec<_> = mine.cloned().collect();
    let index = open(engine, tenant, course, &mine).await;
    let filter = Filter {
        units: Some(vec![names.units.0.as_str().into()]),
        tier: None,
    };
    let query = query(&["area"], None);
    let hits = index
        .search(Namespace::Chunks, &query, &filter, 100)
        .await
        .unwrap();
    let found: Vec<String> = (hits.iter())
        .map(|hit| hit.passage.as_ref().unwrap().text.to_string())
        .collect();
    let expected = vec![format!("{tenant:?} {course:?} 0 0")];
    if found != expected {
        return Err(format!("found {found:?}, not {expected:?}"));
    }
    // Retiring one tenant's course takes nothing from another's.
    engine.retire(tenant, course, &[]).await.unwrap();
    for part in &parts {
        let id = part.id();
        let gone = *id.tenant == **tenant && *id.course == **course;
        if engine.holds(id).await.unwrap() == gone {
            return Err(format!(
                "{id:?} should be {}",
                if gone { "gone" } else { "there" }
            ));
        }
    }
    let foreign = parts
        .iter()
        .find(|part| *part.id().course != **course)
        .unwrap();
    let opened = engine
        .open(content(tenant, course, std::slice::from_ref(foreign)))
        .await;
    if opened.is_ok() {
        return Err("a foreign part was opened".to_owned());
    }
    try_sources(engine, &names).await
}

async fn try_sources(store: &dyn Sources, names: &Names) -> Result<(), String> {
    let keys: Vec<_> = [&names.tenants.0, &names.tenants.1]
        .into_iter()
        .flat_map(|tenant| {
            let courses = [&names.courses.0, &names.courses.1];
            courses.map(|course| source(tenant, course, &names.sources.0))
        })
        .collect();
    for (at, key) in keys.iter().enumerate() {
        store.begin(key, &head("1", 1)).await.unwrap();
        let chunk = uploaded(0, &at.to_string());
        store.stage(key, "1", 0, vec![chunk]).await.unwrap();
        store.commit(key, "1", 5).await.unwrap();
    }
    for (at, key) in keys.iter().enumerate() {
        let (_, chunks) = store.chunks(key).await.unwrap();
        let listed = store.list(&key.tenant, &key.course).await.unwrap();
        if *chunks[0].text != *at.to_string() || listed.len() != 1 || listed[0].key != *key {
            return Err(format!("{key:?}: {chunks:?}, {listed:?}"));
        }
    }
    store.remove(&keys[0]).await.unwrap();
    let mut courses: Vec<_> = keys[1..]
        .iter()
        .map(|key| (key.tenant.clone(), key.course.clone()))
        .collect();
    courses.sort();
    match store.courses().await.unwrap() == courses {
        true => Ok(()),
        false => Err("removing one source changed another's course".to_owned()),
    }
}

#[test]
fn no_string_lets_a_search_leave_its_filter() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let fake = runtime.block_on(Fake::start());
    let engine = runtime.block_on(async { Place::new(fake.url()).engine("canary", None) });
    let mut runner = TestRunner::new(ProptestConfig {
        cases: 40,
        source_file: Some(file!()),
        ..ProptestConfig::default()
    });
    let outcome = runner.run(&all_names(), |names| {
        for collection in fake.state.data().collections.values_mut() {
            collection.points.clear();
        }
        runtime
            .block_on(try_names(&engine, names))
            .map_err(TestCaseError::fail)
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
