#include "policy/release/joint_classes.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

#include "policy/level/preimage.hpp"
#include "policy/tree/chains.hpp"
#include "policy/tree/released_together.hpp"

namespace pgveil::policy {
namespace {

constexpr std::size_t kMostSteps = 20'000'000;

using SlotIndex = std::size_t;

// A column as trees test it: its exact values, or one level of it. Trees that test the same share a slot.
struct Slot {
  int source = 0;
  const Level* level = nullptr;                     // null: the exact values
  std::vector<SlotIndex> kin;                       // the other slots of this column
  std::vector<std::string_view> has;                // known values of the row; they agree
  std::unordered_map<std::string_view, int> lacks;  // per value, how often it was excluded
};

bool is_same_level(const Level* a, const Level* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->shows == b->shows && a->method == b->method;
}

// Whether all texts with one value of `fine` have one value of `coarse`. If the methods differ in kind, one
// may have no value where the other has one.
bool follows(const Level& fine, const Level& coarse) {
  return fine.method.index() == coarse.method.index() && refines(fine.method, coarse.method);
}

// What is known about one row on the way down the trees.
class Knowledge {
 public:
  explicit Knowledge(std::span<const DisclosureTree* const> trees) {
    for (const DisclosureTree* tree : trees) {
      slots_of_.emplace_back();
      for (const TreeAttribute& attribute : tree->attributes) slots_of_.back().push_back(slot_for(attribute));
    }
    for (SlotIndex a = 0; a < slots_.size(); ++a) {
      for (SlotIndex b = 0; b < slots_.size(); ++b) {
        if (a != b && slots_[a].source == slots_[b].source) slots_[a].kin.push_back(b);
      }
    }
  }

  [[nodiscard]] SlotIndex slot_of(std::size_t tree, std::uint32_t attribute) const {
    return slots_of_[tree][attribute];
  }
  void note_has(SlotIndex slot, std::string_view value) { slots_[slot].has.push_back(value); }
  void forget_has(SlotIndex slot) { slots_[slot].has.pop_back(); }
  void note_lacks(SlotIndex slot, std::string_view value) { ++slots_[slot].lacks[value]; }
  void forget_lacks(SlotIndex slot, std::string_view value) {
    const auto said = slots_[slot].lacks.find(value);
    if (--said->second == 0) slots_[slot].lacks.erase(said);
  }

  [[nodiscard]] bool can_have(SlotIndex index, std::string_view value) const {
    const Slot& slot = slots_[index];
    if (!slot.has.empty()) return slot.has.back() == value;
    if (slot.lacks.contains(value)) return false;
    return std::ranges::all_of(slot.kin, [&](SlotIndex other) { return agrees(slot, value, slots_[other]); });
  }

  [[nodiscard]] bool can_lack(SlotIndex index, std::string_view value) const {
    const Slot& slot = slots_[index];
    if (!slot.has.empty()) return slot.has.back() != value;
    if (slot.level == nullptr) return true;
    return std::ranges::none_of(slot.kin, [&](SlotIndex index_of_other) {
      const Slot& other = slots_[index_of_other];
      if (other.has.empty()) return false;
      if (other.level == nullptr) return level_value(*slot.level, other.has.back()) == value;
      return follows(*other.level, *slot.level) &&
             level_value(*slot.level, sample_of(*other.level, other.has.back())) == value;
    });
  }

 private:
  SlotIndex slot_for(const TreeAttribute& attribute) {
    const Level* level = attribute.level ? &*attribute.level : nullptr;
    const auto same = std::ranges::find_if(slots_, [&](const Slot& slot) {
      return slot.source == source_of(attribute) && is_same_level(slot.level, level);
    });
    if (same != slots_.end()) return static_cast<SlotIndex>(same - slots_.begin());
    slots_.push_back({source_of(attribute), level, {}, {}, {}});
    return slots_.size() - 1;
  }

  // Whether a row that has `value` in `slot` can have what is known about it in `other`.
  static bool agrees(const Slot& slot, std::string_view value, const Slot& other) {
    if (slot.level == nullptr) {
      const auto level = level_value(*other.level, value);
      if (!other.has.empty()) return level == other.has.back();
      return !level || !other.lacks.contains(*level);
    }
    if (other.level == nullptr)
      return other.has.empty() || level_value(*slot.level, other.has.back()) == value;
    return agrees_on_levels(slot, value, other);
  }

  static bool agrees_on_levels(const Slot& slot, std::string_view value, const Slot& other) {
    const bool is_finer = refines(slot.level->method, other.level->method);
    const auto above = is_finer ? level_value(*other.level, sample_of(*slot.level, value)) : std::nullopt;
    if (above && follows(*slot.level, *other.level) && other.lacks.contains(*above)) return false;
    if (other.has.empty()) return true;
    if (above) return *above == other.has.back();
    if (!refines(other.level->method, slot.level->method)) return true;
    const auto below = level_value(*slot.level, sample_of(*other.level, other.has.back()));
    return !below || *below == value;
  }

  std::vector<Slot> slots_;
  std::vector<std::vector<SlotIndex>> slots_of_;  // per tree and attribute
};

// Walks down all trees at once, along each branch that some row could take.
class Walk {
 public:
  Walk(std::span<const DisclosureTree* const> trees, std::size_t most)
      : trees_(trees), most_(most), known_(trees), at_(trees.size(), 0) {
    for (const DisclosureTree* tree : trees) chains_.push_back(chains_of(*tree));
  }

  PossibleClasses run() && {
    next_tree(0);
    out_.classes.assign(found_.begin(), found_.end());
    return std::move(out_);
  }

 private:
  void next_tree(std::size_t tree) {
    if (tree < trees_.size()) return follow_chain(tree, 0);
    found_.insert(at_);
    out_.is_cut = out_.is_cut || found_.size() > most_;
  }

  void follow_chain(std::size_t tree, NodeIndex index) {
    const auto& nodes = trees_[tree]->nodes;
    std::vector<std::pair<SlotIndex, std::string_view>> lacked;
    for (; nodes[index].split && !out_.is_cut; index = nodes[index].no) {
      const SlotIndex slot = known_.slot_of(tree, nodes[index].split->attribute);
      const std::string_view value = nodes[index].split->value;
      out_.is_cut = ++steps_ > kMostSteps;
      if (known_.can_have(slot, value)) {
        known_.note_has(slot, value);
        follow_chain(tree, nodes[index].yes);
        known_.forget_has(slot);
      }
      if (!known_.can_lack(slot, value)) break;
      known_.note_lacks(slot, value);
      lacked.emplace_back(slot, value);
    }
    if (!nodes[index].split && !out_.is_cut) {
      at_[tree] = chains_[tree].cohort_at_end(*trees_[tree], chains_[tree].chain_of[index]);
      next_tree(tree + 1);
    }
    for (const auto& [slot, value] : lacked) known_.forget_lacks(slot, value);
  }

  std::span<const DisclosureTree* const> trees_;
  std::size_t most_;
  Knowledge known_;
  std::vector<Chains> chains_;
  JointClass at_;
  std::size_t steps_ = 0;
  std::set<JointClass> found_;
  PossibleClasses out_;
};

}  // namespace

PossibleClasses possible_classes(std::span<const DisclosureTree* const> trees, std::size_t most) {
  return Walk(trees, most).run();
}

}  // namespace pgveil::policy
