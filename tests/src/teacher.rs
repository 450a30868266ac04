//! A class's teacher, or staff, who talk to the school's services on the public face.

use tonic::{Request, transport::Channel};
use turnwise_proto::{
    classes::v1::ResetState,
    school::v1::{
        ClassReportRequest, Report, ResetClassConversationsRequest,
        ResetClassConversationsResponse, class_service_client::ClassServiceClient,
        student_records_service_client::StudentRecordsServiceClient,
    },
};

use crate::{deployment::Deployment, student::Student, token};

/// Somebody with a token and a connection.
#[derive(Clone)]
pub struct Teacher {
    /// The token.
    pub token: String,
    /// The connection.
    pub channel: Channel,
}

impl Teacher {
    /// The teacher of the students' class.
    pub fn of(suite: &Deployment) -> Self {
        Self::with_role(suite, "ms-hopper", "teacher", Student::CLASS)
    }

    /// Anybody of the students' tenant.
    pub fn with_role(suite: &Deployment, subject: &str, role: &str, class: &str) -> Self {
        Self {
            token: token::with_role(&suite.data_dir, subject, class, role),
            channel: suite.channel(),
        }
    }

    /// A request with the token.
    pub fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        let authorization = format!("Bearer {}", self.token).parse().unwrap();
        request
            .metadata_mut()
            .insert("authorization", authorization);
        request
    }

    /// What teachers do with their classes.
    pub fn classes(&self) -> ClassServiceClient<Channel> {
        ClassServiceClient::new(self.channel.clone())
    }

    /// What staff do with what is kept of students.
    pub fn records(&self) -> StudentRecordsServiceClient<Channel> {
        StudentRecordsServiceClient::new(self.channel.clone())
    }

    /// How the students' class stands in a course, with every student of every page.
    pub async fn report(&self, course_id: &str) -> Report {
        let mut whole: Option<Report> = None;
        let mut page_token = String::new();
        loop {
            let request = self.request(ClassReportRequest {
                class_id: Student::CLASS.to_owned(),
                course_id: course_id.to_owned(),
                weeks: 0,
                page_size: 7,
                page_token,
            });
            let page = self.classes().class_report(request).await.unwrap();
            let page = page.into_inner();
            let report = page.report.unwrap();
            match &mut whole {
                None => whole = Some(report),
                Some(whole) => whole.students.extend(report.students),
            }
            if page.next_page_token.is_empty() {
                return whole.unwrap();
            }
            page_token = page.next_page_token;
        }
    }

    /// Resets the students' class and waits for the end, under one key.
    pub async fn reset(&self, key: &str) -> ResetClassConversationsResponse {
        loop {
            let request = self.request(ResetClassConversationsRequest {
                class_id: Student::CLASS.to_owned(),
                reason: "a new term".to_owned(),
                idempotency_key: key.to_owned(),
            });
            let answer = self.classes().reset_class_conversations(request).await;
            let answer = answer.unwrap().into_inner();
            if answer.state() == ResetState::Done {
                return answer;
            }
        }
    }
}
