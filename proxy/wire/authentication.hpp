#pragma once
// The kinds of authentication request that a server can send: they have one tag and differ by a 32-bit code
// (`code` here). Part of the backend variant. That a kind is known does not mean that it is accepted: the
// session refuses all except Ok and SCRAM.
#include <array>
#include <cstdint>
#include <tuple>

#include "proxy/wire/primitives.hpp"

namespace pgveil::wire {

struct AuthenticationOk {
  static constexpr char tag = 'R';
  static constexpr std::int32_t code = 0;
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const AuthenticationOk&) const = default;
};

struct AuthenticationKerberosV5 {
  static constexpr char tag = 'R';
  static constexpr std::int32_t code = 2;
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const AuthenticationKerberosV5&) const = default;
};

struct AuthenticationCleartextPassword {
  static constexpr char tag = 'R';
  static constexpr std::int32_t code = 3;
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const AuthenticationCleartextPassword&) const = default;
};

struct AuthenticationMd5Password {
  static constexpr char tag = 'R';
  static constexpr std::int32_t code = 5;
  std::array<unsigned char, 4> salt{};
  static constexpr auto fields() { return std::tuple{&AuthenticationMd5Password::salt}; }
  bool operator==(const AuthenticationMd5Password&) const = default;
};

struct AuthenticationScmCredential {
  static constexpr char tag = 'R';
  static constexpr std::int32_t code = 6;
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const AuthenticationScmCredential&) const = default;
};

struct AuthenticationGss {
  static constexpr char tag = 'R';
  static constexpr std::int32_t code = 7;
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const AuthenticationGss&) const = default;
};

struct AuthenticationGssContinue {
  static constexpr char tag = 'R';
  static constexpr std::int32_t code = 8;
  Rest data;
  static constexpr auto fields() { return std::tuple{&AuthenticationGssContinue::data}; }
  bool operator==(const AuthenticationGssContinue&) const = default;
};

struct AuthenticationSspi {
  static constexpr char tag = 'R';
  static constexpr std::int32_t code = 9;
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const AuthenticationSspi&) const = default;
};

struct AuthenticationSasl {
  static constexpr char tag = 'R';
  static constexpr std::int32_t code = 10;
  EndedNames mechanisms;
  static constexpr auto fields() { return std::tuple{&AuthenticationSasl::mechanisms}; }
  bool operator==(const AuthenticationSasl&) const = default;
};

struct AuthenticationSaslContinue {
  static constexpr char tag = 'R';
  static constexpr std::int32_t code = 11;
  Rest data;
  static constexpr auto fields() { return std::tuple{&AuthenticationSaslContinue::data}; }
  bool operator==(const AuthenticationSaslContinue&) const = default;
};

struct AuthenticationSaslFinal {
  static constexpr char tag = 'R';
  static constexpr std::int32_t code = 12;
  Rest data;
  static constexpr auto fields() { return std::tuple{&AuthenticationSaslFinal::data}; }
  bool operator==(const AuthenticationSaslFinal&) const = default;
};

}  // namespace pgveil::wire
