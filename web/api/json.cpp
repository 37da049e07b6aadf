#include "web/api/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "common/json_object.hpp"
#include "common/sqlstate.hpp"
#include "common/utf8.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxBodyDepth = 4;

Error bad_body(std::string message) {
  return {ErrorKind::usage, std::string(sqlstate::kInvalidParameterValue), std::move(message),
          "docs/openapi.yaml describes the requests"};
}

// Text of a database in another encoding must not make the answer invalid JSON.
std::string valid_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t good = utf8_prefix(text);
    out.append(text.substr(0, good));
    text.remove_prefix(good);
    if (text.empty()) break;
    out += "\xEF\xBF\xBD";
    text.remove_prefix(1);
  }
  return out;
}

}  // namespace

json::object json_of(const console::Table& table) {
  json::array columns, rows, notices;
  for (const auto& column : table.columns) columns.emplace_back(valid_utf8(column));
  for (const auto& row : table.rows) {
    json::array cells;
    for (const auto& cell : row)
      cells.push_back(cell ? json::value(valid_utf8(*cell)) : json::value(nullptr));
    rows.push_back(std::move(cells));
  }
  for (const auto& notice : table.notices) notices.emplace_back(valid_utf8(notice));
  return {{"columns", std::move(columns)}, {"rows", std::move(rows)}, {"notices", std::move(notices)}};
}

unsigned http_status_of(const Error& error) {
  if (error.kind == ErrorKind::policy) return 409;
  if (error.sqlstate == sqlstate::kInsufficientPrivilege) return 403;
  if (error.sqlstate == sqlstate::kObjectInUse) return 409;
  switch (error.kind) {
    case ErrorKind::usage:
    case ErrorKind::syntax:
    case ErrorKind::protocol:
    case ErrorKind::configuration: return 400;
    case ErrorKind::authentication: return 401;
    case ErrorKind::unknown_object: return 404;
    case ErrorKind::policy: return 409;
    case ErrorKind::limit: return 422;
    case ErrorKind::connection:
    case ErrorKind::server: return 502;
    case ErrorKind::io: return 500;
  }
  return 500;
}

net::HttpResponse json_text_response(std::string text) {
  return {200, {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}}, std::move(text)};
}

net::HttpResponse json_response(unsigned status, const json::value& value) {
  auto response = json_text_response(json::serialize(value));
  response.status = status;
  return response;
}

net::HttpResponse error_response(const Error& error) {
  json::object body{{"message", valid_utf8(error.public_message)}};
  if (!error.hint.empty()) body["hint"] = valid_utf8(error.hint);
  if (!error.sqlstate.empty()) body["sqlstate"] = error.sqlstate;
  return json_response(http_status_of(error), body);
}

net::HttpResponse error_response(unsigned status, std::string_view message, std::string_view hint) {
  json::object body{{"message", message}};
  if (!hint.empty()) body["hint"] = hint;
  return json_response(status, body);
}

Error unrecorded() {
  return {ErrorKind::io, std::string(sqlstate::kIoError), "the audit log can't be written",
          "nothing is answered until it can be"};
}

net::HttpResponse not_on_record() {
  return error_response(unrecorded());
}

net::HttpResponse not_there() {
  return error_response(404, "there is no such address", "docs/openapi.yaml lists them");
}

Result<json::object> read_body(std::string_view text, const std::vector<std::string_view>& keys,
                               const std::vector<std::string_view>& optional) {
  auto value = parse_json(text, kMaxBodyDepth);
  if (!value || !value->is_object()) return bad_body("the body is no JSON object, or has a key twice");
  json::object& body = value->get_object();
  FirstError errors;
  JsonObjectView view(body, "body", errors);
  for (const auto key : keys) view.skip(key);
  for (const auto key : optional) view.skip(key);
  view.finish();
  const bool has_all = std::ranges::all_of(keys, [&](std::string_view key) { return view.has(key); });
  if (!has_all || errors.error())
    return bad_body(fmt::format("the body has the keys {}{}{}", fmt::join(keys, ", "),
                                optional.empty() ? "" : ", and perhaps ", fmt::join(optional, ", ")));
  return std::move(body);
}

Result<std::string> text_at(const json::object& body, std::string_view key) {
  FirstError errors;
  auto text = JsonObjectView(body, "body", errors).text(key);
  if (errors.error()) return bad_body(fmt::format("\"{}\" is no text, or has a NUL in it", key));
  return text;
}

Result<std::vector<std::string>> read_texts(std::string_view text,
                                            const std::vector<std::string_view>& keys) {
  const auto body = read_body(text, keys);
  if (!body) return body.error();
  std::vector<std::string> texts;
  for (const auto key : keys) {
    auto value = text_at(*body, key);
    if (!value) return value.error();
    texts.push_back(std::move(*value));
  }
  return texts;
}

Result<std::vector<std::string>> texts_at(const json::object& body, std::string_view key) {
  FirstError errors;
  auto texts = JsonObjectView(body, "body", errors).texts(key);
  if (errors.error()) return bad_body(fmt::format("\"{}\" is no list of texts, or one has a NUL in it", key));
  return texts;
}

Result<std::uint64_t> number_at(const json::object& body, std::string_view key) {
  FirstError errors;
  const auto number = JsonObjectView(body, "body", errors).count(key);
  if (errors.error()) return bad_body(fmt::format("\"{}\" is no whole number of at least 0", key));
  return number;
}

}  // namespace pgveil::app
