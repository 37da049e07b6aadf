#pragma once
// Reads the decision of a mask that is an AND of bitmaps, for the verifier of masks. It holds the bitmaps
// against the tree for all rows there can be, and evaluates them on rows of texts as PostgreSQL does. It
// shares nothing with the compiler (mask/mask_bitmap.hpp shows the form), and throws Unreadable at anything
// else.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "policy/tree/tree.hpp"
#include "rewriter/verify/verify_reader.hpp"
#include "rewriter/verify/verify_tree_reading.hpp"

namespace pgveil::rewriter {

class BitmapDecision {
 public:
  // decision: the number, without the fence. Values have to be of the type that their column is compared as.
  // Throws Unreadable.
  BitmapDecision(const pg::Node* decision, const Relation& relation);

  // Checks that every row gets the number of what it shows. Trying rows is not enough: a bit is about one
  // value and one region, which few rows have together. Throws Unreadable.
  void follows(const policy::DisclosureTree& tree, const TreeReading& reading) const;

  // The values that each column is compared with. Nothing else is asked of a column.
  [[nodiscard]] std::vector<MaskReader::Test> tests() const;

  // The number for the row; 0 where PostgreSQL has NULL. Throws Unreadable if the row lacks a column.
  [[nodiscard]] std::uint64_t released(const MaskRow& row) const;

 private:
  // The first bit is the highest one of the first word.
  struct Bits {
    std::vector<std::uint64_t> words;
    std::size_t size = 0;
  };
  struct Term {
    std::string column;
    std::vector<std::string> values;
    std::vector<Bits> bits;  // by value
    Bits otherwise;
  };
  void add_term(const pg::Node* node, const Relation& relation);
  [[nodiscard]] static Term read_term(const pg::Node* node, const Relation& relation);
  [[nodiscard]] static Bits read_bits(const std::string& text);
  void has_number(std::span<const std::uint64_t> bits, std::uint64_t number) const;

  std::vector<Term> terms_;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace pgveil::rewriter
