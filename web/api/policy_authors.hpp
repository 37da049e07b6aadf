#pragma once
// Applies files of policies for the admins whom admin.http.policy_authors lists: checks the text, writes the
// file, and has the configuration reloaded. What was there before is kept below state_dir, so that it can be
// restored. Nothing in this file asks for a password; the API does before it calls apply() and undo().
#include <boost/json/object.hpp>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "common/error.hpp"
#include "console/console.hpp"
#include "daemon/state/serving_state.hpp"

namespace pgveil::app {

// A text for a file, and the state of the file that its author has seen: its tag, or nullopt for no file.
struct FileChange {
  std::string file;  // as design_files() names it, or a new one (settings/policy_folder.hpp)
  std::string yaml;
  std::optional<std::string> seen;
};

// Thread-safe; one change at a time.
class PolicyAuthors {
 public:
  PolicyAuthors(ServingState& serving, console::Console& console) : serving_(serving), console_(console) {}

  struct Outcome {
    unsigned status = 200;
    boost::json::object body;  // of docs/openapi.yaml
    std::string sqlstate;      // for the record; empty: it is done
  };
  // Puts names and hashes on record before something is changed. False: it can't, and nothing is changed.
  using Say = std::function<bool(const std::string& words)>;

  // What apply() would refuse or warn of. Changes nothing.
  [[nodiscard]] Outcome check(const FileChange& change);
  // On failure nothing has changed, or the former file was put back (`restored`).
  [[nodiscard]] Outcome apply(const std::string& role, const FileChange& change, const Say& say);
  // Restores what apply() replaced, if the file still is what was applied. Works once.
  [[nodiscard]] Outcome undo(const std::string& role, const std::string& id, const Say& say);

 private:
  ServingState& serving_;
  console::Console& console_;
  std::mutex mutex_;
};

}  // namespace pgveil::app
