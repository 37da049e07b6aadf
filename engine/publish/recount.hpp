#pragma once
// The last test before anything is published: counts classes from the texts that were written, where they are
// stored now. It knows nothing of hierarchies, codes or what the search found.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/error.hpp"
#include "engine/publish/publication.hpp"

namespace pgveil::engine {

using Cells = std::span<const std::optional<std::string_view>>;

class Recount {
 public:
  // Adds `count` rows that show these quasi-identifiers. shows_more: at least one of them has another cell
  // that is not NULL.
  void add(Cells quasi_identifiers, bool shows_more, std::uint64_t count = 1);

  // Adds the rows that another one counted.
  void add(const Recount& other);

  [[nodiscard]] std::uint64_t rows() const { return rows_; }

  // Errors, kind policy: the number of rows is not `rows`; there are classes of fewer than k rows, unless all
  // their cells are `*` and `suppressed_records` allows that: keep, or keep_or_hide if they show nothing
  // else. Never quotes a value.
  [[nodiscard]] Result<void> check(std::uint64_t k, SuppressedRecords suppressed_records,
                                   std::uint64_t rows) const;

 private:
  struct Class {
    std::uint64_t rows = 0;
    bool is_starred = false;
    bool shows_more = false;
  };
  std::unordered_map<std::string, Class> classes_;
  std::string key_;  // scratch
  std::uint64_t rows_ = 0;
};

}  // namespace pgveil::engine
