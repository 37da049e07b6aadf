#pragma once
// Raw rows of a policy's table, beside the cells that its version shows of them. Only for admins whom
// admin.http.raw_rows lists. Nothing in this file asks for a password or writes to the audit log; the API
// does both before it calls this.
#include <boost/json/object.hpp>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "daemon/state/present.hpp"

namespace pgveil::app {

// Fails unless the role is in this list (config.page.raw_rows or .table_jobs). Errors: 42501 if it is not
// listed, or is no admin (any more).
[[nodiscard]] Result<void> check_listed(const Config& config, const std::string& role,
                                        const std::vector<std::string>& listed, std::string_view key);

// Thread-safe; one look at a time.
class RawRowsView {
 public:
  static constexpr std::size_t kMostRows = 50;

  struct TableLook {
    boost::json::object answer;  // RawRows of docs/openapi.yaml
    std::string table;           // "schema.table", as names are shown
    std::size_t rows = 0;
  };
  // The first rows in the order of the primary key. Errors: there is no such policy; it is closed; those of
  // db::read_raw_rows; ErrorKind::limit while another look is taken.
  [[nodiscard]] Result<TableLook> look(const Present& present, const std::string& policy);

 private:
  std::mutex mutex_;
};

}  // namespace pgveil::app
