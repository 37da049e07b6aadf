#pragma once
// Raw rows of a policy's table beside what its version shows of them: for admins whom admin.http.raw_rows lists. Nothing here asks for
// a password or puts something on record; the API does, before it asks.
#include <boost/json/object.hpp>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "cli/present.hpp"
#include "common/error.hpp"

namespace pgveil::cli {

// Of config.page.raw_rows or .table_jobs. Errors: 42501 for who is not listed, or is no admin (any more).
[[nodiscard]] Result<void> check_listed(const Config& config, const std::string& role,
                                        const std::vector<std::string>& listed, std::string_view key);

// Thread-safe; one look at a time.
class WebRaw {
 public:
  static constexpr std::size_t kMostRows = 50;

  struct Look {
    boost::json::object answer;  // RawRows of docs/openapi.yaml
    std::string table;           // "schema.table", as names are shown
    std::size_t rows = 0;
  };
  // The first rows by the primary key. Errors: no such policy; it is closed; those of db::read_raw_rows; ErrorKind::limit while
  // another look is taken.
  [[nodiscard]] Result<Look> look(const Present& present, const std::string& policy);

 private:
  std::mutex mutex_;
};

}  // namespace pgveil::cli
