#include "proxy/session/scram.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "common/assert.hpp"
#include "common/sha256.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::session {
namespace {

constexpr std::string_view kVerifierPrefix = "SCRAM-SHA-256$";
constexpr int kMaxIterations = 10'000'000;   // about 3 s of work: a larger number is a mistake or an attack
constexpr std::size_t kMaxSaltBytes = 1024;  // PostgreSQL uses 16
constexpr std::size_t kMockSaltBytes = 16;
constexpr std::string_view kBindingName = "p=tls-server-end-point";
constexpr int kMockIterations = 4096;  // PostgreSQL 15's default, so that a mock looks like most roles

// ---- primitives

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string_view view_of(const Sha256& hash) {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

Sha256 as_hash(std::string_view bytes) {
  Sha256 out;
  PGVEIL_ASSERT(bytes.size() == out.size());
  std::copy(bytes.begin(), bytes.end(), out.begin());
  return out;
}

Sha256 hash_of(std::string_view text) {
  return as_hash(sha256(text));
}

Sha256 hmac(std::string_view key, std::string_view text) {
  return as_hash(hmac_sha256(key, text));
}

Sha256 salted_password(std::string_view password, std::string_view salt, int iterations) {
  Sha256 out;
  PGVEIL_ASSERT(PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()), bytes_of(salt),
                                  static_cast<int>(salt.size()), iterations, EVP_sha256(),
                                  static_cast<int>(out.size()), out.data()) == 1);
  return out;
}

Sha256 exclusive_or(const Sha256& left, const Sha256& right) {
  Sha256 out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<unsigned char>(left[i] ^ right[i]);
  return out;
}

bool is_same(std::string_view left, std::string_view right) {
  return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

std::string encode_base64(std::string_view raw) {
  std::string out(4 * ((raw.size() + 2) / 3) + 1, '\0');  // plus one, because OpenSSL appends a NUL
  const int written = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes_of(raw),
                                      static_cast<int>(raw.size()));
  out.resize(static_cast<std::size_t>(written));
  return out;
}

// Accepts canonical base64 only, as encode_base64 writes it.
std::optional<std::string> decode_base64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0 || text.size() > 4 * kMaxSaltBytes) return std::nullopt;
  std::string out(text.size() / 4 * 3, '\0');
  const int written = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes_of(text),
                                      static_cast<int>(text.size()));
  if (written < 0) return std::nullopt;
  std::size_t size = static_cast<std::size_t>(written);  // OpenSSL counts the padding as bytes
  if (text.ends_with("=="))
    size -= 2;
  else if (text.ends_with("="))
    size -= 1;
  out.resize(size);
  if (encode_base64(out) != text) return std::nullopt;
  return out;
}

std::optional<Sha256> decode_hash(std::string_view text) {
  const auto raw = decode_base64(text);
  if (!raw || raw->size() != Sha256{}.size()) return std::nullopt;
  return as_hash(*raw);
}

// ---- message texts

Error malformed(std::string_view what) {
  return {ErrorKind::protocol, std::string(sqlstate::kProtocolViolation),
          "malformed SCRAM message: " + std::string(what)};
}

Error not_authenticated(std::string_view what) {
  return {ErrorKind::authentication, std::string(sqlstate::kInvalidPassword), std::string(what)};
}

Error binding_failed(std::string_view what, std::string_view detail) {
  return {ErrorKind::protocol, std::string(sqlstate::kInvalidAuthorization), std::string(what),
          std::string(detail)};
}

Error not_a_verifier(std::string_view what) {
  return {ErrorKind::configuration, std::string(sqlstate::kInvalidParameterValue),
          "not a SCRAM-SHA-256 verifier: " + std::string(what),
          "make one with `pgveil user add`, or copy what PostgreSQL keeps in pg_authid.rolpassword"};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// The value of "<name>=value".
std::optional<std::string_view> attribute(std::string_view part, char name) {
  if (part.size() < 2 || part[0] != name || part[1] != '=') return std::nullopt;
  return part.substr(2);
}

bool is_nonce(std::string_view text) {
  if (text.empty()) return false;
  for (const char c : text) {
    if (c < 0x21 || c > 0x7e || c == ',') return false;
  }
  return true;
}

std::optional<int> parse_iterations(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (value < 1 || value > kMaxIterations) return std::nullopt;
  return value;
}

}  // namespace

// ---- verifiers

Result<ScramVerifier> parse_verifier(std::string_view text) {
  if (!text.starts_with(kVerifierPrefix)) {
    return not_a_verifier(text.starts_with("md5") ? "it is an md5 hash"
                                                  : "it does not start with SCRAM-SHA-256$");
  }
  const auto parts = split(text.substr(kVerifierPrefix.size()), '$');
  if (parts.size() != 2) return not_a_verifier("two parts are expected after SCRAM-SHA-256$");
  const auto head = split(parts[0], ':');
  const auto keys = split(parts[1], ':');
  if (head.size() != 2 || keys.size() != 2) return not_a_verifier("each part is a pair with one colon");
  const auto iterations = parse_iterations(head[0]);
  if (!iterations) return not_a_verifier("iterations are outside 1 to 10000000");
  auto salt = decode_base64(head[1]);
  if (!salt || salt->size() > kMaxSaltBytes) return not_a_verifier("the salt is not base64");
  const auto stored_key = decode_hash(keys[0]);
  const auto server_key = decode_hash(keys[1]);
  if (!stored_key || !server_key) return not_a_verifier("a key is not 32 bytes in base64");
  return ScramVerifier{*iterations, std::move(*salt), *stored_key, *server_key};
}

std::string to_string(const ScramVerifier& verifier) {
  return std::string(kVerifierPrefix) + std::to_string(verifier.iterations) + ":" +
         encode_base64(verifier.salt) + "$" + encode_base64(view_of(verifier.stored_key)) + ":" +
         encode_base64(view_of(verifier.server_key));
}

ScramVerifier make_verifier(std::string_view password, std::string_view salt, int iterations) {
  const Sha256 salted = salted_password(password, salt, iterations);
  const Sha256 client_key = hmac(view_of(salted), "Client Key");
  return {iterations, std::string(salt), hash_of(view_of(client_key)), hmac(view_of(salted), "Server Key")};
}

ScramVerifier mock_verifier(std::string_view role, std::string_view process_secret) {
  const auto derived = [&](std::string_view use) {
    return hmac(process_secret, std::string(use) + ":" + std::string(role));
  };
  const Sha256 salt = derived("mock salt");
  return {kMockIterations, std::string(view_of(salt).substr(0, kMockSaltBytes)), derived("mock stored key"),
          derived("mock server key")};
}

std::string_view name(ScramMechanism mechanism) {
  switch (mechanism) {
    case ScramMechanism::plain: return "SCRAM-SHA-256";
    case ScramMechanism::plus: return "SCRAM-SHA-256-PLUS";
  }
  return "";
}

// ---- server side

namespace {

// The channel-binding flag must fit the mechanism that the client chose. A client that supports binding, and
// says that we did not offer it, was shown a list other than ours.
Result<void> check_flag(std::string_view flag, ScramMechanism mechanism, bool is_offered) {
  if (mechanism == ScramMechanism::plus) {
    if (flag == kBindingName) return {};
    return malformed("tls-server-end-point is the only channel binding");
  }
  if (flag.starts_with("p=")) return malformed("channel binding without SCRAM-SHA-256-PLUS");
  if (flag == "y" && is_offered) {
    return binding_failed("SCRAM channel binding negotiation error",
                          "the client was not shown that channel binding is offered: who is in between?");
  }
  if (flag != "n" && flag != "y") return malformed("the channel-binding flag is unknown");
  return {};
}

}  // namespace

ScramServer::ScramServer(ScramVerifier verifier, std::string nonce, bool is_mock, std::string end_point,
                         ScramMechanism mechanism)
    : verifier_(std::move(verifier)),
      nonce_(std::move(nonce)),
      is_mock_(is_mock),
      end_point_(std::move(end_point)),
      mechanism_(mechanism) {
  PGVEIL_ASSERT(is_nonce(nonce_));
  PGVEIL_ASSERT(mechanism_ == ScramMechanism::plain || !end_point_.empty());
}

// gs2-cbind-flag "," [authzid] "," "n=" user "," "r=" nonce. The user is ignored: as in PostgreSQL, the role
// is the one in the start-up packet. Optional extensions, which no client sends, are refused.
Result<std::string> ScramServer::on_client_first(std::string_view message) {
  if (!server_first_.empty()) return malformed("the exchange has already begun");
  const auto parts = split(message, ',');
  if (auto fits = check_flag(parts[0], mechanism_, !end_point_.empty()); !fits) return fits.error();
  if (parts.size() < 3) return malformed("the first client message is incomplete");
  if (!parts[1].empty()) return malformed("an authorization identity is not supported");
  if (parts[2].starts_with("m=")) return malformed("a mandatory extension is not supported");
  if (parts.size() != 4 || !attribute(parts[2], 'n'))
    return malformed("a user name and a nonce are expected");
  const auto client_nonce = attribute(parts[3], 'r');
  if (!client_nonce || !is_nonce(*client_nonce)) return malformed("the nonce is not printable");

  gs2_header_ = std::string(parts[0]) + ",,";
  client_first_bare_ = message.substr(gs2_header_.size());
  nonce_.insert(0, *client_nonce);
  server_first_ =
      "r=" + nonce_ + ",s=" + encode_base64(verifier_.salt) + ",i=" + std::to_string(verifier_.iterations);
  return server_first_;
}

// "c=" base64(gs2 header, and with PLUS our certificate's hash) "," "r=" nonce "," "p=" proof
Result<std::string> ScramServer::on_client_final(std::string_view message) {
  if (server_first_.empty()) return malformed("the exchange has not begun");
  const auto parts = split(message, ',');
  if (parts.size() != 3) return malformed("channel binding, nonce and proof are expected");
  const auto binding = attribute(parts[0], 'c');
  const bool is_plus = mechanism_ == ScramMechanism::plus;
  if (!binding || *binding != encode_base64(gs2_header_ + (is_plus ? end_point_ : std::string()))) {
    if (!is_plus) return malformed("the channel binding does not match");
    return binding_failed("SCRAM channel binding check failed",
                          "the client saw another certificate than ours");
  }
  const auto nonce = attribute(parts[1], 'r');
  if (!nonce || !is_same(*nonce, nonce_)) return malformed("the nonce does not match");
  const auto proof_text = attribute(parts[2], 'p');
  const auto proof = proof_text ? decode_hash(*proof_text) : std::nullopt;
  if (!proof) return malformed("the proof is not 32 bytes in base64");

  const std::string auth_message =
      client_first_bare_ + "," + server_first_ + "," + std::string(message.substr(0, message.rfind(',')));
  const Sha256 signature = hmac(view_of(verifier_.stored_key), auth_message);
  const Sha256 client_key = exclusive_or(*proof, signature);
  const bool is_right = is_same(view_of(hash_of(view_of(client_key))), view_of(verifier_.stored_key));
  if (!is_right || is_mock_) return not_authenticated("password authentication failed");
  return "v=" + encode_base64(view_of(hmac(view_of(verifier_.server_key), auth_message)));
}

// ---- client side

ScramClient::ScramClient(std::string password, std::string nonce, ScramBinding binding)
    : password_(std::move(password)), nonce_(std::move(nonce)), binding_(std::move(binding)) {
  PGVEIL_ASSERT(is_nonce(nonce_));
  PGVEIL_ASSERT((binding_.kind == ScramBinding::Kind::bound) == !binding_.end_point.empty());
}

std::string ScramClient::gs2_header() const {
  switch (binding_.kind) {
    case ScramBinding::Kind::unsupported: return "n,,";
    case ScramBinding::Kind::not_offered: return "y,,";
    case ScramBinding::Kind::bound: return std::string(kBindingName) + ",,";
  }
  PGVEIL_ASSERT(false);
}

std::string ScramClient::client_first() {
  client_first_bare_ = "n=,r=" + nonce_;  // PostgreSQL takes the role from the start-up packet
  return gs2_header() + client_first_bare_;
}

Result<std::string> ScramClient::on_server_first(std::string_view message) {
  PGVEIL_ASSERT(!client_first_bare_.empty());
  if (!auth_message_.empty()) return malformed("the exchange has already begun");
  const auto parts = split(message, ',');
  if (parts[0].starts_with("m=")) return malformed("a mandatory extension is not supported");
  if (parts.size() != 3) return malformed("nonce, salt and iterations are expected");
  const auto nonce = attribute(parts[0], 'r');
  if (!nonce || !is_nonce(*nonce)) return malformed("the nonce is not printable");
  if (!nonce->starts_with(nonce_) || nonce->size() == nonce_.size())
    return malformed("the nonce does not match");
  const auto salt_text = attribute(parts[1], 's');
  const auto salt = salt_text ? decode_base64(*salt_text) : std::nullopt;
  if (!salt) return malformed("the salt is not base64");
  const auto iterations_text = attribute(parts[2], 'i');
  const auto iterations = iterations_text ? parse_iterations(*iterations_text) : std::nullopt;
  if (!iterations) return malformed("iterations are outside 1 to 10000000");

  salted_password_ = salted_password(password_, *salt, *iterations);
  const std::string without_proof =
      "c=" + encode_base64(gs2_header() + binding_.end_point) + ",r=" + std::string(*nonce);
  auth_message_ = client_first_bare_ + "," + std::string(message) + "," + without_proof;
  const Sha256 client_key = hmac(view_of(salted_password_), "Client Key");
  const Sha256 signature = hmac(view_of(hash_of(view_of(client_key))), auth_message_);
  return without_proof + ",p=" + encode_base64(view_of(exclusive_or(client_key, signature)));
}

Result<void> ScramClient::on_server_final(std::string_view message) {
  if (auth_message_.empty()) return malformed("the server skipped the exchange");
  if (message.starts_with("e=")) return not_authenticated("the server refused the password");
  const auto signature_text = attribute(message, 'v');
  const auto signature = signature_text ? decode_hash(*signature_text) : std::nullopt;
  if (!signature) return malformed("the signature is not 32 bytes in base64");
  const Sha256 server_key = hmac(view_of(salted_password_), "Server Key");
  if (!is_same(view_of(*signature), view_of(hmac(view_of(server_key), auth_message_)))) {
    return not_authenticated("the server did not prove that it knows the password");
  }
  return {};
}

}  // namespace pgveil::session
