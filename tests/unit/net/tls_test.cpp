#include <doctest/doctest.h>

#include <algorithm>
#include <ctime>

#include "proxy/net/tls_context.hpp"
#include "proxy/net/tls_session.hpp"
#include "unit/net/certificate.hpp"

namespace pgveil::net_test {
namespace {

using net::ClientCertificates;
using net::ServerCheck;
using net::TlsContext;
using net::TlsMaterial;
using net::TlsSession;

std::shared_ptr<const TlsContext> listener(const Certificate& own, const std::string& authorities = {},
                                           ClientCertificates asked = ClientCertificates::optional) {
  auto made = TlsContext::for_clients({own.certificate, own.key, authorities}, asked);
  REQUIRE(made.has_value());
  return *made;
}

std::shared_ptr<const TlsContext> caller(ServerCheck check, const std::string& host,
                                         const std::string& authorities, const Certificate& own = {}) {
  auto made = TlsContext::for_backend({own.certificate, own.key, authorities}, check, host);
  REQUIRE(made.has_value());
  return *made;
}

// Both sides' handshakes, in pieces of this many bytes. What either says last, when it does not end well.
struct Outcome {
  bool is_done = false;
  std::string why;
};
Outcome shake(TlsSession& client, TlsSession& server, std::size_t piece_bytes = 1 << 16) {
  std::string to_server;
  std::string to_client;
  Outcome outcome;
  const auto step = [&](TlsSession& side, std::string& in, std::string& out) {
    const std::string piece = in.substr(0, piece_bytes);
    in.erase(0, piece.size());
    if (side.is_established()) {
      const auto received = side.receive(piece);
      if (!received) outcome.why += received.error().private_detail + "; ";
      return received.has_value();
    }
    const auto done = side.shake_hands(piece);
    out += side.take_output();
    if (!done) outcome.why += done.error().private_detail + "; ";
    return done.has_value();
  };
  for (int i = 0; i < 100'000; ++i) {
    const bool goes_on = step(client, to_client, to_server) && step(server, to_server, to_client);
    if (!goes_on) return outcome;
    outcome.is_done = client.is_established() && server.is_established();
    if (outcome.is_done && to_client.empty() && to_server.empty()) return outcome;
  }
  return outcome;
}

const Certificate& authority() {
  static const Certificate made = make_certificate("authority");
  return made;
}
const Certificate& of_server() {
  static const Certificate made = make_certificate("db.example", "DNS:db.example,IP:127.0.0.1", authority());
  return made;
}

}  // namespace

TEST_CASE("two sides shake hands, in pieces of any size, and understand one another") {
  const auto server_context = listener(of_server());
  const auto client_context = caller(ServerCheck::authority_and_name, "db.example", authority().certificate);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{1} << 16}) {
    CAPTURE(piece);
    TlsSession client(*client_context);
    TlsSession server(*server_context);
    const Outcome outcome = shake(client, server, piece);
    CAPTURE(outcome.why);
    REQUIRE(outcome.is_done);
    CHECK(client.end_point().size() == 32);
    CHECK(client.end_point() == server.end_point());
    CHECK(client.description().starts_with("TLSv1.3/"));
    const std::string large(100'000, 'x');
    const auto there = server.receive(client.seal(large));
    REQUIRE(there.has_value());
    CHECK(there->bytes == large);
    std::string last = server.seal("answer");
    last += server.seal_goodbye();
    const auto back = client.receive(last);
    REQUIRE(back.has_value());
    CHECK(back->bytes == "answer");
    CHECK(back->is_end);
    CHECK(server.seal("more").empty());
  }
}

TEST_CASE("what comes behind the handshake in the same read is kept, wherever it is cut") {
  const auto server_context = listener(of_server());
  const auto client_context = caller(ServerCheck::none, "db.example", "");
  const std::string text(20'000, 'y');
  for (const std::size_t kept_back : {0, 1, 5, 6, 9'000, 20'000, 20'030}) {
    CAPTURE(kept_back);
    TlsSession client(*client_context);
    TlsSession server(*server_context);
    REQUIRE(client.shake_hands({}).has_value());
    REQUIRE(server.shake_hands(client.take_output()).has_value());
    REQUIRE(*client.shake_hands(server.take_output()));
    std::string sent = client.take_output();
    sent += client.seal(text);
    const std::string first = sent.substr(0, sent.size() - kept_back);
    REQUIRE(*server.shake_hands(first));
    const auto early = server.receive({});
    REQUIRE(early.has_value());
    const auto late = server.receive(sent.substr(first.size()));
    REQUIRE(late.has_value());
    CHECK(early->bytes + late->bytes == text);
    CHECK(early->bytes.size() == (kept_back == 0 ? text.size() : kept_back < 9'000 ? 16'384 : 0));
  }
}

TEST_CASE("clients get no record that is longer than PostgreSQL's") {
  const auto server_context = listener(of_server());
  const auto client_context = caller(ServerCheck::none, "db.example", "");
  TlsSession client(*client_context);
  TlsSession server(*server_context);
  REQUIRE(shake(client, server).is_done);
  constexpr std::size_t kHeaderBytes = 5;
  constexpr std::size_t kSealBytes = 17;  // of TLS 1.3 with AES-GCM: the kind of the content and the tag
  std::string sealed = server.seal(std::string(100'000, 'x'));
  std::size_t longest = 0;
  while (!sealed.empty()) {
    REQUIRE(sealed.size() >= kHeaderBytes);
    const std::size_t size =
        static_cast<unsigned char>(sealed[3]) * 256U + static_cast<unsigned char>(sealed[4]);
    REQUIRE(sealed.size() >= kHeaderBytes + size);
    sealed.erase(0, kHeaderBytes + size);
    longest = std::max(longest, size);
  }
  CHECK(longest == 8192 + kSealBytes);
}

TEST_CASE("each side says that it speaks PostgreSQL's protocol, as far as is asked") {
  using net::Alpn;
  struct Row {
    const char* name;
    Alpn client, server;
    bool is_done;
  };
  const Row rows[] = {
      {"both may", Alpn::offered, Alpn::offered, true},
      {"both have to", Alpn::required, Alpn::required, true},
      {"a server of before 17", Alpn::offered, Alpn::none, true},
      {"a client of before 17", Alpn::none, Alpn::offered, true},
      {"direct, to a server that does not say it", Alpn::required, Alpn::none, false},
      {"direct, from a client that does not say it", Alpn::none, Alpn::required, false},
      {"something else", Alpn::none, Alpn::none, true},
  };
  const auto server_context = listener(of_server());
  const auto client_context = caller(ServerCheck::none, "db.example", "");
  for (const Row& row : rows) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{1} << 16}) {
      CAPTURE(row.name);
      TlsSession client(*client_context, row.client);
      TlsSession server(*server_context, row.server);
      const Outcome outcome = shake(client, server, piece);
      CAPTURE(outcome.why);
      CHECK((client.is_established() && server.is_established()) == row.is_done);
    }
  }
}

TEST_CASE("a direct client that does not say its protocol is told why it is refused") {
  const auto server_context = listener(of_server());
  const auto client_context = caller(ServerCheck::none, "db.example", "");
  TlsSession client(*client_context);
  TlsSession server(*server_context, net::Alpn::required);
  REQUIRE(client.shake_hands("").has_value());
  CHECK(server.shake_hands(client.take_output()).has_error());
  const std::string alert = server.take_output();
  REQUIRE(alert.size() == 7);
  CHECK(alert.front() == '\x15');
  CHECK(alert.back() == 120);  // no_application_protocol
}

TEST_CASE("the server's name is sent, and no address is") {
  const auto hello_to = [](const std::string& host) {
    const auto context = caller(ServerCheck::none, host, "");
    TlsSession client(*context);
    REQUIRE(client.shake_hands("").has_value());
    return client.take_output();
  };
  CHECK(hello_to("db.example").find("db.example") != std::string::npos);
  CHECK(hello_to("127.0.0.1").find("127.0.0.1") == std::string::npos);
  CHECK(hello_to("::1").find("::1") == std::string::npos);
}

TEST_CASE("a server's certificate is checked as far as is asked") {
  struct Row {
    const char* name;
    ServerCheck check;
    std::string host;
    std::string authorities;
    bool is_done;
  };
  const std::string other = make_certificate("other").certificate;
  const std::string own = authority().certificate;
  const Row rows[] = {
      {"none", ServerCheck::none, "elsewhere", "", true},
      {"authority", ServerCheck::authority, "elsewhere", own, true},
      {"another authority", ServerCheck::authority, "db.example", other, false},
      {"one of two authorities", ServerCheck::authority, "db.example", other + own, true},
      {"name", ServerCheck::authority_and_name, "db.example", own, true},
      {"another name", ServerCheck::authority_and_name, "db.example.org", own, false},
      {"a part of the name", ServerCheck::authority_and_name, "example", own, false},
      {"address", ServerCheck::authority_and_name, "127.0.0.1", own, true},
      {"another address", ServerCheck::authority_and_name, "127.0.0.2", own, false},
      {"name, another authority", ServerCheck::authority_and_name, "db.example", other, false}};
  const auto server_context = listener(of_server());
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const auto client_context = caller(row.check, row.host, row.authorities);
    TlsSession client(*client_context);
    TlsSession server(*server_context);
    const Outcome outcome = shake(client, server);
    CAPTURE(outcome.why);
    CHECK(client.is_established() == row.is_done);
    if (!row.is_done) CHECK(outcome.why.find("certificate verify failed") != std::string::npos);
  }
}

TEST_CASE("a client's certificate is checked where authorities are named") {
  const Certificate known = make_certificate("ann", "", authority());
  const Certificate unknown = make_certificate("eve");
  struct Row {
    const char* name;
    std::string authorities;
    ClientCertificates asked;
    Certificate shown;
    bool is_done;
  };
  const std::string own = authority().certificate;
  const Row rows[] = {{"not asked for", "", ClientCertificates::optional, unknown, true},
                      {"none, optional", own, ClientCertificates::optional, {}, true},
                      {"known, optional", own, ClientCertificates::optional, known, true},
                      {"unknown, optional", own, ClientCertificates::optional, unknown, false},
                      {"none, required", own, ClientCertificates::required, {}, false},
                      {"known, required", own, ClientCertificates::required, known, true},
                      {"unknown, required", own, ClientCertificates::required, unknown, false}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const auto server_context = listener(of_server(), row.authorities, row.asked);
    const auto client_context = caller(ServerCheck::none, "db.example", "", row.shown);
    TlsSession client(*client_context);
    TlsSession server(*server_context);
    static_cast<void>(shake(client, server));
    CHECK(server.is_established() == row.is_done);
    const bool has_name = row.is_done && row.shown.certificate == known.certificate && row.authorities == own;
    if (row.is_done)
      CHECK(server.peer_name() == (has_name ? std::optional<std::string>("ann") : std::nullopt));
  }
}

TEST_CASE("a certificate that its authority has revoked is of no use, nor one of which nothing is known") {
  const Certificate ann = make_certificate("ann", "", authority(), 7);
  const Certificate bob = make_certificate("bob", "", authority(), 8);
  const Certificate other = make_certificate("other authority");
  struct Row {
    const char* name;
    std::string revoked;
    Certificate shown;
    bool is_done;
  };
  const Row rows[] = {
      {"revoked", make_revocation_list(authority(), ann.certificate), ann, false},
      {"another is revoked", make_revocation_list(authority(), ann.certificate), bob, true},
      {"nothing is revoked", make_revocation_list(authority()), ann, true},
      {"none is shown", make_revocation_list(authority(), ann.certificate), {}, true},
      {"the list of another authority", make_revocation_list(other), ann, false},
      {"both lists", make_revocation_list(other) + make_revocation_list(authority()), ann, true}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const auto made = TlsContext::for_clients(
        {of_server().certificate, of_server().key, authority().certificate + other.certificate, row.revoked},
        ClientCertificates::optional);
    REQUIRE(made.has_value());
    const auto client_context = caller(ServerCheck::none, "db.example", "", row.shown);
    TlsSession client(*client_context);
    TlsSession server(**made);
    static_cast<void>(shake(client, server));
    CHECK(server.is_established() == row.is_done);
  }
  const auto checks_server = TlsContext::for_backend(
      {"", "", authority().certificate, make_revocation_list(authority(), of_server().certificate)},
      ServerCheck::authority, "db.example");
  REQUIRE(checks_server.has_value());
  TlsSession client(**checks_server);
  const auto server_context = listener(of_server());
  TlsSession server(*server_context);
  CHECK_FALSE(shake(client, server).is_done);
}

TEST_CASE("what is no certificate, or does not fit, is named") {
  const Certificate good = of_server();
  const Certificate other = make_certificate("other");
  struct Row {
    const char* name;
    TlsMaterial material;
    ClientCertificates asked;
    std::string part;
  };
  const auto optional = ClientCertificates::optional;
  const std::string cut = good.certificate.substr(0, good.certificate.size() / 2);
  const Row rows[] = {
      {"nothing", {"", "", ""}, optional, "needs a certificate"},
      {"no PEM", {"hello", good.key, ""}, optional, "no certificate can be read"},
      {"half a certificate", {cut, good.key, ""}, optional, "no certificate can be read"},
      {"a key for a certificate", {good.key, good.key, ""}, optional, "no certificate can be read"},
      {"no key", {good.certificate, "hello", ""}, optional, "no key can be read"},
      {"another key", {good.certificate, other.key, ""}, optional, "does not fit"},
      {"half a chain", {good.certificate + cut, good.key, ""}, optional, "chain can't be read"},
      {"no authority", {good.certificate, good.key, "hello"}, optional, "no certificate of an authority"},
      {"half an authority", {good.certificate, good.key, other.certificate + cut}, optional, "can't be read"},
      {"no list", {good.certificate, good.key, other.certificate, "hello"}, optional, "no revocation list"},
      {"half a list",
       {good.certificate, good.key, other.certificate, make_revocation_list(other).substr(0, 120)},
       optional,
       "list can't be read"},
      {"a list, no authorities",
       {good.certificate, good.key, "", make_revocation_list(other)},
       optional,
       "without authorities"},
      {"required, no authorities",
       {good.certificate, good.key, ""},
       ClientCertificates::required,
       "without authorities"}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const auto made = TlsContext::for_clients(row.material, row.asked);
    REQUIRE(made.has_error());
    CAPTURE(made.error().public_message);
    CHECK(made.error().public_message.find(row.part) != std::string::npos);
    CHECK(made.error().public_message.find("BEGIN") == std::string::npos);
  }
  CHECK(TlsContext::for_backend({}, ServerCheck::authority, "db.example").has_error());
}

TEST_CASE("the end point is the hash that the certificate's signature uses") {
  const auto end_point = [](const Certificate& own) {
    const auto context = listener(own);
    return TlsSession(*context).end_point().size();
  };
  CHECK(end_point(of_server()) == 32);                // SHA-256
  CHECK(end_point(make_certificate("other")) == 48);  // SHA-384
  CHECK(end_point(make_certificate("edwards", KeyKind::ed25519)) == 0);
}

TEST_CASE("bytes that are no TLS are a failure, before the handshake and after it") {
  const auto server_context = listener(of_server());
  for (const std::string text : {"GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\xff\xff", "Q\0\0\0\x0dSELECT 1"}) {
    TlsSession server(*server_context);
    const auto done = server.shake_hands(text + std::string(32, '\0'));
    CHECK((done.has_error() || !*done));
    CHECK_FALSE(server.is_established());
  }
  const auto client_context = caller(ServerCheck::none, "db.example", "");
  TlsSession client(*client_context);
  TlsSession server(*server_context);
  REQUIRE(shake(client, server).is_done);
  std::string sealed = client.seal("SELECT 1");
  sealed[sealed.size() / 2] = static_cast<char>(sealed[sealed.size() / 2] ^ 1);
  const auto received = server.receive(sealed);
  REQUIRE(received.has_error());
  CHECK(received.error().private_detail.find("SELECT") == std::string::npos);
  CHECK_FALSE(server.take_output().empty());  // an alert
  CHECK(server.seal("more").empty());
}

TEST_CASE("a context knows when its own certificate is valid") {
  const auto validity = listener(of_server())->validity();
  REQUIRE(validity.has_value());
  const std::int64_t now = std::time(nullptr);
  CHECK(validity->until - validity->from == 3660);
  CHECK(validity->from <= now - 60);
  CHECK(validity->until > now);
  CHECK_FALSE(caller(ServerCheck::none, "db.example", "")->validity().has_value());
}

}  // namespace pgveil::net_test
