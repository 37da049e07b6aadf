#include "cli/policies/masked_copies.hpp"

#include "common/log.hpp"
#include "db/masked_copy.hpp"

namespace pgveil::cli {
namespace {

void note(const policy::PolicySpec& spec, const Result<void>& done) {
  if (!done) log::warning("policy " + spec.name, one_line(done.error()));
}

}  // namespace

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
