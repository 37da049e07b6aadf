#pragma once
// The current version of a policy beside one that a build would make now, or beside a saved one: what `pgveil policy diff` prints, for the
// page. Quotes data values: for admins. Blocks on PostgreSQL; builds one at a time. Thread-safe.
#include <boost/json/object.hpp>
#include <mutex>
#include <string>

#include "cli/present.hpp"
#include "common/error.hpp"

namespace pgveil::cli {

class WebDifference {
 public:
  static constexpr std::size_t kMostChanges = 5'000;

  // saved: the JSON of a version of this policy, which is taken as the earlier one; empty: a build now, as the later one. Nothing is stored.
  // Errors: unknown_object, the policy is closed, the text is no version of it; those of build_version; ErrorKind::limit while another is built.
  [[nodiscard]] Result<boost::json::object> compare(const Present& present, const std::string& policy,
                                                    const std::string& saved);

 private:
  std::mutex mutex_;
};

}  // namespace pgveil::cli
