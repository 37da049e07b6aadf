// The paper's Figure 5: what it costs to know what is not anonymous, by an array with a place for each
// transformation, or by an antichain. Replayed: best first's checks as inserts, and questions about each and
// its direct generalizations before.
#include <fmt/format.h>

#include "bench/lattice/runs.hpp"
#include "engine/lattice/antichain.hpp"

namespace pgveil::bench::lattice {
namespace {

using namespace pgveil::engine;

// Ids are mixed radix numbers.
class ExplicitLattice {
 public:
  explicit ExplicitLattice(const Lattice& lattice) : lattice_(lattice), strides_(lattice.attributes) {
    std::size_t size = 1;
    for (std::size_t j = lattice.attributes; j-- > 0;) {
      strides_[j] = size;
      size *= lattice.top.level(j) + 1;
    }
    tagged_.assign(size, 0);
  }
  [[nodiscard]] bool covers(const Transformation& at) const { return tagged_[id(at)] != 0; }
  void add(const Transformation& at) {
    open_.assign(1, at);
    while (!open_.empty()) {
      const auto next = open_.back();
      open_.pop_back();
      if (tagged_[id(next)]++ != 0) {
        tagged_[id(next)] = 1;
        continue;
      }
      predecessors(lattice_, next, below_);
      for (const auto& it : below_) {
        if (!covers(it)) open_.push_back(it);
      }
    }
  }
  [[nodiscard]] std::size_t bytes() const { return tagged_.size(); }

 private:
  [[nodiscard]] std::size_t id(const Transformation& at) const {
    std::size_t made = 0;
    for (std::size_t j = 0; j < strides_.size(); ++j) made += strides_[j] * at.level(j);
    return made;
  }
  const Lattice& lattice_;
  std::vector<std::size_t> strides_;
  std::vector<std::uint8_t> tagged_;
  std::vector<Transformation> open_, below_;
};

struct Replayed {
  double ms = 0;
  std::uint64_t hits = 0;
};

template <class Tags>
Replayed replay(const Lattice& lattice, const std::vector<std::pair<Transformation, bool>>& checks,
                Tags& tags) {
  Replayed made;
  std::vector<Transformation> up;
  const double start = cpu_ms();
  for (const auto& [at, is_anonymous] : checks) {
    made.hits += tags.covers(at) ? 1 : 0;
    successors(lattice, at, up);
    for (const auto& it : up) made.hits += tags.covers(it) ? 1 : 0;
    if (!is_anonymous) tags.add(at);
  }
  made.ms = cpu_ms() - start;
  return made;
}

}  // namespace

void measure_explicit(const Options& options) {
  fmt::print(
      "\n| set | checks | explicit, ms | explicit, MB | antichain, ms | antichain, MB | same |\n"
      "|---|---|---|---|---|---|---|\n");
  for (std::size_t n = options.least; n <= options.most; ++n) {
    const auto it = problem("acs15", n);
    if (!it) return;
    auto chosen = it->options;
    chosen.algorithm = Algorithm::best_first;
    chosen.record = Switch::on;
    const auto done = run(*it, chosen, options.limit_s * 1e3, options.threads);
    std::vector<std::pair<Transformation, bool>> checks;
    for (const auto& check : done.result.checked)
      checks.emplace_back(it->table.from_given(check.levels), check.is_anonymous);
    const Lattice& lattice = it->table.lattice;
    const double start = cpu_ms();
    ExplicitLattice array(lattice);
    const double made_ms = cpu_ms() - start;
    Antichain tree(Antichain::Keep::maximal, lattice.attributes);
    const auto by_array = replay(lattice, checks, array);
    const auto by_tree = replay(lattice, checks, tree);
    fmt::print("| {} | {} | {:.1f} | {:.3f} | {:.1f} | {:.3f} | {} |\n", it->name, checks.size(),
               made_ms + by_array.ms, static_cast<double>(array.bytes()) / 1e6, by_tree.ms,
               static_cast<double>(tree.bytes()) / 1e6, by_array.hits == by_tree.hits ? "yes" : "NO");
    std::fflush(stdout);
  }
}

}  // namespace pgveil::bench::lattice
