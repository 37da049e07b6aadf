#pragma once
// Messages that a client sends after start-up, as aggregates in one closed variant. Start-up packets are in
// startup.hpp; the messages that share the tag 'p' are apart, because only the phase says which one it is.
#include <cstdint>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "proxy/wire/primitives.hpp"

namespace pgveil::wire {

struct Bind {
  static constexpr char tag = 'B';
  std::string portal = {};
  std::string statement = {};
  std::vector<std::int16_t> parameter_formats = {};
  std::vector<Value> parameters = {};
  std::vector<std::int16_t> result_formats = {};
  static constexpr auto fields() {
    return std::tuple{&Bind::portal, &Bind::statement, &Bind::parameter_formats, &Bind::parameters,
                      &Bind::result_formats};
  }
  bool operator==(const Bind&) const = default;
};

struct Close {
  static constexpr char tag = 'C';
  Target target = Target::statement;
  std::string name = {};
  static constexpr auto fields() { return std::tuple{&Close::target, &Close::name}; }
  bool operator==(const Close&) const = default;
};

struct CopyData {  // both directions
  static constexpr char tag = 'd';
  Rest data = {};
  static constexpr auto fields() { return std::tuple{&CopyData::data}; }
  bool operator==(const CopyData&) const = default;
};

struct CopyDone {  // both directions
  static constexpr char tag = 'c';
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const CopyDone&) const = default;
};

struct CopyFail {
  static constexpr char tag = 'f';
  std::string message = {};
  static constexpr auto fields() { return std::tuple{&CopyFail::message}; }
  bool operator==(const CopyFail&) const = default;
};

struct Describe {
  static constexpr char tag = 'D';
  Target target = Target::statement;
  std::string name = {};
  static constexpr auto fields() { return std::tuple{&Describe::target, &Describe::name}; }
  bool operator==(const Describe&) const = default;
};

struct Execute {
  static constexpr char tag = 'E';
  std::string portal = {};
  std::int32_t row_limit = 0;  // 0 = all
  static constexpr auto fields() { return std::tuple{&Execute::portal, &Execute::row_limit}; }
  bool operator==(const Execute&) const = default;
};

struct Flush {
  static constexpr char tag = 'H';
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const Flush&) const = default;
};

struct FunctionCall {
  static constexpr char tag = 'F';
  std::uint32_t function_oid = 0;
  std::vector<std::int16_t> argument_formats = {};
  std::vector<Value> arguments = {};
  std::int16_t result_format = 0;
  static constexpr auto fields() {
    return std::tuple{&FunctionCall::function_oid, &FunctionCall::argument_formats, &FunctionCall::arguments,
                      &FunctionCall::result_format};
  }
  bool operator==(const FunctionCall&) const = default;
};

struct Parse {
  static constexpr char tag = 'P';
  std::string statement = {};
  std::string sql = {};
  std::vector<std::uint32_t> parameter_types = {};  // OIDs; 0 = to be inferred
  static constexpr auto fields() {
    return std::tuple{&Parse::statement, &Parse::sql, &Parse::parameter_types};
  }
  bool operator==(const Parse&) const = default;
};

struct Query {
  static constexpr char tag = 'Q';
  std::string sql = {};
  static constexpr auto fields() { return std::tuple{&Query::sql}; }
  bool operator==(const Query&) const = default;
};

struct Sync {
  static constexpr char tag = 'S';
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const Sync&) const = default;
};

struct Terminate {
  static constexpr char tag = 'X';
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const Terminate&) const = default;
};

using FrontendMessage = std::variant<Bind, Close, CopyData, CopyDone, CopyFail, Describe, Execute, Flush,
                                     FunctionCall, Parse, Query, Sync, Terminate>;

// ---- tag 'p': decode_as<> the one that the phase expects

struct PasswordMessage {
  static constexpr char tag = 'p';
  std::string password = {};
  static constexpr auto fields() { return std::tuple{&PasswordMessage::password}; }
  bool operator==(const PasswordMessage&) const = default;
};

struct SaslInitialResponse {
  static constexpr char tag = 'p';
  std::string mechanism = {};
  Value response = {};
  static constexpr auto fields() {
    return std::tuple{&SaslInitialResponse::mechanism, &SaslInitialResponse::response};
  }
  bool operator==(const SaslInitialResponse&) const = default;
};

struct SaslResponse {
  static constexpr char tag = 'p';
  Rest response = {};
  static constexpr auto fields() { return std::tuple{&SaslResponse::response}; }
  bool operator==(const SaslResponse&) const = default;
};

struct GssResponse {
  static constexpr char tag = 'p';
  Rest token = {};
  static constexpr auto fields() { return std::tuple{&GssResponse::token}; }
  bool operator==(const GssResponse&) const = default;
};

}  // namespace pgveil::wire
