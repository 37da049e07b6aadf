#include "proxy/net/statistics.hpp"

namespace pgveil::net {
namespace {

console::Traffic now(const Counters& counters) {
  const auto of = [](const std::atomic<std::uint64_t>& value) {
    return value.load(std::memory_order_relaxed);
  };
  return {of(counters.transactions),   of(counters.queries),    of(counters.assignments),
          of(counters.received_bytes), of(counters.sent_bytes), of(counters.transaction_us),
          of(counters.query_us),       of(counters.wait_us)};
}

console::Traffic difference(const console::Traffic& to, const console::Traffic& from) {
  return {to.transactions - from.transactions, to.queries - from.queries,
          to.assignments - from.assignments,   to.received_bytes - from.received_bytes,
          to.sent_bytes - from.sent_bytes,     to.transaction_us - from.transaction_us,
          to.query_us - from.query_us,         to.wait_us - from.wait_us};
}

}  // namespace

Counters& Statistics::of(const std::string& database) {
  const std::scoped_lock lock(mutex_);
  auto& entry = by_database_[database];
  if (!entry) entry = std::make_unique<Entry>();
  return entry->counters;
}

std::vector<console::DatabaseTraffic> Statistics::traffic() const {
  std::vector<console::DatabaseTraffic> out;
  const std::scoped_lock lock(mutex_);
  for (const auto& [database, entry] : by_database_)
    out.push_back({database, now(entry->counters), entry->period});
  return out;
}

void Statistics::end_period() {
  const std::scoped_lock lock(mutex_);
  for (const auto& [database, entry] : by_database_) {
    const console::Traffic total = now(entry->counters);
    entry->period = difference(total, entry->at_period_end);
    entry->at_period_end = total;
  }
}

}  // namespace pgveil::net
