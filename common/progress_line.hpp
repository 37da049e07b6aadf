#pragma once
// One line on a terminal that shows how far a long piece of work is. Silent elsewhere and during the first
// two seconds.
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace pgveil {

class ProgressLine {
 public:
  explicit ProgressLine(std::string subject);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();  // wipes the line

  // Whether show() would draw something now. For lines that are expensive to make.
  [[nodiscard]] bool is_due() const;
  void show(std::string_view stage, std::uint64_t done);

 private:
  using Clock = std::chrono::steady_clock;
  std::string subject_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point shown_{};
  bool is_terminal_;
  bool is_drawn_ = false;
};

}  // namespace pgveil
