#pragma once
// How many records of a class a random sample publishes on average: of n records each is taken with the
// probability β, and those that were taken are published if there are k or more. With B(m) binomial,
//
//   E[X · 1(X ≥ k)] = n · β · P(B(n − 1) ≥ k − 1),  X = B(n)
//
// It is rounded to n · g(n) units, where g never falls. So what two classes give never exceeds what they give
// together. All of this follows from β and k, and from no data.
#include <cstdint>
#include <vector>

namespace pgveil::engine {

class ExpectedRecords {
 public:
  static constexpr std::uint64_t kUnit = std::uint64_t{1} << 12;  // units of one record

  // REQUIRES: 0 < rate < 1; k ≥ 1.
  ExpectedRecords(double rate, std::uint64_t k);

  // Of a class of so many records, in units. REQUIRES: records < 2^32.
  [[nodiscard]] std::uint64_t of_class(std::uint64_t records) const {
    return records * (records < shares_.size() ? shares_[records] : shares_.back());
  }
  // The most that one record more adds to a class. Nothing is ever lost by it.
  [[nodiscard]] std::uint64_t most_of_a_record() const { return most_; }

 private:
  std::vector<std::uint64_t> shares_;  // [records]: g; the last one is that of all larger classes
  std::uint64_t most_ = 0;
};

}  // namespace pgveil::engine
