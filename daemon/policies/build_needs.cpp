#include "daemon/policies/build_needs.hpp"

#include <fmt/format.h>

#include "common/sqlstate.hpp"
#include "daemon/policies/versions.hpp"

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

}  // namespace

Result<BuildNeeds> build_needs(const Config& config, const policy::PolicySpec& spec) {
  switch (spec.enforcement) {
    case policy::Enforcement::query: break;
    case policy::Enforcement::stored:
      if (auto has = need_schema(config, spec, "stored"); !has) return has.error();
      return BuildNeeds{std::nullopt, true};
    case policy::Enforcement::copy:
      if (auto has = need_schema(config, spec, "copy"); !has) return has.error();
      return BuildNeeds{config.backend.query_role.user, false};
  }
  return BuildNeeds{};
}

}  // namespace pgveil::app
