#pragma once
// What predictive tagging knows, stored as antichains instead of a tag per node: the minimal anonymous
// transformations and the maximal non-anonymous ones. So memory grows with what was learned, not with the
// lattice.
//
// Each antichain is a prefix tree over level vectors (Prasser, Kohlmayer and Kuhn 2016): each member is a
// path from the root with one node per attribute, and children are ordered by level. Each node knows the
// range of the level sums of its members' remaining attributes, so that a query can skip whole subtrees.
// (Their optimized tree compares sums of whole members.) Maximal members are stored inverted, so that there
// is only one kind of query: is some member below this one?
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/lattice/transformation.hpp"

namespace pgveil::engine {

// How often predictions were possible.
struct Predictions {
  std::uint64_t inserts = 0;
  std::uint64_t questions = 0;
  std::uint64_t hits = 0;
  std::size_t most_members = 0;  // the largest number so far
};

// Keeps only the minimal (or only the maximal) ones of the added transformations.
class Antichain {
 public:
  enum class Keep { minimal, maximal };
  // REQUIRES: 1 to kMaxAttributes attributes; every transformation here has level 0 in all attributes beyond
  // these.
  Antichain(Keep keep, std::size_t attributes);

  // Whether a member is a specialization of the transformation (minimal) or a generalization of it (maximal),
  // or is equal to it. Callers tend to ask for neighbours one after the other, so recently found members are
  // tried first.
  [[nodiscard]] bool covers(const Transformation& transformation);
  // The first member that covers it, independent of earlier queries. Counts as a query.
  [[nodiscard]] std::optional<Transformation> covering(const Transformation& transformation);
  void add(const Transformation& transformation);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Predictions& predictions() const { return predictions_; }
  [[nodiscard]] std::vector<Transformation> members() const;
  [[nodiscard]] std::size_t bytes() const { return nodes_.capacity() * sizeof(Node); }

 private:
  using Index = std::uint32_t;  // of a node; 0 is the root, and no child or sibling
  struct Node {
    Index child = 0;    // the first
    Index sibling = 0;  // the next, of a higher level
    // The range of the sums of its members' levels in the attributes after it. Removals do not narrow it.
    std::uint16_t least_rest = 65535;
    std::uint16_t greatest_rest = 0;
    std::uint8_t level = 0;
  };
  // A transformation in the stored form.
  struct Path {
    std::array<std::uint8_t, kMaxAttributes> levels;
    std::array<std::uint16_t, kMaxAttributes> rests;  // sums of the levels after each one
  };

  [[nodiscard]] Path path_of(const Transformation& transformation) const;
  [[nodiscard]] bool is_covered(const Transformation& transformation);
  [[nodiscard]] bool is_above_recent(const Transformation& transformation);
  [[nodiscard]] bool has_below(Index node, std::size_t attribute, const Path& path,
                               Transformation& found) const;
  [[nodiscard]] Index without_above(Index node, std::size_t attribute, const Path& path);
  void insert(const Path& path);
  [[nodiscard]] Index made_child(Index parent, std::uint8_t level);
  void collect(Index node, std::size_t attribute, Transformation& at,
               std::vector<Transformation>& into) const;
  [[nodiscard]] unsigned shown_level(std::uint8_t kept) const {
    return keep_ == Keep::minimal ? kept : kMaxKept - kept;
  }

  static constexpr unsigned kMaxKept = 127;
  static constexpr std::size_t kRecent = 4;

  Keep keep_;
  std::size_t attributes_;
  std::size_t size_ = 0;
  Predictions predictions_;
  std::vector<Node> nodes_;
  std::vector<Index> free_;
  std::array<Transformation, kRecent> recent_;  // members found last or covered by a member
  std::size_t recent_count_ = 0;
};

}  // namespace pgveil::engine
