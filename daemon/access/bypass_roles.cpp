#include "daemon/access/bypass_roles.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "db/rights/bypass_check.hpp"

namespace pgveil::app {
namespace {

Error unfit(const BypassRole& role, const std::string& what, std::string_view fix) {
  return {ErrorKind::configuration, std::string(sqlstate::kInsufficientPrivilege),
          fmt::format("bypass role \"{}\" {}", role.role, what), std::string(fix)};
}

Result<void> check_policies(const BypassRole& role, const Specs& specs) {
  const auto lists = [&](const std::vector<std::string>& names) {
    return std::ranges::find(names, role.role) != names.end();
  };
  for (const auto& spec : specs) {
    if (lists(spec->readers) || lists(spec->exempt_roles))
      return unfit(role, fmt::format("is a reader of policy {}, or exempt from it", spec->name),
                   "no policy applies to a bypass role: remove it from the policy or from "
                   "bypass_roles");
  }
  return {};
}

Result<void> check_login(const Config& config, const BypassRole& role, const std::string& database) {
  const auto facts = db::check_bypass_login(bypass_endpoint(config, role), database);
  if (!facts)
    return unfit(role, fmt::format("can't be used in database {}: {}", database, one_line(facts.error())),
                 "its backend role must exist, and PostgreSQL must accept this password");
  if (facts->is_superuser)
    log::warning(
        "database " + database,
        fmt::format("the backend role of bypass role {} is a superuser there and can read everything",
                    role.role));
  return {};
}

}  // namespace

Result<void> check_bypass_roles(const Config& config, const Specs& specs) {
  for (const auto& role : config.bypass_roles) {
    if (auto checked = check_policies(role, specs); !checked) return checked;
    const auto& databases = role.databases.empty() ? config.backend.databases : role.databases;
    for (const auto& database : databases) {
      if (auto checked = check_login(config, role, database); !checked) return checked;
    }
  }
  return {};
}

}  // namespace pgveil::app
