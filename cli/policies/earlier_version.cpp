#include "cli/policies/earlier_version.hpp"

#include <fmt/format.h>

#include "cli/policies/versions.hpp"

namespace pgveil::cli {

Result<EarlierVersion> earlier_version(const Config& config,
                                       const std::shared_ptr<const policy::PolicySpec>& spec,
                                       Lineage lineage) {
  const auto versions = Versions::open(config, spec->database);
  if (!versions) return versions.error();
  const auto all = versions->load({spec});
  if (!all) return all.error();
  const auto& stored = all->at(spec->name);
  if (!stored) return EarlierVersion{nullptr, "the version before can't be read"};
  if (!stored->version) return EarlierVersion{nullptr, ""};
  const auto begins = [&](std::string_view why) {
    return EarlierVersion{nullptr, fmt::format("{} since version {}", why, stored->version->number)};
  };
  switch (lineage) {
    case Lineage::begin: return begins("FRESH was asked for");
    case Lineage::go_on: break;
  }
  if (stored->version->spec_hash != spec->hash) return begins("the policy was edited");
  return EarlierVersion{stored->version, ""};
}

}  // namespace pgveil::cli
