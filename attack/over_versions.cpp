#include "attack/over_versions.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "attack/bounds.hpp"
#include "common/assert.hpp"
#include "policy/cohorts/projection.hpp"
#include "policy/counts/counts_view.hpp"
#include "policy/release/joint_release.hpp"
#include "policy/tree/released_together.hpp"

namespace pgveil::attack {

namespace {

using policy::Code;
using policy::kNullCode;
using policy::NodeIndex;
using Texts = std::vector<std::optional<std::string>>;

// One version over the rows.
struct OneVersion {
  const Knowledge* known = nullptr;
  policy::Counts counts;          // as the tree sees them
  std::vector<NodeIndex> leaves;  // per entry
  std::vector<std::uint64_t> released;
  std::vector<Interval> sizes;
  std::map<NodeIndex, std::vector<NodeIndex>> ends;
};

OneVersion over(const Knowledge& known, const policy::Counts& counts) {
  return {&known,
          policy::projected(counts, known.tree),
          policy::leaves_in(known.tree, counts),
          policy::released_on_path(known.tree),
          node_sizes(known),
          ends_of_classes(known.tree)};
}

// A column of one version, by the exact values of the table.
class SeenColumn {
 public:
  // entries: per code of the exact column, an entry that has it.
  SeenColumn(const OneVersion& version, int source, const std::vector<std::uint32_t>& entries)
      : version_(version) {
    const Knowledge& known = *version.known;
    for (const Column& column : known.columns) {
      if (policy::source_of(known.tree.attributes[column.attributes.front()]) == source) column_ = &column;
    }
    if (column_ == nullptr) return;
    const policy::CountsView view(version.counts);
    std::map<Texts, std::size_t> atoms;
    for (std::size_t v = 0; v < column_->atoms.size(); ++v) atoms.emplace(column_->atoms[v], v);
    for (const std::uint32_t entry : entries) {
      Texts texts;
      for (const std::uint32_t a : column_->attributes) {
        const Code code = view.codes(a)[entry];
        texts.push_back(code == kNullCode ? std::nullopt : std::optional(view.text(a, code)));
      }
      atom_of_.push_back(atoms.at(texts));
    }
    if (!is_too_large(known, *column_)) bounds_ = bounds_of(known, *column_, version.sizes);
  }

  // Whether a row of the class can have the exact value. A version that does not ask about the column, or is
  // too large, excludes nothing.
  [[nodiscard]] bool allows(NodeIndex leaf, Code exact) const {
    if (!bounds_) return true;
    return std::ranges::any_of(version_.ends.at(leaf),
                               [&](NodeIndex end) { return bounds_->at(end, atom_of_[exact]).most > 0; });
  }

  // What the attribute has where the column has the exact value. REQUIRES: it is one of the column's.
  [[nodiscard]] const std::optional<std::string>& text(std::uint32_t attribute, Code exact) const {
    const auto at = std::ranges::find(column_->attributes, attribute) - column_->attributes.begin();
    return column_->atoms[atom_of_[exact]][static_cast<std::size_t>(at)];
  }

  // The attribute of this version that shows the same as this one of another version.
  [[nodiscard]] bool shows(NodeIndex leaf, const policy::TreeAttribute& attribute) const {
    if (column_ == nullptr) return false;
    return std::ranges::any_of(column_->attributes, [&](std::uint32_t a) {
      const policy::TreeAttribute& own = version_.known->tree.attributes[a];
      return own.number == attribute.number && own.level == attribute.level &&
             (version_.released[leaf] >> a & 1) != 0;
    });
  }

 private:
  const OneVersion& version_;
  const Column* column_ = nullptr;    // null: the version does not ask about it
  std::vector<std::size_t> atom_of_;  // per code of the exact column
  std::optional<ColumnBounds> bounds_;
};

class Comparison {
 public:
  Comparison(const std::vector<Knowledge>& known, const policy::Counts& counts) : counts_(counts) {
    for (const Knowledge& it : known) versions_.push_back(over(it, counts));
    for (std::uint32_t entry = 0; entry < counts.size(); ++entry) {
      if (counts.rows[entry] == 0) continue;
      policy::JointClass joint;
      for (const OneVersion& it : versions_) joint.push_back(it.leaves[entry]);
      classes_[std::move(joint)].push_back(entry);
    }
  }

  void run(OverVersions& result) {
    for (const Column& column : versions_.front().known->columns) compare(column, result);
  }

 private:
  void compare(const Column& column, OverVersions& result) {
    const policy::DisclosureTree& tree = versions_.front().known->tree;
    const int source = policy::source_of(tree.attributes[column.attributes.front()]);
    const auto exact = std::ranges::find_if(
        counts_.attributes, [&](const policy::Attribute& it) { return it.number == source && !it.level; });
    PGVEIL_ASSERT(exact != counts_.attributes.end());
    const auto& codes = counts_.codes[static_cast<std::size_t>(exact - counts_.attributes.begin())];
    // Only values that occur: the readers know which these are.
    std::map<Code, Code> numbers;
    std::vector<std::uint32_t> entries;
    for (std::uint32_t entry = 0; entry < counts_.size(); ++entry) {
      if (counts_.rows[entry] == 0) continue;
      if (numbers.try_emplace(codes[entry], static_cast<Code>(entries.size())).second)
        entries.push_back(entry);
    }
    std::vector<SeenColumn> seen;
    for (const OneVersion& it : versions_) seen.emplace_back(it, source, entries);
    const auto code_count = static_cast<Code>(entries.size());
    for (const auto& [joint, rows] : classes_) {
      for (const std::uint32_t a : column.attributes) {
        if ((versions_.front().released[joint.front()] >> a & 1) != 0) continue;
        std::set<std::string> now;
        std::set<std::string> together;
        bool is_shown = false;
        for (std::size_t v = 1; v < seen.size(); ++v) is_shown |= seen[v].shows(joint[v], tree.attributes[a]);
        for (Code code = 0; code < code_count && !is_shown; ++code) {
          const auto& text = seen.front().text(a, code);
          if (!text || !seen.front().allows(joint.front(), code)) continue;
          now.insert(*text);
          bool is_possible = true;
          for (std::size_t v = 1; v < seen.size(); ++v) is_possible &= seen[v].allows(joint[v], code);
          if (is_possible) together.insert(*text);
        }
        const bool is_claimed = now.size() > 1 && together.size() == 1;
        for (const std::uint32_t entry : rows) {
          const auto& truth = seen.front().text(a, numbers.at(codes[entry]));
          if (!truth) continue;
          if (is_shown) result.shown_before += counts_.rows[entry];
          if (!is_claimed) continue;
          result.claimed += counts_.rows[entry];
          if (*truth == *together.begin()) result.true_cells += counts_.rows[entry];
        }
      }
    }
  }

  const policy::Counts& counts_;
  std::vector<OneVersion> versions_;
  std::map<policy::JointClass, std::vector<std::uint32_t>> classes_;
};

}  // namespace

OverVersions attack_versions(const std::vector<Knowledge>& known, const policy::Counts& counts) {
  PGVEIL_ASSERT(known.size() > 1);
  OverVersions result;
  policy::Trees trees;
  for (const Knowledge& it : known) {
    trees.push_back(&it.tree);
    result.required = std::max(result.required, it.k);
  }
  for (const auto& one : policy::JointClasses(trees, counts).below(counts, result.required)) {
    if (!one.has_rows) continue;
    ++result.small_classes;
    result.smallest = result.smallest == 0 ? one.units : std::min(result.smallest, one.units);
  }
  Comparison(known, counts).run(result);
  return result;
}

std::uint64_t classes_of_their_own(const policy::DisclosureTree& current,
                                   const policy::DisclosureTree& earlier, const policy::Counts& counts) {
  const policy::JointClasses classes({&current, &earlier}, counts);
  return classes.below(counts, std::numeric_limits<std::uint64_t>::max()).size();
}

}  // namespace pgveil::attack
