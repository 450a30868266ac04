//! The audit log: what staff did, newest first, by tenant.

use turnwise_session_svc::sessions::audit::{Actor, AuditFilter};

use crate::{
    bench::{Bench, CLASS, fresh, make_thread},
    cases,
};

cases!(
    #[tokio::test]
    entries_come_newest_first_in_pages,
    each_action_leaves_its_entry,
    tenants_are_kept_apart,
);

async fn entries_come_newest_first_in_pages(bench: &mut Bench) {
    let sessions = bench.sessions();
    let empty = sessions
        .audit_entries(&bench.tenant, &AuditFilter::default(), None, 10)
        .await
        .unwrap();
    assert_eq!((empty.entries, empty.before), (vec![], None));
    for number in 1..=5 {
        let names = vec!["Ada Lovelace".to_owned(); number];
        sessions
            .set_roster(&bench.actor(), CLASS, names, &fresh())
            .await
            .unwrap();
    }
    let mut seen = Vec::new();
    let mut sizes = Vec::new();
    let mut before = None;
    loop {
        let page = sessions
            .audit_entries(&bench.tenant, &AuditFilter::default(), before, 2)
            .await
            .unwrap();
        sizes.push(page.entries.len());
        seen.extend(
            page.entries
                .iter()
                .map(|entry| (entry.audit_id, entry.facts["names"].clone())),
        );
        before = page.before;
        if before.is_none() {
            break;
        }
    }
    let expected: Vec<_> = (1..=5).rev().map(|n| (n, n.to_string())).collect();
    assert_eq!((seen, sizes), (expected, vec![2, 2, 1]));
    let exact = sessions
        .audit_entries(&bench.tenant, &AuditFilter::default(), None, 5)
        .await
        .unwrap();
    assert_eq!((exact.entries.len(), exact.before), (5, None));
}

async fn each_action_leaves_its_entry(bench: &mut Bench) {
    let (zoe, sessions) = (bench.student("zoe"), bench.sessions());
    make_thread(sessions, &zoe, "t1").await;
    let actor = bench.actor();
    sessions
        .set_roster(&actor, CLASS, vec!["Zoe".to_owned()], &fresh())
        .await
        .unwrap();
    let exported = sessions
        .export_class(&actor, CLASS, &fresh())
        .await
        .unwrap();
    let reset = bench.reset().await;
    drop(
        sessions
            .export_student(actor.clone(), zoe.clone())
            .await
            .unwrap(),
    );
    let erased = sessions
        .erase_student(actor, zoe, String::new())
        .await
        .unwrap();
    let entries = sessions
        .audit_entries(&bench.tenant, &AuditFilter::default(), None, 10)
        .await
        .unwrap()
        .entries;
    let kinds: Vec<_> = entries
        .iter()
        .map(|e| (e.kind.as_str(), e.class_id.as_str()))
        .collect();
    let expected = [
        ("student-erased", ""),
        ("student-erasure-begun", ""),
        ("student-exported", ""),
        ("class-reset", CLASS),
        ("class-reset-begun", CLASS),
        ("class-exported", CLASS),
        ("class-export-begun", CLASS),
        ("class-roster-set", CLASS),
    ];
    assert_eq!(kinds, expected);
    assert_eq!(
        (entries[0].audit_id, entries[3].audit_id),
        (erased.audit_id, reset.audit_id)
    );
    let facts = &entries[3].facts;
    assert_eq!(
        (facts["reason"].as_str(), facts["archives"].as_str()),
        ("new term", reset.archive_names[0].as_str())
    );
    assert_eq!(
        (facts["threads"].as_str(), facts["students"].as_str()),
        ("1", "1")
    );
    assert_eq!(entries[5].facts["archive"], exported.archive_name);
    for entry in &entries {
        assert_eq!(entry.actor_id, "principal");
        assert!(entry.create_time.unwrap().seconds >= 1_767_225_600);
        // No entry names a student; no hash can spell this one.
        assert!(
            !entry.facts.values().any(|fact| fact.contains("zoe")),
            "{entry:?}"
        );
    }
}

async fn tenants_are_kept_apart(bench: &mut Bench) {
    let sessions = bench.sessions();
    let elsewhere = Actor {
        tenant: format!("{}x", bench.tenant),
        id: "somebody".to_owned(),
    };
    sessions
        .set_roster(&elsewhere, CLASS, vec!["Ada".to_owned()], &fresh())
        .await
        .unwrap();
    let here = sessions
        .audit_entries(&bench.tenant, &AuditFilter::default(), None, 10)
        .await
        .unwrap();
    assert_eq!(here.entries, []);
    let there = sessions
        .audit_entries(&elsewhere.tenant, &AuditFilter::default(), None, 10)
        .await
        .unwrap();
    assert_eq!(there.entries.len(), 1);
}
