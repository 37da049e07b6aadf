#pragma once
// Things that several admins may change at the same time: a policy (its text as loaded, its file, its
// version) and the files of policies. Each state of such a thing has a tag. A change
// carries the tag of the state that its admin has seen. The first change succeeds. The second one fails, and
// its admin is shown the state that is there now.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "common/error.hpp"
#include "daemon/state/present.hpp"
#include "daemon/state/running_builds.hpp"

namespace pgveil::app {

// PolicyNow of docs/openapi.yaml. Its "tag" changes whenever the policy's text, file or version changes. It
// has no value of the data and no size of a cohort. Errors: there is no such policy.
[[nodiscard]] Result<boost::json::object> policy_now(const Present& present, const RunningBuilds& builds,
                                                     const std::string& policy);

// The builds that run: [{"policy", "stage", "done", "share", "seconds_left"}], by policy.
[[nodiscard]] boost::json::array builds_json(const RunningBuilds& builds);

inline constexpr std::size_t kMostDesignBytes = std::size_t{1} << 20;

// Of a file's text.
[[nodiscard]] std::string tag_of(const std::string& text);

// [{"name", "tag"}], names relative to the configuration's folder. Errors: a file can't be read.
[[nodiscard]] Result<boost::json::array> design_files(const Config& config);
// {"name", "tag", "yaml"} of one of those. Errors: there is no such file among them; it can't be read.
[[nodiscard]] Result<boost::json::object> design_file(const Config& config, const std::string& name);

// Lets one build at a time run for each policy that the page builds. Thread-safe.
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

}  // namespace pgveil::app
