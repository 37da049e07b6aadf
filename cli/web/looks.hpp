#pragma once
// Tables that are looked at while a job is set up. Few at once: an upload is held whole, and the server reads a table of its own once for each column.
#include <atomic>
#include <cstddef>

#include "common/error.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::cli {

// Of a table that is looked at: columns, and a column's values that are told, all or none.
inline constexpr std::size_t kMostDeskColumns = 500;
inline constexpr std::size_t kMostListedValues = 200;
inline constexpr std::size_t kMostListedBytes = 100;  // of one value

// One look, for as long as this lives. Thread-safe.
class Look {
 public:
  static constexpr int kMost = 2;

  Look() : is_taken_(++looking_ <= kMost) {}
  Look(const Look&) = delete;
  Look& operator=(const Look&) = delete;
  ~Look() { --looking_; }

  // Errors: ErrorKind::limit: as many are taken as can be.
  [[nodiscard]] Result<void> taken() const {
    if (is_taken_) return {};
    return Error{ErrorKind::limit, std::string(sqlstate::kProgramLimitExceeded),
                 "other tables are being looked at", "ask again in a moment"};
  }

 private:
  static inline std::atomic<int> looking_{0};
  const bool is_taken_;
};

}  // namespace pgveil::cli
