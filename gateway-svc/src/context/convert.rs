use turnwise_proto::{
    context::v1::ContextRequest, session::v1 as session, tutor::v1::RequiredContext,
};
pub(crate) fn request(_t: &str, _r: &session::ContextRequest) -> ContextRequest {
    ContextRequest::default()
}
pub(crate) fn required(_s: &[session::ContextSlot]) -> Vec<RequiredContext> {
    Vec::new()
}
