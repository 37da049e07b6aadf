#include "proxy/session/startup_options.hpp"

#include <algorithm>

#include "common/ascii.hpp"
#include "common/client_encoding.hpp"
#include "common/sqlstate.hpp"
#include "proxy/session/error_response.hpp"
#include "rewriter/lists/session_settings.hpp"

namespace pgveil::session {

namespace {

constexpr std::string_view kProtocolOptionPrefix = "_pq_.";
constexpr std::string_view kSpaces = " \t\n\r\f\v";

bool same_name(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  bool is_in_word = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (kSpaces.find(c) != std::string_view::npos) {
      is_in_word = false;
      continue;
    }
    if (c == '\\') {
      if (++i == text.size()) break;
      c = text[i];
    }
    if (!is_in_word) words.emplace_back();
    is_in_word = true;
    words.back().push_back(c);
  }
  return words;
}

Error bad_options() {
  return client_error(sqlstate::kInsufficientPrivilege,
                      "start-up parameter \"options\" may only set settings", "use -c name=value");
}

Result<std::pair<std::string, std::string>> split_assignment(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) return bad_options();
  std::string name(assignment.substr(0, equals));
  std::replace(name.begin(), name.end(), '-', '_');
  return std::pair(std::move(name), std::string(assignment.substr(equals + 1)));
}

Error not_open(const std::string& name) {
  if (same_name(name, rewriter::kEncodingSetting))
    return client_error(sqlstate::kFeatureNotSupported,
                        "client_encoding can only be UTF8 or an encoding of one byte for each character",
                        rewriter::kEncodingHint);
  return client_error(sqlstate::kInsufficientPrivilege, "start-up parameter \"" + name + "\" is not open",
                      "connect without it; docs/session.md, \"Settings\", lists what may be set");
}

Result<void> add_judged(Settings& forwarded, const std::string& name, const std::string& value) {
  switch (rewriter::judge_startup_parameter(name, value)) {
    case rewriter::StartupParameter::search_path:  // read_startup removes these two again
    case rewriter::StartupParameter::read_only:
    case rewriter::StartupParameter::forward: break;
    case rewriter::StartupParameter::ignore: return {};
    case rewriter::StartupParameter::refuse: return not_open(name);
  }
  const SingleByteEncoding* encoding =
      same_name(name, rewriter::kEncodingSetting) ? single_byte_encoding(value) : nullptr;
  override_settings(forwarded, {{name, encoding != nullptr ? std::string(encoding->name) : value}});
  return {};
}

Result<void> add_options(Settings& forwarded, std::string_view text) {
  const Result<Settings> settings = parse_options(text);
  if (!settings) return settings.error();
  for (const auto& [name, value] : *settings) {
    const Result<void> added = add_judged(forwarded, name, value);
    if (!added) return added;
  }
  return {};
}

// The search_path that was set last becomes the session's own.
Result<void> take_search_path(StartupRequest& request) {
  const auto found =
      std::find_if(request.forwarded.begin(), request.forwarded.end(),
                   [](const auto& setting) { return same_name(setting.first, "search_path"); });
  if (found == request.forwarded.end()) return {};
  request.search_path = rewriter::parse_schema_list(found->second);
  request.forwarded.erase(found);
  if (request.search_path) return {};
  return client_error(sqlstate::kInvalidParameterValue, "invalid value for parameter \"search_path\"",
                      "list names of schemas, with commas between them");
}

// The default_transaction_read_only that was set last is what the session starts with.
void take_read_only(StartupRequest& request) {
  std::erase_if(request.forwarded, [&](const auto& setting) {
    if (!rewriter::is_read_only_setting(setting.first)) return false;
    request.reads_only = rewriter::truth_of_setting(setting.second).value_or(false);
    return true;
  });
}

}  // namespace

Result<Settings> parse_options(std::string_view text) {
  Settings settings;
  const std::vector<std::string> words = split_words(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (word == "-c") {
      if (++i == words.size()) return bad_options();
      word = words[i];
    } else if (word.starts_with("--") || word.starts_with("-c")) {
      word.remove_prefix(2);
    } else {
      return bad_options();
    }
    auto assignment = split_assignment(word);
    if (!assignment) return assignment.error();
    settings.push_back(std::move(*assignment));
  }
  return settings;
}

bool has_setting(const Settings& settings, std::string_view name) {
  return std::ranges::any_of(settings, [&](const auto& each) { return same_name(each.first, name); });
}

void override_settings(Settings& to, const Settings& from) {
  for (const auto& setting : from) {
    std::erase_if(to, [&](const auto& old) { return same_name(old.first, setting.first); });
    to.push_back(setting);
  }
}

Result<WholeStartup> read_whole_startup(const wire::StartupMessage& message) {
  WholeStartup whole;
  for (const auto& [name, value] : message.parameters) {
    if (name == "user") {
      whole.user = value;
    } else if (name == "database") {
      whole.database = value;
    } else if (name == "replication") {
      return client_error(sqlstate::kInsufficientPrivilege, "replication is not open");
    } else if (name.starts_with(kProtocolOptionPrefix)) {
      whole.unknown_options.push_back(name);
    } else {
      whole.parameters.emplace_back(name, value);
    }
  }
  if (whole.user.empty()) {
    return client_error(sqlstate::kInvalidAuthorization, "no user name in the start-up packet");
  }
  if (whole.database.empty()) whole.database = whole.user;
  return whole;
}

Result<StartupRequest> read_startup(const wire::StartupMessage& message) {
  StartupRequest request;
  Settings from_options;
  for (const auto& [name, value] : message.parameters) {
    Result<void> added;
    if (name == "user") {
      request.user = value;
    } else if (name == "database") {
      request.database = value;
    } else if (name == "options") {
      added = add_options(from_options, value);
    } else if (name == "replication") {
      added = client_error(sqlstate::kInsufficientPrivilege, "replication is not open");
    } else if (name.starts_with(kProtocolOptionPrefix)) {
      request.unknown_options.push_back(name);
    } else {
      added = add_judged(request.forwarded, name, value);
    }
    if (!added) return added.error();
  }
  if (request.user.empty()) {
    return client_error(sqlstate::kInvalidAuthorization, "no user name in the start-up packet");
  }
  if (request.database.empty()) request.database = request.user;
  override_settings(from_options, request.forwarded);  // as in PostgreSQL, direct parameters win over options
  request.forwarded = std::move(from_options);
  take_read_only(request);
  const Result<void> taken = take_search_path(request);
  if (!taken) return taken.error();
  return request;
}

}  // namespace pgveil::session
