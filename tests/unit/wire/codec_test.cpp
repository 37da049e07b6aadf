#include "proxy/wire/codec.hpp"

#include <doctest/doctest.h>

#include <set>

#include "tests/unit/wire/samples.hpp"

using namespace pgveil;
using namespace pgveil::wire;

namespace {

template <class Variant>
std::string bytes_of(const Variant& message) {
  std::string bytes;
  std::visit([&](const auto& kind) { encode(kind, bytes); }, message);
  return bytes;
}

FrameView whole_frame(const std::string& bytes) {
  return {.tag = bytes.at(0), .body = std::string_view(bytes).substr(5), .whole = bytes};
}

Result<FrontendMessage> decode_like(const FrontendMessage&, const FrameView& frame) {
  return decode_frontend(frame);
}
Result<BackendMessage> decode_like(const BackendMessage&, const FrameView& frame) {
  return decode_backend(frame);
}

// The sizes that a frame may have whose last field is all that is left; others have one size.
struct FrameSizes {
  std::size_t min, max;
};
constexpr std::size_t kHead = 5;  // tag and length
constexpr std::size_t kUnlimited = std::size_t{1} << 30;

FrameSizes sizes_of(const FrontendMessage& message, std::size_t own_size) {
  if (std::holds_alternative<CopyData>(message)) return {kHead, kUnlimited};
  return {own_size, own_size};
}
FrameSizes sizes_of(const BackendMessage& message, std::size_t own_size) {
  if (std::holds_alternative<CopyData>(message)) return {kHead, kUnlimited};
  const bool is_sasl_or_gss = std::holds_alternative<AuthenticationGssContinue>(message) ||
                              std::holds_alternative<AuthenticationSaslContinue>(message) ||
                              std::holds_alternative<AuthenticationSaslFinal>(message);
  if (is_sasl_or_gss) return {kHead + 4, kUnlimited};
  if (std::holds_alternative<BackendKeyData>(message)) return {kHead + 4 + 4, kHead + 4 + 256};
  return {own_size, own_size};
}

template <class Variant>
void check_round_trip(const Variant& message) {
  const std::string bytes = bytes_of(message);
  const auto decoded = decode_like(message, whole_frame(bytes));
  REQUIRE(decoded.has_value());
  CHECK((*decoded == message));
  CHECK(bytes_of(*decoded) == bytes);
}

template <class Variant>
void check_cut_and_grown(const Variant& message) {
  const std::string bytes = bytes_of(message);
  const FrameSizes legal = sizes_of(message, bytes.size());
  for (std::size_t size = kHead; size < bytes.size(); ++size) {
    CAPTURE(size);
    const auto decoded = decode_like(message, whole_frame(bytes.substr(0, size)));
    CHECK(decoded.has_value() == (size >= legal.min));
    if (!decoded) CHECK(decoded.error().sqlstate == "08P01");
  }
  CHECK(decode_like(message, whole_frame(bytes + '\0')).has_value() == (bytes.size() < legal.max));
}

}  // namespace

TEST_CASE("every message is read back as it was written") {
  for (const auto& message : samples::frontend()) check_round_trip(message);
  for (const auto& message : samples::backend()) check_round_trip(message);
}

TEST_CASE("the samples have a message of every kind") {
  std::set<std::size_t> frontend;
  std::set<std::size_t> backend;
  for (const auto& message : samples::frontend()) frontend.insert(message.index());
  for (const auto& message : samples::backend()) backend.insert(message.index());
  CHECK(frontend.size() == std::variant_size_v<FrontendMessage>);
  CHECK(backend.size() == std::variant_size_v<BackendMessage>);
}

TEST_CASE("a message that is cut anywhere, or followed by a byte, is refused") {
  for (const auto& message : samples::frontend()) check_cut_and_grown(message);
  for (const auto& message : samples::backend()) check_cut_and_grown(message);
}

TEST_CASE("messages with tag p are read as what the phase expects") {
  std::string bytes;
  encode(SaslInitialResponse{.mechanism = "SCRAM-SHA-256", .response = "n,,n=,r=abc"}, bytes);
  const std::string_view body = std::string_view(bytes).substr(5);
  const auto initial = decode_as<SaslInitialResponse>(body);
  REQUIRE(initial.has_value());
  CHECK(initial->mechanism == "SCRAM-SHA-256");
  CHECK(initial->response == "n,,n=,r=abc");
  CHECK_FALSE(decode_as<PasswordMessage>(body).has_value());  // more follows the NUL
  CHECK(decode_as<SaslResponse>(body)->response.bytes == body);
  CHECK(decode_as<GssResponse>(body)->token.bytes == body);
  for (std::size_t size = 0; size < body.size(); ++size) {
    CHECK_FALSE(decode_as<SaslInitialResponse>(body.substr(0, size)).has_value());
  }

  std::string password;
  encode(PasswordMessage{"secret"}, password);
  CHECK(decode_as<PasswordMessage>(std::string_view(password).substr(5))->password == "secret");
}

TEST_CASE("a tag, code or choice that the protocol does not have is refused") {
  struct Row {
    const char* name;
    bool is_frontend;
    std::string bytes;
  };
  using namespace std::string_literals;
  const Row rows[] = {
      {"unknown frontend tag", true, "!\0\0\0\4"s},
      {"p has no meaning of its own", true, "p\0\0\0\5\0"s},
      {"unknown backend tag", false, "!\0\0\0\4"s},
      {"unknown authentication code", false, "R\0\0\0\x8\0\0\0\x63"s},
      {"authentication code 1 is long gone", false, "R\0\0\0\x8\0\0\0\1"s},
      {"Describe of neither statement nor portal", true, "D\0\0\0\6x\0"s},
      {"Close of neither statement nor portal", true, "C\0\0\0\6x\0"s},
      {"transaction status that does not exist", false, "Z\0\0\0\5Q"s},
      {"value of length -2", false, "D\0\0\0\xa\0\1\xff\xff\xff\xfe"s},
      {"value longer than the message", false, "D\0\0\0\xa\0\1\x7f\xff\xff\xff"s},
      {"65,535 columns in two bytes", false, "D\0\0\0\6\xff\xff"s},
      {"4 billion names in no byte", false, "v\0\0\0\xc\0\3\0\0\xff\xff\xff\xff"s},
      {"text without its end", true, "Q\0\0\0\7abc"s},
      {"text with a NUL inside", true,
       "Q\0\0\0\x8"
       "a\0b\0"s},
      {"diagnostics without their end", false, "E\0\0\0\7Mx\0"s},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const FrameView frame = whole_frame(row.bytes);
    CHECK_FALSE((row.is_frontend ? decode_frontend(frame).has_value() : decode_backend(frame).has_value()));
  }
}

TEST_CASE("a text with a NUL is never written") {
  std::string bytes;
  CHECK_THROWS_AS(encode(Query{std::string("a\0b", 3)}, bytes), Bug);
  CHECK_THROWS_AS(encode(ErrorResponse{{{{'\0', "x"}}}}, bytes), Bug);
  CHECK_THROWS_AS(encode(AuthenticationSasl{{{""}}}, bytes), Bug);
  CHECK_THROWS_AS(
      encode(Parse{.statement = "", .sql = "", .parameter_types = std::vector<std::uint32_t>(70'000)}, bytes),
      Bug);
}
