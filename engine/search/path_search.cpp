#include "engine/search/path_search.hpp"

#include <algorithm>

namespace pgveil::engine {
namespace {

// Goes upwards greedily through untagged transformations, and with bounds by look-up then on through those
// that they exclude.
std::vector<Transformation> find_path(Explorer& explorer, const Transformation& start) {
  std::vector<Transformation> path{start};
  while (true) {
    const auto up = sorted_successors(explorer, path.back());
    auto next = std::ranges::find_if(up, [&](const auto& node) { return !explorer.is_tagged(node); });
    if (next == up.end() && explorer.bounds() == Bounds::by_look_up) {
      next = std::ranges::find_if(up, [&](const auto& node) { return !explorer.is_known(node); });
    }
    if (next == up.end()) return path;
    path.push_back(*next);
  }
}

}  // namespace

std::vector<Transformation> sorted_successors(const Explorer& explorer, const Transformation& of) {
  std::vector<Transformation> up;
  successors(explorer.lattice(), of, up);
  explorer.order().sort(up);
  return up;
}

// With bounds, a path that ends where they begin is settled by one check if its end is not anonymous.
PathSearch::PathSearch(Explorer& explorer, Reach& reach, const Transformation& start)
    : explorer_(explorer),
      reach_(reach),
      path_(find_path(explorer, start)),
      high_(path_.size()),
      open_(path_.size()),
      is_end_first_(explorer.bounds() == Bounds::by_classes && explorer.is_at_bound(path_.back())) {}

std::optional<Transformation> PathSearch::next() {
  const auto place = next_place();
  if (!place) return std::nullopt;
  asked_ = *place;
  return path_[asked_];
}

// What searches along other paths have found out since this path was made is not checked again.
std::optional<std::size_t> PathSearch::next_place() {
  while (true) {
    const auto place = explorer_.bounds() == Bounds::by_look_up ? next_of_open_part() : next_of_whole();
    if (!place || !explorer_.is_known(path_[*place])) return place;
    is_reaching_ = false;
    const bool is_anonymous =
        !explorer_.is_tagged_not_anonymous(path_[*place]) && explorer_.is_tagged_anonymous(path_[*place]);
    settle(*place, is_anonymous);
  }
}

// Only [0, open) has to be settled.
std::optional<std::size_t> PathSearch::next_of_open_part() {
  if (explorer_.is_stopped()) return std::nullopt;
  while (open_ > low_ && explorer_.is_pruned(path_[open_ - 1])) --open_;
  if (low_ >= std::min(open_, high_)) return std::nullopt;
  is_reaching_ = open_ < path_.size() && high_ >= open_;
  return is_reaching_ ? std::min(open_ - 1 + reach_.levels(), high_ - 1) : (low_ + high_ - 1) / 2;
}

// Binary search for the lowest anonymous transformation on the path. An incumbent found on the way can
// exclude the rest of the path by bounds.
std::optional<std::size_t> PathSearch::next_of_whole() {
  while (low_ < high_ && !explorer_.is_stopped()) {
    const std::size_t middle = is_end_first_ ? high_ - 1 : (low_ + high_ - 1) / 2;
    is_end_first_ = false;
    if (!explorer_.is_pruned(path_[middle])) return middle;
    high_ = middle;
  }
  return std::nullopt;
}

void PathSearch::told(bool is_anonymous) {
  settle(asked_, is_anonymous);
}

void PathSearch::settle(std::size_t place, bool is_anonymous) {
  if (is_anonymous) {
    high_ = std::min(high_, place);
    if (is_reaching_ && place >= open_) reach_.failed();
  } else {
    low_ = std::max(low_, place + 1);
    if (is_reaching_) reach_.succeeded();
  }
}

}  // namespace pgveil::engine
