#include <doctest/doctest.h>

#include <atomic>
#include <mutex>

#include "unit/net/world.hpp"

namespace pgveil::net_test {
namespace {

class Records : public net::AuditSink {
 public:
  bool keep(const net::AuditRecord& record) override {
    if (is_full) return false;
    const std::scoped_lock lock(mutex_);
    CHECK(record.session == 1);
    CHECK(record.client.host == "127.0.0.1");
    kinds_ += static_cast<char>('0' + record.event.thing.index());
    if (std::holds_alternative<session::AuditedAnswer>(record.event.thing)) CHECK(record.took.has_value());
    return true;
  }
  std::string kinds() {
    const std::scoped_lock lock(mutex_);
    return kinds_;
  }
  std::atomic<bool> is_full{false};

 private:
  std::mutex mutex_;
  std::string kinds_;  // of the events: 0 login, 1 logout, 2 statement, 3 answer
};

}  // namespace

TEST_CASE("login, statement, answer and logout come to the sink in their order") {
  FakeBackend backend(answer_all);
  Records records;
  net::ServerConfig config = config_for(backend.port());
  config.audit = &records;
  const World world(std::move(config));
  {
    const Client client = log_in(world.port());
    client.query("SELECT 42");
    static_cast<void>(client.peer.frame_until(wire::ReadyForQuery::tag));
  }
  world.wait_until_idle();
  CHECK(records.kinds() == "0231");
}

TEST_CASE("a statement that can't be put on record reaches nobody, and its session ends") {
  std::atomic<int> queries{0};
  FakeBackend backend([&](Peer& proxy) {
    for (;;) {
      const Frame frame = proxy.frame();
      if (frame.tag != wire::Query::tag) return;
      ++queries;
      answer_one_row(proxy, "1");
    }
  });
  Records records;
  net::ServerConfig config = config_for(backend.port());
  config.audit = &records;
  const World world(std::move(config));
  {
    const Client client = log_in(world.port());
    records.is_full = true;
    client.query("SELECT 42");
    CHECK(client.error() == "58030");
    CHECK(client.peer.is_at_end());
  }
  world.wait_until_idle();
  CHECK(queries == 0);
  // Nobody gets in either.
  const Peer next = connect_raw(world.port());
  CHECK(next.frame_until(wire::ErrorResponse::tag).body.find("58030") != std::string::npos);
}

}  // namespace pgveil::net_test
