//! Which courses are served, and what their packs say of the policy.

use std::fs;

use turnwise_kit::Kit;
use turnwise_proto::policy::v1::{GetCourseRequest, ListCoursesRequest};

use crate::fixture::*;

#[tokio::test]
async fn a_course_is_described() {
    let service = service().await;
    let request = GetCourseRequest {
        course_id: COURSE.to_owned(),
    };
    let response = service.client.clone().get_course(request).await.unwrap();
    let course = response.into_inner().course.unwrap();
    assert_eq!(course.title, "A small course");
    assert_eq!(course.entry_unit_id, "START");
    assert_eq!(course.unit_count, 3);
    assert_eq!(course.pack_hash.len(), 64);
}

#[tokio::test]
async fn courses_are_listed_in_pages_by_id() {
    let folder = tempfile::tempdir().unwrap();
    for id in ["c", "a", "b"] {
        write_pack(&folder.path().join(format!("pack-{id}")), id);
    }
    let client = start(folder.path(), &Kit::for_tests()).await;
    let list = |page_size, page_token: String| {
        let mut client = client.clone();
        async move {
            let request = ListCoursesRequest {
                page_size,
                page_token,
            };
            let page = client.list_courses(request).await.unwrap().into_inner();
            let ids: Vec<_> = page.courses.into_iter().map(|c| c.course_id).collect();
            (ids, page.next_page_token)
        }
    };
    let (all, end) = list(0, String::new()).await;
    assert_eq!(
        (all.as_slice(), end.as_str()),
        (["a", "b", "c"].map(str::to_owned).as_slice(), "")
    );
    let (first, next) = list(2, String::new()).await;
    assert_eq!(first, ["a", "b"]);
    let (second, end) = list(2, next).await;
    assert_eq!(second, ["c"]);
    assert_eq!(end, "");
}

#[tokio::test]
async fn a_pack_may_set_its_own_constants() {
    let folder = tempfile::tempdir().unwrap();
    write_pack(folder.path(), COURSE);
    let yaml = folder.path().join("course.yaml");
    let mut text = fs::read_to_string(&yaml).unwrap();
    text +=
        "policy:\n  stuck_rule: consecutive_wrong\n  max_concept_words: 60\n  ready_streak: 3\n";
    fs::write(&yaml, text).unwrap();
    let mut client = start(folder.path(), &Kit::for_tests()).await;
    let plan = client.plan(plan_request(ready())).await.unwrap();
    let plan = plan.into_inner().plan.unwrap();
    assert!(!plan.exam_ready);
    let decision = client.decide(decide_request(plan)).await.unwrap();
    let policy = decision.into_inner().policy.unwrap();
    assert_eq!(policy.constraints.unwrap().max_concept_words, 60);
}
