#pragma once
// Reads the decision of a mask that is an AND of bitmaps, for the verifier of masks, and evaluates it on rows
// of texts as PostgreSQL does. It shares nothing with the compiler (mask/mask_bitmap.hpp shows the form), and
// throws Unreadable at anything else.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rewriter/verify/verify_reader.hpp"

namespace pgveil::rewriter {

class BitmapDecision {
 public:
  // decision: the number, without the fence. Throws Unreadable.
  explicit BitmapDecision(const pg::Node* decision);

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
  void add_term(const pg::Node* node);
  [[nodiscard]] static Term read_term(const pg::Node* node);
  [[nodiscard]] static Bits read_bits(const std::string& text);

  std::vector<Term> terms_;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace pgveil::rewriter
