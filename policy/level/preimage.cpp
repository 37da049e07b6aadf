#include "policy/level/preimage.hpp"

#include <algorithm>
#include <utility>

#include "common/assert.hpp"
#include "policy/level/level_date.hpp"
#include "policy/level/level_number.hpp"

namespace pgveil::policy {

namespace {

std::uint32_t characters_in(std::string_view text) {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// The pre-image is right only if level_value gives the value for the sample.
struct Candidate {
  Preimage preimage;
  std::string sample;
};

template <class Numbers>
std::optional<Candidate> candidate(const Numbers& numbers, LevelShows shows, std::string_view value) {
  const auto at = number_in(value, shows);
  const auto interval = at ? interval_of(numbers, *at) : std::nullopt;
  if (!interval) return std::nullopt;
  RangeOf range;
  if (interval->lower) range.lower = text_of(*interval->lower);
  if (interval->upper) range.upper = text_of(*interval->upper);
  return Candidate{range, text_of(*at)};
}

std::optional<Candidate> candidate(Period period, LevelShows shows, std::string_view value) {
  const auto at = day_in(period, value, shows);
  const auto span = at ? days_of(period, *at) : std::nullopt;
  if (!span) return std::nullopt;
  return Candidate{RangeOf{text_of(span->first), text_of(span->end)}, text_of(span->first)};
}

std::optional<Candidate> candidate(const Prefix& prefix, LevelShows, std::string_view value) {
  if (!value.ends_with('*')) return std::nullopt;
  const std::string start(value.substr(0, value.size() - 1));
  if (characters_in(start) > prefix.length) return std::nullopt;
  return Candidate{StartsWith{prefix.length, start}, start};
}

std::optional<Candidate> candidate(const Groups& groups, LevelShows, std::string_view value) {
  OneOf values;
  for (const auto& [text, label] : groups.labels) {
    if (label == value) values.values.push_back(text);
  }
  if (values.values.empty()) return std::nullopt;
  std::string sample = values.values.front();
  return Candidate{std::move(values), std::move(sample)};
}

std::optional<Candidate> found(const Level& level, std::string_view value) {
  auto out =
      std::visit([&](const auto& method) { return candidate(method, level.shows, value); }, level.method);
  if (!out || level_value(level, out->sample) != value) return std::nullopt;
  return out;
}

}  // namespace

std::optional<Preimage> preimage_of(const Level& level, std::string_view value) {
  auto out = found(level, value);
  return out ? std::optional(std::move(out->preimage)) : std::nullopt;
}

std::string sample_of(const Level& level, std::string_view value) {
  auto out = found(level, value);
  PGVEIL_ASSERT(out.has_value());
  return std::move(out->sample);
}

}  // namespace pgveil::policy
