#pragma once
// A verdict on all texts that differ in the values of opaque literals only. docs/rewriting.md, "Shapes", says
// why that is sound.
//
// It is made from rewriting the text three times: as it is, and twice with values that occur nowhere else in
// place of the literals. Each time the text is verified as ever. A literal is opaque if no pass noted that it
// read its value, and if all three results are the same up to the literals. The client's literals then stand,
// as they are written, where verified literals of their kinds stood.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/shape/text_shape.hpp"

namespace pgveil::rewriter {

struct VerdictTemplate {
  struct Place {
    std::size_t offset = 0;   // in text
    std::size_t literal = 0;  // its number in the shape
  };
  OpaqueLiterals opaque;
  std::string text;             // what is sent, without the opaque literals
  std::vector<Place> places;    // of those, ascending
  Rewritten rewritten;          // one statement, whose sql is empty
  std::size_t source_rest = 0;  // of source_bytes, without the opaque literals
};

// What `verdict`, the one on the shape's text, is for all texts that have the same key (text_shape.hpp) with
// these opaque literals. trace: of the run that made the verdict. nullopt: no literal is opaque, or the text
// is not one statement that is sent, or it was not understood where the literals go. Runs the pipeline twice;
// like rewrite() it needs stack. Pure.
[[nodiscard]] std::optional<VerdictTemplate> make_template(const TextShape& shape, const Rewritten& verdict,
                                                           const LiteralTrace& trace, const Client& client,
                                                           const Snapshot& snapshot, const Limits& limits);

// The verdict on a text of this shape: the same value that rewrite() gives. nullopt: the text would be longer
// than the limit. REQUIRES: the text has the same key; role, path and snapshot are those of the template.
[[nodiscard]] std::optional<Rewritten> verdict_on(const TextShape& shape, const VerdictTemplate& made,
                                                  const Limits& limits);

}  // namespace pgveil::rewriter
