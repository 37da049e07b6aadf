#include "proxy/session/backend_state.hpp"

#include <algorithm>
#include <utility>

#include "common/ascii.hpp"
#include "common/assert.hpp"

namespace pgveil::session {
namespace {

constexpr std::size_t kMostMet = 64;

}  // namespace

const std::string* PreparedStatements::find(const std::string& key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  found->second.used = ++last_use_;
  return &found->second.name;
}

std::string PreparedStatements::add(const std::string& key, std::size_t size_bytes, Origin origin) {
  forget(key);
  std::string name = std::string(kOwnNames) + std::to_string(++last_name_);
  by_key_.emplace(key, Prepared{name, ++last_use_, size_bytes, origin});
  size_bytes_ += size_bytes;
  if (origin == Origin::kept) kept_bytes_ += size_bytes;
  return name;
}

std::string PreparedStatements::take(std::map<std::string, Prepared>::iterator one) {
  std::string name = std::move(one->second.name);
  size_bytes_ -= one->second.size_bytes;
  if (one->second.origin == Origin::kept) kept_bytes_ -= one->second.size_bytes;
  by_key_.erase(one);
  return name;
}

bool PreparedStatements::is_met_again(const std::string& key) {
  if (by_key_.contains(key)) return true;
  const auto found = std::ranges::find(met_, key);
  if (found != met_.end()) {
    met_.erase(found);
    return true;
  }
  if (met_.size() == kMostMet) met_.pop_front();
  met_.push_back(key);
  return false;
}

void PreparedStatements::forget(const std::string& key) {
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) take(found);
}

void PreparedStatements::forget_all() {
  by_key_.clear();
  size_bytes_ = kept_bytes_ = 0;
}

std::string PreparedStatements::take_oldest() {
  PGVEIL_ASSERT(!by_key_.empty());
  return take(std::ranges::min_element(by_key_, {}, [](const auto& entry) { return entry.second.used; }));
}

std::string PreparedStatements::take_oldest_kept() {
  PGVEIL_ASSERT(kept_bytes_ > 0);
  return take(std::ranges::min_element(by_key_, {}, [](const auto& entry) {
    return std::pair(entry.second.origin != Origin::kept, entry.second.used);
  }));
}

// A value may have line breaks, but never a zero byte. So other values never give the same text.
std::string reading_of_constants(const BackendState& server) {
  std::string out;
  for (const std::string& value : server.reading) out.append(1, '\0').append(value);
  return out.append(1, '\0').append(server.unreported);
}

namespace {

constexpr std::array<std::string_view, 3> kUnreported{"bytea_output", "extra_float_digits", "xmloption"};

}  // namespace

// Setting names are compared case-insensitively.
bool may_change_unreported(std::string_view setting) {
  const auto is_it = [&](std::string_view name) { return lower(setting) == name; };
  return setting.empty() || std::ranges::any_of(kUnreported, is_it);
}

void note_unreported_change(BackendState& server) {
  server.unreported = "?" + std::to_string(++server.unreported_changes);
}

void note_settings(BackendState& server, Settings settings) {
  server.settings = std::move(settings);
  server.unreported.clear();
  for (const auto& [name, value] : server.settings) {
    if (std::ranges::find(kUnreported, name) != kUnreported.end())
      server.unreported.append(name).append("=").append(value).append(1, '\0');
  }
}

void note_reading(BackendState& server, std::string_view name, std::string_view value) {
  static constexpr std::array<std::string_view, 3> names{"DateStyle", "IntervalStyle", "TimeZone"};
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) server.reading[static_cast<std::size_t>(found - names.begin())] = value;
}

void note_parameter(SharedSettings& parameters, const std::string& name, const std::string& value) {
  Settings changed = parameters ? *parameters : Settings();
  const auto found = std::ranges::find(changed, name, &Settings::value_type::first);
  if (found == changed.end()) {
    changed.emplace_back(name, value);
  } else if (found->second != value) {
    found->second = value;
  } else {
    return;
  }
  parameters = std::make_shared<const Settings>(std::move(changed));
}

void note_parameter(BackendState& server, const std::string& name, const std::string& value) {
  note_reading(server, name, value);
  note_parameter(server.parameters, name, value);
}

}  // namespace pgveil::session
