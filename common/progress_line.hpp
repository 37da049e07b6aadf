#pragma once
// One line on a terminal that shows how far a long piece of work is. Silent during the first two seconds.
// Elsewhere it is silent, or writes a line now and then.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pgveil {

class ProgressLine {
 public:
  enum class Elsewhere {
    silent,
    now_and_then  // a line every ten seconds, for logs of scripts
  };
  explicit ProgressLine(std::string subject, Elsewhere elsewhere = Elsewhere::silent);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();  // wipes the line

  // Whether show() would draw something now. For lines that are expensive to make.
  [[nodiscard]] bool is_due() const;
  void show(std::string_view stage, std::uint64_t done);
  // With the share of the stage that is done, in [0, 1], and how long the rest may take.
  void show_share(std::string_view stage, double share);

 private:
  using Clock = std::chrono::steady_clock;
  void write(std::string_view what);
  std::string subject_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point shown_ = Clock::now();
  std::string stage_;  // of the last show_share()
  Clock::time_point stage_began_ = Clock::now();
  bool is_terminal_;
  Elsewhere elsewhere_;
  bool is_drawn_ = false;
};

}  // namespace pgveil
