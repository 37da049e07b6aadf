#include "proxy/net/server.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <memory>

#include "proxy/session/error_filter.hpp"
#include "unit/net/world.hpp"

namespace pgveil::net_test {
namespace {

// What a client that asks and does not read must not make the proxy hold. The kernel's buffers on four
// sockets are in it: up to 6 MB each with Debian's settings.
constexpr std::size_t kLarge = std::size_t{128} << 20;
constexpr std::size_t kBound = std::size_t{48} << 20;

std::string rows(std::size_t total_bytes) {
  std::string row;
  wire::encode(wire::DataRow{{wire::Value(std::string(8'000, 'x'))}}, row);
  std::string out;
  out.reserve(total_bytes + row.size());
  while (out.size() < total_bytes) out += row;
  return out;
}

}  // namespace

TEST_CASE("a query goes to the backend and its answer comes back") {
  FakeBackend backend(answer_all);
  const World world(config_for(backend.port()));
  const Client client = log_in(world.port());
  for (int i = 0; i < 3; ++i) {
    client.query("SELECT 42");
    CHECK(client.peer.frame_until(wire::DataRow::tag).body.ends_with("42"));
    CHECK(client.peer.frame_until(wire::ReadyForQuery::tag).body == "I");
  }
  CHECK(world.server->client_count() == 1);
}

TEST_CASE("many clients at a time each get their own answers") {
  FakeBackend backend([](Peer& proxy) {
    for (;;) {
      const Frame frame = proxy.frame();
      if (frame.tag == wire::Query::tag) answer_one_row(proxy, frame.body.substr(0, frame.body.size() - 1));
    }
  });
  const World world(config_for(backend.port()));
  std::vector<std::future<bool>> clients;
  for (int i = 0; i < 16; ++i) {
    clients.push_back(std::async(std::launch::async, [&world, i] {
      const Client client = log_in(world.port());
      for (int j = 0; j < 50; ++j) {
        const std::string text = std::to_string(i) + ":" + std::to_string(j);
        client.query(text);
        if (!client.peer.frame_until(wire::DataRow::tag).body.ends_with(text)) return false;
        static_cast<void>(client.peer.frame_until(wire::ReadyForQuery::tag));
      }
      return true;
    }));
  }
  for (auto& client : clients) CHECK(client.get());
}

TEST_CASE("the client's keys are not the backend's") {
  FakeBackend backend(answer_all);
  const World world(config_for(backend.port()));
  const Client one = log_in(world.port());
  const Client two = log_in(world.port());
  CHECK(one.keys.pid != FakeBackend::kPid);
  CHECK(one.keys.secret.bytes.size() == 4);
  CHECK(one.keys.pid != two.keys.pid);
  CHECK(one.keys.pid <= 0x7fffffff);
}

TEST_CASE("a backend that refuses is an error for the client, not a hang") {
  const World world(config_for(dead_port()));
  const Client client{connect_raw(world.port()), {}};
  CHECK(client.error() == "08006");
  CHECK(client.peer.is_at_end());
  world.wait_until_idle();
}

TEST_CASE("a backend that dies in the middle of a message is an error for the client") {
  FakeBackend backend([](Peer& proxy) {
    while (proxy.frame().tag != wire::Query::tag) {
    }
    proxy.send_bytes(std::string("D\0\0\1\0half", 9));
    proxy.close();
  });
  const World world(config_for(backend.port()));
  const Client client = log_in(world.port());
  client.query("SELECT 42");
  CHECK(client.error() == "08006");
  CHECK(client.peer.is_at_end());
  world.wait_until_idle();
}

TEST_CASE("a client that vanishes takes its backend connection with it") {
  FakeBackend backend(answer_all);
  const World world(config_for(backend.port()));
  SUBCASE("while idle") {
    Client client = log_in(world.port());
    client.peer.close();
  }
  SUBCASE("in the middle of a message") {
    Client client = log_in(world.port());
    client.peer.send_bytes(std::string_view("Q\0\0\1\0SEL", 8));
    client.peer.close();
  }
  backend.wait_for_ended(1);
  world.wait_until_idle();
}

TEST_CASE("a client that vanishes while its query runs has it cancelled") {
  std::promise<void> asked;
  FakeBackend backend([&asked](Peer& proxy) {
    while (proxy.frame().tag != wire::Query::tag) {
    }
    asked.set_value();
    for (;;) static_cast<void>(proxy.frame());  // never answers
  });
  const World world(config_for(backend.port()));
  Client client = log_in(world.port());
  client.query("SELECT pg_sleep(1000)");
  asked.get_future().get();
  client.peer.close();
  backend.wait_for_ended(1);
  CHECK(backend.wait_for_cancels(1).size() == 1);
  world.wait_until_idle();
}

TEST_CASE("a client that may not be here any more goes without having said anything") {
  FakeBackend backend(answer_all);
  World world(config_for(backend.port()));
  const Client client = log_in(world.port());
  world.gate.is_put_out = true;
  ++world.gate.reloads;
  CHECK(client.peer.frame_until(wire::ErrorResponse::tag).body.find("28000") != std::string::npos);
  backend.wait_for_ended(1);
  world.wait_until_idle();
}

TEST_CASE("a client that does not read holds the backend up, and gets every byte in the end") {
  const std::string answer = rows(kLarge);
  std::promise<std::size_t> taken;
  FakeBackend backend([&](Peer& proxy) {
    while (proxy.frame().tag != wire::Query::tag) {
    }
    wire::RowDescription description{{wire::ColumnDescription{.name = "v", .type_oid = 25, .type_size = -1}}};
    proxy.send(description);
    const std::size_t sent = proxy.send_until_stuck(answer);
    taken.set_value(sent);
    proxy.send_bytes(std::string_view(answer).substr(sent));
    proxy.send(wire::CommandComplete{"SELECT 1"});
    proxy.send(wire::ReadyForQuery{wire::TransactionStatus::idle});
    answer_all(proxy);
  });
  const World world(config_for(backend.port()));
  const Client client = log_in(world.port());
  client.query("SELECT much");
  CHECK(taken.get_future().get() < kBound);
  static_cast<void>(client.peer.frame_until(wire::RowDescription::tag));
  CHECK(client.peer.receive(answer.size()) == answer);
  static_cast<void>(client.peer.frame_until(wire::ReadyForQuery::tag));
  client.query("SELECT 42");  // and the session goes on
  CHECK(client.peer.frame_until(wire::DataRow::tag).body.ends_with("42"));
}

TEST_CASE("a backend that does not read holds the client up") {
  std::promise<void> enough;
  FakeBackend backend([&enough](Peer& proxy) {
    enough.get_future().wait();
    answer_all(proxy);
  });
  const World world(config_for(backend.port()));
  const Client client = log_in(world.port());
  std::string query;
  wire::encode(wire::Query{std::string(100'000, 'x')}, query);
  std::string flood;
  while (flood.size() < kLarge) flood += query;
  CHECK(client.peer.send_until_stuck(flood) < kBound);
  enough.set_value();
}

TEST_CASE("a cancel request with the right keys reaches the backend with the backend's keys") {
  FakeBackend backend([](Peer& proxy) {
    for (;;) static_cast<void>(proxy.frame());  // never answers
  });
  const World world(config_for(backend.port()));
  std::uint16_t minor = 0;
  SUBCASE("at protocol 3.0") {}
  SUBCASE("at protocol 3.2") {
    minor = 2;
  }
  const Client client = log_in(world.port(), "bench", minor);
  client.query("SELECT pg_sleep(1000)");

  const auto cancel = [&](std::uint32_t pid, const std::string& secret) {
    std::string out;
    wire::encode(wire::CancelRequest{pid, {secret}}, out);
    const Peer peer = Peer::connect_to(world.port());
    peer.send_bytes(out);
    CHECK(peer.is_at_end());
  };
  const std::string secret = client.keys.secret.bytes;
  CHECK(secret.size() == (minor == 0 ? 4 : 32));
  for (std::size_t i = 0; i < secret.size(); ++i) {
    std::string wrong = secret;
    wrong[i] = static_cast<char>(wrong[i] ^ 1);
    cancel(client.keys.pid, wrong);
  }
  cancel(client.keys.pid, secret + secret);
  if (minor > 0) cancel(client.keys.pid, secret.substr(0, 4));
  cancel(client.keys.pid + 1, secret);
  cancel(FakeBackend::kPid, FakeBackend::secret().bytes);
  cancel(client.keys.pid, secret);
  const auto cancels = backend.wait_for_cancels(1);
  REQUIRE(cancels.size() == 1);
  CHECK(cancels[0].pid == FakeBackend::kPid);
  CHECK(cancels[0].secret == FakeBackend::secret());
}

// In a pool nothing else runs for the session then: it has given its connection back, and does not read.
TEST_CASE("what a client sends while a cancel request is on its way is answered after it") {
  std::promise<void> asked, cancelled, over;
  FakeBackend backend(
      [&, is_first = std::make_shared<std::atomic<bool>>(true)](Peer& proxy) {
        if (!is_first->exchange(false)) return answer_all(proxy);
        while (proxy.frame().tag != wire::Query::tag) {
        }
        asked.set_value();
        cancelled.get_future().wait();
        wire::ErrorResponse error;
        error.diagnostics.fields = {{'S', "ERROR"}, {'V', "ERROR"}, {'C', "57014"}, {'M', "cancelled"}};
        proxy.send(error);
        proxy.send(wire::ReadyForQuery{wire::TransactionStatus::idle});
        answer_all(proxy);
      },
      [&, waited = over.get_future().share()] {
        cancelled.set_value();
        waited.wait();
      });
  net::ServerConfig config = config_for(backend.port());
  config.pools = [](const std::string&, const std::string&) {
    return net::PoolSettings{.mode = session::PoolMode::transaction};
  };
  const World world(std::move(config));
  const Client client = log_in(world.port());
  client.query("SELECT pg_sleep(1000)");
  asked.get_future().get();
  std::string out;
  wire::encode(wire::CancelRequest{client.keys.pid, client.keys.secret}, out);
  const Peer canceller = Peer::connect_to(world.port());
  canceller.send_bytes(out);
  CHECK(client.error() == "57014");
  static_cast<void>(client.peer.frame_until(wire::ReadyForQuery::tag));
  client.query("SELECT 42");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // so that the proxy sees the query before
  over.set_value();
  CHECK(client.peer.frame_until(wire::DataRow::tag).body.ends_with("42"));
}

TEST_CASE("one client too many gets 53300, and may still cancel") {
  FakeBackend backend([](Peer& proxy) {
    for (;;) static_cast<void>(proxy.frame());
  });
  net::ServerConfig config = config_for(backend.port());
  config.clients.clients = 1;
  const World world(std::move(config));
  const Client first = log_in(world.port());
  first.query("SELECT pg_sleep(1000)");

  SUBCASE("at once") {
    const Client second{connect_raw(world.port()), {}};
    CHECK(second.error() == "53300");
    CHECK(second.peer.is_at_end());
  }
  SUBCASE("after it asked for encryption") {
    const Peer second = Peer::connect_to(world.port());
    std::string out;
    wire::encode(wire::SslRequest{}, out);
    second.send_bytes(out);
    CHECK(second.receive(1) == "N");
    out.clear();
    wire::encode(wire::StartupMessage{}, out);
    second.send_bytes(out);
    CHECK(second.frame().tag == wire::ErrorResponse::tag);
  }
  SUBCASE("a cancel request is acted on") {
    std::string out;
    wire::encode(wire::CancelRequest{first.keys.pid, first.keys.secret}, out);
    Peer::connect_to(world.port()).send_bytes(out);
    CHECK(backend.wait_for_cancels(1).size() == 1);
  }
  SUBCASE("what is no start-up packet ends the connection") {
    const Peer second = Peer::connect_to(world.port());
    second.send_bytes("GET / HTTP/1.1\r\n\r\n");
    CHECK(second.frame().tag == wire::ErrorResponse::tag);
    CHECK(second.is_at_end());
  }
}

TEST_CASE("clients that say nothing keep nobody out, wherever they come from") {
  FakeBackend backend(answer_all);
  net::ServerConfig config = config_for(backend.port());
  config.clients = {.clients = 3, .kept = 1, .logging_in = 10};
  config.login_timeout = kPatience;
  const World world(std::move(config));
  bool is_from_many = false;
  SUBCASE("from one address") {}
  SUBCASE("from many") {
    is_from_many = true;
  }
  std::vector<Peer> silent;
  for (int i = 0; i < 60; ++i)
    silent.push_back(Peer::connect_to(world.port(), is_from_many ? "127.0.1." + std::to_string(i + 1) : ""));
  const Client first = log_in(world.port());
  const Client second = log_in(world.port());
  CHECK(first.keys.pid != second.keys.pid);
  CHECK(silent.front().frame().tag == wire::ErrorResponse::tag);
  CHECK(silent.front().is_at_end());
  CHECK(world.server->count_logging_in() <= 10);
  CHECK(world.server->statistics().put_out > 0);
}

TEST_CASE("who logs in slowly keeps the place while another address fills all") {
  FakeBackend backend(answer_all);
  net::ServerConfig config = config_for(backend.port());
  config.clients.logging_in = 5;
  config.login_timeout = kPatience;
  const World world(std::move(config));
  const Peer slow = Peer::connect_to(world.port(), "127.0.0.2");
  std::vector<Peer> silent;
  for (int i = 0; i < 30; ++i) silent.push_back(Peer::connect_to(world.port()));
  CHECK(silent.front().frame().tag == wire::ErrorResponse::tag);
  slow.send(wire::StartupMessage{.parameters = {{"user", "tester"}, {"database", "bench"}}});
  CHECK(slow.frame().tag == 'R');
}

TEST_CASE("an admin comes to the console when all places are taken, and nobody else does") {
  FakeBackend backend(answer_all);
  net::ServerConfig config = config_for(backend.port());
  config.clients = {.clients = 1, .kept = 1};
  bool is_admin = true;
  config.is_admin = [&is_admin](const std::string&) { return is_admin; };
  const World world(std::move(config));
  const Client taken = log_in(world.port());
  CHECK(Client{connect_raw(world.port()), {}}.error() == "53300");  // an admin, elsewhere
  is_admin = false;
  CHECK(Client{connect_raw(world.port(), "pgveil"), {}}.error() == "53300");
  CHECK(world.server->statistics().turned_away == 2);
  is_admin = true;
  const Client operator_client = log_in(world.port(), "pgveil");
  CHECK(Client{connect_raw(world.port(), "pgveil"), {}}.error() == "53300");
}

TEST_CASE("only a loopback address is listened on where nobody else may come") {
  FakeBackend backend(answer_all);
  World world(config_for(backend.port()));
  net::ServerConfig config = config_for(backend.port());
  config.is_loopback_only = true;
  config.listen_host = "localhost";
  CHECK(net::Server::start(config, world.gate, world.console).has_value());
  for (const char* host : {"0.0.0.0", "::", "0"}) {  // the last is a name of the first
    config.listen_host = host;
    const auto started = net::Server::start(config, world.gate, world.console);
    REQUIRE(started.has_error());
    CHECK(started.error().kind == ErrorKind::configuration);
  }
}

TEST_CASE("a place is free again when its client has gone") {
  FakeBackend backend(answer_all);
  net::ServerConfig config = config_for(backend.port());
  config.clients.clients = 1;
  const World world(std::move(config));
  for (int i = 0; i < 5; ++i) {
    const Client client = log_in(world.port());
    client.peer.send(wire::Terminate{});
    CHECK(client.peer.is_at_end());
    world.wait_until_idle();
  }
}

TEST_CASE("a client that does not log in is closed") {
  FakeBackend backend(answer_all);
  net::ServerConfig config = config_for(backend.port());
  config.login_timeout = std::chrono::milliseconds(50);
  const World world(std::move(config));
  CHECK(Peer::connect_to(world.port()).is_at_end());
  world.wait_until_idle();
}

TEST_CASE("a bug ends the session that met it and no other") {
  FakeBackend backend(answer_all);
  const World world(config_for(backend.port()));
  const Client unlucky = log_in(world.port());
  const Client other = log_in(world.port());
  unlucky.query("bug");
  CHECK(unlucky.peer.is_at_end());
  other.query("SELECT 42");
  CHECK(other.peer.frame_until(wire::DataRow::tag).body.ends_with("42"));
  CHECK(log_in(world.port()).keys.pid != 0);
}

TEST_CASE("console commands run beside the sessions") {
  FakeBackend backend(answer_all);
  World world(config_for(backend.port()));
  std::promise<void> go_on;
  world.console.script = [&go_on](const console::Request& request) -> console::Answer {
    if (request.text.find("BUILD") == std::string::npos) throw std::runtime_error("unexpected");
    go_on.get_future().wait();
    return console::Table{console::columns_of(console::BuildPolicy{"p"}), {}, "BUILD POLICY", {}};
  };
  const Client operator_client = log_in(world.port(), "pgveil");
  operator_client.query("BUILD POLICY p");

  const Client client = log_in(world.port());  // is not held up
  client.query("SELECT 42");
  CHECK(client.peer.frame_until(wire::DataRow::tag).body.ends_with("42"));

  go_on.set_value();
  CHECK(operator_client.peer.frame_until(wire::CommandComplete::tag).body ==
        std::string("BUILD POLICY\0", 13));
  operator_client.query("RELOAD");  // throws
  CHECK(operator_client.error() == "XX000");
}

TEST_CASE("stopping tells the clients and leaves nothing behind") {
  FakeBackend backend(answer_all);
  const World world(config_for(backend.port()));
  const Client client = log_in(world.port());
  const Peer silent = Peer::connect_to(world.port());
  auto stopped =
      std::async(std::launch::async, [&world] { world.server->stop(std::chrono::milliseconds(20'000)); });
  CHECK(client.error() == "57P01");
  CHECK(client.peer.is_at_end());
  stopped.get();
  CHECK(world.server->client_count() == 0);
  backend.wait_for_ended(1);
  CHECK_THROWS(static_cast<void>(Peer::connect_to(world.port())));
}

TEST_CASE("stopping closes by force what does not end by itself") {
  FakeBackend backend([](Peer& proxy) {
    while (proxy.frame().tag != wire::Query::tag) {
    }
    proxy.send(wire::RowDescription{});
    proxy.send_bytes(rows(kLarge));
  });
  net::ServerConfig config = config_for(backend.port());
  config.close_timeout = std::chrono::minutes(10);
  const World world(std::move(config));
  const Client client = log_in(world.port());
  client.query("SELECT much");  // and never reads: the farewell can't be delivered
  static_cast<void>(client.peer.frame());
  world.server->stop(std::chrono::milliseconds(100));
  CHECK(world.server->client_count() == 0);
}

TEST_CASE("an address that can't be listened on is an error that says so") {
  FakeBackend backend(answer_all);
  World world(config_for(backend.port()));
  net::ServerConfig config = config_for(backend.port());
  config.listen_port = world.port();
  const auto second = net::Server::start(config, world.gate, world.console);
  REQUIRE(second.has_error());
  CHECK(second.error().kind == ErrorKind::io);
  CHECK(second.error().public_message.find("can't listen on 127.0.0.1:") != std::string::npos);

  config.listen_host = "no.such.host.invalid";
  CHECK(net::Server::start(config, world.gate, world.console).has_error());
}

namespace {

// What the login to this server comes to: "in", or the SQLSTATE of the error.
std::string scram_login(std::uint16_t port, const std::string& password) {
  const Peer peer = connect_raw(port);
  session::ScramClient scram(password, "clientnonce123456789abcd");
  static_cast<void>(peer.frame_until('R'));
  peer.send(wire::SaslInitialResponse{.mechanism = "SCRAM-SHA-256", .response = scram.client_first()});
  Frame frame = peer.frame();
  if (frame.tag != 'R') return frame.body;
  const auto last = scram.on_server_first(frame.body.substr(4));
  if (!last) return one_line(last.error());
  peer.send(wire::SaslResponse{{*last}});
  frame = peer.frame();
  if (frame.tag == 'R') return "in";
  const auto error = wire::decode_as<wire::ErrorResponse>(frame.body);
  return error ? session::sqlstate_of(error->diagnostics) : "?";
}

}  // namespace

TEST_CASE("accounts are looked up apart from the sessions' threads") {
  FakeBackend backend(answer_all);
  net::ServerConfig config = config_for(backend.port());
  config.session.authentication = session::ClientAuthentication::scram_sha_256;
  World world(std::move(config));
  world.gate.account_of = std::nullopt;
  const std::string role = "ann";
  std::promise<void> may_go_on;
  const auto gone_on = may_go_on.get_future().share();
  world.gate.look_up_script = [&](std::string_view) -> session::LookUp {
    gone_on.wait();
    return {session::Account{session::make_verifier("secret", "salt", 4096), role, true}, false};
  };
  auto waiting = std::async(std::launch::async, [&] { return scram_login(world.port(), "secret"); });
  {
    const Peer other = connect_raw(world.port());  // heard while the look-up blocks
    CHECK(other.frame().tag == 'R');
  }
  may_go_on.set_value();
  CHECK(waiting.get() == "in");
  CHECK(scram_login(world.port(), "guess") == "28P01");
  world.gate.look_up_script = [](std::string_view) -> session::LookUp { throw std::runtime_error("broken"); };
  CHECK(scram_login(world.port(), "secret") == "57P03");
}

}  // namespace pgveil::net_test
