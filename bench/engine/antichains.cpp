// What an antichain costs in the four ways of its paper (Table 1): a list, a list that keeps an antichain, a
// prefix tree, and the tree that leaves out subtrees by sums of levels (the engine's). Replayed: Flash's
// checks in their order as inserts; questions about each and its direct generalizations before, and about the
// whole lattice at the end.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "bench/engine/reference.hpp"
#include "engine/lattice/antichain.hpp"
#include "engine/lattice/lattice.hpp"

namespace {

using namespace pgveil::engine;
using Keep = Antichain::Keep;

double cpu_ms() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// Options 1 and 2.
template <bool is_antichain>
class List {
 public:
  List(Keep keep, std::size_t) : keep_(keep) {}
  [[nodiscard]] bool covers(const Transformation& asked) const {
    return std::ranges::any_of(members_, [&](const auto& member) { return is_above(asked, member); });
  }
  void add(const Transformation& added) {
    if (is_antichain) std::erase_if(members_, [&](const auto& member) { return is_above(member, added); });
    members_.push_back(added);
  }
  [[nodiscard]] std::size_t size() const { return members_.size(); }

 private:
  [[nodiscard]] bool is_above(const Transformation& one, const Transformation& other) const {
    return keep_ == Keep::minimal ? generalizes(one, other) : generalizes(other, one);
  }
  Keep keep_;
  std::vector<Transformation> members_;
};

// Option 3.
class PrefixTree {
 public:
  PrefixTree(Keep keep, std::size_t attributes) : keep_(keep), attributes_(attributes) {}
  [[nodiscard]] bool covers(const Transformation& asked) const { return has(root_, 0, asked); }
  void add(const Transformation& added) {
    remove(root_, 0, added);
    Node* at = &root_;
    for (std::size_t j = 0; j < attributes_; ++j) at = &at->children[added.level(j)];
    ++size_;
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Node {
    std::map<unsigned, Node> children;
  };
  [[nodiscard]] bool is_above(unsigned one, unsigned other) const {
    return keep_ == Keep::minimal ? one >= other : one <= other;
  }
  [[nodiscard]] bool has(const Node& node, std::size_t j, const Transformation& asked) const {
    if (j == attributes_) return true;
    return std::ranges::any_of(node.children, [&](const auto& child) {
      return is_above(asked.level(j), child.first) && has(child.second, j + 1, asked);
    });
  }
  void remove(Node& node, std::size_t j, const Transformation& added) {
    for (auto child = node.children.begin(); child != node.children.end();) {
      bool is_gone = false;
      if (is_above(child->first, added.level(j))) {
        if (j + 1 == attributes_) {
          is_gone = true;
          --size_;
        } else {
          remove(child->second, j + 1, added);
          is_gone = child->second.children.empty();
        }
      }
      child = is_gone ? node.children.erase(child) : std::next(child);
    }
  }
  Keep keep_;
  std::size_t attributes_;
  std::size_t size_ = 0;
  Node root_;
};

struct Replayed {
  double ms = 0;
  std::uint64_t hits = 0;
  std::size_t members = 0;
};

struct Trace {
  Lattice lattice;
  std::vector<std::pair<Transformation, bool>> checks;  // is it anonymous?
};

template <class Known>
Replayed replay(const Trace& trace) {
  Replayed made;
  const double start = cpu_ms();
  Known anonymous(Keep::minimal, trace.lattice.attributes);
  Known not_anonymous(Keep::maximal, trace.lattice.attributes);
  const auto ask = [&](const Transformation& asked) {
    const bool is_known = not_anonymous.covers(asked) || anonymous.covers(asked);
    made.hits += is_known ? 1 : 0;
    return is_known;
  };
  std::vector<Transformation> up;
  for (const auto& [checked, is_anonymous] : trace.checks) {
    successors(trace.lattice, checked, up);
    for (const auto& next : up) ask(next);
    if (!ask(checked)) (is_anonymous ? anonymous : not_anonymous).add(checked);
  }
  for (unsigned sum = 0; sum <= trace.lattice.top.level_sum(); ++sum) {
    LevelWalk walk(trace.lattice.bottom, trace.lattice.top, trace.lattice.attributes, sum);
    while (walk.next()) ask(walk.current());
  }
  made.ms = cpu_ms() - start;
  made.members = anonymous.size() + not_anonymous.size();
  return made;
}

void compare(const PreparedTable& table, const reference::Row& row) {
  auto options = reference::options(row, table.rows);
  options.record = Switch::on;
  const auto result = search(table, options);
  if (result.has_error()) std::exit(1);
  Trace trace{table.lattice, {}};
  for (const auto& check : result->checked)
    trace.checks.emplace_back(table.from_given(check.levels), check.is_anonymous);
  const Replayed runs[] = {replay<List<false>>(trace), replay<List<true>>(trace), replay<PrefixTree>(trace),
                           replay<Antichain>(trace)};
  std::string line =
      fmt::format("| {} | {} | {} |", reference::describe(row), trace.checks.size(), runs[3].members);
  for (const auto& run : runs) line += fmt::format(" {:.1f} |", run.ms);
  const bool is_same = std::ranges::all_of(runs, [&](const auto& run) { return run.hits == runs[0].hits; });
  fmt::print("{} {} |\n", line, is_same ? "yes" : "NO");
}

}  // namespace

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const auto folder = reference::datasets_folder();
  if (folder.empty()) {
    fmt::print("skipped: no datasets beside the source tree (PGVEIL_DATASETS names another folder)\n");
    return 0;
  }
  fmt::print(
      "| configuration | inserts | members | list, ms | list with antichain | prefix tree | optimized tree | "
      "same "
      "|\n|---|---|---|---|---|---|---|---|\n");
  for (const auto& row : reference::rows(folder)) {
    if (row.metric == "loss_geometric" && row.k == 5 && row.suppression == 0.05 && row.ms)
      compare(reference::load(folder, row), row);
  }
}
