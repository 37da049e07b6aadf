#pragma once
// Limits for looking at tables while a job is set up. Few may be looked at at the same time: an upload is
// held in memory as a whole, and a table of a database is read once for each column.
#include <atomic>
#include <cstddef>

#include "common/error.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::app {

// How many columns are told of a table. All values of a column are told, or none if there are more or longer
// ones than this.
inline constexpr std::size_t kMostPageJobColumns = 500;
inline constexpr std::size_t kMostListedValues = 200;
inline constexpr std::size_t kMostListedBytes = 100;  // of one value

// Stands for one look as long as it lives. Thread-safe.
class TableLook {
 public:
  static constexpr int kMost = 2;

  TableLook() : is_taken_(++looking_ <= kMost) {}
  TableLook(const TableLook&) = delete;
  TableLook& operator=(const TableLook&) = delete;
  ~TableLook() { --looking_; }

  // Errors: ErrorKind::limit: as many looks as are allowed are already taken.
  [[nodiscard]] Result<void> taken() const {
    if (is_taken_) return {};
    return Error{ErrorKind::limit, std::string(sqlstate::kProgramLimitExceeded),
                 "other tables are being looked at", "ask again in a moment"};
  }

 private:
  static inline std::atomic<int> looking_{0};
  const bool is_taken_;
};

}  // namespace pgveil::app
