//! What a test asks of session-svc that no public call tells.

use turnwise::suite::embedded_store;
use turnwise_kit::client::GrpcClient;
use turnwise_tests::{
    deployment::Deployment,
    options::{Kind, Service},
    standalone_service::StandaloneService,
};

/// Works with the suite's session-svc. In one process nobody else can call it: then the suite ends, session-svc is alone
/// with its store for as long as the work takes, and the suite starts again.
pub async fn at_the_store<T>(suite: &mut Deployment, work: impl AsyncFnOnce(GrpcClient) -> T) -> T {
    match suite.kind {
        Kind::OneProcess => {
            suite.process(Service::Suite).stop();
            let store = embedded_store(&suite.data_dir.session_store());
            let mut session = StandaloneService::session(&store, &[]);
            let done = work(session.client()).await;
            session.stop();
            suite.restart(Service::Suite);
            done
        }
        _ => work(suite.internal(Service::Session)).await,
    }
}
