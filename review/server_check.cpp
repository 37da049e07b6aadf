#include "review/server_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "rewriter/lists/functions.hpp"
#include "rewriter/lists/supported_server.hpp"
#include "rewriter/lists/system_catalogs.hpp"

namespace pgveil::review {
namespace {

// The functions that masks and guards use, in addition to operators and casts (mask_bitmap.cpp,
// mask_column.cpp, mask_level.cpp, mask_row.cpp, shape_guard.cpp, resolve_function.cpp).
constexpr auto kUsedByPgveil = std::to_array<std::string_view>(
    {"array_position", "clock_timestamp", "concat", "left", "pg_identify_object_as_address",
     "pg_relation_filenode", "position", "rtrim", "statement_timestamp", "trim_scale"});

bool is_used_by_pgveil(const rewriter::PinnedFunction& function) {
  return std::ranges::find(kUsedByPgveil, function.name) != kUsedByPgveil.end();
}

bool is_machinery(const rewriter::PinnedFunction& function) {
  return function.is_machinery || is_used_by_pgveil(function);
}

class Check {
 public:
  explicit Check(const ServerFacts& facts)
      : facts_(facts), major_(rewriter::major_of(facts.server_version)) {}

  ServerVerdict run() {
    functions();
    quoting_columns();
    for (const auto& object : facts_.added) added(object);
    for (const auto& cast : facts_.casts) user_cast(cast);
    return std::move(verdict_);
  }

 private:
  void add(FindingKind kind, Severity severity, std::string object, std::string what, std::string mend) {
    verdict_.findings.push_back({kind, severity, std::move(object), std::move(what), std::move(mend)});
  }

  // How the running server's function differs from the pinned one; empty: it does not.
  static std::string difference(const rewriter::PinnedFunction& pinned, const ServerFunction* found) {
    if (found == nullptr) return "does not exist here";
    if (found->definition != pinned.definition) return "was replaced or got another overload in pg_catalog";
    if (pinned.is_pure && !found->is_pure) return "may not be executed by everybody";
    return {};
  }

  void functions() {
    std::map<std::string_view, const ServerFunction*> by_name;
    for (const auto& function : facts_.functions) by_name.emplace(function.name, &function);
    for (const auto& pinned : rewriter::pinned_functions(major_)) {
      const auto at = by_name.find(pinned.name);
      const auto because = difference(pinned, at == by_name.end() ? nullptr : at->second);
      if (because.empty()) continue;
      const std::string name = fmt::format("pg_catalog.{}", pinned.name);
      const bool is_other = at == by_name.end() || at->second->definition != pinned.definition;
      if (is_other && is_machinery(pinned)) {
        add(FindingKind::server_machinery, Severity::error, "",
            fmt::format("function {} {}, and masks may work through it", name, because),
            fmt::format("put PostgreSQL {}'s own function back", major_));
      } else if (is_used_by_pgveil(pinned)) {
        add(FindingKind::server_machinery, Severity::error, "",
            fmt::format("function {} {}, and masks call it", name, because),
            fmt::format("GRANT EXECUTE ON FUNCTION {} TO PUBLIC, with the types of its arguments", name));
      }
      if (rewriter::function_rule(pinned.name, major_) == rewriter::FunctionRule::refused) continue;
      verdict_.dropped_functions.emplace(pinned.name);
      add(FindingKind::function_dropped, Severity::warning, "", fmt::format("function {} {}", name, because),
          "calls of it are refused until it is PostgreSQL's own again");
    }
  }

  void quoting_columns() {
    for (const auto& column : facts_.quoting_columns) {
      const auto* catalog = rewriter::find_system_catalog(column.schema, column.relation);
      if (catalog == nullptr) continue;  // clients cannot read it at all
      // Of pg_index the rows that quote are left out.
      const bool is_hidden =
          rewriter::column_rule(*catalog, column.column) == rewriter::CatalogColumnRule::null ||
          catalog->own.rows == rewriter::OwnRows::index;
      if (is_hidden) continue;
      add(FindingKind::quoting_column, Severity::error, "",
          fmt::format(
              "{}.{}.{} is of type {}, which quotes data, and pgveil's list of catalogs does not hide it",
              column.schema, column.relation, column.column, column.type),
          "the catalogs are not those of PostgreSQL's own initdb: undo the change, or use another server");
    }
  }

  void added(const std::string& object) {
    add(FindingKind::added_builtin, Severity::error, object,
        fmt::format("{} is in pg_catalog, but is not PostgreSQL's", object),
        "move it to another schema, or acknowledge it");
  }

  void user_cast(const UserCast& cast) {
    if (!cast.is_implicit && !cast.is_target_builtin) {
      add(FindingKind::user_cast, Severity::note, cast.object,
          fmt::format("{} runs a user-defined function", cast.object), "clients can't name its target type");
      return;
    }
    add(FindingKind::user_cast, Severity::error, cast.object,
        fmt::format("{} runs a user-defined function{}", cast.object,
                    cast.is_implicit ? " without being asked" : " on a type that clients may name"),
        "drop the cast, or acknowledge it when the function reads nothing");
  }

  const ServerFacts& facts_;
  int major_;
  ServerVerdict verdict_;
};

}  // namespace

ServerVerdict check_server(const ServerFacts& facts) {
  return Check(facts).run();
}

}  // namespace pgveil::review
