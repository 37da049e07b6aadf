#pragma once
// Whole numbers under linear conditions, of which some are alternatives. This is the one door to the library
// that decides whether such conditions can hold (attack/solver_z3.cpp). A build without the library has no
// solver (attack/solver_absent.cpp). Work is limited in the library's own units and never by time, so the
// same questions have the same answers on each machine that has the same release of the library.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace pgveil::attack {

using Unknown = std::size_t;

// The sum of factor × unknown, and a constant.
struct Sum {
  std::vector<std::pair<std::int64_t, Unknown>> terms;
  std::int64_t constant = 0;

  Sum& add(std::int64_t factor, const Sum& other);
};
[[nodiscard]] Sum number(std::int64_t constant);
[[nodiscard]] Sum operator+(Sum left, const Sum& right);
[[nodiscard]] Sum operator-(Sum left, const Sum& right);
[[nodiscard]] Sum operator*(std::int64_t factor, const Sum& sum);

// At least one of the sums is 0 or more. No sum at all: this cannot be.
using AnyOf = std::vector<Sum>;

enum class Verdict {
  possible,
  impossible,
  unknown  // the limit was reached
};

class Solver {
 public:
  virtual ~Solver() = default;
  // A new unknown, from `least` to `most`.
  [[nodiscard]] virtual Unknown unknown(std::int64_t least, std::int64_t most) = 0;
  virtual void require(const AnyOf& any_of) = 0;
  // Whether all that was required can hold, together with `also`. limit: the most units of work.
  [[nodiscard]] virtual Verdict check(const AnyOf& also, std::uint32_t limit) = 0;
  // The sum in the example that the last check found. REQUIRES: its verdict was `possible`.
  [[nodiscard]] virtual std::int64_t example(const Sum& sum) const = 0;
};

// Null: this build has no solver.
[[nodiscard]] std::unique_ptr<Solver> make_solver();

}  // namespace pgveil::attack
