//! `turnwise archive verify`: what it says of archives that are whole, erased and damaged.

use std::fs;

use turnwise::archive::verify;
use turnwise_session_archive::{
    About, ArchiveDir, ArchiveKind, ConversationKind, ConversationRecord,
};

fn conversation(student: &str) -> ConversationRecord {
    ConversationRecord {
        student_id: student.to_owned(),
        thread_id: format!("thread-of-{student}"),
        kind: ConversationKind::Helper,
        course_id: "algebra".to_owned(),
        title: "a title".to_owned(),
        ..ConversationRecord::default()
    }
}

#[test]
fn whole_archives_are_ok_and_a_changed_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let archives = ArchiveDir::open(folder.path()).unwrap();
    let about = About {
        kind: ArchiveKind::ClassReset,
        tenant: "default".to_owned(),
        class_id: "7b".to_owned(),
        create_time: "2026-01-01T00:00:00Z".parse().unwrap(),
        actor_id: "ms-hopper".to_owned(),
    };
    let mut writer = archives.create(&about, 10).unwrap();
    writer.append(conversation("ada")).unwrap();
    writer.append(conversation("bob")).unwrap();
    let sealed = writer.finish().unwrap();

    let found = verify(&[folder.path().to_owned()]);
    assert!(found.ok);
    assert_eq!(
        (found.archives[0].records, found.archives[0].erased),
        (2, 0)
    );
    assert_eq!(found.archives[0].chain, sealed.chain);

    assert_eq!(archives.erase_student("default", "ada").unwrap(), 1);
    let found = verify(&[folder.path().join(&sealed.name)]);
    assert!(found.ok);
    assert_eq!(
        (found.archives[0].records, found.archives[0].erased),
        (2, 1)
    );

    let file = folder.path().join(&sealed.name);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("a title", "another one")).unwrap();
    let found = verify(&[folder.path().to_owned()]);
    assert!(!found.ok);
    let problem = found.archives[0].problem.as_deref().unwrap();
    assert!(problem.starts_with("line 3: "), "{problem}");
}

#[test]
fn a_folder_that_is_not_there_is_no_success() {
    let folder = tempfile::tempdir().unwrap();
    let found = verify(&[folder.path().join("nowhere")]);
    assert!(!found.ok);
    assert!(found.archives[0].problem.is_some());
}
