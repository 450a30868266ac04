//! What must hold for every refusal: a code, a reason from the list, the field at fault.

use tonic::{Code, Status};
use tonic_types::StatusExt;
use turnwise_kit::Fault;
use turnwise_proto::common::v1::ErrorReason;

/// Insists on code, reason and field; an empty field means that none is named. Gives the failure, for more questions.
pub fn check_refusal(status: &Status, code: Code, reason: ErrorReason, field: &str) -> Fault {
    assert_eq!(status.code(), code, "{status:?}");
    let details = status.get_error_details();
    let info = details
        .error_info()
        .unwrap_or_else(|| panic!("no ErrorInfo in {status:?}"));
    assert_eq!(info.domain, "turnwise");
    assert_eq!(info.reason, reason.wire_name(), "{status:?}");
    let fault = Fault::from_status(status);
    let fields: Vec<_> = fault.fields().collect();
    if field.is_empty() {
        assert!(fields.is_empty(), "{status:?}");
    } else {
        assert_eq!(fields, [field], "{status:?}");
    }
    assert!(!status.message().is_empty());
    fault
}

/// Insists on a refused token, and on why.
pub fn check_unauthenticated(status: &Status, cause: &str) {
    let fault = check_refusal(
        status,
        Code::Unauthenticated,
        ErrorReason::Unauthenticated,
        "",
    );
    assert_eq!(fault.metadata("cause"), Some(cause), "{status:?}");
}
