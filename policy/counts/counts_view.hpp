#pragma once
// Counts in the order that the tree code wants: attributes by number, entries by unit. For policy/ only.
#include <cstdint>
#include <vector>

#include "common/error.hpp"
#include "policy/counts/counts.hpp"

namespace pgveil::policy {

// REQUIRES: the Counts outlive the view. The constructor PGVEIL_ASSERTs what counts.hpp says of them: equal
// lengths, codes in range, distinct texts, distinct attribute numbers.
class CountsView {
 public:
  explicit CountsView(const Counts& counts);

  [[nodiscard]] std::size_t attribute_count() const { return attributes_.size(); }
  [[nodiscard]] const Attribute& attribute(std::size_t a) const { return counts_.attributes[attributes_[a]]; }
  [[nodiscard]] const std::vector<Code>& codes(std::size_t a) const { return counts_.codes[attributes_[a]]; }
  [[nodiscard]] const std::string& text(std::size_t a, Code code) const {
    return attribute(a).values[code - 1];
  }
  [[nodiscard]] std::uint64_t rows(std::uint32_t entry) const { return counts_.rows[entry]; }
  [[nodiscard]] bool has_units() const { return counts_.has_units(); }
  // kNullCode for a NULL unit. REQUIRES: has_units().
  [[nodiscard]] Code unit(std::uint32_t entry) const { return counts_.units[entry]; }
  [[nodiscard]] const std::vector<SensitiveColumn>& sensitive() const { return counts_.sensitive; }
  [[nodiscard]] std::size_t entry_count() const { return counts_.size(); }

  // The entries that occur (rows > 0), those of one unit next to each other, NULL units first.
  [[nodiscard]] const std::vector<std::uint32_t>& entries() const { return entries_; }

 private:
  const Counts& counts_;
  std::vector<std::size_t> attributes_;
  std::vector<std::uint32_t> entries_;
};

// The error for a table of fewer than k units, the only case in which a whole table is refused. build and
// repair use the same words.
[[nodiscard]] Error too_few_units(std::uint64_t k);

}  // namespace pgveil::policy
