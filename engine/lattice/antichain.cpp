#include "engine/lattice/antichain.hpp"

#include <algorithm>

#include "common/assert.hpp"

namespace pgveil::engine {

Antichain::Antichain(Keep keep, std::size_t attributes) : keep_(keep), attributes_(attributes), nodes_(1) {
  PGVEIL_ASSERT(attributes >= 1 && attributes <= kMaxAttributes);
}

Antichain::Path Antichain::path_of(const Transformation& transformation) const {
  Path path;
  std::uint16_t rest = 0;
  for (std::size_t j = attributes_; j-- > 0;) {
    const unsigned level = transformation.level(j);
    path.levels[j] = static_cast<std::uint8_t>(keep_ == Keep::minimal ? level : kMaxKept - level);
    path.rests[j] = rest;
    rest = static_cast<std::uint16_t>(rest + path.levels[j]);
  }
  return path;
}

// If a found member is removed later, the one that removed it covers it, so the result stays correct.
bool Antichain::is_above_recent(const Transformation& transformation) {
  for (std::size_t i = 0; i < recent_count_; ++i) {
    const bool is_covered = keep_ == Keep::minimal ? generalizes(transformation, recent_[i])
                                                   : generalizes(recent_[i], transformation);
    if (!is_covered) continue;
    std::rotate(recent_.begin(), recent_.begin() + static_cast<std::ptrdiff_t>(i),
                recent_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return true;
  }
  return false;
}

bool Antichain::covers(const Transformation& transformation) {
  const bool is_hit = is_covered(transformation);
  ++predictions_.questions;
  predictions_.hits += is_hit ? 1 : 0;
  return is_hit;
}

std::optional<Transformation> Antichain::covering(const Transformation& transformation) {
  Transformation found;
  const bool is_hit = size_ > 0 && has_below(nodes_[0].child, 0, path_of(transformation), found);
  ++predictions_.questions;
  predictions_.hits += is_hit ? 1 : 0;
  return is_hit ? std::optional(found) : std::nullopt;
}

bool Antichain::is_covered(const Transformation& transformation) {
  if (size_ == 0) return false;
  if (is_above_recent(transformation)) return true;
  Transformation found;
  if (!has_below(nodes_[0].child, 0, path_of(transformation), found)) return false;
  recent_count_ = std::min(recent_count_ + 1, kRecent);
  std::rotate(recent_.begin(), recent_.begin() + static_cast<std::ptrdiff_t>(recent_count_) - 1,
              recent_.begin() + static_cast<std::ptrdiff_t>(recent_count_));
  recent_.front() = found;
  return true;
}

bool Antichain::has_below(Index node, std::size_t attribute, const Path& path, Transformation& found) const {
  for (; node != 0; node = nodes_[node].sibling) {
    const Node& at = nodes_[node];
    if (at.level > path.levels[attribute]) return false;
    if (at.least_rest > path.rests[attribute]) continue;
    if (attribute + 1 < attributes_ && !has_below(at.child, attribute + 1, path, found)) continue;
    found.set_level(attribute, shown_level(at.level));
    return true;
  }
  return false;
}

void Antichain::add(const Transformation& transformation) {
  if (is_covered(transformation)) return;
  const Path path = path_of(transformation);
  nodes_[0].child = without_above(nodes_[0].child, 0, path);
  insert(path);
}

// Removes members above the path from a list of siblings. Returns the first sibling that is left.
Antichain::Index Antichain::without_above(Index node, std::size_t attribute, const Path& path) {
  Index first = node;
  Index before = 0;
  while (node != 0) {
    const Index next = nodes_[node].sibling;
    bool is_gone = false;
    if (nodes_[node].level >= path.levels[attribute] && nodes_[node].greatest_rest >= path.rests[attribute]) {
      const bool is_last = attribute + 1 == attributes_;
      if (is_last) {
        is_gone = true;
        --size_;
      } else {
        nodes_[node].child = without_above(nodes_[node].child, attribute + 1, path);
        is_gone = nodes_[node].child == 0;
      }
    }
    if (is_gone) {
      (before == 0 ? first : nodes_[before].sibling) = next;
      free_.push_back(node);
    } else {
      before = node;
    }
    node = next;
  }
  return first;
}

void Antichain::insert(const Path& path) {
  Index at = 0;
  for (std::size_t j = 0; j < attributes_; ++j) {
    at = made_child(at, path.levels[j]);
    nodes_[at].least_rest = std::min(nodes_[at].least_rest, path.rests[j]);
    nodes_[at].greatest_rest = std::max(nodes_[at].greatest_rest, path.rests[j]);
  }
  ++size_;
  ++predictions_.inserts;
  predictions_.most_members = std::max(predictions_.most_members, size_);
}

// The child of that level, inserted in its place if there is none.
Antichain::Index Antichain::made_child(Index parent, std::uint8_t level) {
  Index before = 0;
  Index next = nodes_[parent].child;
  while (next != 0 && nodes_[next].level < level) {
    before = next;
    next = nodes_[next].sibling;
  }
  if (next != 0 && nodes_[next].level == level) return next;
  Index made;
  if (free_.empty()) {
    made = static_cast<Index>(nodes_.size());
    nodes_.emplace_back();
  } else {
    made = free_.back();
    free_.pop_back();
    nodes_[made] = Node{};
  }
  nodes_[made].level = level;
  nodes_[made].sibling = next;
  (before == 0 ? nodes_[parent].child : nodes_[before].sibling) = made;
  return made;
}

std::vector<Transformation> Antichain::members() const {
  std::vector<Transformation> made;
  Transformation at;
  if (size_ > 0) collect(nodes_[0].child, 0, at, made);
  return made;
}

void Antichain::collect(Index node, std::size_t attribute, Transformation& at,
                        std::vector<Transformation>& into) const {
  for (; node != 0; node = nodes_[node].sibling) {
    at.set_level(attribute, shown_level(nodes_[node].level));
    if (attribute + 1 == attributes_) {
      into.push_back(at);
    } else {
      collect(nodes_[node].child, attribute + 1, at, into);
    }
  }
}

}  // namespace pgveil::engine
