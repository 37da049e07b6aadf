#include "console/exposition.hpp"

#include <fmt/format.h>

namespace pgveil::console {
namespace {

// Escapes backslash, quote and line feed. Other control characters cannot be in names here, and would be
// harmless.
std::string escaped(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

std::string seconds(std::int64_t microseconds) {
  return fmt::format("{}", static_cast<double>(microseconds) / 1e6);
}

}  // namespace

void Exposition::begin(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void Exposition::line(std::string_view suffix, const Labels& labels, std::string_view value) {
  text_ += name_;
  text_ += suffix;
  std::string_view separator = "{";
  for (const auto& [label, text] : labels) {
    text_ += fmt::format("{}{}=\"{}\"", separator, label, escaped(text));
    separator = ",";
  }
  text_ += fmt::format("{} {}\n", labels.empty() ? "" : "}", value);
}

void Exposition::sample(const Labels& labels, std::uint64_t value) {
  line("", labels, std::to_string(value));
}

void Exposition::sample(const Labels& labels, double value) {
  line("", labels, fmt::format("{}", value));
}

void Exposition::histogram(const Histogram::Snapshot& snapshot) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < snapshot.counts.size(); ++i) {
    count += snapshot.counts[i];
    const bool is_last = i == kHistogramBounds.size();
    line("_bucket", {{"le", is_last ? "+Inf" : seconds(kHistogramBounds[i])}}, std::to_string(count));
  }
  line("_sum", {}, seconds(snapshot.sum_microseconds));
  line("_count", {}, std::to_string(count));
}

}  // namespace pgveil::console
