#pragma once
// Compares the current version of a policy with the version that a build would make now, or with a saved one.
// It is what `pgveil policy diff` prints, for the page. Quotes data values, so it is for admins. Blocks on
// PostgreSQL; one build at a time. Thread-safe.
#include <boost/json/object.hpp>
#include <mutex>
#include <string>

#include "common/error.hpp"
#include "daemon/state/present.hpp"

namespace pgveil::app {

class WebDifference {
 public:
  static constexpr std::size_t kMostChanges = 5'000;

  // saved: the JSON of a version of this policy, which is taken as the earlier one. Empty: a build is made
  // now and taken as the later one. Nothing is stored. Errors: unknown_object; the policy is closed; the text
  // is no version of it; those of build_version; ErrorKind::limit while another build is made.
  [[nodiscard]] Result<boost::json::object> compare(const Present& present, const std::string& policy,
                                                    const std::string& saved);

 private:
  std::mutex mutex_;
};

}  // namespace pgveil::app
