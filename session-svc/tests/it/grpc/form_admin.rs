//! What a request of staff must look like.

use super::*;
use crate::out_of_form;
use turnwise_proto::school::v1::{
    EraseStudentRequest, ExportStudentRequest, ListAuditEntriesRequest,
};
use turnwise_proto::session::v1::{
    ExportClassRequest, GetClassRosterRequest, ResetClassRequest, SetClassRosterRequest,
};

#[tokio::test]
async fn a_request_of_staff_out_of_form_names_its_field() {
    let service = service().await;
    let staff = &caller("staff", "tess");
    let (mut admin, mut records) = (service.admin(), service.records());
    let set = SetClassRosterRequest {
        class_id: "7b".to_owned(),
        names: vec!["Ada".to_owned()],
        idempotency_key: uuid::Uuid::new_v4().to_string(),
    };
    out_of_form!(admin, set_class_roster, staff, set.clone(),
        "class_id": |r| r.class_id.clear(),
        "names": |r| r.names = vec!["x".repeat(201)],
        "names": |r| r.names = vec!["Ada".to_owned(); 2001],
    );
    let get = GetClassRosterRequest::default();
    out_of_form!(admin, get_class_roster, staff, get.clone(), "class_id": |r| r.class_id = "a/b".to_owned());
    let reset = ResetClassRequest {
        class_id: "7b".to_owned(),
        reason: String::new(),
        idempotency_key: uuid::Uuid::new_v4().to_string(),
        ..ResetClassRequest::default()
    };
    out_of_form!(admin, reset_class, staff, reset.clone(),
        "class_id": |r| r.class_id.clear(),
        "reason": |r| r.reason = "é".repeat(501),
    );
    let export = ExportClassRequest {
        class_id: "7b".to_owned(),
        idempotency_key: "k".to_owned(),
    };
    out_of_form!(admin, export_class, staff, export.clone(), "class_id": |r| r.class_id.clear());
    let export = ExportStudentRequest::default();
    out_of_form!(records, export_student, staff, export.clone(), "student_id": |r| r.student_id.clear());
    let erase = EraseStudentRequest::default();
    out_of_form!(records, erase_student, staff, erase.clone(), "student_id": |r| r.student_id = "a b".to_owned());
    let audit = ListAuditEntriesRequest::default();
    out_of_form!(records, list_audit_entries, staff, audit.clone(),
        "page_size": |r| r.page_size = 201,
        "page_size": |r| r.page_size = -1,
        "page_token": |r| r.page_token = "x".to_owned(),
    );
}
