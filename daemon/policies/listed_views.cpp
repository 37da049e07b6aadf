#include "daemon/policies/listed_views.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "common/sql_quoting.hpp"
#include "daemon/statements/deep_stack.hpp"
#include "rewriter/pipeline/pipeline.hpp"

namespace pgveil::app {
namespace {

std::set<std::string> roles_of(const rewriter::Snapshot& snapshot) {
  std::set<std::string> roles = snapshot.roles();
  if (roles.empty()) roles.insert("nobody");  // then every role reads the same
  return roles;
}

// Why none of the roles can read it. nullopt: some role can, or could after a BUILD.
std::optional<std::string> why_unreadable(const rewriter::Relation& view, const std::set<std::string>& roles,
                                          const rewriter::Snapshot& snapshot,
                                          const rewriter::Limits& limits) {
  const std::string sql = "SELECT * FROM " + qualified_name(view.schema, view.name);
  std::string why;
  for (const std::string& role : roles) {
    const auto verdict = rewriter::rewrite(sql, {role}, snapshot, limits);
    if (std::holds_alternative<rewriter::Rewritten>(verdict)) return std::nullopt;
    if (const auto* error = std::get_if<Error>(&verdict)) why = error->public_message;
    const auto* refusal = std::get_if<Refusal>(&verdict);
    if (refusal == nullptr) continue;
    if (refusal->reason == Reason::policy_not_built) return std::nullopt;
    why = refusal->message;
  }
  return why;
}

}  // namespace

Result<std::vector<std::string>> unreadable_views(const rewriter::Snapshot& snapshot,
                                                  const LimitsConfig& limits) {
  std::vector<std::string> out;
  const auto look = [&] {
    const auto roles = roles_of(snapshot);
    for (const auto& [name, relation] : snapshot.catalog().relations) {
      if (!snapshot.is_listed_view(relation)) continue;
      const auto why = why_unreadable(relation, roles, snapshot,
                                      {limits.statement_bytes, limits.output_bytes, limits.nesting});
      if (why)
        out.push_back(
            fmt::format("{}.{} is listed, but refused to every reader: {}", name.first, name.second, *why));
    }
  };
  if (auto done = on_deep_stack(look); !done) return done.error();
  return out;
}

}  // namespace pgveil::app
