#include "policy/utility/answer_error.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "common/assert.hpp"
#include "policy/tree/chains.hpp"
#include "policy/tree/released_together.hpp"
#include "policy/tree/routing.hpp"

namespace pgveil::policy {

namespace {

constexpr std::uint32_t kNoGroup = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMillion = 1'000'000;
constexpr std::size_t kLargest = 10;

// Numbers keys below `bound` from 0, in the order in which they come.
class KeyNumbers {
 public:
  KeyNumbers(std::uint64_t bound, std::size_t key_count) {
    if (bound <= 4 * key_count + 1024) dense_.assign(bound, kNoGroup);
  }
  std::uint32_t number(std::uint64_t key) {
    std::uint32_t& known = dense_.empty() ? sparse_.try_emplace(key, kNoGroup).first->second : dense_[key];
    if (known == kNoGroup) known = count_++;
    return known;
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }

 private:
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::uint64_t, std::uint32_t> sparse_;
  std::uint32_t count_ = 0;
};

std::uint64_t error_ppm(std::uint64_t rows, std::uint64_t rows_shown) {
  return ((rows - rows_shown) * kMillion + rows / 2) / rows;
}

std::uint64_t mean_of(std::uint64_t sum, std::uint64_t count) {
  return (sum + count / 2) / count;
}

}  // namespace

AnswerMeter::AnswerMeter(const CountsView& counts, std::span<const std::vector<std::uint32_t>> questions)
    : counts_(counts) {
  for (const std::vector<std::uint32_t>& question : questions) questions_.push_back(find_groups(question));
}

// Column after column: the groups so far and the next column's codes make the next groups.
AnswerMeter::Groups AnswerMeter::find_groups(const std::vector<std::uint32_t>& question) const {
  PGVEIL_ASSERT(!question.empty());
  const std::vector<std::uint32_t>& entries = counts_.entries();
  Groups groups{question, 0, std::vector<std::uint32_t>(entries.size(), 0), {}, {}};
  std::uint32_t group_count = 1;
  for (const std::uint32_t a : question) {
    PGVEIL_ASSERT(a < counts_.attribute_count() && (groups.mask >> a & 1) == 0);
    groups.mask |= std::uint64_t{1} << a;
    const std::vector<Code>& codes = counts_.codes(a);
    const std::uint64_t code_count = counts_.attribute(a).values.size() + 1;
    KeyNumbers numbers(group_count * code_count, entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      std::uint32_t& group = groups.group_of[i];
      const Code code = codes[entries[i]];
      if (group == kNoGroup) continue;
      group = code == kNullCode ? kNoGroup : numbers.number(group * code_count + code);
    }
    group_count = numbers.count();
  }
  groups.sample.resize(group_count);
  groups.rows.assign(group_count, 0);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (groups.group_of[i] == kNoGroup) continue;
    groups.sample[groups.group_of[i]] = entries[i];
    groups.rows[groups.group_of[i]] += counts_.rows(entries[i]);
  }
  return groups;
}

std::vector<std::uint64_t> AnswerMeter::rows_shown(const Groups& groups,
                                                   std::span<const std::uint64_t> shown) const {
  std::vector<std::uint64_t> rows(groups.rows.size(), 0);
  const std::vector<std::uint32_t>& entries = counts_.entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (groups.group_of[i] == kNoGroup || (shown[entries[i]] & groups.mask) != groups.mask) continue;
    rows[groups.group_of[i]] += counts_.rows(entries[i]);
  }
  return rows;
}

std::uint64_t AnswerMeter::mean_error_ppm(std::size_t question, std::span<const std::uint64_t> shown) const {
  const Groups& groups = questions_[question];
  if (groups.rows.empty()) return 0;
  const auto visible = rows_shown(groups, shown);
  std::uint64_t sum = 0;
  for (std::size_t g = 0; g < visible.size(); ++g) sum += error_ppm(groups.rows[g], visible[g]);
  return mean_of(sum, visible.size());
}

AnswerError AnswerMeter::measure(std::size_t question, std::span<const std::uint64_t> shown) const {
  const Groups& groups = questions_[question];
  AnswerError error;
  error.attributes = groups.attributes;
  error.groups = groups.rows.size();
  if (groups.rows.empty()) return error;
  const auto visible = rows_shown(groups, shown);
  std::vector<std::uint64_t> errors;
  for (std::size_t g = 0; g < visible.size(); ++g) {
    error.rows += groups.rows[g];
    error.rows_shown += visible[g];
    error.groups_shown += visible[g] > 0 ? 1 : 0;
    errors.push_back(error_ppm(groups.rows[g], visible[g]));
  }
  error.mean_error_ppm =
      mean_of(std::accumulate(errors.begin(), errors.end(), std::uint64_t{0}), errors.size());
  const auto rank = static_cast<std::ptrdiff_t>((errors.size() * 95 + 99) / 100 - 1);
  std::ranges::nth_element(errors, errors.begin() + rank);
  error.p95_error_ppm = errors[static_cast<std::size_t>(rank)];
  const auto truly = largest(groups, groups.rows);
  const auto in_answer = largest(groups, visible);
  error.top_groups = truly.size();
  for (const std::uint32_t group : truly)
    error.top_kept += std::ranges::find(in_answer, group) != in_answer.end() ? 1 : 0;
  return error;
}

// Groups that an answer does not have are none of its largest.
std::vector<std::uint32_t> AnswerMeter::largest(const Groups& groups,
                                                const std::vector<std::uint64_t>& rows) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t g = 0; g < rows.size(); ++g) {
    if (rows[g] > 0) found.push_back(g);
  }
  const auto count = static_cast<std::ptrdiff_t>(std::min(kLargest, found.size()));
  std::ranges::partial_sort(found, found.begin() + count, [&](std::uint32_t a, std::uint32_t b) {
    return rows[a] != rows[b] ? rows[a] > rows[b] : comes_before(groups, a, b);
  });
  found.resize(static_cast<std::size_t>(count));
  return found;
}

bool AnswerMeter::comes_before(const Groups& groups, std::uint32_t a, std::uint32_t b) const {
  for (const std::uint32_t attribute : groups.attributes) {
    const std::vector<Code>& codes = counts_.codes(attribute);
    const Code x = codes[groups.sample[a]];
    const Code y = codes[groups.sample[b]];
    if (x != y) return counts_.text(attribute, x) < counts_.text(attribute, y);
  }
  return false;
}

std::vector<std::uint64_t> shown_by_entry(const DisclosureTree& tree, const CountsView& counts,
                                          std::span<const NodeIndex> path_ends) {
  const Chains chains = chains_of(tree);
  auto released = released_on_path(tree);
  for (NodeIndex node = 0; node < tree.nodes.size(); ++node) {
    if (tree.nodes[node].falls_back)
      released[node] = released[chains.cohort_at_end(tree, chains.chain_of[node])];
  }
  std::vector<std::uint64_t> shown(counts.entry_count(), 0);
  for (const std::uint32_t entry : counts.entries()) shown[entry] = released[path_ends[entry]];
  return shown;
}

std::vector<std::uint64_t> shown_by_entry(const DisclosureTree& tree, const CountsView& counts) {
  return shown_by_entry(tree, counts, path_ends_of(tree, chains_of(tree), counts));
}

std::vector<AnswerError> answer_errors(const DisclosureTree& tree, const Counts& counts,
                                       std::span<const std::vector<std::uint32_t>> questions) {
  const CountsView view(counts);
  const AnswerMeter meter(view, questions);
  const auto shown = shown_by_entry(tree, view);
  std::vector<AnswerError> errors;
  for (std::size_t q = 0; q < meter.question_count(); ++q) errors.push_back(meter.measure(q, shown));
  return errors;
}

}  // namespace pgveil::policy
