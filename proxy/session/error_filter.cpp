#include "proxy/session/error_filter.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "common/ascii.hpp"
#include "common/sqlstate.hpp"
#include "proxy/session/error_response.hpp"

namespace pgveil::session {

namespace {

enum class Keep { always, before_rows };

// By SQLSTATE or by class. The header gives the reasons.
constexpr std::pair<std::string_view, Keep> kKept[] = {
    {"25", Keep::always},      {"26", Keep::always},      {"34", Keep::always},
    {"40", Keep::always},      {"55P03", Keep::always},   {"57014", Keep::always},
    {"42", Keep::before_rows}, {"0A", Keep::before_rows}, {"3D", Keep::before_rows},
    {"3F", Keep::before_rows},
};

// By SQLSTATE first, then by class.
constexpr std::pair<std::string_view, std::string_view> kFixedTexts[] = {
    {"22001", "value too long for its type"},
    {"22003", "value out of range"},
    {"22007", "invalid format of a date or time"},
    {"22008", "date or time out of range"},
    {"22012", "division by zero"},
    {"22021", "invalid character for the encoding"},
    {"22023", "invalid parameter value"},
    {"22P02", "invalid input syntax"},
    {"22P03", "invalid binary representation"},
    {"21000", "more than one row returned by a subquery used as an expression"},
    {"53100", "the database server is out of disk space"},
    {"53200", "the database server is out of memory"},
    {"53300", "the database server has too many connections"},
    {"54001", "the statement is too complex"},
    {"22", "data exception while running a protected statement"},
    {"42", "a protected statement was not valid when it ran"},
    {"53", "the database server has too few resources"},
    {"54", "a limit of the database server was crossed"},
};
constexpr std::string_view kFallbackText = "error while running a protected statement";

constexpr std::pair<std::string_view, std::string_view> kFatalTexts[] = {
    {"57P01", "terminating connection due to administrator command"},
    {"57P02", "terminating connection because the database server crashed"},
    {"57P03", "the database server is not accepting connections now"},
    {"57P05", "terminating connection due to idle-session timeout"},
    {"25P03", "terminating connection due to idle-in-transaction timeout"},
};
constexpr std::string_view kFatalFallbackText = "the database server ended the connection";

// SQLSTATEs of a failed login that tell the client what to do about it. All others become 08006.
constexpr std::pair<std::string_view, std::string_view> kLoginTexts[] = {
    {"3D000", "the database does not exist on the database server"},
    {"53300", "the database server has too many connections"},
    {"57P03", "the database server is not accepting connections now"},
};
constexpr std::string_view kLoginFallbackText = "cannot log in to the database server";

constexpr std::string_view kSeverities[] = {"ERROR",  "FATAL", "PANIC", "WARNING",
                                            "NOTICE", "DEBUG", "INFO",  "LOG"};

template <class Value, std::size_t n>
const Value* find(const std::pair<std::string_view, Value> (&table)[n], std::string_view key) {
  const auto found =
      std::find_if(std::begin(table), std::end(table), [&](const auto& row) { return row.first == key; });
  return found == std::end(table) ? nullptr : &found->second;
}

template <class Value, std::size_t n>
const Value* find_state(const std::pair<std::string_view, Value> (&table)[n], std::string_view sqlstate) {
  const Value* exact = find(table, sqlstate);
  return exact != nullptr ? exact : find(table, sqlstate.substr(0, 2));
}

std::string_view text_of(const wire::Diagnostics& diagnostics, char code) {
  const std::string* text = diagnostics.find(code);
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

// 'V' is never translated; servers before 9.6 only have 'S'.
std::string_view severity_of(const wire::Diagnostics& diagnostics, std::string_view fallback) {
  const std::string_view severity = text_of(diagnostics, diagnostics.find('V') != nullptr ? 'V' : 'S');
  const auto known = std::find(std::begin(kSeverities), std::end(kSeverities), severity);
  return known == std::end(kSeverities) ? fallback : *known;
}

std::string original(const wire::Diagnostics& diagnostics) {
  std::string text;
  for (const auto& [code, value] : diagnostics.fields) {
    if (!text.empty()) text += "; ";
    text += code;
    text += ": ";
    text += value;
  }
  return text;
}

bool keeps_message(std::string_view sqlstate, Progress progress) {
  const Keep* keep = find_state(kKept, sqlstate);
  if (keep == nullptr) return false;
  switch (*keep) {
    case Keep::always: return true;
    case Keep::before_rows: return progress == Progress::before_rows;
  }
  return false;
}

Filtered fixed(const wire::Diagnostics& from, std::string_view severity, std::string_view sqlstate,
               std::string_view text, std::string_view hint = {}) {
  return {.diagnostics = diagnostics(severity, sqlstate, text, hint), .private_detail = original(from)};
}

}  // namespace

std::string sqlstate_of(const wire::Diagnostics& diagnostics) {
  const std::string_view code = text_of(diagnostics, 'C');
  const auto is_legal = [](char c) { return is_digit(c) || is_upper(c); };
  const bool is_sqlstate = code.size() == 5 && std::all_of(code.begin(), code.end(), is_legal);
  return std::string(is_sqlstate ? code : sqlstate::kInternalError);
}

bool is_of_guard(const wire::ErrorResponse& error) {
  const std::string sqlstate = sqlstate_of(error.diagnostics);
  const std::string_view message = text_of(error.diagnostics, 'M');
  return sqlstate == kOtherVersionState || sqlstate == kNoVersionState ||
         message.find(kOpenMark) != std::string_view::npos ||
         message.find(kViewMark) != std::string_view::npos;
}

// By the function that raised it, because the message may be translated and other errors have the SQLSTATE.
bool is_of_stale_plan(const wire::ErrorResponse& error) {
  return sqlstate_of(error.diagnostics) == sqlstate::kFeatureNotSupported &&
         text_of(error.diagnostics, 'R') == "RevalidateCachedQuery";
}

bool is_fatal(const wire::ErrorResponse& error) {
  const std::string_view severity = severity_of(error.diagnostics, "ERROR");
  return severity == "FATAL" || severity == "PANIC";
}

Filtered filter_error(const wire::ErrorResponse& error, Protection protection, Progress progress) {
  const wire::Diagnostics& from = error.diagnostics;
  const std::string_view message = text_of(from, 'M');
  if (message.find(kShapeMark) != std::string_view::npos) {
    return fixed(from, "ERROR", sqlstate::kInsufficientPrivilege,
                 "the table changed since its policy was built", "BUILD POLICY is needed");
  }
  if (message.find(kOpenMark) != std::string_view::npos) {
    return fixed(from, "ERROR", sqlstate::kSerializationFailure,
                 "a table, or one of its partitions, was replaced or altered meanwhile",
                 "run the transaction again");
  }
  if (message.find(kViewMark) != std::string_view::npos) {
    return fixed(from, "ERROR", sqlstate::kSerializationFailure,
                 "the policy's mask view was replaced meanwhile, or after this transaction began",
                 "run the transaction again");
  }
  const std::string_view severity = severity_of(from, "ERROR");
  const std::string sqlstate = sqlstate_of(from);
  if (sqlstate == kOtherVersionState) {
    return fixed(from, "ERROR", sqlstate::kSerializationFailure,
                 "the policy was built again meanwhile, or after this transaction began",
                 "run the transaction again");
  }
  if (sqlstate == kNoVersionState) {
    return fixed(from, "ERROR", sqlstate::kInsufficientPrivilege, "the policy was withdrawn",
                 "BUILD POLICY is needed");
  }
  if (protection == Protection::open) return fixed(from, severity, sqlstate, message, text_of(from, 'H'));
  if (is_of_stale_plan(error)) return fixed(from, severity, sqlstate, kStalePlanText);
  if (keeps_message(sqlstate, progress)) return fixed(from, severity, sqlstate, message);
  const std::string_view* text = find_state(kFixedTexts, sqlstate);
  return fixed(from, severity, sqlstate, text == nullptr ? kFallbackText : *text);
}

Filtered filter_notice(const wire::NoticeResponse& notice, Protection protection) {
  const wire::Diagnostics& from = notice.diagnostics;
  const std::string_view severity = severity_of(from, "NOTICE");
  const std::string sqlstate = sqlstate_of(from);
  if (protection == Protection::open)
    return fixed(from, severity, sqlstate, text_of(from, 'M'), text_of(from, 'H'));
  return fixed(from, severity, sqlstate, "notice while running a protected statement");
}

Filtered filter_fatal(const wire::ErrorResponse& error) {
  const std::string sqlstate = sqlstate_of(error.diagnostics);
  const std::string_view* text = find(kFatalTexts, sqlstate);
  return fixed(error.diagnostics, "FATAL", sqlstate, text == nullptr ? kFatalFallbackText : *text);
}

Filtered filter_login_error(const wire::ErrorResponse& error) {
  const std::string sqlstate = sqlstate_of(error.diagnostics);
  const std::string_view* text = find(kLoginTexts, sqlstate);
  if (text != nullptr) return fixed(error.diagnostics, "FATAL", sqlstate, *text);
  return fixed(error.diagnostics, "FATAL", sqlstate::kConnectionFailure, kLoginFallbackText);
}

}  // namespace pgveil::session
