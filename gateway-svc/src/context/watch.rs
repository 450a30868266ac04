use crate::{conversation::Core, grpc::Answers};
use turnwise_kit::{CallContext, Caller, Fault};
use turnwise_proto::context::v1::{WatchThreadRequest, WatchThreadResponse};
pub(crate) async fn watch(
    _c: &Core,
    _x: &CallContext,
    _y: &Caller,
    _r: WatchThreadRequest,
) -> Result<Answers<WatchThreadResponse>, Fault> {
    Err(Fault::invalid("a", "b"))
}
