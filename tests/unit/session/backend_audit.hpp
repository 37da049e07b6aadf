#pragma once
// Watches what a session sends to the server and says whether all of it may be sent: the text of every Query
// and Parse was made by the gate or is the refusal text, and no message is of a kind that is never open.
#include <set>
#include <string>
#include <string_view>

namespace pgveil::session::testing {

class BackendAudit {
 public:
  // made outlives the audit and may grow.
  explicit BackendAudit(const std::set<std::string>& made) : made_(made) {}

  // False when these bytes, after all before them, must not have been sent. Bytes come in whole frames.
  [[nodiscard]] bool accepts(std::string_view to_backend);

 private:
  const std::set<std::string>& made_;
  bool is_started_ = false;
};

}  // namespace pgveil::session::testing
