//! What is counted beside the calls.

use turnwise_kit::Kit;
use turnwise_session_svc::metrics::SessionMetrics;

/// An alert rule asks how much a count has grown: one that is not there before its first event would hide it.
#[test]
fn calls_for_help_are_counted_from_zero_on() {
    let kit = Kit::for_tests();
    SessionMetrics::register(&kit.metrics);
    let metrics = kit.metrics.encode();
    for kind in ["SELF_HARM", "ABUSE", "DANGER", "BULLYING"] {
        for uncertain in ["yes", "no"] {
            let line = format!(
                "turnwise_session_safeguarding_alerts_total{{kind=\"ALERT_KIND_{kind}\",uncertain=\"{uncertain}\"}} 0\n"
            );
            assert!(metrics.contains(&line), "no {line} in {metrics}");
        }
    }
}
