#pragma once
// Decides which version a build continues (policy/release/lineage.hpp), or says why it continues none.
#include <memory>
#include <string>

#include "db/versions/version_table.hpp"
#include "policy/spec/spec.hpp"
#include "policy/version/version.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

enum class Lineage { go_on, begin };  // begin: a new tree, independent of what was shown before

struct EarlierVersion {
  std::shared_ptr<const policy::PolicyVersion> version;  // null: a new lineage begins
  std::string why;                                       // empty when there is no version at all
  db::VersionMark mark;                                  // what was stored when it was read
};

// The policy's stored version, withdrawn or not, if it was built from the same text of the policy. Errors:
// ErrorKind::connection, ::server.
[[nodiscard]] Result<EarlierVersion> earlier_version(const Config& config,
                                                     const std::shared_ptr<const policy::PolicySpec>& spec,
                                                     Lineage lineage);

}  // namespace pgveil::app
