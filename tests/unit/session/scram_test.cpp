#include "proxy/session/scram.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace pgveil::session {
namespace {

// RFC 7677, section 3. The server's part of the nonce is what it adds to the client's.
constexpr std::string_view kPassword = "pencil";
constexpr std::string_view kClientNonce = "rOprNGfwEbeRWgbNEkqO";
constexpr std::string_view kServerNonce = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
constexpr std::string_view kClientFirst = "n,,n=user,r=rOprNGfwEbeRWgbNEkqO";
constexpr std::string_view kServerFirst =
    "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
constexpr std::string_view kClientFinal =
    "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+"
    "Ute9ytag9zjfMHgsqmmiz7AndVQ=";
constexpr std::string_view kServerFinal = "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";
constexpr unsigned char kSalt[] = {0x5b, 0x6d, 0x99, 0x68, 0x9d, 0x12, 0x35, 0x8e,
                                   0xec, 0xa0, 0x4b, 0x14, 0x12, 0x36, 0xfa, 0x81};

std::string_view salt() {
  return {reinterpret_cast<const char*>(kSalt), sizeof kSalt};
}

ScramServer rfc_server(bool is_mock = false) {
  return {make_verifier(kPassword, salt(), 4096), std::string(kServerNonce), is_mock};
}

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string out(text);
  const std::size_t at = out.find(what);
  REQUIRE(at != std::string::npos);
  return out.replace(at, what.size(), with);
}

template <class T>
void check_fails(const Result<T>& result, ErrorKind kind, std::string_view part_of_message) {
  REQUIRE(result.has_error());
  CHECK(result.error().kind == kind);
  CAPTURE(result.error().public_message);
  CHECK(result.error().public_message.find(part_of_message) != std::string::npos);
}

// A whole exchange of our own client with our own server.
Result<void> log_in(std::string_view password, const ScramVerifier& verifier, bool is_mock) {
  ScramClient client(std::string(password), "clientnonceclientnonce");
  ScramServer server(verifier, "servernonceservernonce", is_mock);
  const auto server_first = server.on_client_first(client.client_first());
  REQUIRE(server_first.has_value());
  const auto client_final = client.on_server_first(*server_first);
  REQUIRE(client_final.has_value());
  const auto server_final = server.on_client_final(*client_final);
  if (server_final.has_error()) return server_final.error();
  return client.on_server_final(*server_final);
}

}  // namespace

TEST_CASE("the server speaks the exchange of RFC 7677") {
  ScramServer server = rfc_server();
  const auto first = server.on_client_first(kClientFirst);
  REQUIRE(first.has_value());
  CHECK(*first == kServerFirst);
  const auto final = server.on_client_final(kClientFinal);
  REQUIRE(final.has_value());
  CHECK(*final == kServerFinal);
}

TEST_CASE("the client's proof is the one that an independent server accepts") {
  ScramClient client{std::string(kPassword), std::string(kClientNonce)};
  CHECK(client.client_first() == "n,,n=,r=rOprNGfwEbeRWgbNEkqO");
  const auto final = client.on_server_first(kServerFirst);
  REQUIRE(final.has_value());
  CHECK(final->starts_with("c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p="));
  ScramServer server = rfc_server();
  REQUIRE(server.on_client_first("n,,n=,r=rOprNGfwEbeRWgbNEkqO").has_value());
  const auto signature = server.on_client_final(*final);
  REQUIRE(signature.has_value());
  CHECK(client.on_server_final(*signature).has_value());
}

TEST_CASE("a right password logs in, a wrong one and a mock do not") {
  const ScramVerifier verifier = make_verifier("correct horse", "0123456789abcdef", 4096);
  CHECK(log_in("correct horse", verifier, false).has_value());
  check_fails(log_in("correct hors", verifier, false), ErrorKind::authentication,
              "password authentication failed");
  check_fails(log_in("", verifier, false), ErrorKind::authentication, "password authentication failed");
  check_fails(log_in("correct horse", verifier, true), ErrorKind::authentication,
              "password authentication failed");
  check_fails(log_in("", mock_verifier("nobody", "secret"), true), ErrorKind::authentication,
              "password authentication failed");
}

TEST_CASE("a failed login says 28P01, a broken message 08P01") {
  ScramServer server = rfc_server();
  REQUIRE(server.on_client_first(kClientFirst).has_value());
  CHECK(server.on_client_final(replaced(kClientFinal, "dHzb", "dHzc")).error().sqlstate == "28P01");
  CHECK(rfc_server().on_client_first("nonsense").error().sqlstate == "08P01");
}

TEST_CASE("channel-binding flags: n and y are accepted and bound to the proof") {
  for (const std::string_view flag : {"n", "y"}) {
    CAPTURE(flag);
    const std::string first = std::string(flag) + ",,n=user,r=rOprNGfwEbeRWgbNEkqO";
    CHECK(rfc_server().on_client_first(first).has_value());
  }
  // c=eSws is "y,,": a client that said "n" must not be accepted with it, nor the other way round.
  ScramServer said_n = rfc_server();
  REQUIRE(said_n.on_client_first(kClientFirst).has_value());
  check_fails(said_n.on_client_final(replaced(kClientFinal, "c=biws", "c=eSws")), ErrorKind::protocol,
              "channel binding");
  ScramServer said_y = rfc_server();
  REQUIRE(said_y.on_client_first(replaced(kClientFirst, "n,,", "y,,")).has_value());
  check_fails(said_y.on_client_final(kClientFinal), ErrorKind::protocol, "channel binding");
  // With the right header, y gets as far as the proof, which does not depend on the flag of the first
  // message.
  const auto with_y = said_y.on_client_final(replaced(kClientFinal, "c=biws", "c=eSws"));
  check_fails(with_y, ErrorKind::authentication, "password authentication failed");
}

TEST_CASE("a malformed first client message is a protocol error") {
  struct Row {
    std::string_view message, expected;
  };
  const std::vector<Row> rows = {
      {"", "flag is unknown"},
      {"n", "incomplete"},
      {"n,", "incomplete"},
      {"n,,", "user name and a nonce"},
      {"x,,n=user,r=abc", "flag is unknown"},
      {"p=tls-server-end-point,,n=user,r=abc", "channel binding without SCRAM-SHA-256-PLUS"},
      {"n,a=other,n=user,r=abc", "authorization identity"},
      {"n,,m=ext,n=user,r=abc", "mandatory extension"},
      {"n,,n=user", "user name and a nonce"},
      {"n,,r=abc,n=user", "user name and a nonce"},
      {"n,,n=user,r=", "nonce is not printable"},
      {"n,,n=user,r=a\x7f"
       "b",
       "nonce is not printable"},
      {"n,,n=user,r=a b", "nonce is not printable"},
      {"n,,n=user,r=abc,", "user name and a nonce"},
      {"n,,n=user,r=abc,x=optional", "user name and a nonce"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.message);
    check_fails(rfc_server().on_client_first(row.message), ErrorKind::protocol, row.expected);
  }
}

TEST_CASE("a malformed last client message is a protocol error") {
  struct Row {
    std::string message;
    std::string_view expected;
  };
  const std::vector<Row> rows = {
      {"", "expected"},
      {"c=biws", "expected"},
      {std::string(kClientFinal) + ",", "expected"},
      {std::string(kClientFinal) + ",x=y", "expected"},
      {replaced(kClientFinal, "c=biws", "x=biws"), "channel binding"},
      {replaced(kClientFinal, "c=biws", "c="), "channel binding"},
      {replaced(kClientFinal, "k0,p", "k1,p"), "nonce does not match"},
      {replaced(kClientFinal, "k0,p", "k,p"), "nonce does not match"},
      {replaced(kClientFinal, "r=rOpr", "r=rOps"), "nonce does not match"},
      {replaced(kClientFinal, "p=", "q="), "proof"},
      {replaced(kClientFinal, "AndVQ=", "AndV"), "proof"},
      {replaced(kClientFinal, "AndVQ=", "AndVR="), "proof"},  // not canonical base64
      {replaced(kClientFinal, "AndVQ=", "A dVQ="), "proof"},
      {replaced(kClientFinal, "AndVQ=", "AndV==="), "proof"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.message);
    ScramServer server = rfc_server();
    REQUIRE(server.on_client_first(kClientFirst).has_value());
    check_fails(server.on_client_final(row.message), ErrorKind::protocol, row.expected);
  }
}

TEST_CASE("steps out of order are refused") {
  check_fails(rfc_server().on_client_final(kClientFinal), ErrorKind::protocol, "has not begun");
  ScramServer server = rfc_server();
  REQUIRE(server.on_client_first(kClientFirst).has_value());
  check_fails(server.on_client_first(kClientFirst), ErrorKind::protocol, "already begun");

  ScramClient client{std::string(kPassword), std::string(kClientNonce)};
  static_cast<void>(client.client_first());
  check_fails(client.on_server_final(kServerFinal), ErrorKind::protocol, "skipped the exchange");
}

TEST_CASE("the client refuses a server that misbehaves") {
  struct Row {
    std::string message;
    std::string_view expected;
  };
  const std::vector<Row> rows = {
      {"", "expected"},
      {"m=x," + std::string(kServerFirst), "mandatory extension"},
      {std::string(kServerFirst) + ",x=y", "expected"},
      {"r=rOprNGfwEbeRWgbNEkqO,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096", "nonce does not match"},  // nothing added
      {replaced(kServerFirst, "r=rOpr", "r=other"), "nonce does not match"},
      {replaced(kServerFirst, "s=W", "s=*"), "salt"},
      {replaced(kServerFirst, "s=W22ZaJ0SNY7soEsUEjb6gQ==", "s="), "salt"},
      {replaced(kServerFirst, "i=4096", "i=0"), "iterations"},
      {replaced(kServerFirst, "i=4096", "i=10000001"), "iterations"},
      {replaced(kServerFirst, "i=4096", "i=-1"), "iterations"},
      {replaced(kServerFirst, "i=4096", "i=4096x"), "iterations"},
      {replaced(kServerFirst, "i=4096", "i="), "iterations"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.message);
    ScramClient client{std::string(kPassword), std::string(kClientNonce)};
    static_cast<void>(client.client_first());
    check_fails(client.on_server_first(row.message), ErrorKind::protocol, row.expected);
  }
}

TEST_CASE("the client believes only a server that proves the verifier") {
  ScramClient client{std::string(kPassword), std::string(kClientNonce)};
  static_cast<void>(client.client_first());
  REQUIRE(client.on_server_first(kServerFirst).has_value());
  check_fails(client.on_server_final(kServerFinal), ErrorKind::authentication, "did not prove");
  check_fails(client.on_server_final("e=invalid-proof"), ErrorKind::authentication, "refused the password");
  check_fails(client.on_server_final("v="), ErrorKind::protocol, "signature");
  check_fails(client.on_server_final(""), ErrorKind::protocol, "signature");
  check_fails(client.on_server_final(std::string(kServerFinal) + ",x=y"), ErrorKind::protocol, "signature");
}

TEST_CASE("a verifier is read and written in PostgreSQL's format") {
  const ScramVerifier verifier = make_verifier(kPassword, salt(), 4096);
  const std::string text = to_string(verifier);
  CHECK(text.starts_with("SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$"));
  const auto parsed = parse_verifier(text);
  REQUIRE(parsed.has_value());
  CHECK(to_string(*parsed) == text);
  CHECK(parsed->stored_key == verifier.stored_key);
  CHECK(parsed->server_key == verifier.server_key);
}

TEST_CASE("what is not a SCRAM-SHA-256 verifier is refused") {
  const std::string good = to_string(make_verifier(kPassword, salt(), 4096));
  struct Row {
    std::string text;
    std::string_view expected;
  };
  const std::vector<Row> rows = {
      {"", "does not start with"},
      {"pencil", "does not start with"},
      {"md5d6a35858d61d85e4a82ab1fb044aba9d", "md5"},
      {"scram-sha-256$" + good.substr(14), "does not start with"},
      {"SCRAM-SHA-256$", "two parts"},
      {good + "$", "two parts"},
      {replaced(good, "4096:", "4096"), "pair"},
      {replaced(good, "4096:", "0:"), "iterations"},
      {replaced(good, "4096:", "10000001:"), "iterations"},
      {replaced(good, "4096:", " 4096:"), "iterations"},
      {replaced(good, "4096:", "99999999999999999999:"), "iterations"},
      {replaced(good, "W22Z", "W2 Z"), "salt"},
      {replaced(good, "W22ZaJ0SNY7soEsUEjb6gQ==", ""), "salt"},
      {good.substr(0, good.size() - 4), "key"},
      {good + ":", "pair"},
      {good + "\n", "key"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    check_fails(parse_verifier(row.text), ErrorKind::configuration, row.expected);
  }
}

TEST_CASE("a mock verifier is stable per role and secret and looks like a real one") {
  const std::string one = to_string(mock_verifier("analyst", "secret"));
  CHECK(one == to_string(mock_verifier("analyst", "secret")));
  CHECK(one != to_string(mock_verifier("analyst2", "secret")));
  CHECK(one != to_string(mock_verifier("analyst", "other secret")));
  const auto parsed = parse_verifier(one);
  REQUIRE(parsed.has_value());
  CHECK(parsed->salt.size() == 16);
  CHECK(parsed->iterations == ScramVerifier{}.iterations);
}

// Our own client with our own server; each is told what it knows of the certificate.
namespace {
struct Bound {
  ScramMechanism mechanism = ScramMechanism::plus;
  std::string offered;  // the server's end point
  ScramBinding client;
};

Result<void> log_in(const Bound& bound, std::string_view password = "pencil") {
  ScramClient client(std::string(password), "clientnonceclientnonce", bound.client);
  ScramServer server(make_verifier("pencil", salt(), 4096), "servernonceservernonce", false, bound.offered,
                     bound.mechanism);
  const auto server_first = server.on_client_first(client.client_first());
  if (!server_first) return server_first.error();
  const auto client_final = client.on_server_first(*server_first);
  REQUIRE(client_final.has_value());
  const auto server_final = server.on_client_final(*client_final);
  if (!server_final) return server_final.error();
  return client.on_server_final(*server_final);
}
}  // namespace

TEST_CASE("channel binding holds both sides to one certificate") {
  using Kind = ScramBinding::Kind;
  const auto plus = ScramMechanism::plus;
  const auto plain = ScramMechanism::plain;
  CHECK(log_in({plus, "hash", {Kind::bound, "hash"}}).has_value());
  check_fails(log_in({plus, "hash", {Kind::bound, "hash"}}, "guess"), ErrorKind::authentication, "password");
  const auto other = log_in({plus, "hash", {Kind::bound, "another"}});
  check_fails(other, ErrorKind::protocol, "channel binding check failed");
  CHECK(other.error().sqlstate == "28000");
  check_fails(log_in({plus, "hash", {Kind::unsupported, ""}}), ErrorKind::protocol, "tls-server-end-point");
  check_fails(log_in({plus, "hash", {Kind::not_offered, ""}}), ErrorKind::protocol, "tls-server-end-point");
  check_fails(log_in({plain, "hash", {Kind::bound, "hash"}}), ErrorKind::protocol,
              "without SCRAM-SHA-256-PLUS");
}

TEST_CASE("a client that was not shown our offer of channel binding is told so") {
  using Kind = ScramBinding::Kind;
  const auto plain = ScramMechanism::plain;
  CHECK(log_in({plain, "", {Kind::not_offered, ""}}).has_value());
  CHECK(log_in({plain, "", {Kind::unsupported, ""}}).has_value());
  CHECK(log_in({plain, "hash", {Kind::unsupported, ""}}).has_value());
  const auto stripped = log_in({plain, "hash", {Kind::not_offered, ""}});
  check_fails(stripped, ErrorKind::protocol, "negotiation error");
  CHECK(stripped.error().sqlstate == "28000");
}

}  // namespace pgveil::session
