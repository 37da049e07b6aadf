#include "attack/findings.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "common/assert.hpp"
#include "policy/counts/counts_view.hpp"
#include "policy/tree/chains.hpp"
#include "policy/tree/released_together.hpp"
#include "policy/tree/routing.hpp"

namespace pgveil::attack {

namespace {

using policy::Code;
using policy::kNullCode;
using policy::NodeIndex;

// What one class may have in one attribute, per code, and a guess of how many rows have it.
struct ClassBounds {
  std::vector<std::int64_t> least;
  std::vector<std::int64_t> most;
  std::vector<double> expected;
};

// Rows by value, of one class and one attribute.
using Tally = std::map<Code, std::uint64_t>;

std::uint64_t rows_with(const Tally& tally, Code code) {
  const auto found = tally.find(code);
  return found == tally.end() ? 0 : found->second;
}

Code most_frequent(const std::vector<double>& weight) {
  Code best = kNullCode;
  for (Code code = 1; code < weight.size(); ++code) {
    if (weight[code] > 0 && (best == kNullCode || weight[code] > weight[best])) best = code;
  }
  return best;
}

Exact settled(const Knowledge& known, const std::vector<Interval>& sizes, Effort effort) {
  switch (effort) {
    case Effort::bounds: return {Exactness::not_asked, {}, {}};
    case Effort::exact: break;
  }
  return settle(known, sizes);
}

class Attack {
 public:
  Attack(const Knowledge& known, const policy::Counts& counts, Effort effort)
      : known_(known),
        view_(counts),
        leaves_(policy::leaves_of(known.tree, policy::chains_of(known.tree), view_)),
        released_(policy::released_on_path(known.tree)),
        sizes_(node_sizes(known)),
        exact_(settled(known, sizes_, effort)),
        ends_(ends_of_classes(known.tree)) {
    PGVEIL_ASSERT(known.class_rows.size() == known.tree.nodes.size());
    count_classes();
  }

  Findings run() {
    result_.classes = ends_.size();
    result_.exactness = exact_.exactness;
    result_.attributes.resize(known_.tree.attributes.size());
    guesses_.resize(known_.tree.attributes.size());
    priors_.resize(known_.tree.attributes.size(), kNullCode);
    for (const Column& column : known_.columns) attack_column(column);
    std::ranges::sort(result_.claims, {}, [](const Claim& it) { return std::pair(it.leaf, it.attribute); });
    single_out();
    return std::move(result_);
  }

 private:
  void count_classes() {
    tallies_.resize(known_.tree.attributes.size());
    for (const std::uint32_t entry : view_.entries()) {
      result_.rows += view_.rows(entry);
      for (std::size_t a = 0; a < tallies_.size(); ++a) {
        const Code code = view_.codes(a)[entry];
        if (code == kNullCode) continue;
        if (is_shown(leaves_[entry], a)) {
          result_.shown += view_.rows(entry);
        } else {
          tallies_[a][leaves_[entry]][code] += view_.rows(entry);
        }
      }
    }
    result_.cells = result_.rows * tallies_.size();
  }

  [[nodiscard]] bool is_shown(NodeIndex leaf, std::size_t a) const { return (released_[leaf] >> a & 1) != 0; }

  void attack_column(const Column& column) {
    std::optional<ColumnBounds> bounds;
    if (!is_too_large(known_, column)) bounds = bounds_of(known_, column, sizes_);
    for (std::size_t i = 0; i < column.attributes.size(); ++i) {
      AttributeFindings& found = result_.attributes[column.attributes[i]];
      found.name = view_.attribute(column.attributes[i]).name;
      found.is_left_out = !bounds;
      found.is_settled = bounds && bounds->is_settled;
      attack_attribute(column, i, bounds ? &*bounds : nullptr, found);
    }
  }

  // The rows of the whole column by value, and those that are hidden. The former are the prior of a guess.
  [[nodiscard]] std::vector<double> column_rows(std::size_t a) const {
    std::vector<double> rows(view_.attribute(a).values.size() + 1, 0);
    for (const std::uint32_t entry : view_.entries())
      rows[view_.codes(a)[entry]] += static_cast<double>(view_.rows(entry));
    rows[kNullCode] = 0;
    return rows;
  }
  [[nodiscard]] std::vector<double> hidden_rows(std::size_t a) const {
    std::vector<double> rows(view_.attribute(a).values.size() + 1, 0);
    for (const auto& [leaf, tally] : tallies_[a]) {
      for (const auto& [code, count] : tally) rows[code] += static_cast<double>(count);
    }
    return rows;
  }

  void attack_attribute(const Column& column, std::size_t index, const ColumnBounds* bounds,
                        AttributeFindings& found) {
    const std::uint32_t a = column.attributes[index];
    const std::vector<Code> codes = codes_of(column, index);
    priors_[a] = most_frequent(column_rows(a));
    const std::vector<double> left = hidden_rows(a);
    for (const auto& [leaf, ends] : ends_) {
      if (is_shown(leaf, a)) continue;
      const Tally& truth = tallies_[a][leaf];
      found.unsettled += exact_.unsettled.contains({leaf, a}) ? 1 : 0;
      std::uint64_t hidden = 0;
      std::uint64_t best = 0;
      for (const auto& [code, rows] : truth) {
        hidden += rows;
        best = std::max(best, rows);
      }
      found.hidden += hidden;
      found.prior_right += rows_with(truth, priors_[a]);
      found.best_right += best;
      if (bounds == nullptr) continue;
      const ClassBounds it = weigh(*bounds, codes, {leaf, a}, left);
      Code only = kNullCode;
      std::size_t possible = 0;
      for (Code code = 1; code < it.most.size(); ++code) {
        if (it.most[code] == 0) continue;
        ++possible;
        only = code;
      }
      const Code guess = possible == 1 ? only : most_frequent(it.expected);
      if (guess != kNullCode) guesses_[a][leaf] = guess;
      found.guessed_right += rows_with(truth, guess);
      if (possible == 1) {
        const std::uint64_t right = rows_with(truth, only);
        const auto certain = static_cast<std::uint64_t>(it.least[only]);
        claim({leaf, a, view_.text(a, only), certain, right, hidden - right}, found);
      } else {
        const std::int64_t pinned = *std::ranges::max_element(it.least);
        found.pinned += static_cast<std::uint64_t>(pinned);
      }
    }
  }

  // Per atom: the code of the attribute's value.
  [[nodiscard]] std::vector<Code> codes_of(const Column& column, std::size_t index) const {
    const auto& values = view_.attribute(column.attributes[index]).values;
    std::map<std::string_view, Code> by_text;
    for (Code code = 1; code <= values.size(); ++code) by_text.emplace(values[code - 1], code);
    std::vector<Code> codes;
    for (const auto& atom : column.atoms) codes.push_back(atom[index] ? by_text.at(*atom[index]) : kNullCode);
    return codes;
  }

  // Adds up the bounds of the class's own path and of what falls back to it, without values that the solver
  // excluded. A class's rows are shared out among the values in proportion to the prior, within the bounds.
  [[nodiscard]] ClassBounds weigh(const ColumnBounds& bounds, const std::vector<Code>& codes,
                                  const HiddenCells& cells, const std::vector<double>& prior) const {
    ClassBounds it{std::vector<std::int64_t>(prior.size(), 0), std::vector<std::int64_t>(prior.size(), 0),
                   std::vector<double>(prior.size(), 0)};
    for (const NodeIndex end : ends_.at(cells.leaf)) {
      for (std::size_t v = 0; v < codes.size(); ++v) {
        it.least[codes[v]] += bounds.at(end, v).least;
        it.most[codes[v]] += bounds.at(end, v).most;
      }
    }
    const auto rows = static_cast<std::int64_t>(known_.class_rows[cells.leaf]);
    if (const auto only = exact_.certain.find(cells); only != exact_.certain.end()) {
      for (Code code = 1; code < it.most.size(); ++code) {
        const bool is_only = view_.text(cells.attribute, code) == only->second;
        it.least[code] = is_only ? std::max(it.least[code], rows - it.most[kNullCode]) : 0;
        it.most[code] = is_only ? it.most[code] : 0;
      }
    }
    it.least[kNullCode] = it.most[kNullCode] = 0;
    double weight = 0;
    for (Code code = 1; code < prior.size(); ++code) weight += it.most[code] == 0 ? 0 : prior[code];
    for (Code code = 1; code < prior.size(); ++code) {
      if (it.most[code] == 0) continue;
      it.expected[code] = std::clamp(weight > 0 ? static_cast<double>(rows) * prior[code] / weight : 0,
                                     static_cast<double>(it.least[code]), static_cast<double>(it.most[code]));
    }
    return it;
  }

  void claim(Claim it, AttributeFindings& found) {
    found.computed += it.true_rows;
    if (released_[it.leaf] == 0) found.computed_in_blank += it.true_rows;
    result_.claims.push_back(std::move(it));
  }

  void single_out() {
    for (const auto& [leaf, ends] : ends_) {
      ++result_.singling_out.predicates;
      const auto shown = shown_of(leaf);
      if (isolates(leaf, shown, [&](std::size_t a) {
            const auto guess = guesses_[a].find(leaf);
            return guess == guesses_[a].end() ? priors_[a] : guess->second;
          }))
        ++result_.singling_out.isolating;
      if (isolates(leaf, shown, [&](std::size_t a) { return priors_[a]; }))
        ++result_.singling_out.isolating_prior;
    }
  }

  // Per attribute: the code that the class shows; kNullCode where it is hidden or shows nothing.
  [[nodiscard]] std::vector<Code> shown_of(NodeIndex leaf) {
    if (by_leaf_.empty()) {
      for (const std::uint32_t entry : view_.entries()) by_leaf_[leaves_[entry]].push_back(entry);
    }
    std::vector<Code> codes(known_.tree.attributes.size(), kNullCode);
    const auto found = by_leaf_.find(leaf);
    if (found == by_leaf_.end()) return codes;
    for (std::size_t a = 0; a < codes.size(); ++a) {
      if (is_shown(leaf, a)) codes[a] = view_.codes(a)[found->second.front()];
    }
    return codes;
  }

  // Counted in the whole table: rows of other classes may fulfil the predicate, too.
  template <class Guess>
  [[nodiscard]] bool isolates(NodeIndex leaf, const std::vector<Code>& shown, const Guess& guess) {
    std::vector<Code> predicate = shown;
    for (std::size_t a = 0; a < predicate.size(); ++a) {
      if (!is_shown(leaf, a)) predicate[a] = guess(a);
    }
    if (by_row_.empty()) {
      for (const std::uint32_t entry : view_.entries()) {
        std::vector<Code> row;
        for (std::size_t a = 0; a < predicate.size(); ++a) row.push_back(view_.codes(a)[entry]);
        by_row_[std::move(row)] += view_.rows(entry);
      }
    }
    const auto found = by_row_.find(predicate);
    return found != by_row_.end() && found->second == 1;
  }

  const Knowledge& known_;
  policy::CountsView view_;
  std::vector<NodeIndex> leaves_;  // per entry
  std::vector<std::uint64_t> released_;
  std::vector<Interval> sizes_;
  Exact exact_;
  std::map<NodeIndex, std::vector<NodeIndex>> ends_;  // leaf of a class → ends of paths to it
  std::vector<std::map<NodeIndex, Tally>> tallies_;   // per attribute; hidden cells only
  std::vector<std::map<NodeIndex, Code>> guesses_;    // per attribute
  std::vector<Code> priors_;                          // per attribute
  std::map<NodeIndex, std::vector<std::uint32_t>> by_leaf_;
  std::map<std::vector<Code>, std::uint64_t> by_row_;
  Findings result_;
};

}  // namespace

std::uint64_t Findings::hidden() const {
  std::uint64_t sum = 0;
  for (const auto& it : attributes) sum += it.hidden;
  return sum;
}

std::uint64_t Findings::computed() const {
  std::uint64_t sum = 0;
  for (const auto& it : attributes) sum += it.computed;
  return sum;
}

std::uint64_t Findings::wrong() const {
  std::uint64_t sum = 0;
  for (const auto& it : claims) sum += it.wrong_rows;
  return sum;
}

std::uint64_t Findings::unsettled() const {
  std::uint64_t sum = 0;
  for (const auto& it : attributes) sum += it.unsettled;
  return sum;
}

bool Findings::is_complete() const {
  return std::ranges::none_of(attributes, &AttributeFindings::is_left_out);
}

Findings attack_tree(const Knowledge& knowledge, const policy::Counts& counts, Effort effort) {
  return Attack(knowledge, counts, effort).run();
}

}  // namespace pgveil::attack
