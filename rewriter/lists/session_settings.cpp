#include "rewriter/lists/session_settings.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "common/ascii.hpp"
#include "common/client_encoding.hpp"

namespace pgveil::rewriter {
namespace {

// Settings for rendering, limits, planner choices and transactions, and some that change nothing for somebody
// who only reads: none of them changes what a mask discloses (docs/session.md, "Settings"). Sorted.
constexpr auto kMaySet = std::to_array<std::string_view>({
    "application_name",
    "bytea_output",
    "check_function_bodies",
    "client_encoding",
    "client_min_messages",
    "constraint_exclusion",
    "cpu_index_tuple_cost",
    "cpu_operator_cost",
    "cpu_tuple_cost",
    "cursor_tuple_fraction",
    "datestyle",
    "default_transaction_deferrable",
    "default_transaction_isolation",
    "effective_cache_size",
    "effective_io_concurrency",
    "enable_async_append",
    "enable_bitmapscan",
    "enable_distinct_reordering",
    "enable_gathermerge",
    "enable_group_by_reordering",
    "enable_hashagg",
    "enable_hashjoin",
    "enable_incremental_sort",
    "enable_indexonlyscan",
    "enable_indexscan",
    "enable_material",
    "enable_memoize",
    "enable_mergejoin",
    "enable_nestloop",
    "enable_parallel_append",
    "enable_parallel_hash",
    "enable_partition_pruning",
    "enable_partitionwise_aggregate",
    "enable_partitionwise_join",
    "enable_presorted_aggregate",
    "enable_self_join_elimination",
    "enable_seqscan",
    "enable_sort",
    "enable_tidscan",
    "escape_string_warning",
    "extra_float_digits",
    "from_collapse_limit",
    "geqo",
    "geqo_threshold",
    "hash_mem_multiplier",
    "idle_in_transaction_session_timeout",
    "idle_session_timeout",
    "intervalstyle",
    "jit",
    "jit_above_cost",
    "jit_inline_above_cost",
    "jit_optimize_above_cost",
    "join_collapse_limit",
    "lock_timeout",
    "max_parallel_workers",
    "max_parallel_workers_per_gather",
    "min_parallel_index_scan_size",
    "min_parallel_table_scan_size",
    "parallel_leader_participation",
    "parallel_setup_cost",
    "parallel_tuple_cost",
    "pgveil.notices",
    "plan_cache_mode",
    "random_page_cost",
    "seq_page_cost",
    "statement_timeout",
    "synchronous_commit",
    "timezone",
    "transaction_timeout",
    "work_mem",
    "xmlbinary",
    "xmloption",
});

// Additional settings that may be shown, because drivers and people ask for them. Sorted.
constexpr auto kMayShow = std::to_array<std::string_view>({
    "block_size",
    "default_table_access_method",
    "default_tablespace",
    "default_transaction_read_only",
    "in_hot_standby",
    "integer_datetimes",
    "is_superuser",
    "lc_collate",
    "lc_ctype",
    "lc_messages",
    "lc_monetary",
    "lc_numeric",
    "lc_time",
    "max_connections",
    "max_identifier_length",
    "max_index_keys",
    "search_path",
    "server_encoding",
    "server_version",
    "server_version_num",
    "standard_conforming_strings",
    "transaction_deferrable",
    "transaction_isolation",
    "transaction_read_only",
});

// backslash_quote, array_nulls and transform_null_equals are pinned because they change what a text means;
// default_transaction_read_only is a second line behind the list of statements.
// jit: a mask is one huge expression; compiling that of the demo's 24,000 cohorts takes PostgreSQL 90 s,
// interpreting it over a million rows 4 s. A client may still SET jit.
constexpr auto kPinnedSettings = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"client_encoding", "UTF8"},
    {"standard_conforming_strings", "on"},
    {"backslash_quote", "safe_encoding"},
    {"array_nulls", "on"},
    {"transform_null_equals", "off"},
    {"default_transaction_read_only", "on"},
    {"row_security", "on"},
    {"client_min_messages", "notice"},
    {"jit", "off"},
    {kNoticeSetting, "on"},
});

// The names that a client may use for UTF-8. SQL_ASCII means "send the bytes as
// they are", and they are UTF-8.
bool is_utf8_name(std::string_view value) {
  std::string name;
  for (const char c : lower(value)) {
    if (c != '-' && c != '_' && c != '\'' && c != '"' && c != ' ') name += c;
  }
  return name == "utf8" || name == "unicode" || name == "sqlascii";
}

// A client may ask for fewer messages, never for more: those of level debug and log tell about the server's
// work and quote the data it works on.
bool is_level_from_notice(std::string_view value) {
  const std::string level = lower(value);
  return level == "notice" || level == "warning" || level == "error";
}

bool is_same_value(std::string_view pinned, std::string_view value) {
  const auto truth = truth_of_setting(pinned);
  return truth ? truth == truth_of_setting(value) : lower(value) == pinned;
}

}  // namespace

std::optional<bool> truth_of_setting(std::string_view value) {
  const std::string text = lower(value);
  const auto begins = [&](std::string_view word, std::size_t least) {
    return text.size() >= least && word.starts_with(text);
  };
  if (begins("true", 1) || begins("yes", 1) || text == "on" || text == "1") return true;
  if (begins("false", 1) || begins("no", 1) || begins("off", 2) || text == "0") return false;
  return std::nullopt;
}

bool is_read_only_setting(std::string_view name) {
  const std::string known = lower(name);
  return known == kReadOnlySetting || known == "transaction_read_only";
}

bool may_set(std::string_view name) {
  static_assert(std::ranges::is_sorted(kMaySet));
  return std::ranges::binary_search(kMaySet, std::string_view(lower(name)));
}

bool may_show(std::string_view name) {
  static_assert(std::ranges::is_sorted(kMayShow));
  return may_set(name) || std::ranges::binary_search(kMayShow, std::string_view(lower(name)));
}

bool is_path_setting(std::string_view name) {
  return lower(name) == "search_path";
}

std::optional<std::string_view> fixed_value(std::string_view name) {
  if (may_set(name)) return std::nullopt;
  const auto* const at = std::ranges::find(kPinnedSettings, std::string_view(lower(name)),
                                           &std::pair<std::string_view, std::string_view>::first);
  return at == kPinnedSettings.end() ? std::nullopt : std::optional(at->second);
}

bool is_role_setting(std::string_view name) {
  const std::string known = lower(name);
  return known == "role" || known == "session_authorization";
}

bool may_set_to(std::string_view name, std::string_view value) {
  if (const auto fixed = fixed_value(name)) return is_same_value(*fixed, value);
  if (lower(name) == kEncodingSetting) return is_utf8_name(value) || is_other_encoding(name, value);
  if (is_message_level_setting(name)) return is_level_from_notice(value);
  if (is_notice_setting(name)) return truth_of_setting(value).has_value();
  return may_set(name);
}

bool is_other_encoding(std::string_view name, std::string_view value) {
  return lower(name) == kEncodingSetting && single_byte_encoding(value) != nullptr;
}

bool is_notice_setting(std::string_view name) {
  return lower(name) == kNoticeSetting;
}

NoticeSwitches switches_of(std::string_view name, std::string_view value) {
  const auto as = [](bool is_on) { return is_on ? NoticeSwitch::on : NoticeSwitch::off; };
  NoticeSwitches out;
  if (is_notice_setting(name)) out.own = as(truth_of_setting(value).value_or(true));
  if (is_message_level_setting(name)) out.level = as(lower(value) == "notice");
  return out;
}

NoticeSwitches reset_of(std::string_view name) {
  NoticeSwitches out;
  if (is_notice_setting(name)) out.own = NoticeSwitch::reset;
  if (is_message_level_setting(name)) out.level = NoticeSwitch::reset;
  return out;
}

bool is_message_level_setting(std::string_view name) {
  return lower(name) == "client_min_messages";
}

StartupParameter judge_startup_parameter(std::string_view name, std::string_view value) {
  if (lower(name) == kEncodingSetting && is_utf8_name(value)) return StartupParameter::ignore;
  if (is_path_setting(name)) return StartupParameter::search_path;
  if (is_read_only_setting(name))
    return truth_of_setting(value) ? StartupParameter::read_only : StartupParameter::refuse;
  if (fixed_value(name) && may_set_to(name, value)) return StartupParameter::ignore;
  return may_set_to(name, value) ? StartupParameter::forward : StartupParameter::refuse;
}

std::span<const std::pair<std::string_view, std::string_view>> pinned_settings() {
  return kPinnedSettings;
}

std::span<const std::string_view> shown_settings() {
  return kMayShow;
}
std::span<const std::string_view> settable_settings() {
  return kMaySet;
}

}  // namespace pgveil::rewriter
