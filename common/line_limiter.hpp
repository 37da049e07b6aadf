#pragma once
// Keeps one kind of log line from drowning all others: a limited number per kind and second is let through,
// and the rest is counted. Pure; not thread-safe. Memory is bounded: beyond kMaxKinds kinds, all new ones
// share one.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pgveil::log {

class LineLimiter {
 public:
  static constexpr std::size_t kMaxKinds = 256;
  static constexpr std::int64_t kPeriodMs = 1'000;

  // per_second: 0: no limit.
  explicit LineLimiter(std::size_t per_second) : per_second_(per_second) {}

  struct Suppressed {
    std::string kind;  // its topic and first words
    std::uint64_t count = 0;
    bool operator==(const Suppressed&) const = default;
  };
  // now_ms: from a monotonic clock.
  [[nodiscard]] bool lets_through(std::string_view topic, std::string_view text, std::int64_t now_ms);
  // What was suppressed in periods that are over; each is returned once.
  [[nodiscard]] std::vector<Suppressed> take_suppressed(std::int64_t now_ms);

 private:
  struct Kind {
    std::int64_t begin_ms = 0;
    std::size_t written = 0;
    std::uint64_t suppressed = 0;
  };
  [[nodiscard]] Kind& kind_of(std::string_view topic, std::string_view text);

  std::size_t per_second_;
  std::int64_t looked_ms_ = 0;
  std::map<std::string, Kind, std::less<>> kinds_;
};

// "session 12/7", "login of ann to demo" → "session: login of". Words with digits, names after the second
// word and what is quoted are not part of a kind: clients choose them.
[[nodiscard]] std::string kind_of_line(std::string_view topic, std::string_view text);

}  // namespace pgveil::log
