#include "rewriter/resolve/explain_refusal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "pg/fields.hpp"
#include "rewriter/resolve/stop.hpp"

namespace pgveil::rewriter {
namespace {

std::string masked_by(std::span<const PolicyRead> policies) {
  std::string out;
  for (const PolicyRead& read : policies) {
    if (!out.empty()) out += ", ";
    out += fmt::format("{} policy {}", read.is_masked ? "masked by" : "exempt from", read.policy);
  }
  return out;
}

std::string columns_of(const ColumnNames& columns) {
  if (!columns) return "Its columns are not known before it runs.";
  if (columns->empty()) return "It has no columns.";
  return fmt::format("Its columns: {}.", fmt::join(*columns, ", "));
}

}  // namespace

void check_explain_options(const PgQuery__ExplainStmt& explain) {
  constexpr auto kOptions =
      std::to_array<std::string_view>({"analyze", "buffers", "costs", "format", "generic_plan", "memory",
                                       "serialize", "summary", "timing", "verbose", "wal"});
  for (const pg::Node* item : pg::nodes(explain.options, explain.n_options)) {
    const PgQuery__DefElem& option = *item->def_elem;
    const std::string_view name(option.defname);
    if (name == "settings") {
      refuse(Reason::clause, "EXPLAIN with SETTINGS shows settings of the server", "leave SETTINGS out",
             option.location);
    }
    if (std::ranges::find(kOptions, name) == kOptions.end()) {
      name_error(sqlstate::kSyntaxError, fmt::format("unrecognized EXPLAIN option \"{}\"", name),
                 option.location);
    }
  }
}

void refuse_plan(std::span<const PolicyRead> policies, const ColumnNames& columns) {
  throw Stop{Refusal{
      .reason = Reason::plan,
      .message = fmt::format("EXPLAIN of a protected table is not answered: {}", masked_by(policies)),
      .hint = "run the statement without EXPLAIN; an admin can look at it with EXPLAIN POLICY on the console",
      .detail = columns_of(columns)}};
}

}  // namespace pgveil::rewriter
