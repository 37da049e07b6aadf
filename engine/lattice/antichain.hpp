#pragma once
// What predictive tagging knows, as antichains instead of a tag for each node: the minimal anonymous
// transformations and the maximal non-anonymous ones. Memory grows with what was learned, not with the
// lattice.
//
// A prefix tree over level vectors (Prasser, Kohlmayer and Kuhn 2016): each member is a path from the root,
// one node for each attribute, children in the order of their levels. A node knows between which sums of
// levels the members go on below it, so that whole subtrees are left out of a question (their optimized tree
// compares sums of whole members). Maximal members are kept upside down, so that there is one kind of
// question: is a member below this?
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/lattice/transformation.hpp"

namespace pgveil::engine {

// How much was predicted.
struct Predictions {
  std::uint64_t inserts = 0;
  std::uint64_t questions = 0;
  std::uint64_t hits = 0;
  std::size_t most_members = 0;  // at any time
};

// Keeps only the minimal (or only the maximal) ones of what is added.
class Antichain {
 public:
  enum class Keep { minimal, maximal };
  // REQUIRES: from 1 to kMaxAttributes; whatever is added or asked for has level 0 in all further ones.
  Antichain(Keep keep, std::size_t attributes);

  // minimal: a member is a specialization of it, or itself. maximal: a member is a generalization of it, or
  // itself. Neighbours are asked for one after the other, so the members that were found last are looked at
  // first.
  [[nodiscard]] bool covers(const Transformation& transformation);
  // The first member that covers it, the same whatever was asked before. Counts as a question.
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
    // Sums of a member's levels of the attributes below it: no member has less, or more. Not narrowed by
    // removals.
    std::uint16_t least_rest = 65535;
    std::uint16_t greatest_rest = 0;
    std::uint8_t level = 0;
  };
  // A transformation as it is kept.
  struct Path {
    std::array<std::uint8_t, kMaxAttributes> levels;
    std::array<std::uint16_t, kMaxAttributes> rests;  // sums of the levels behind each
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
  std::array<Transformation, kRecent> recent_;  // members found last, or covered by a member
  std::size_t recent_count_ = 0;
};

}  // namespace pgveil::engine
