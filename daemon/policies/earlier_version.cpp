#include "daemon/policies/earlier_version.hpp"

#include <fmt/format.h>

#include "daemon/policies/versions.hpp"

namespace pgveil::app {

Result<EarlierVersion> earlier_version(const Config& config,
                                       const std::shared_ptr<const policy::PolicySpec>& spec,
                                       Lineage lineage) {
  const auto versions = Versions::open(config, spec->database);
  if (!versions) return versions.error();
  const auto all = versions->load({spec});
  if (!all) return all.error();
  const auto& stored = all->versions.at(spec->name);
  const auto& mark = all->marks.at(spec->name);
  if (!stored) return EarlierVersion{nullptr, "the version before can't be read", mark};
  if (!stored->version) return EarlierVersion{nullptr, "", mark};
  const auto begins = [&](std::string_view why) {
    return EarlierVersion{nullptr, fmt::format("{} since version {}", why, stored->version->number), mark};
  };
  switch (lineage) {
    case Lineage::begin: return begins("FRESH was asked for");
    case Lineage::go_on: break;
  }
  if (!policy::is_built_from(*stored->version, *spec)) return begins("the policy was edited");
  return EarlierVersion{stored->version, "", mark};
}

}  // namespace pgveil::app
