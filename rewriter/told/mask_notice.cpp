#include "rewriter/told/mask_notice.hpp"

#include <fmt/format.h>

namespace pgveil::rewriter {
namespace {

constexpr std::size_t kMostColumns = 20;  // the relation pgveil.columns has all of them

// 2026-11-24T19:07:31Z → 2026-11-24 19:07 UTC
std::string minute_of(const std::string& built_at) {
  constexpr std::string_view kModel = "2026-11-24T19:07";
  if (built_at.size() < kModel.size()) return built_at;
  return fmt::format("{} {} UTC", built_at.substr(0, 10), built_at.substr(11, 5));
}

bool is_pseudonym(const ToldColumn& column) {
  return column.column_class == policy::ColumnClass::key;
}

std::string text_of_column(const ToldColumn& column, bool is_first_shown) {
  if (is_pseudonym(column)) return column.name + " as a pseudonym";
  if (column.shown_percent == 0) return column.name + " never";
  return fmt::format("{} {} %{}", column.name, column.shown_percent, is_first_shown ? " shown" : "");
}

std::string list_of_columns(const std::vector<ToldColumn>& columns) {
  std::string out;
  std::size_t listed = 0;
  std::size_t left = 0;
  bool has_shown = false;
  for (const ToldColumn& column : columns) {
    if (is_shown_as_it_is(column)) continue;
    if (listed == kMostColumns) {
      ++left;
      continue;
    }
    const bool is_first_shown = column.shown_percent > 0 && !is_pseudonym(column) && !has_shown;
    has_shown = has_shown || is_first_shown;
    out += (out.empty() ? "" : ", ") + text_of_column(column, is_first_shown);
    ++listed;
  }
  return left == 0 ? out : out + fmt::format(", and {} more", left);
}

}  // namespace

Notice mask_notice(const Snapshot::ProtectedTable& table) {
  const policy::PolicySpec& spec = *table.state.spec;
  const bool is_copy = spec.enforcement == policy::Enforcement::copy;
  return {
      .message = fmt::format("{}.{} is masked (policy {}, k = {}, {} {}): {}; hidden values are NULL",
                             spec.schema, spec.table, spec.name, spec.k, is_copy ? "a copy of" : "built",
                             minute_of(table.state.version->built_at), list_of_columns(told_columns(table))),
      .hint = "pgveil.columns has this as rows; SET pgveil.notices = off ends these notices"};
}

std::string table_comment(const Snapshot::ProtectedTable& table) {
  const policy::PolicySpec& spec = *table.state.spec;
  const bool is_copy = spec.enforcement == policy::Enforcement::copy;
  return fmt::format("masked by policy {}: k = {}, {} {}", spec.name, spec.k, is_copy ? "a copy of" : "built",
                     minute_of(table.state.version->built_at));
}

std::string column_comment(const policy::PolicySpec& spec, const ToldColumn& column) {
  if (is_shown_as_it_is(column)) return {};
  if (is_pseudonym(column)) return fmt::format("masked by policy {}: a pseudonym", spec.name);
  if (column.shown_percent == 0) return fmt::format("masked by policy {}: never shown", spec.name);
  return fmt::format("masked by policy {}: shown in {} % of rows", spec.name, column.shown_percent);
}

Notice hidden_condition_notice(const policy::PolicySpec& spec, std::string_view column,
                               HiddenCondition condition) {
  const bool is_join = condition == HiddenCondition::join;
  return {.message = fmt::format("{}.{} is hidden by policy {}, so this {} matches no row", spec.table,
                                 column, spec.name, is_join ? "join" : "comparison"),
          .hint = is_join ? "join by a column that is shown in both tables: pgveil.columns lists them"
                          : "compare a column that is shown: pgveil.columns lists them"};
}

}  // namespace pgveil::rewriter
