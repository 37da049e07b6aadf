#include "rewriter/lists/refusal_hints.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace pgveil::rewriter {
namespace {

using Hint = std::pair<std::string_view, std::string_view>;

// Both sorted.
constexpr auto kOfCatalogs = std::to_array<Hint>({
    {"pg_authid", "pg_roles lists roles without their passwords"},
    {"pg_cursors", "a session keeps its own list: nothing but FETCH and CLOSE is answered about its cursors"},
    {"pg_file_settings", "SHOW ALL lists the settings that are shown"},
    {"pg_hba_file_rules", "ask the operator how clients are let in"},
    {"pg_ident_file_mappings", "ask the operator how clients are let in"},
    {"pg_largeobject", "large objects are not answered: they belong to no table"},
    {"pg_prepared_statements",
     "a session's statements are kept in the proxy's form: use the driver's own list"},
    {"pg_shadow", "pg_roles lists roles without their passwords"},
    {"pg_statistic", "statistics quote values: turn statistics off in the tool, or SELECT aggregates"},
    {"pg_statistic_ext_data",
     "statistics quote values: turn statistics off in the tool, or SELECT aggregates"},
    {"pg_stats", "statistics quote values: turn statistics off in the tool, or SELECT aggregates"},
    {"pg_stats_ext", "statistics quote values: turn statistics off in the tool, or SELECT aggregates"},
    {"pg_stats_ext_exprs", "statistics quote values: turn statistics off in the tool, or SELECT aggregates"},
    {"pg_user_mapping", "pg_user_mappings lists them"},
});
constexpr auto kOfFunctions = std::to_array<Hint>({
    {"currval", "nothing is written here, so no sequence is read"},
    {"lastval", "nothing is written here, so no sequence is read"},
    {"nextval", "nothing is written here, so no sequence is read"},
    {"pg_cancel_backend",
     "cancel a statement from its own session, as psql does with Ctrl-C: the proxy passes it on"},
    {"pg_sleep", "time tells hidden values: wait in the client"},
    {"pg_sleep_for", "time tells hidden values: wait in the client"},
    {"pg_sleep_until", "time tells hidden values: wait in the client"},
    {"pg_stat_get_activity", "pg_stat_activity has the row of the session that asks"},
    {"pg_terminate_backend", "close the session's own connection"},
    {"setseed",
     "a seed would stay on a connection that others use: take repeatable rows by an expression such as "
     "hashtext(id::text) % 10 = 0"},
    {"setval", "nothing is written here, so no sequence is read"},
});

template <class Hints>
std::optional<std::string_view> found(const Hints& hints, std::string_view name) {
  const auto* const at = std::ranges::lower_bound(hints, name, {}, &Hint::first);
  return at != hints.end() && at->first == name ? std::optional(at->second) : std::nullopt;
}

}  // namespace

std::optional<std::string_view> hint_for_catalog(std::string_view name) {
  static_assert(std::ranges::is_sorted(kOfCatalogs, {}, &Hint::first));
  return found(kOfCatalogs, name);
}

std::optional<std::string_view> hint_for_function(std::string_view name) {
  static_assert(std::ranges::is_sorted(kOfFunctions, {}, &Hint::first));
  return found(kOfFunctions, name);
}

}  // namespace pgveil::rewriter
