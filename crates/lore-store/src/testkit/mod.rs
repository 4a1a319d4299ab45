//! The contract of the store traits as tests, called stories, that every engine must pass.
//!
//! An engine supplies a [`Harness`] and calls [`contract_tests!`] in one of its test files; each
//! story becomes a separate test. A story knows nothing of the engine: no SQL, no files, no timing
//! beyond "it ends".
//!
//! [`contract_tests!`]: crate::contract_tests

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "stories are tests, although engines compile them as a library"
)]

use std::any::Any;
use std::sync::Arc;

use async_trait::async_trait;

use crate::store::Store;

pub mod access;
pub mod atomicity;
pub mod audit;
pub mod bin;
pub mod changes;
pub mod concurrency;
pub mod counters;
pub mod directory;
pub mod edges;
pub mod events;
pub mod find;
pub mod maintenance;
pub mod moments;
pub mod nodes;
pub mod once;
pub mod preconditions;
pub mod search;
pub mod sessions;
mod stage;
pub mod states;
pub mod tags;
pub mod tally;
pub mod texts;
pub mod tokens;
pub mod traversal;
pub mod veil;
pub mod visibility;
pub mod worlds;

/// Creates stores for the stories.
#[async_trait]
pub trait Harness: Send + Sync {
    /// Creates a store that holds only what every new store holds.
    async fn fresh(&self) -> Fresh;

    /// Closes a store and opens the same data again.
    async fn reopen(&self, fresh: Fresh) -> Fresh;
}

/// A store together with whatever must live as long as it, such as a directory.
pub struct Fresh {
    /// The store.
    pub store: Arc<dyn Store>,
    /// Dropped after the store.
    pub keep: Box<dyn Any + Send + Sync>,
}

/// Generates one test for each story. `$harness` is an expression that creates a [`Harness`].
#[macro_export]
macro_rules! contract_tests {
    ($harness:expr) => {
        $crate::contract_tests!(@topic $harness, directory, [
            a_new_store_has_an_owner_with_a_world,
            worlds_are_listed_by_name,
            a_world_comes_back_as_it_was_made,
            a_world_name_is_taken_once_ignoring_case,
            a_world_uid_is_taken_once,
            a_world_needs_a_name,
            a_stranger_has_no_worlds,
            somebody_has_a_name,
            a_stranger_cannot_own_a_world,
            the_default_world_can_be_chosen,
            a_default_world_must_be_open_to_its_principal,
        ]);
        $crate::contract_tests!(@topic $harness, tokens, [
            a_token_makes_its_principal_and_lets_them_in,
            a_token_for_a_known_name_is_for_that_principal,
            a_token_needs_a_name,
            the_hash_comes_back_as_it_was_stored,
            only_an_owner_handles_tokens,
            a_public_id_is_taken_once,
            a_revoked_token_opens_nothing,
            revoking_twice_keeps_the_first_moment,
            tokens_of_another_world_are_out_of_reach,
            a_small_token_takes_nothing_away_from_an_owner,
            the_highest_of_several_tokens_counts,
            everybody_is_listed_with_each_of_their_roles,
            whether_there_ever_was_a_token_is_known,
        ]);
        $crate::contract_tests!(@topic $harness, nodes, [
            a_node_comes_back_as_it_was_made,
            a_node_is_found_by_every_key,
            an_absent_node_is_none,
            several_nodes_skip_the_absent,
            an_update_changes_only_what_it_names,
            a_node_may_become_of_another_kind,
            an_update_counts_the_version_and_stamps_its_author,
            an_empty_update_changes_nothing,
            a_subtype_can_be_cleared,
            tags_keep_their_first_spelling_and_are_sorted,
            tags_and_aliases_are_replaced_as_a_whole,
            repeated_tags_and_aliases_count_once,
            blank_names_are_refused,
            a_uid_is_taken_once,
            properties_survive,
            moments_survive_to_the_microsecond,
            nothing_is_private_to_nobody,
        ]);
        $crate::contract_tests!(@topic $harness, find, [
            pages_walk_through_everything_in_order_of_creation,
            the_total_does_not_depend_on_the_page,
            a_page_begins_where_it_is_told_to,
            pages_may_go_by_number,
            a_list_follows_every_change,
            ids_are_those_of_all_that_is_found,
            no_limit_means_everything,
            any_of_several_kinds,
            none_of_several_kinds,
            a_whole_name_matches_ignoring_case,
            a_whole_alias_matches_too,
            a_part_of_a_name_or_alias_matches,
            a_part_is_taken_literally,
            case_is_ignored_beyond_ascii,
            a_node_that_matches_twice_is_listed_once,
            a_namespace_matches_exactly,
            a_subtype_matches_ignoring_case,
            all_tags_must_be_there_ignoring_case,
            only_what_changed_since_a_moment,
            filters_combine,
            nothing_is_an_empty_page,
        ]);
        $crate::contract_tests!(@topic $harness, texts, [
            a_text_comes_back_as_it_was_made,
            texts_are_ordered_by_position_then_age,
            an_update_changes_only_what_it_names,
            texts_of_several_nodes_come_together,
            a_text_is_found_by_its_uid,
            texts_are_listed_by_kind_and_secrecy,
            a_text_needs_a_live_node,
            a_uid_is_taken_once,
            a_large_body_survives,
            unusual_characters_survive,
            a_text_does_not_change_its_node,
            an_absent_text_is_none,
        ]);
        $crate::contract_tests!(@topic $harness, tally, [
            the_newest_of_a_kind_in_a_namespace_come_first,
            the_newest_are_paged_and_bounded_by_a_moment,
            everything_is_counted_by_kind_and_namespace,
            what_is_hidden_or_gone_is_neither_listed_nor_counted,
            what_changed_its_name_is_told_once_and_in_order,
            what_changed_its_texts_is_told_with_its_name,
            a_mark_leads_on_where_the_last_answer_ended,
        ]);
        $crate::contract_tests!(@topic $harness, access, [
            accesses_are_counted,
            counting_changes_nothing_else,
            what_is_hidden_or_gone_is_not_counted,
            a_reader_counts_nothing,
        ]);
        $crate::contract_tests!(@topic $harness, search, [
            things_are_found_by_what_they_say_and_are_called,
            a_name_comes_first,
            what_was_written_is_found_at_once,
            deleted_things_are_not_found_until_restored,
            a_moved_text_is_its_new_nodes_and_found_there_only,
            what_is_hidden_is_not_found,
            hidden_things_do_not_change_anybodys_answers,
            other_worlds_are_not_searched,
            filters_hold_before_the_cut,
            what_is_not_searchable_is_not_found,
            any_text_is_a_query,
            the_index_outlives_the_process,
            documents_wait_for_vectors_of_a_model,
            vectors_are_made_one_part_after_the_other,
            vectors_of_what_has_changed_are_dropped,
            vectors_find_what_shares_no_word,
        ]);
        $crate::contract_tests!(@topic $harness, edges, [
            an_edge_comes_back_as_it_was_put,
            what_several_people_keep_at_a_node_is_within_reach,
            putting_again_updates_the_same_edge,
            putting_revives_an_edge_from_the_bin,
            kinds_and_directions_are_edges_of_their_own,
            edges_are_followed_out_in_and_both_ways,
            the_strongest_come_first_then_the_oldest,
            a_limit_keeps_the_strongest,
            kinds_restrict_unless_there_are_none,
            several_nodes_share_one_answer,
            a_loop_is_one_edge,
            an_edge_is_changed_by_row_or_by_ends,
            a_weight_must_be_a_number,
            an_edge_needs_two_live_nodes,
            an_absent_edge_cannot_be_changed,
        ]);
        $crate::contract_tests!(@topic $harness, states, [
            a_state_comes_back_as_it_was_put,
            putting_again_replaces_and_counts,
            a_state_expects_its_version,
            several_nodes_share_one_answer,
            any_json_survives,
            a_state_is_put_with_its_node,
            states_by_role_and_visibility,
            a_state_goes_with_its_node,
            a_hidden_state_is_not_overwritten,
            the_audit_log_holds_what_a_state_was,
        ]);
        $crate::contract_tests!(@topic $harness, events, [
            an_event_comes_back_as_it_was_added,
            a_log_counts_from_one_without_gaps,
            each_event_holds_the_hash_of_the_one_before,
            a_payload_is_kept_to_the_letter,
            a_log_expects_its_end,
            a_log_grows_only_with_a_whole_batch,
            a_log_is_read_in_pieces,
            the_log_of_a_node_in_the_bin_is_read_there,
            a_log_is_read_by_kind,
            secrets_are_for_the_gm_side,
            events_by_role_and_visibility,
            an_event_is_settled_once,
            only_an_earlier_event_is_settled,
            a_log_goes_with_its_node,
            many_writers_make_one_chain,
        ]);
        $crate::contract_tests!(@topic $harness, once, [
            a_key_keeps_its_answer,
            the_same_key_again_conflicts,
            keys_are_each_principals_and_each_scopes_own,
            a_failed_batch_keeps_no_answer,
            old_answers_are_forgotten,
            many_senders_make_it_happen_once,
        ]);
        $crate::contract_tests!(@topic $harness, atomicity, [
            a_batch_that_fails_at_its_end_leaves_nothing,
            later_changes_see_earlier_ones,
            every_change_is_answered_in_order,
            an_empty_batch_is_refused,
            touching_alone_is_enough,
            a_reader_cannot_write,
            a_batch_may_make_what_its_author_cannot_see,
        ]);
        $crate::contract_tests!(@topic $harness, tags, [
            a_tag_with_a_hidden_page_is_told_to_the_gms_side_alone,
            a_hidden_tag_is_no_tag_to_others,
            one_of_two_tags_of_a_name_is_renamed_alone,
        ]);
        $crate::contract_tests!(@topic $harness, visibility, [
            nodes_by_role_and_visibility,
            nodes_in_the_bin_by_role_and_visibility,
            what_is_concealed_is_known_by_every_key,
            texts_by_role_and_visibility,
            edges_by_role_and_visibility,
            a_text_tells_nobody_of_what_it_mentions_that_they_do_not_see,
            texts_of_a_hidden_node_are_hidden,
            edges_of_a_hidden_node_are_hidden,
            hidden_nodes_cannot_be_changed,
            hidden_texts_cannot_be_changed,
            hidden_edges_cannot_be_changed,
            a_hidden_edge_is_neither_overwritten_nor_in_the_way,
            hidden_nodes_are_not_counted,
            a_hidden_name_is_free,
            the_bin_hides_the_same_things,
            a_new_visibility_counts_at_once,
            what_is_behind_the_screen_stays_there,
        ]);
        $crate::contract_tests!(@topic $harness, veil, [
            nothing_that_is_read_names_what_is_hidden,
            what_is_sent_back_names_it_still,
            a_text_that_is_sent_back_mentions_what_it_did,
            a_log_is_checked_as_it_was_written,
        ]);
        $crate::contract_tests!(@topic $harness, worlds, [
            nodes_of_another_world_are_absent,
            texts_and_edges_of_another_world_are_absent,
            nothing_of_another_world_can_be_changed,
            worlds_are_never_joined,
            numbers_run_for_each_world,
            names_and_tags_are_each_worlds_own,
            a_new_world_is_told_of_in_the_others,
            a_world_gets_another_name,
            logs_are_each_worlds_own,
        ]);
        $crate::contract_tests!(@topic $harness, bin, [
            a_deleted_node_is_only_in_the_bin,
            a_restored_node_has_its_texts_and_edges_again,
            what_joins_a_node_in_the_bin_is_known,
            what_joins_a_node_in_the_bin_can_be_changed,
            a_deleted_text_is_only_in_the_bin,
            a_deleted_edge_is_gone_until_restored,
            deleting_twice_finds_nothing,
            restoring_a_live_thing_changes_nothing,
            restoring_an_absent_thing_finds_nothing,
            a_deleted_thing_cannot_be_changed,
            what_hangs_on_a_deleted_node_cannot_be_changed,
            deleting_and_restoring_count_versions,
        ]);
        $crate::contract_tests!(@topic $harness, preconditions, [
            the_version_read_before_lets_a_change_pass,
            a_stale_version_of_a_node_is_a_conflict,
            a_stale_version_of_a_text_is_a_conflict,
            a_stale_version_of_an_edge_is_a_conflict,
            a_free_name_passes_and_a_taken_one_is_a_conflict,
            a_name_is_free_among_other_kinds_and_in_the_bin,
            a_required_version_passes_or_is_a_conflict,
            a_required_node_that_is_gone_is_a_conflict,
            a_required_document_passes_or_is_a_conflict,
            conditions_look_at_the_state_before_the_batch,
            one_failed_condition_stops_everything,
        ]);
        $crate::contract_tests!(@topic $harness, counters, [
            numbers_run_over_all_kinds_and_within_each,
            a_chosen_number_is_kept_and_passed_over,
            a_number_of_the_store_is_no_other_worlds,
            a_chosen_number_below_does_not_turn_the_counter_back,
            a_taken_number_is_refused,
            an_impossible_number_is_refused,
            a_failed_batch_gives_its_numbers_back,
            a_deleted_node_keeps_its_number,
            skipped_numbers_are_left_to_others,
        ]);
        $crate::contract_tests!(@topic $harness, changes, [
            each_different_uri_is_one_entry,
            a_change_is_told_to_those_who_may_know,
            entries_are_read_in_pieces,
            a_batch_without_touches_returns_the_end,
            the_end_is_the_last_entry,
            a_watcher_learns_the_new_end,
            a_batch_that_changes_nothing_is_not_told,
            what_is_said_again_beside_a_change_of_another_stays,
            a_failed_batch_wakes_nobody,
            an_echo_reaches_those_who_see_what_changes,
        ]);
        $crate::contract_tests!(@topic $harness, audit, [
            every_batch_is_one_entry_with_its_origin,
            the_detail_lists_what_was_done,
            the_detail_holds_what_was_replaced,
            the_newest_come_first_in_pieces,
            only_the_gm_side_reads_it,
            a_failed_batch_leaves_no_entry,
            private_values_are_shown_only_to_their_owner,
            what_hangs_on_a_private_node_is_private,
            worlds_and_tokens_are_audited,
        ]);
        $crate::contract_tests!(@topic $harness, sessions, [
            a_session_comes_back_as_it_was_saved,
            saving_again_replaces,
            the_session_of_another_principal_is_absent,
            a_session_cannot_be_taken_over,
            a_touched_session_is_younger,
            subscriptions_are_replaced,
            an_absent_session_cannot_be_touched,
            a_deleted_session_is_absent,
            old_sessions_are_purged_and_counted,
        ]);
        $crate::contract_tests!(@topic $harness, traversal, [
            a_walk_goes_as_deep_as_it_may,
            a_walk_follows_direction_and_kinds,
            a_path_leads_from_the_start,
            a_circle_ends,
            the_node_budget_stops_a_walk,
            the_edge_budget_stops_a_walk,
            the_strongest_edges_are_walked_first,
            a_walk_never_passes_what_is_hidden,
            a_hidden_start_reaches_only_itself,
        ]);
        $crate::contract_tests!(@topic $harness, concurrency, [
            commits_at_once_all_land_with_numbers_of_their_own,
            no_update_is_lost,
            one_edge_put_by_many_is_one_edge,
            a_name_is_won_by_one,
            everybody_reads_their_own_write,
            bad_batches_do_not_hurt_good_ones,
            a_watcher_reaches_the_end,
        ]);
        $crate::contract_tests!(@topic $harness, moments, [
            what_happens_behind_the_screen_moves_no_date_of_the_players,
            what_everybody_sees_moves_the_date_for_everybody,
            what_is_said_again_beside_something_hidden_moves_no_date,
            fields_move_the_date_unless_they_are_said_to_be_hidden,
            a_hidden_tag_moves_no_date,
            what_comes_into_view_was_changed_then,
            what_is_private_moves_the_date_for_the_gms_side_alone,
            who_changed_something_behind_the_screen_is_not_told,
        ]);
        $crate::contract_tests!(@topic $harness, maintenance, [
            a_new_store_is_healthy,
            a_used_store_is_healthy_and_counted,
            a_backup_does_not_overwrite,
            everything_is_there_after_opening_again,
        ]);
    };
    (@topic $harness:expr, $topic:ident, [$($story:ident),* $(,)?]) => {
        mod $topic {
            #[allow(unused_imports, reason = "the harness may come from anywhere")]
            use super::*;
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $story() {
                    $crate::testkit::$topic::$story(&$harness).await;
                }
            )*
        }
    };
}

#[cfg(test)]
mod tests {
    const TOPICS: [(&str, &str); 27] = [
        ("access", include_str!("access.rs")),
        ("atomicity", include_str!("atomicity.rs")),
        ("audit", include_str!("audit.rs")),
        ("bin", include_str!("bin.rs")),
        ("changes", include_str!("changes.rs")),
        ("concurrency", include_str!("concurrency.rs")),
        ("counters", include_str!("counters.rs")),
        ("directory", include_str!("directory.rs")),
        ("edges", include_str!("edges.rs")),
        ("events", include_str!("events.rs")),
        ("find", include_str!("find.rs")),
        ("maintenance", include_str!("maintenance.rs")),
        ("moments", include_str!("moments.rs")),
        ("nodes", include_str!("nodes.rs")),
        ("once", include_str!("once.rs")),
        ("preconditions", include_str!("preconditions.rs")),
        ("search", include_str!("search.rs")),
        ("sessions", include_str!("sessions.rs")),
        ("states", include_str!("states.rs")),
        ("tags", include_str!("tags.rs")),
        ("tally", include_str!("tally.rs")),
        ("texts", include_str!("texts.rs")),
        ("tokens", include_str!("tokens.rs")),
        ("traversal", include_str!("traversal.rs")),
        ("veil", include_str!("veil.rs")),
        ("visibility", include_str!("visibility.rs")),
        ("worlds", include_str!("worlds.rs")),
    ];

    /// A story that is written but not listed would never run.
    #[test]
    fn every_story_is_listed() {
        let list = include_str!("mod.rs");
        let topics = list.lines().filter(|line| line.starts_with("pub mod "));
        assert_eq!(topics.count(), TOPICS.len(), "a topic is not looked at");
        for (topic, source) in TOPICS {
            let start = list.find(&format!("$harness, {topic}, [")).expect(topic);
            let listed = list[start..].split("]);").next().unwrap();
            for line in source.lines().filter_map(|line| line.strip_prefix("pub async fn ")) {
                let story = line.split('(').next().unwrap();
                assert!(listed.contains(&format!("{story},")), "{topic}::{story} is not listed");
            }
        }
    }
}
