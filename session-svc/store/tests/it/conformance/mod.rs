//! The suite that every store passes. A case gets a bench and a partition of its own.

mod expiry;
mod leases;
mod logs;
mod races;
mod rankings;
mod records;
mod transactions;

use crate::bench::{Bench, Kind};

macro_rules! conformance {
    ($($topic:ident: $($case:ident),+;)+) => {
        /// In a file.
        mod embedded {
            $(mod $topic {
                $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $case() {
                    use crate::{bench::{Bench, Kind}, conformance::$topic};
                    $topic::$case(&mut Bench::new(Kind::Embedded).await).await;
                })+
            })+
        }

        /// On one Redis server.
        mod redis {
            $(mod $topic {
                $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $case() {
                    use crate::{bench::{Bench, Kind}, conformance::$topic};
                    $topic::$case(&mut Bench::new(Kind::Redis).await).await;
                })+
            })+
        }

        /// All cases on one bench, where many servers have to start for one.
        async fn pass_all(kind: Kind) {
            let mut bench = Bench::new(kind).await;
            $($(
                bench.at(stringify!($case));
                println!("{}", stringify!($case));
                $topic::$case(&mut bench).await;
            )+)+
        }
    };
}

conformance! {
    records:
        fields_are_set_and_others_stay, numbers_are_added_to,
        what_only_looks_like_a_number_counts_as_none, a_record_without_fields_is_gone, removed_is_gone,
        values_may_hold_any_bytes, words_come_back, large_values_come_back, nothing_is_found_where_nothing_is,
        what_was_acknowledged_is_there_after_a_restart;
    transactions:
        checks_hold_or_not, the_first_check_that_fails_is_named, a_failed_check_tells_the_named_fields,
        a_refused_transaction_writes_nothing, writes_are_done_in_their_order, reads_see_the_writes,
        empty_lists_are_fine, thousands_of_writes_are_one_step, several_run_up_to_the_first_that_is_refused,
        partitions_are_apart, fences_rise;
    logs:
        ids_begin_at_one_and_rise, pages_go_forward, pages_go_back, trimmed_entries_are_gone_and_ids_go_on,
        a_removed_log_begins_again, a_waiting_reader_is_told, a_waiting_reader_is_told_that_the_log_is_gone,
        news_between_reading_and_waiting_are_not_lost;
    rankings:
        members_are_ordered_by_score, ties_are_ordered_by_bytes, bounds_are_included, members_move_and_go,
        members_go_only_at_their_score, low_scores_go;
    expiry:
        what_has_expired_is_absent, an_expired_record_begins_anew, an_expired_log_goes_on_with_its_ids,
        an_expired_ranking_is_empty, expiry_is_replaced_and_ends_with_the_record, nothing_there_never_expires,
        writing_keeps_the_expiry;
    leases:
        a_lease_is_held_until_given_back, a_lease_ends_by_itself, a_renewed_lease_lasts_longer,
        a_lease_is_released_with_the_write, whoever_takes_it_has_it, tokens_rise_across_restarts,
        a_lease_is_no_record;
    races:
        each_increment_counts_once, one_of_many_gets_the_lease, a_turn_sees_the_turn_before;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sentinel_passes_all() {
    pass_all(Kind::Sentinel).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cluster_passes_all() {
    pass_all(Kind::Cluster).await;
}
