#include "daemon/audit/line.hpp"

#include <fmt/format.h>

#include "common/utf8.hpp"

namespace pgveil::app {
namespace {

using session::AuditVerdict;

std::string_view name_of(AuditVerdict verdict) {
  switch (verdict) {
    case AuditVerdict::open: return "open";
    case AuditVerdict::masked: return "masked";
    case AuditVerdict::exempt: return "exempt";
    case AuditVerdict::bypass: return "bypass";
    case AuditVerdict::refused: return "refused";
    case AuditVerdict::error: return "error";
  }
  return "error";
}

std::string_view name_of(session::LoginMethod method) {
  switch (method) {
    case session::LoginMethod::trust: return "trust";
    case session::LoginMethod::scram_sha_256: return "scram-sha-256";
    case session::LoginMethod::certificate: return "cert";
    case session::LoginMethod::vouched: return "page";
    case session::LoginMethod::sign_in_link: return "sign-in link";
  }
  return "trust";
}

struct Fields {
  std::string text;

  void add(std::string_view key, std::string_view value) {
    text += fmt::format(R"(,"{}":{})", key, json_text(value));
  }
  void add(std::string_view key, std::uint64_t value) { text += fmt::format(R"(,"{}":{})", key, value); }
  void add_unless_empty(std::string_view key, std::string_view value) {
    if (!value.empty()) add(key, value);
  }
  void add_text(const session::AuditedText& sql) {
    if (sql) add("sql", *sql);
  }
};

struct EventName {
  std::string_view operator()(const session::AuditedLogin&) const { return "login"; }
  std::string_view operator()(const session::AuditedLogout&) const { return "logout"; }
  std::string_view operator()(const session::AuditedStatement&) const { return "statement"; }
  std::string_view operator()(const session::AuditedAnswer&) const { return "answer"; }
  std::string_view operator()(const session::AuditedCommand&) const { return "command"; }
  std::string_view operator()(const session::AuditedCommandEnd&) const { return "command_end"; }
};

struct Details {
  Fields& fields;

  void operator()(const session::AuditedLogin& login) const {
    fields.add("verdict", login.sqlstate.empty() ? "let in" : "refused");
    fields.add("method", name_of(login.method));
    if (login.is_bypass) fields.add("as", "bypass");
    if (login.is_looked_up) fields.add("found_by", "auth_query");
    fields.add_unless_empty("reads_as", login.reads_as);
    fields.add_unless_empty("sqlstate", login.sqlstate);
  }
  void operator()(const session::AuditedLogout&) const {}
  void operator()(const session::AuditedStatement& statement) const {
    fields.add("verdict", name_of(statement.verdict));
    fields.add_unless_empty("sqlstate", statement.sqlstate);
    fields.add_unless_empty("reason", statement.reason);
    if (!statement.versions.empty()) add_versions(statement.versions);
    fields.add_text(statement.text);
  }
  void operator()(const session::AuditedAnswer& answer) const {
    fields.add("rows", answer.rows);
    fields.add_unless_empty("sqlstate", answer.sqlstate);
  }
  void operator()(const session::AuditedCommand& command) const { fields.add_text(command.text); }
  void operator()(const session::AuditedCommandEnd& end) const {
    fields.add("verdict", end.sqlstate.empty() ? "done" : "failed");
    fields.add_unless_empty("sqlstate", end.sqlstate);
  }

  void add_versions(const std::vector<rewriter::VersionId>& versions) const {
    std::string list;
    for (const auto& version : versions) {
      list += fmt::format(R"({}{{"policy":{},"version":{}}})", list.empty() ? "" : ",",
                          json_text(version.policy), version.number);
    }
    fields.text += fmt::format(R"(,"policies":[{}])", list);
  }
};

std::string address_of(const console::Address& address) {
  return address.port == 0 ? address.host : fmt::format("{}:{}", address.host, address.port);
}

// A client that is not logged in may send any name; PostgreSQL has no longer names than this.
std::string_view name_part(std::string_view name) {
  return name.substr(0, 63);
}

void add_escaped(std::string& out, char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (c == '"' || c == '\\') {
    out += '\\';
    out += c;
  } else if (byte < 0x20 || byte == 0x7f) {
    out += fmt::format("\\u{:04x}", byte);
  } else {
    out += c;
  }
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t good = utf8_prefix(text);
    for (const char c : text.substr(0, good)) add_escaped(out, c);
    text.remove_prefix(good);
    if (text.empty()) break;
    out += "\\ufffd";
    text.remove_prefix(1);
  }
  return out + '"';
}

std::string audit_fields(const net::AuditRecord& record) {
  const session::AuditEvent& event = record.event;
  Fields fields;
  fields.add("event", std::visit(EventName(), event.thing));
  fields.add("session", record.session);
  if (event.request != 0) fields.add("request", fmt::format("{}/{}", record.session, event.request));
  fields.add("role", name_part(event.role));
  fields.add("database", name_part(event.database));
  fields.add("client", address_of(record.client));
  std::visit(Details{fields}, event.thing);
  if (record.took) fields.add("took_us", static_cast<std::uint64_t>(record.took->count()));
  return fields.text;
}

std::string audit_fields(const ProcessEvent& event) {
  Fields fields;
  fields.add("event", event.name);
  for (const auto& [key, value] : event.fields) fields.add(key, value);
  return fields.text;
}

}  // namespace pgveil::app
