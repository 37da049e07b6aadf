#include "web/api/audit_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/ascii.hpp"
#include "common/sqlstate.hpp"
#include "web/api/json.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

constexpr std::size_t kSecondsLength = 19;  // of "2026-11-22T19:16:31"
constexpr std::array<std::string_view, 7> kGroupKeys{"event",  "role",     "database", "verdict",
                                                     "reason", "sqlstate", "method"};

Error bad_question(std::string message) {
  return {ErrorKind::usage, std::string(sqlstate::kInvalidParameterValue), std::move(message),
          "docs/openapi.yaml describes the requests"};
}

// Empty, or "2026-11-22T19:16:31Z" with or without a fraction of the second.
bool is_instant(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00";
  if (text.empty()) return true;
  if (text.size() <= kSecondsLength || text.back() != 'Z') return false;
  for (std::size_t i = 0; i < kSecondsLength; ++i) {
    if (kShape[i] == '0' ? !is_digit(text[i]) : text[i] != kShape[i]) return false;
  }
  const auto fraction = text.substr(kSecondsLength, text.size() - kSecondsLength - 1);
  if (fraction.empty()) return true;
  return fraction.front() == '.' && fraction.size() > 1 && std::ranges::all_of(fraction.substr(1), is_digit);
}

// Reads the texts of a body that may lack some.
class Texts {
 public:
  explicit Texts(const json::object& body) : body_(body) {}
  [[nodiscard]] Result<void> read(std::string_view key, std::string& into) const {
    if (!body_.contains(key)) return {};
    auto text = text_at(body_, key);
    if (!text) return text.error();
    into = std::move(*text);
    return {};
  }

 private:
  const json::object& body_;
};

Result<void> read_numbers(const json::object& body, AuditQuestion& question) {
  for (const auto& [key, into] : {std::pair<std::string_view, std::uint64_t*>{"limit", &question.limit},
                                  {"before", &question.before}}) {
    if (!body.contains(key)) continue;
    const auto number = number_at(body, key);
    if (!number) return number.error();
    *into = *number;
  }
  if (question.limit == 0 || question.limit > kMostAuditLines)
    return bad_question(fmt::format("\"limit\" is outside 1 to {}", kMostAuditLines));
  return {};
}

}  // namespace

Result<AuditQuestion> read_audit_question(std::string_view text) {
  const auto body = read_body(text, {"event", "role", "verdict", "text"},
                              {"database", "reason", "from", "to", "looks", "limit", "before", "by"});
  if (!body) return body.error();
  AuditQuestion question;
  AuditFilter& filter = question.filter;
  std::string looks = "shown";
  const Texts texts(*body);
  for (const auto& [key, into] : {std::pair<std::string_view, std::string*>{"event", &filter.event},
                                  {"role", &filter.role},
                                  {"database", &filter.database},
                                  {"verdict", &filter.verdict},
                                  {"reason", &filter.reason},
                                  {"text", &filter.text},
                                  {"from", &filter.from},
                                  {"to", &filter.to},
                                  {"looks", &looks},
                                  {"by", &question.by}}) {
    if (auto done = texts.read(key, *into); !done) return done.error();
  }
  if (auto done = read_numbers(*body, question); !done) return done.error();
  if (!is_instant(filter.from) || !is_instant(filter.to))
    return bad_question("\"from\" and \"to\" are instants in UTC, such as 2026-11-22T19:16:31Z");
  if (looks != "shown" && looks != "hidden") return bad_question("\"looks\" is shown or hidden");
  if (!question.by.empty() && std::ranges::find(kGroupKeys, question.by) == kGroupKeys.end())
    return bad_question(
        fmt::format("\"by\" is one of event, role, database, verdict, reason, sqlstate, method"));
  filter.has_looks = looks == "shown";
  filter.text = lower(filter.text);
  filter.from.resize(std::min(filter.from.size(), kSecondsLength));
  filter.to.resize(std::min(filter.to.size(), kSecondsLength));
  return question;
}

std::string_view audited_text_at(const json::object& event, std::string_view key) {
  const auto* value = event.if_contains(key);
  if (value == nullptr || !value->is_string()) return {};
  const auto& text = value->get_string();
  return {text.data(), text.size()};
}

bool fits(const json::object& event, const AuditFilter& filter) {
  const auto is = [&](std::string_view key, const std::string& wanted) {
    return wanted.empty() || audited_text_at(event, key) == wanted;
  };
  const auto second = audited_text_at(event, "at").substr(0, kSecondsLength);
  return is("event", filter.event) && is("role", filter.role) && is("database", filter.database) &&
         is("verdict", filter.verdict) && is("reason", filter.reason) &&
         (filter.from.empty() || second >= filter.from) && (filter.to.empty() || second < filter.to) &&
         (filter.text.empty() || lower(audited_text_at(event, "sql")).find(filter.text) != std::string::npos);
}

}  // namespace pgveil::app
