#include "common/line_limiter.hpp"

#include <utility>

namespace pgveil::log {
namespace {

constexpr std::size_t kWords = 2;
constexpr std::string_view kEnd = "0123456789\"'(/";  // at these, text starts to differ from line to line

std::string_view first_words(std::string_view text, std::size_t count) {
  text = text.substr(0, text.find_first_of(kEnd));
  std::size_t end = 0;
  for (std::size_t i = 0; i < count && end != std::string_view::npos; ++i)
    end = text.find(' ', i == 0 ? 0 : end + 1);
  text = text.substr(0, end);
  return text.substr(0, text.find_last_not_of(" :") + 1);
}

}  // namespace

std::string kind_of_line(std::string_view topic, std::string_view text) {
  return std::string(first_words(topic, 1)) + ": " + std::string(first_words(text, kWords));
}

LineLimiter::Kind& LineLimiter::kind_of(std::string_view topic, std::string_view text) {
  std::string name = kind_of_line(topic, text);
  const auto found = kinds_.find(name);
  if (found != kinds_.end()) return found->second;
  return kinds_[kinds_.size() < kMaxKinds ? std::move(name) : std::string("other lines")];
}

bool LineLimiter::lets_through(std::string_view topic, std::string_view text, std::int64_t now_ms) {
  if (per_second_ == 0) return true;
  Kind& kind = kind_of(topic, text);
  if (now_ms - kind.begin_ms >= kPeriodMs) {
    kind.begin_ms = now_ms;
    kind.written = 0;
  }
  if (kind.written < per_second_) {
    ++kind.written;
    return true;
  }
  ++kind.suppressed;
  return false;
}

std::vector<LineLimiter::Suppressed> LineLimiter::take_suppressed(std::int64_t now_ms) {
  if (now_ms - looked_ms_ < kPeriodMs) return {};
  looked_ms_ = now_ms;
  std::vector<Suppressed> out;
  for (auto& [name, kind] : kinds_) {
    if (kind.suppressed == 0 || now_ms - kind.begin_ms < kPeriodMs) continue;
    out.push_back({name, kind.suppressed});
    kind.suppressed = 0;
  }
  return out;
}

}  // namespace pgveil::log
