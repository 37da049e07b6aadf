#pragma once
// What several admins may change at once, each version of it under a tag: a policy (its text as loaded, its file, its version) and the
// files of policies. Who changes something says which tag he has looked at; the first wins, the second is told what is there now.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "cli/console/running_builds.hpp"
#include "cli/present.hpp"
#include "common/error.hpp"

namespace pgveil::cli {

// PolicyNow of docs/openapi.yaml; its "tag" is another one whenever the policy's text, file or version is. No value, no size of a
// cohort. Errors: there is no such policy.
[[nodiscard]] Result<boost::json::object> policy_now(const Present& present, const RunningBuilds& builds,
                                                     const std::string& policy);

inline constexpr std::size_t kMostDesignBytes = std::size_t{1} << 20;

// [{"name", "tag"}], names relative to the configuration's folder. Errors: a file can't be read.
[[nodiscard]] Result<boost::json::array> design_files(const Config& config);
// {"name", "tag", "yaml"} of one of those. Errors: there is no such file among them; it can't be read.
[[nodiscard]] Result<boost::json::object> design_file(const Config& config, const std::string& name);

// Who builds what: one at a time for each policy. Thread-safe.
class BuildTurns {
 public:
  class Turn {
   public:
    Turn(BuildTurns& turns, std::string policy);
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn();
    [[nodiscard]] bool is_taken() const { return is_taken_; }

   private:
    BuildTurns& turns_;
    const std::string policy_;
    const bool is_taken_;
  };

 private:
  std::mutex mutex_;
  std::set<std::string> policies_;
};

}  // namespace pgveil::cli
