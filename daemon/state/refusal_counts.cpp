#include "daemon/state/refusal_counts.hpp"

#include <fmt/chrono.h>

#include <ctime>

namespace pgveil::app {

void RefusalCounts::add(Reason reason, std::int64_t seconds) {
  Count& count = counts_.at(static_cast<std::size_t>(reason));
  count.total.fetch_add(1, std::memory_order_relaxed);
  count.last_seconds.store(seconds, std::memory_order_relaxed);
}

console::Table RefusalCounts::table() const {
  console::Table table{console::columns_of(console::ShowRefusals{}), {}, "SHOW", {}};
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const auto total = counts_[i].total.load(std::memory_order_relaxed);
    const std::time_t last = counts_[i].last_seconds.load(std::memory_order_relaxed);
    table.rows.push_back(
        {std::string(reason_name(static_cast<Reason>(i))), std::to_string(total),
         total == 0 ? std::nullopt : std::optional(fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(last)))});
  }
  return table;
}

}  // namespace pgveil::app
