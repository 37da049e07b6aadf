#pragma once
// Messages that a server sends, as aggregates in one closed variant. DataRow and CopyData are here for tests
// and for the console; the session forwards their frames without decoding them.
#include <cstdint>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "proxy/wire/authentication.hpp"
#include "proxy/wire/frontend.hpp"
#include "proxy/wire/primitives.hpp"

namespace pgveil::wire {

struct BackendKeyData {
  static constexpr char tag = 'K';
  std::uint32_t pid = 0;
  CancelSecret secret = {};
  static constexpr auto fields() { return std::tuple{&BackendKeyData::pid, &BackendKeyData::secret}; }
  bool operator==(const BackendKeyData&) const = default;
};

struct BindComplete {
  static constexpr char tag = '2';
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const BindComplete&) const = default;
};

struct CloseComplete {
  static constexpr char tag = '3';
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const CloseComplete&) const = default;
};

struct CommandComplete {
  static constexpr char tag = 'C';
  std::string command = {};
  static constexpr auto fields() { return std::tuple{&CommandComplete::command}; }
  bool operator==(const CommandComplete&) const = default;
};

struct CopyInResponse {
  static constexpr char tag = 'G';
  std::int8_t format = 0;
  std::vector<std::int16_t> column_formats = {};
  static constexpr auto fields() {
    return std::tuple{&CopyInResponse::format, &CopyInResponse::column_formats};
  }
  bool operator==(const CopyInResponse&) const = default;
};

struct CopyOutResponse {
  static constexpr char tag = 'H';
  std::int8_t format = 0;
  std::vector<std::int16_t> column_formats = {};
  static constexpr auto fields() {
    return std::tuple{&CopyOutResponse::format, &CopyOutResponse::column_formats};
  }
  bool operator==(const CopyOutResponse&) const = default;
};

struct CopyBothResponse {
  static constexpr char tag = 'W';
  std::int8_t format = 0;
  std::vector<std::int16_t> column_formats = {};
  static constexpr auto fields() {
    return std::tuple{&CopyBothResponse::format, &CopyBothResponse::column_formats};
  }
  bool operator==(const CopyBothResponse&) const = default;
};

struct DataRow {
  static constexpr char tag = 'D';
  std::vector<Value> values = {};
  static constexpr auto fields() { return std::tuple{&DataRow::values}; }
  bool operator==(const DataRow&) const = default;
};

struct EmptyQueryResponse {
  static constexpr char tag = 'I';
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const EmptyQueryResponse&) const = default;
};

struct ErrorResponse {
  static constexpr char tag = 'E';
  Diagnostics diagnostics = {};
  static constexpr auto fields() { return std::tuple{&ErrorResponse::diagnostics}; }
  bool operator==(const ErrorResponse&) const = default;
};

struct FunctionCallResponse {
  static constexpr char tag = 'V';
  Value result = {};
  static constexpr auto fields() { return std::tuple{&FunctionCallResponse::result}; }
  bool operator==(const FunctionCallResponse&) const = default;
};

struct NegotiateProtocolVersion {
  static constexpr char tag = 'v';
  std::uint32_t newest = 0;  // that may be spoken, as PostgreSQL sends it: major << 16 | minor
  CountedNames unknown_options = {};
  static constexpr auto fields() {
    return std::tuple{&NegotiateProtocolVersion::newest, &NegotiateProtocolVersion::unknown_options};
  }
  bool operator==(const NegotiateProtocolVersion&) const = default;
};

struct NoData {
  static constexpr char tag = 'n';
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const NoData&) const = default;
};

struct NoticeResponse {
  static constexpr char tag = 'N';
  Diagnostics diagnostics = {};
  static constexpr auto fields() { return std::tuple{&NoticeResponse::diagnostics}; }
  bool operator==(const NoticeResponse&) const = default;
};

struct NotificationResponse {
  static constexpr char tag = 'A';
  std::uint32_t pid = 0;
  std::string channel = {};
  std::string payload = {};
  static constexpr auto fields() {
    return std::tuple{&NotificationResponse::pid, &NotificationResponse::channel,
                      &NotificationResponse::payload};
  }
  bool operator==(const NotificationResponse&) const = default;
};

struct ParameterDescription {
  static constexpr char tag = 't';
  std::vector<std::uint32_t> types = {};
  static constexpr auto fields() { return std::tuple{&ParameterDescription::types}; }
  bool operator==(const ParameterDescription&) const = default;
};

struct ParameterStatus {
  static constexpr char tag = 'S';
  std::string name = {};
  std::string value = {};
  static constexpr auto fields() { return std::tuple{&ParameterStatus::name, &ParameterStatus::value}; }
  bool operator==(const ParameterStatus&) const = default;
};

struct ParseComplete {
  static constexpr char tag = '1';
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const ParseComplete&) const = default;
};

struct PortalSuspended {
  static constexpr char tag = 's';
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const PortalSuspended&) const = default;
};

struct ReadyForQuery {
  static constexpr char tag = 'Z';
  TransactionStatus status = TransactionStatus::idle;
  static constexpr auto fields() { return std::tuple{&ReadyForQuery::status}; }
  bool operator==(const ReadyForQuery&) const = default;
};

struct ColumnDescription {
  std::string name = {};
  std::uint32_t table_oid = 0;
  std::int16_t column_number = 0;
  std::uint32_t type_oid = 0;
  std::int16_t type_size = 0;
  std::int32_t type_modifier = 0;
  std::int16_t format = 0;
  static constexpr auto fields() {
    return std::tuple{&ColumnDescription::name,          &ColumnDescription::table_oid,
                      &ColumnDescription::column_number, &ColumnDescription::type_oid,
                      &ColumnDescription::type_size,     &ColumnDescription::type_modifier,
                      &ColumnDescription::format};
  }
  bool operator==(const ColumnDescription&) const = default;
};

struct RowDescription {
  static constexpr char tag = 'T';
  std::vector<ColumnDescription> columns = {};
  static constexpr auto fields() { return std::tuple{&RowDescription::columns}; }
  bool operator==(const RowDescription&) const = default;
};

using BackendMessage =
    std::variant<AuthenticationOk, AuthenticationKerberosV5, AuthenticationCleartextPassword,
                 AuthenticationMd5Password, AuthenticationScmCredential, AuthenticationGss,
                 AuthenticationGssContinue, AuthenticationSspi, AuthenticationSasl,
                 AuthenticationSaslContinue, AuthenticationSaslFinal, BackendKeyData, BindComplete,
                 CloseComplete, CommandComplete, CopyInResponse, CopyOutResponse, CopyBothResponse, CopyData,
                 CopyDone, DataRow, EmptyQueryResponse, ErrorResponse, FunctionCallResponse,
                 NegotiateProtocolVersion, NoData, NoticeResponse, NotificationResponse, ParameterDescription,
                 ParameterStatus, ParseComplete, PortalSuspended, ReadyForQuery, RowDescription>;

}  // namespace pgveil::wire
