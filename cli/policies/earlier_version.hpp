#pragma once
// Which version a build goes on from (policy/lineage.hpp), and why it goes on from none.
#include <memory>
#include <string>

#include "cli/config/config.hpp"
#include "policy/spec.hpp"
#include "policy/version.hpp"

namespace pgveil::cli {

enum class Lineage { go_on, begin };  // begin: the tree is grown anew, whatever was shown before

struct EarlierVersion {
  std::shared_ptr<const policy::PolicyVersion> version;  // null: a new lineage begins
  std::string why;                                       // empty when there is no version at all
};

// The policy's stored version, withdrawn or not, if it was built from the same text. Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<EarlierVersion> earlier_version(const Config& config,
                                                     const std::shared_ptr<const policy::PolicySpec>& spec,
                                                     Lineage lineage);

}  // namespace pgveil::cli
