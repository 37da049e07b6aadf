#pragma once
// Raw rows of a table, beside the cells that a version of its policy, or a draft of one, shows of them. Only
// for admins whom admin.http.raw_rows lists. Nothing in this file asks for a password or writes to the audit
// log; the API does both before it calls this.
#include <boost/json/object.hpp>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "daemon/state/present.hpp"
#include "web/api/design.hpp"

namespace pgveil::app {

// Fails unless the role is in this list (config.page.raw_rows or .table_jobs). Errors: 42501 if it is not
// listed, or is no admin (any more).
[[nodiscard]] Result<void> check_listed(const Config& config, const std::string& role,
                                        const std::vector<std::string>& listed, std::string_view key);

struct RawLook {
  boost::json::object answer;  // RawRows of docs/openapi.yaml
  std::string table;           // "schema.table", as names are shown
  std::size_t rows = 0;
};
// The answer, once `say` has put the table and the number of rows on record. Errors: that of the look;
// unrecorded().
[[nodiscard]] Result<boost::json::object> told(Result<RawLook> look,
                                               const std::function<bool(const std::string& words)>& say);

// Thread-safe; one look at a time.
class RawRowsView {
 public:
  static constexpr std::size_t kMostRows = 50;

  // The first rows in the order of the primary key. Errors: there is no such policy; it is closed; those of
  // db::read_raw_rows; ErrorKind::limit while another look is taken.
  [[nodiscard]] Result<RawLook> look(const Present& present, const std::string& policy);
  // The first kSampleRows beside what a version that is not applied would show of them. Errors: those of
  // db::read_raw_rows; ErrorKind::limit while another look is taken.
  static constexpr std::size_t kSampleRows = 20;
  [[nodiscard]] Result<RawLook> look_at_draft(const Config& config, const DraftVersion& draft);

 private:
  [[nodiscard]] Result<RawLook> take(const Config& config, const policy::PolicySpec& spec,
                                     const policy::PolicyVersion& version, std::size_t most);
  std::mutex mutex_;
};

}  // namespace pgveil::app
