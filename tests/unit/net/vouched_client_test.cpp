// The page's own client: through a session like everybody's, never further than its limits.
#include <doctest/doctest.h>

#include <atomic>

#include "proxy/net/vouched_client.hpp"
#include "unit/net/world.hpp"

using namespace pgveil;
using namespace pgveil::net_test;

namespace {

constexpr char kNoData = wire::NoData::tag;

// A server of one table of so many rows, each of these bytes. What it was sent is in `seen`.
struct Backend {
  int rows = 3;
  std::size_t row_bytes = 5;
  char described = wire::RowDescription::tag;
  std::atomic<int> executed{0};

  void describe(const Peer& proxy) const {
    proxy.send(wire::ParseComplete{});
    proxy.send(wire::BindComplete{});
    if (described == kNoData) return proxy.send(wire::NoData{});
    wire::RowDescription description;
    description.columns.push_back({.name = "n", .type_oid = 25, .type_size = -1, .type_modifier = -1});
    proxy.send(description);
  }
  void execute(const Peer& proxy, const Frame& frame) {
    ++executed;
    const auto execute = wire::decode_as<wire::Execute>(frame.body);
    const int given = std::min(rows, static_cast<int>(execute->row_limit));
    for (int i = 0; i < given; ++i) proxy.send(wire::DataRow{{std::string(row_bytes, 'x')}});
    if (given < rows) return proxy.send(wire::PortalSuspended{});
    proxy.send(wire::CommandComplete{"SELECT " + std::to_string(given)});
  }
  void operator()(Peer& proxy) {
    for (;;) {
      const Frame frame = proxy.frame();
      switch (frame.tag) {
        case wire::Describe::tag: describe(proxy); break;
        case wire::Execute::tag: execute(proxy, frame); break;
        case wire::Sync::tag: proxy.send(wire::ReadyForQuery{}); break;
        case wire::Terminate::tag: return;
        default: break;
      }
    }
  }
};

net::VouchedQuestion question(std::int32_t limit = 10) {
  return {.role = "ann", .database = "bench", .sql = "SELECT n", .row_limit = limit};
}

struct Asked {
  Backend backend;
  FakeBackend fake{[this](Peer& proxy) { backend(proxy); }};
  World world{config_for(fake.port())};

  Result<net::VouchedRows> operator()(const net::VouchedQuestion& what) {
    return net::ask_vouched(*world.server, what);
  }
};

}  // namespace

TEST_CASE("a vouched client needs no password where all others do, and leaves nothing behind") {
  Backend backend;
  FakeBackend fake([&](Peer& proxy) { backend(proxy); });
  auto config = config_for(fake.port());
  config.session.authentication = session::ClientAuthentication::scram_sha_256;
  World world(std::move(config));
  const auto answer = net::ask_vouched(*world.server, question());
  REQUIRE(answer.has_value());
  CHECK(answer->columns == std::vector<std::string>{"n"});
  CHECK(answer->rows.size() == 3);
  CHECK(answer->rows[0][0] == "xxxxx");
  CHECK_FALSE(answer->has_more);
  world.wait_until_idle();
}

TEST_CASE("rows beyond the limit are not fetched, and it is said that there are more") {
  Asked ask;
  ask.backend.rows = 1'000;
  const auto some = ask(question(4));
  REQUIRE(some.has_value());
  CHECK(some->rows.size() == 4);
  CHECK(some->has_more);
  ask.backend.rows = 4;
  const auto all = ask(question(4));
  REQUIRE(all.has_value());
  CHECK(all->rows.size() == 4);
  CHECK_FALSE(all->has_more);
}

TEST_CASE("a statement that answers no rows is not run") {
  Asked ask;
  ask.backend.described = kNoData;
  const auto answer = ask(question());
  REQUIRE(answer.has_error());
  CHECK(answer.error().public_message == "this statement answers no rows");
  ask.world.wait_until_idle();
  CHECK(ask.backend.executed == 0);
}

TEST_CASE("rows that are too long are an error") {
  Asked ask;
  ask.backend.row_bytes = 10'000;
  ask.backend.rows = 200;
  const auto answer = ask(question(150));
  REQUIRE(answer.has_error());
  CHECK(answer.error().kind == ErrorKind::limit);
  ask.world.wait_until_idle();
}

TEST_CASE("no answer in time is an error, and the session ends") {
  FakeBackend silent([](Peer& proxy) {
    for (;;) static_cast<void>(proxy.frame());
  });
  World world(config_for(silent.port()));
  auto hurried = question();
  hurried.time = std::chrono::milliseconds(200);
  const auto answer = net::ask_vouched(*world.server, hurried);
  REQUIRE(answer.has_error());
  CHECK(answer.error().kind == ErrorKind::limit);
  CHECK(answer.error().sqlstate == "57014");
  world.wait_until_idle();
}

TEST_CASE("what the role is told is the error, and nobody is asked when pgveil is stopping") {
  World world(config_for(dead_port()));
  const auto answer = net::ask_vouched(*world.server, question());
  REQUIRE(answer.has_error());
  CHECK(answer.error().kind == ErrorKind::server);
  CHECK(answer.error().sqlstate.substr(0, 2) == "08");
  world.server->stop_listening();
  const auto late = net::ask_vouched(*world.server, question());
  REQUIRE(late.has_error());
  CHECK(late.error().kind == ErrorKind::limit);
}
