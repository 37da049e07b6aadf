#include "cli/masked_copies.hpp"

#include <fmt/format.h>

#include "cli/versions.hpp"
#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "db/masked_copy.hpp"

namespace pgveil::cli {
namespace {

void note(const policy::PolicySpec& spec, const Result<void>& done) {
  if (!done) log::warning("policy " + spec.name, one_line(done.error()));
}

}  // namespace

Result<std::optional<std::string>> copy_reader(const Config& config, const policy::PolicySpec& spec) {
  if (spec.enforcement != policy::Enforcement::copy) return std::optional<std::string>();
  const auto versions = Versions::open(config, spec.database);
  if (!versions) return versions.error();
  if (versions->guard() == rewriter::VersionGuard::present && config.backend.admin_role)
    return std::optional(config.backend.query_role.user);
  return Error{
      ErrorKind::configuration, std::string(sqlstate::kInsufficientPrivilege),
      fmt::format("policy {}: enforcement: copy needs an admin_role and the schema pgveil in database \"{}\"",
                  spec.name, spec.database),
      "run what pgveil setup-sql prints"};
}

Result<policy::PolicyVersion> with_copy_settled(
    const Config& config, const policy::PolicySpec& spec, const policy::PolicyVersion& version,
    const std::function<Result<policy::PolicyVersion>()>& publish) {
  auto published = publish();
  if (!version.copy) return published;
  const auto admin = build_endpoint(config);
  note(spec, published ? db::drop_outdated_copies(admin, spec.database, spec.name, version.copy->name)
                       : db::drop_copy(admin, spec.database, version.copy->name));
  return published;
}

}  // namespace pgveil::cli
