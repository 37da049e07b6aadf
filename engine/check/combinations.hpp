#pragma once
// How many combinations of values the published records of a table could have had: for each record the
// product, over the attributes, of the number of hierarchy rows that the shown value stands for; summed over
// records. For the metric ambiguity. Each check has one.
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "engine/check/prepared_table.hpp"
#include "engine/lattice/transformation.hpp"

namespace pgveil::engine {

class Combinations {
 public:
  // `table` must outlive this object. A dropped attribute counts once.
  Combinations(const PreparedTable& table, const Transformation& at);

  // Adds records that look like this one. Ignored if they are not in the subset that is published.
  void add(std::uint32_t row, std::uint64_t records);
  // Marks some of the added published records like this one as suppressed: they could have all combinations.
  void suppress(std::uint32_t row, std::uint64_t records);

  [[nodiscard]] double of_classes() const;  // as if nothing were suppressed
  [[nodiscard]] double shown() const;

 private:
  // Exact below 2^126, if all records together cannot have more. Otherwise the terms are sorted before they
  // are added up.
  __extension__ using Exact = __int128;
  struct Sum {
    Exact exact = 0;
    std::vector<double> terms;
  };
  void add_to(Sum& sum, std::uint32_t row, std::int64_t records) const;
  [[nodiscard]] std::uint64_t factor(std::size_t attribute, std::uint32_t row) const;
  [[nodiscard]] double total(std::initializer_list<const Sum*> sums, std::uint64_t suppressed) const;

  const PreparedTable& table_;
  Transformation at_;
  bool is_exact_;
  Sum classes_, suppressed_;  // the second is negative
  std::uint64_t suppressed_records_ = 0;
};

}  // namespace pgveil::engine
