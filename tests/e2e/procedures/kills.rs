//! A process dies in the middle of observations: what was acknowledged as stored is there, and what lies behind it is sent
//! again.

use turnwise_proto::procedure::v1::variable::Value;
use turnwise_tests::{
    options::{Kind, Service},
    procedure::{Run, variable},
};

use super::{observations::Stream, without_model};

in_both_deployments!(nothing_acknowledged_is_lost);

async fn nothing_acknowledged_is_lost(kind: Kind) {
    let mut suite = without_model(kind).await;
    let ada = suite.student("ada");
    let mut run = Run::titration(&ada).await;
    let mut stored = 0;
    let victims = match kind {
        Kind::OneProcess | Kind::Grouped(_) => vec![Service::Suite; 3],
        Kind::FiveProcesses => vec![Service::Gateway, Service::Session, Service::Gateway],
    };
    for victim in victims {
        let (mut stream, receipt) = Stream::open(&run).await;
        assert!(receipt.stored_sequence >= stored);
        stored = receipt.stored_sequence;
        // What lies behind is sent again, and some more.
        let upto = stored + 150;
        for sequence in stored + 1..=upto {
            let value = Value::Number(sequence as f64 / 100.0);
            let mut observation = run.next(vec![variable("BURETTE.POURED", value)]);
            observation.sequence = sequence;
            stream.send(observation).await;
        }
        // It dies with something stored, and something not.
        let receipts = stream.until_stored(stored + 1).await;
        stored = receipts.last().unwrap().stored_sequence;
        suite.kill(victim);
        suite.restart(victim);
        let session = run.read().await.session.unwrap();
        assert!(session.stored_sequence >= stored, "{session:?}");
        let poured = Value::Number(session.stored_sequence as f64 / 100.0);
        assert_eq!(session.variables, [variable("BURETTE.POURED", poured)]);
    }
    suite.stop();
}
