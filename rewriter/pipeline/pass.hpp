#pragma once
// The names of the passes that a text goes through, for measuring their times. The work itself is in
// pipeline.cpp and passes.cpp.
#include <array>
#include <string_view>

namespace pgveil::rewriter {

enum class Pass { parse, resolve, check_depth, choose_masks, print, verify, put_masks, verify_sent };
// All of them, in the order in which a statement meets them.
inline constexpr std::array kPasses{Pass::parse, Pass::resolve, Pass::check_depth, Pass::choose_masks,
                                    Pass::print, Pass::verify,  Pass::put_masks,   Pass::verify_sent};
[[nodiscard]] std::string_view name(Pass pass);

// Observes the rewriting of a text. The rewriter has no clock, so an observer that wants times brings its
// own. It is called on the thread that rewrites. begins() also ends the pass before.
class PassObserver {
 public:
  PassObserver() = default;
  PassObserver(const PassObserver&) = delete;
  PassObserver& operator=(const PassObserver&) = delete;
  virtual ~PassObserver() = default;
  virtual void begins(Pass pass) = 0;
  // The text is done, or refused.
  virtual void ends() = 0;
};

}  // namespace pgveil::rewriter
