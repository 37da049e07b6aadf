#pragma once
// What would happen if a file of policies had this text: what keeps it from being loaded or built, which
// rights are missing, and what would be shown more than by the file as it is. Nothing is changed.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "daemon/state/present.hpp"
#include "db/rights/missing_rights.hpp"
#include "policy/spec/spec.hpp"

namespace pgveil::app {

// The name of the file in positions of errors.
inline constexpr std::string_view kProposedName = "policies.yaml";

struct ProposedFile {
  std::vector<policy::PolicySpec> policies;  // of the text; empty if it can't be read
  std::vector<policy::PolicySpec> former;    // of the file as it is; empty if there is none
  std::vector<Error> errors;                 // with one of them it must not be written
  std::vector<std::string> warnings;
  struct Missing {
    std::string database;
    db::MissingRight right;
  };
  std::vector<Missing> missing;         // what only the owner of the tables can mend
  std::vector<std::string> removed;     // names of policies that only the former text has
  std::vector<std::string> shows_more;  // what readers would be shown in addition, in words
};

// path: absolute, of the file, which need not exist. former: its text now. Files that the policies name are
// read from the file's own folder only. Errors: those of the other files of the configuration;
// ErrorKind::connection, ::server.
[[nodiscard]] Result<ProposedFile> examine_proposed(const Present& present, const std::string& path,
                                                    std::string_view yaml,
                                                    const std::optional<std::string>& former);

// What `after` shows in addition to `before`. Pure.
[[nodiscard]] std::vector<std::string> shown_in_addition(const std::vector<policy::PolicySpec>& before,
                                                         const std::vector<policy::PolicySpec>& after);

}  // namespace pgveil::app
