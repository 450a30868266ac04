//! Packs that change while the service runs.

use std::{fs, path::Path, sync::Arc};

use tempfile::TempDir;
use tonic::{Code, Status, service::Routes};
use turnwise_course_pack::{Library, LibrarySettings};
use turnwise_kit::Kit;
use turnwise_policy_svc::{
    HelperSettings, Settings,
    courses::{self, LoadedCourse},
    routes, routes_over,
};
use turnwise_proto::{
    policy::v1::{
        Course, DescribeStandingRequest, GetCourseRequest, ListCoursesRequest, Plan, PlanRequest,
        ResolveReplyRequest, policy_service_client::PolicyServiceClient,
        resolve_reply_request::Outcome,
    },
    tutor::v1::DegradedReason,
};

use crate::fixture::{COURSE, decide_request, fault, plan_request, ready, write_pack};

/// A service over a folder of packs that a test changes.
struct Service {
    root: TempDir,
    library: Arc<Library<LoadedCourse>>,
    client: PolicyServiceClient<Routes>,
    kit: Kit,
}

fn service() -> Service {
    let root = tempfile::tempdir().unwrap();
    write_pack(&root.path().join(COURSE), COURSE);
    write_pack(&root.path().join("other"), "other");
    let kit = Kit::for_tests();
    let library =
        Arc::new(courses::open(&LibrarySettings::new(root.path().to_owned(), 0), &kit).unwrap());
    let client = PolicyServiceClient::new(
        routes_over(library.catalog(), &HelperSettings::default(), true, &kit)
            .unwrap()
            .prepare(),
    );
    Service {
        root,
        library,
        client,
        kit,
    }
}

/// Gives the units of a pack another name.
fn rename_units(pack: &Path, name: &str) {
    let file = pack.join("units/units.yaml");
    let text = fs::read_to_string(&file).unwrap();
    let lines = text.lines().map(|line| match line.split_once("title: ") {
        Some((indent, old)) => {
            let id = old.rsplit(' ').next().unwrap();
            format!("{indent}title: {name} {id}\n")
        }
        None => format!("{line}\n"),
    });
    fs::write(&file, lines.collect::<String>()).unwrap();
}

impl Service {
    fn pack(&self) -> std::path::PathBuf {
        self.root.path().join(COURSE)
    }

    /// Polls until a change must have settled.
    fn settle(&self) -> bool {
        (0..5).any(|_| self.library.poll())
    }

    async fn course(&self) -> Result<Course, Status> {
        let request = GetCourseRequest {
            course_id: COURSE.to_owned(),
        };
        let response = self.client.clone().get_course(request).await?;
        Ok(response.into_inner().course.unwrap())
    }

    async fn listed(&self) -> Vec<String> {
        let mut client = self.client.clone();
        let page = client.list_courses(ListCoursesRequest::default());
        let courses = page.await.unwrap().into_inner().courses;
        courses.into_iter().map(|course| course.course_id).collect()
    }

    async fn plan(&self, request: PlanRequest) -> Result<Plan, Status> {
        let response = self.client.clone().plan(request).await?;
        Ok(response.into_inner().plan.unwrap())
    }

    /// The rest of a turn whose model fails: the version that it had at its end, and what the student reads.
    async fn finish(&self, plan: Plan) -> Result<(String, String), Status> {
        let mut client = self.client.clone();
        let decision = client.decide(decide_request(plan)).await?.into_inner();
        let policy = decision.policy.unwrap();
        let hash = policy.pack_hash.clone();
        let request = ResolveReplyRequest {
            policy: Some(policy),
            outcome: Some(Outcome::Failure(DegradedReason::LlmTimeout.into())),
            ..ResolveReplyRequest::default()
        };
        let resolved = client.resolve_reply(request).await?.into_inner();
        Ok((hash, format!("{:?}", resolved.reply)))
    }
}

#[tokio::test]
async fn a_turn_goes_on_with_the_version_that_it_was_planned_with() {
    let service = service();
    let before = service.plan(plan_request(ready())).await.unwrap();
    rename_units(&service.pack(), "Chapter");
    assert!(service.settle());

    let after = service.plan(plan_request(ready())).await.unwrap();
    assert_ne!(after.pack_hash, before.pack_hash);
    assert_eq!(service.course().await.unwrap().pack_hash, after.pack_hash);
    for (plan, says) in [(before.clone(), "Unit ONE"), (after, "Chapter ONE")] {
        let planned = plan.pack_hash.clone();
        let (decided, reply) = service.finish(plan).await.unwrap();
        assert_eq!(decided, planned);
        assert!(reply.contains(says), "no `{says}` in {reply}");
    }
    // Planning itself may name the version as well.
    let named = PlanRequest {
        pack_hash: before.pack_hash.clone(),
        ..plan_request(ready())
    };
    assert_eq!(service.plan(named).await.unwrap(), before);
}

#[tokio::test]
async fn the_last_three_versions_are_held() {
    let service = service();
    let first = service.plan(plan_request(ready())).await.unwrap();
    for name in ["Chapter", "Lesson"] {
        rename_units(&service.pack(), name);
        assert!(service.settle());
        assert!(service.finish(first.clone()).await.is_ok());
    }
    rename_units(&service.pack(), "Topic");
    assert!(service.settle());
    let status = service.finish(first.clone()).await.unwrap_err();
    let (reason, fields) = fault(status);
    assert_eq!(
        (reason.as_str(), &fields[..]),
        ("UNKNOWN_PACK_VERSION", &["plan.pack_hash".to_owned()][..])
    );
    // What is written back is the same version again.
    rename_units(&service.pack(), "Unit");
    assert!(service.settle());
    assert!(service.finish(first).await.is_ok());
}

#[tokio::test]
async fn a_broken_pack_changes_nothing_but_the_count_of_refusals() {
    let service = service();
    let before = service.course().await.unwrap();
    let units = service.pack().join("units/units.yaml");
    let good = fs::read_to_string(&units).unwrap();
    fs::write(
        &units,
        good.replacen("prerequisites: [ONE]", "prerequisites: [ONE, TWO]", 1),
    )
    .unwrap();
    assert!(!service.settle());
    assert_eq!(service.course().await.unwrap(), before);
    assert_eq!(service.listed().await, ["other", COURSE]);
    let metrics = service.kit.metrics.encode();
    assert!(
        metrics.contains("policy_course_packs_refused_total 1\n"),
        "{metrics}"
    );
    let served = format!(
        "policy_course_served_since_timestamp_seconds{{course_id=\"{COURSE}\",pack_hash=\"{}\"}}",
        before.pack_hash
    );
    assert!(metrics.contains(&served), "{metrics}");

    fs::write(&units, good.replace("[A wrong idea", "[One wrong idea")).unwrap();
    assert!(service.settle());
    assert_ne!(service.course().await.unwrap().pack_hash, before.pack_hash);
}

/// A course that was never served in order is not unknown: somebody has to break the circle.
#[tokio::test]
async fn a_course_whose_graph_goes_in_a_circle_is_told_as_that() {
    let service = service();
    let folder = service.root.path().join("third");
    write_pack(&folder, "third");
    let units = folder.join("units/units.yaml");
    let good = fs::read_to_string(&units).unwrap();
    let circle = good.replacen("prerequisites: [START]", "prerequisites: [START, TWO]", 1);
    assert_ne!(circle, good);
    fs::write(&units, circle).unwrap();
    assert!(!service.settle());
    // At the start of a service it is the same.
    let late = courses::open(
        &LibrarySettings::new(service.root.path().to_owned(), 0),
        &Kit::for_tests(),
    )
    .unwrap();
    let late = routes_over(
        late.catalog(),
        &HelperSettings::default(),
        true,
        &service.kit,
    )
    .unwrap()
    .prepare();
    for client in [&service.client, &PolicyServiceClient::new(late)] {
        let request = GetCourseRequest {
            course_id: "third".to_owned(),
        };
        let status = client.clone().get_course(request).await.unwrap_err();
        assert_eq!(status.code(), Code::FailedPrecondition);
        let plan = PlanRequest {
            course_id: "third".to_owned(),
            ..plan_request(ready())
        };
        let planned = client.clone().plan(plan).await.unwrap_err();
        for status in [status, planned] {
            let (reason, fields) = fault(status);
            assert_eq!(
                (reason.as_str(), &fields[..]),
                ("COURSE_GRAPH_INVALID", &["course_id".to_owned()][..])
            );
        }
    }
    fs::write(&units, good).unwrap();
    assert!(service.settle());
    assert_eq!(service.listed().await, ["other", COURSE, "third"]);
    fs::remove_dir_all(folder).unwrap();
    assert!(service.settle());
    assert_eq!(service.listed().await, ["other", COURSE]);
}

#[tokio::test]
async fn a_course_that_is_taken_away_ends_for_new_turns_only() {
    let service = service();
    let under_way = service.plan(plan_request(ready())).await.unwrap();
    fs::remove_dir_all(service.pack()).unwrap();
    assert!(service.settle());
    assert_eq!(service.listed().await, ["other"]);
    let mut client = service.client.clone();
    let standing = DescribeStandingRequest {
        course_id: COURSE.to_owned(),
        snapshot: Some(ready()),
        now: Some(crate::fixture::NOW),
        ..DescribeStandingRequest::default()
    };
    for refused in [
        service.course().await.unwrap_err(),
        service.plan(plan_request(ready())).await.unwrap_err(),
        client.describe_standing(standing).await.unwrap_err(),
    ] {
        let (reason, fields) = fault(refused);
        assert_eq!(
            (reason.as_str(), &fields[..]),
            ("UNKNOWN_COURSE", &["course_id".to_owned()][..])
        );
    }
    let hash = under_way.pack_hash.clone();
    assert_eq!(service.finish(under_way).await.unwrap().0, hash);
}

#[tokio::test(start_paused = true)]
async fn the_folder_is_followed_until_the_process_drains() {
    let root = tempfile::tempdir().unwrap();
    write_pack(root.path(), COURSE);
    let kit = Kit::for_tests();
    let settings = Settings::new(root.path().to_owned(), 2);
    let mut client = PolicyServiceClient::new(routes(&settings, &kit).await.unwrap().prepare());
    let mut title = async || {
        let request = GetCourseRequest {
            course_id: COURSE.to_owned(),
        };
        let course = client.get_course(request).await.unwrap().into_inner();
        course.course.unwrap().title
    };
    let rename = |title: &str| {
        let yaml = root.path().join("course.yaml");
        let text = fs::read_to_string(&yaml).unwrap();
        let lines = text.lines().map(|line| {
            if line.starts_with("title: ") {
                format!("title: {title}\n")
            } else {
                format!("{line}\n")
            }
        });
        fs::write(&yaml, lines.collect::<String>()).unwrap();
    };
    rename("A renamed course");
    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
    assert_eq!(title().await, "A small course", "seen twice only");
    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
    assert_eq!(title().await, "A renamed course");

    kit.shutdown.cancel();
    kit.tasks.close();
    kit.tasks.wait().await;
    rename("A course without readers");
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    assert_eq!(title().await, "A renamed course");
}
