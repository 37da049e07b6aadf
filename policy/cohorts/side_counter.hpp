#pragma once
// Decides whether both sides of a split keep the constraints on sensitive columns. It keeps the frequencies
// of sensitive values while entries leave a partition, beside the units of slot_counter.hpp. It serves mode
// refine; constraint_check.hpp serves mode verify.
#include <cstdint>
#include <span>
#include <vector>

#include "common/error.hpp"
#include "policy/counts/counts_view.hpp"
#include "policy/spec/constraint.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::policy {

class SideCounter {
 public:
  // REQUIRES: counts and rules outlive it; rules name columns of counts.sensitive.
  SideCounter(const CountsView& counts, const SideRules& rules);

  [[nodiscard]] bool has_rules() const { return !rules_.empty(); }
  // Whether a split that a rule forbids stays forbidden while the partition shrinks.
  [[nodiscard]] bool stays_forbidden() const { return stays_forbidden_; }

  // Starts with the entries of a partition. REQUIRES: entries of one unit are next to each other.
  void start(std::span<const std::uint32_t> entries);
  // Whether both sides keep the rules if these local entries are split off. Local entries are indices into
  // what start got; all of them must still be there.
  [[nodiscard]] bool allows(std::span<const std::uint32_t> yes);
  void remove(std::size_t i);
  // Whether the partition as it is now keeps all rules. Errors name the first rule that it breaks.
  [[nodiscard]] Result<void> check() const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // One (unit, value), or one entry if each row is a unit.
  struct Pair {
    Code code = kNullCode;
    std::uint64_t weight = 0;  // 1, or the rows of the entry
    std::uint32_t alive = 0;   // entries left
    std::uint32_t taken = 0;   // of those, the entries on the side that is tried
  };
  struct Column {
    bool is_used = false;
    std::size_t number = 0;  // in counts.sensitive
    std::vector<std::uint64_t> in_table;
    std::vector<std::uint64_t> left;
    std::vector<std::uint64_t> yes;
    std::vector<std::uint64_t> no;
    std::vector<std::uint32_t> pair_of;  // per local entry; kNone: no value, or no unit
    std::vector<Pair> pairs;
    std::vector<std::uint32_t> last_pair;  // per value, while numbering
  };

  void number_pairs(Column& column, std::span<const std::uint32_t> entries) const;
  static void divide(Column& column, std::span<const std::uint32_t> yes);
  [[nodiscard]] const Column& column_of(const SideRule& rule) const { return columns_[rule.column]; }

  const CountsView& counts_;
  const SideRules& rules_;
  bool stays_forbidden_ = true;
  std::vector<Column> columns_;  // as counts.sensitive; those that no rule names are not used
};

// The table as a whole must keep the rules too. Errors: ErrorKind::policy; the hint says what was found.
[[nodiscard]] Result<void> check_root(const CountsView& counts, const SideRules& rules);

}  // namespace pgveil::policy
