#include "daemon/policies/build_needs.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "common/sqlstate.hpp"
#include "daemon/policies/examination.hpp"
#include "daemon/policies/versions.hpp"
#include "daemon/statements/deep_stack.hpp"
#include "rewriter/compile/source_query.hpp"

namespace pgveil::app {
namespace {

// Builds with this enforcement write into the schema pgveil.
Result<void> need_schema(const Config& config, const policy::PolicySpec& spec, std::string_view enforcement) {
  const auto versions = Versions::open(config, spec.database);
  if (!versions) return versions.error();
  if (versions->guard() == rewriter::VersionGuard::present && config.backend.admin_role) return {};
  return Error{
      ErrorKind::configuration, std::string(sqlstate::kInsufficientPrivilege),
      fmt::format("policy {}: enforcement: {} needs an admin_role and the schema pgveil in database \"{}\"",
                  spec.name, enforcement, spec.database),
      "run what pgveil setup-sql prints"};
}

Result<BuildNeeds> copy_needs(const Config& config, const policy::PolicySpec& spec) {
  BuildNeeds needs;
  needs.copy_reader = config.backend.query_role.user;
  if (!spec.source) return needs;
  const auto examined = examine(config, {std::make_shared<const policy::PolicySpec>(spec)}, spec.database);
  if (!examined) return examined.error();
  std::optional<Result<rewriter::SourceQuery>> query;
  const auto done = on_deep_stack([&] { query = rewriter::source_query(spec, examined->catalog); });
  if (!done) return done.error();
  if (!*query) return query->error();
  needs.select = std::move((*query)->sql);
  needs.reads = std::move((*query)->tables);
  return needs;
}

}  // namespace

Result<BuildNeeds> build_needs(const Config& config, const policy::PolicySpec& spec) {
  switch (spec.enforcement) {
    case policy::Enforcement::query: break;
    case policy::Enforcement::stored:
      if (auto has = need_schema(config, spec, "stored"); !has) return has.error();
      return BuildNeeds{
          .select = std::nullopt, .reads = {}, .copy_reader = std::nullopt, .asks_stored = true};
    case policy::Enforcement::copy:
      if (auto has = need_schema(config, spec, "copy"); !has) return has.error();
      return copy_needs(config, spec);
  }
  return BuildNeeds{};
}

}  // namespace pgveil::app
