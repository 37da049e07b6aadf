#pragma once
// Frames for scripts, from both sides.
#include <initializer_list>
#include <string>
#include <string_view>

#include "proxy/wire/codec.hpp"
#include "proxy/wire/startup.hpp"

namespace pgveil::session::testing {

template <class... Messages>
std::string frames(const Messages&... messages) {
  std::string bytes;
  (wire::encode(messages, bytes), ...);
  return bytes;
}

// The secret of a cancel key of protocol 3.0, which is a number to most.
inline wire::CancelSecret secret(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(number >> shift & 0xff));
  return {bytes};
}

// ---- the client's
inline std::string query(std::string_view sql) {
  return frames(wire::Query{std::string(sql)});
}
inline std::string parse(std::string_view name, std::string_view sql) {
  return frames(wire::Parse{.statement = std::string(name), .sql = std::string(sql), .parameter_types = {}});
}
inline std::string bind_message(std::string_view portal, std::string_view statement) {
  return frames(wire::Bind{.portal = std::string(portal), .statement = std::string(statement)});
}
inline std::string describe_portal(std::string_view name) {
  return frames(wire::Describe{.target = wire::Target::portal, .name = std::string(name)});
}
inline std::string describe_statement(std::string_view name) {
  return frames(wire::Describe{.target = wire::Target::statement, .name = std::string(name)});
}
inline std::string execute(std::string_view portal, std::int32_t row_limit = 0) {
  return frames(wire::Execute{.portal = std::string(portal), .row_limit = row_limit});
}
inline std::string close_statement(std::string_view name) {
  return frames(wire::Close{.target = wire::Target::statement, .name = std::string(name)});
}
inline std::string sync_message() {
  return frames(wire::Sync{});
}
inline std::string flush_message() {
  return frames(wire::Flush{});
}

// ---- the server's
inline std::string row_description(std::string_view column) {
  return frames(wire::RowDescription{
      {{.name = std::string(column), .table_oid = 7, .column_number = 3, .type_oid = 25}}});
}
inline std::string row(std::string_view value) {
  return frames(wire::DataRow{{std::string(value)}});
}
inline std::string complete(std::string_view tag) {
  return frames(wire::CommandComplete{std::string(tag)});
}
inline std::string ready(char status) {
  return frames(wire::ReadyForQuery{static_cast<wire::TransactionStatus>(status)});
}
inline std::string server_error(std::string_view severity, std::string_view sqlstate,
                                std::string_view message) {
  return frames(wire::ErrorResponse{{{{'S', std::string(severity)},
                                      {'V', std::string(severity)},
                                      {'C', std::string(sqlstate)},
                                      {'M', std::string(message)},
                                      {'D', "Failing row contains (Smith)."},
                                      {'H', "try again"},
                                      {'P', "8"},
                                      {'q', "SELECT secret"},
                                      {'W', "inner context"},
                                      {'t', "people"}}}});
}
inline std::string server_error(std::string_view sqlstate, std::string_view message) {
  return server_error("ERROR", sqlstate, message);
}
// What PostgreSQL says of a prepared statement whose result has other columns now.
inline std::string stale_plan_error() {
  return frames(wire::ErrorResponse{{{{'S', "ERROR"},
                                      {'V', "ERROR"},
                                      {'C', "0A000"},
                                      {'M', "cached plan must not change result type"},
                                      {'F', "plancache.c"},
                                      {'R', "RevalidateCachedQuery"}}}});
}
inline std::string server_notice(std::string_view message) {
  return frames(wire::NoticeResponse{
      {{{'S', "NOTICE"}, {'V', "NOTICE"}, {'C', "00000"}, {'M', std::string(message)}, {'D', "Smith"}}}});
}
inline std::string parameter(std::string_view name, std::string_view value) {
  return frames(wire::ParameterStatus{.name = std::string(name), .value = std::string(value)});
}

}  // namespace pgveil::session::testing
