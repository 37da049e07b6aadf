#pragma once
// Text for Prometheus (its exposition format 0.0.4). Pure.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/histogram.hpp"

namespace pgveil::console {

class Exposition {
 public:
  using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

  // Begins a metric. type: "counter", "gauge" or "histogram". The samples that follow belong to it.
  void begin(std::string_view name, std::string_view type, std::string_view help);
  void sample(const Labels& labels, std::uint64_t value);
  void sample(const Labels& labels, double value);
  // Values are in seconds.
  void histogram(const Histogram::Snapshot& snapshot);

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void line(std::string_view suffix, const Labels& labels, std::string_view value);

  std::string name_;
  std::string text_;
};

}  // namespace pgveil::console
