#pragma once
// The generalization lattice as a value: its bounds, never its nodes. Also the total order in which Flash
// walks it (Kohlmayer et al. 2012, section V-B). Attributes are ordered by name, whatever the order of the
// columns is.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/lattice/transformation.hpp"

namespace pgveil::engine {

// Levels from bottom[j] to top[j] inclusive. `dropped` is the level that leaves a column out altogether, one
// above the hierarchy's highest. It is no member of the lattice, but it is a legal argument of a check (for
// Incognito's subsets).
struct Lattice {
  Transformation bottom;
  Transformation top;
  Transformation dropped;
  std::size_t attributes = 0;
};

// nullopt if the number does not fit in 64 bits.
[[nodiscard]] std::optional<std::uint64_t> transformation_count(const Lattice& lattice);

[[nodiscard]] bool contains(const Lattice& lattice, const Transformation& transformation);

// The part of a lattice in which all attributes are dropped but those whose bit is set in `attributes`.
[[nodiscard]] Lattice subset_lattice(const Lattice& whole, std::uint64_t attributes);

// Direct generalizations and specializations inside the lattice, by attribute. The vector is overwritten.
void successors(const Lattice& lattice, const Transformation& of, std::vector<Transformation>& into);
void predecessors(const Lattice& lattice, const Transformation& of, std::vector<Transformation>& into);

// Enumerates all transformations between the bounds with one sum of levels, in lexicographic order, without
// storing them. Usage: LevelWalk walk(bottom, top, n, sum); while (walk.next()) … walk.current().
class LevelWalk {
 public:
  LevelWalk(const Transformation& bottom, const Transformation& top, std::size_t attributes, unsigned sum);
  [[nodiscard]] bool next();
  [[nodiscard]] const Transformation& current() const { return current_; }

 private:
  // Distributes the `rest` levels over the attributes from `first` on, as far to the right as possible.
  void fill_from(std::size_t first, unsigned rest);

  Transformation bottom_, top_, current_;
  std::size_t attributes_;
  unsigned sum_;
  bool started_ = false;
};

// Flash's criteria c1, c2, c3 (Kohlmayer et al. 2012, equations 2 to 5), then the level vector, which makes
// the order total.
struct Priority {
  unsigned level_sum = 0;
  double mean_level = 0;
  double mean_loss_of_values = 0;
  Transformation transformation;
  auto operator<=>(const Priority&) const = default;
};

class PriorityOrder {
 public:
  // distinct[j][l]: number of values of attribute j at level l.
  explicit PriorityOrder(std::span<const std::vector<std::uint32_t>> distinct);
  [[nodiscard]] Priority priority(const Transformation& transformation) const;
  void sort(std::vector<Transformation>& transformations) const;

 private:
  struct Share {
    double level;
    double values;
  };
  std::vector<std::vector<Share>> shares_;  // [attribute][level]
};

}  // namespace pgveil::engine
