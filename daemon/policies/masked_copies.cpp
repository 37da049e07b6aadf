#include "daemon/policies/masked_copies.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/log.hpp"

namespace pgveil::app {
namespace {

void note(const policy::PolicySpec& spec, const Result<void>& done) {
  if (!done) log::warning("policy " + spec.name, one_line(done.error()));
}

// Whether the policy may have copies. Its version may be closed or not built yet. Then the copies are those
// of the previous version, which nobody is shown.
bool has_copies(const Specs& specs, const std::string& database, const std::string& policy) {
  return std::ranges::any_of(specs, [&](const auto& spec) {
    return spec->name == policy && spec->database == database &&
           spec->enforcement == policy::Enforcement::copy;
  });
}

}  // namespace

void drop_outdated(const Config& config, const policy::PolicySpec& spec,
                   const policy::PolicyVersion& version) {
  if (!version.copy) return;
  note(spec, db::drop_outdated_copies(build_endpoint(config), spec.database, spec.name, version.copy->name));
}

void drop_unpublished(const Config& config, const policy::PolicySpec& spec,
                      const policy::PolicyVersion& version) {
  if (!version.copy) return;
  note(spec, db::drop_copy(build_endpoint(config), spec.database, version.copy->name));
}

Result<std::vector<db::MaskedCopy>> stray_copies(const Config& config, const Specs& specs,
                                                 const std::string& database) {
  if (!config.backend.admin_role) return std::vector<db::MaskedCopy>();
  auto copies = db::masked_copies(build_endpoint(config), database);
  if (copies)
    std::erase_if(*copies, [&](const auto& copy) { return has_copies(specs, database, copy.policy); });
  return copies;
}

void retire_stray_copies(const Config& config, const Specs& specs, const std::string& database) {
  const std::string topic = "database " + database;
  const auto strays = stray_copies(config, specs, database);
  if (!strays) return log::warning(topic, one_line(strays.error()));
  for (const auto& copy : *strays) {
    const auto done =
        db::retire_copy(build_endpoint(config), database, copy.name, config.backend.query_role.user);
    if (done) {
      log::info(topic,
                fmt::format("dropping a masked copy of policy {}, because the policy no longer uses copies",
                            copy.policy));
    } else {
      log::warning(topic, one_line(done.error()));
    }
  }
}

Result<bool> is_copy_as_built(const Config& config, const policy::PolicySpec& spec,
                              const policy::PolicyVersion& version) {
  if (!version.copy) return true;
  return db::has_rows_of_its_build(build_endpoint(config), spec.database, version.copy->name,
                                   version.disclosure.rows);
}

}  // namespace pgveil::app
