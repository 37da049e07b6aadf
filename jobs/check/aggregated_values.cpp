#include "jobs/check/aggregated_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "common/ascii.hpp"
#include "engine/data/calendar.hpp"
#include "engine/data/hierarchy.hpp"
#include "engine/publish/publication.hpp"
#include "jobs/input/data.hpp"

namespace pgveil::app {
namespace {

using engine::Microaggregate;
using engine::Wide;

// Of the tables of sums of one domain: entries, and steps to make them.
constexpr std::size_t kMostSums = std::size_t{1} << 20;
constexpr std::size_t kMostAdditions = std::size_t{1} << 24;
constexpr std::size_t kMostRecords = 64;
// A logarithm of a number below 10^18 is below 42, and each of a few roundings of it is wrong by 2^-53 of
// that at most. So is each addition to a sum of such logarithms, counted for each record.
constexpr double kLogarithmError = 1e-14;
constexpr double kFewRoundings = 16;
constexpr Wide kSignificant = 1'000'000;  // of a geometric mean, which has fewer digits

// A mean and a median of numbers have two decimals more than the values. They are in hundredths of a unit.
constexpr unsigned kMoreDigits = 2;
constexpr Wide kHundredths = 100;

// Both are rounded towards negative infinity. REQUIRES: by > 0.
Wide quotient(Wide number, Wide by) {
  return number >= 0 ? number / by : -((-number + by - 1) / by);
}

bool contains(const std::vector<std::int64_t>& numbers, Wide number) {
  return std::ranges::binary_search(numbers, number, {}, [](std::int64_t it) { return Wide{it}; });
}

// A decimal number in units of 10^−scale. It can have two digits more than decimal_of takes.
std::optional<Wide> wide_number(std::string_view text, unsigned scale) {
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const auto dot = std::min(text.find('.'), text.size());
  const auto whole = text.substr(0, dot), fraction = text.substr(std::min(dot + 1, text.size()));
  if (!are_digits(whole) || (dot < text.size() && !are_digits(fraction)) || fraction.size() > scale)
    return std::nullopt;
  constexpr std::size_t kMostDigits = 36;
  std::string digits = std::string(whole) + std::string(fraction);
  digits.append(scale - fraction.size(), '0');
  if (digits.size() > kMostDigits) return std::nullopt;
  Wide number = 0;
  for (const char c : digits) number = number * 10 + (c - '0');
  return is_negative ? -number : number;
}

bool has_number_between(const std::vector<std::int64_t>& numbers, Wide least, Wide greatest) {
  const auto found =
      std::ranges::lower_bound(numbers, least, {}, [](std::int64_t number) { return Wide{number}; });
  return found != numbers.end() && Wide{*found} <= greatest;
}

}  // namespace

struct AggregatedValues::Shown {
  std::string text;
  Wide low = 0, high = 0;  // the ends of an interval; both are the number in all other cases
  Wide each = 1;           // low and high are in parts of a unit, of which there are so many
};

AggregatedValues::AggregatedValues(const JobAttribute& attribute, const engine::Column& raw, const Job& job)
    : attribute_(&attribute), raw_(&raw), job_(&job) {
  const auto null = std::ranges::find(raw.values, job.null_text.value_or(""));
  if (job.null_text && null != raw.values.end())
    null_code_ = static_cast<engine::Code>(null - raw.values.begin());
}

Result<AggregatedValues> AggregatedValues::make(const JobAttribute& attribute, const engine::Column& raw,
                                                const Job& job, std::optional<unsigned> level) {
  AggregatedValues made(attribute, raw, job);
  if (*attribute.aggregate != Microaggregate::mode) {
    auto measured = engine::measure_values(raw, job.null_text);
    if (!measured) return measured.error();
    made.measured_ = std::move(*measured);
  }
  std::map<engine::Code, std::vector<engine::Code>> below;  // by the node at the level
  std::optional<engine::LevelTables> levels;
  if (level && has_hierarchy(attribute)) {
    const auto hierarchy = hierarchy_of(attribute, raw, job);
    if (!hierarchy) return hierarchy.error();
    auto tables = engine::make_level_tables(raw, *hierarchy);
    if (!tables) return tables.error();
    if (*level > tables->height())
      return invalid_input(fmt::format("the hierarchy of {} has no level {}", attribute.name, *level),
                           "is this the report of the job?");
    levels = std::move(*tables);
  }
  for (std::size_t at = 0; at < raw.values.size(); ++at) {
    const auto code = static_cast<engine::Code>(at);
    below[levels ? levels->code_at[*level][code] : 0].push_back(code);
  }
  for (const auto& [node, codes] : below) made.add_domain(codes);
  return made;
}

void AggregatedValues::add_domain(const std::vector<engine::Code>& codes) {
  Domain domain;
  for (const auto code : codes) {
    if (code == null_code_)
      domain.has_null = true;
    else
      domain.codes.push_back(code);
  }
  if (domain.codes.empty()) return;  // only NULL is below the node, and shown
  add_numbers(domain);
  domains_.push_back(std::move(domain));
}

void AggregatedValues::add_numbers(Domain& domain) const {
  if (*attribute_->aggregate == Microaggregate::mode) return;
  for (const auto code : domain.codes) domain.numbers.push_back(*measured_.exact[code]);
  std::ranges::sort(domain.numbers);
  const auto [first, last] = std::ranges::unique(domain.numbers);
  domain.numbers.erase(first, last);
  if (*attribute_->aggregate == Microaggregate::mean) add_sums(domain);
}

void AggregatedValues::add_sums(Domain& domain) {
  const auto least = domain.numbers.front();
  std::int64_t unit = 0;
  for (const auto number : domain.numbers) unit = std::gcd(unit, number - least);
  domain.unit = std::max<std::int64_t>(unit, 1);
  std::vector<std::size_t> places;
  for (const auto number : domain.numbers)
    places.push_back(static_cast<std::size_t>((number - least) / domain.unit));
  if (places.back() >= kMostSums) return;
  std::vector<bool> sums(places.back() + 1, false);
  for (const auto place : places) sums[place] = true;
  std::size_t steps = 0;
  for (std::size_t records = 2; records <= kMostRecords; ++records) {
    const std::size_t size = places.back() * records + 1;
    steps += size * places.size();
    if (size > kMostSums || steps > kMostAdditions) return;
    std::vector<bool> next(size, false);
    for (std::size_t sum = 0; sum < sums.size(); ++sum) {
      if (!sums[sum]) continue;
      for (const auto place : places) next[sum + place] = true;
    }
    domain.sums.push_back(next);
    sums = std::move(next);
  }
}

std::optional<Wide> AggregatedValues::number_of(std::string_view text, unsigned more_digits) const {
  switch (measured_.measured_as) {
    case engine::MeasuredAs::date: {
      const auto day = engine::calendar_day(text);
      return day ? std::optional<Wide>(engine::day_number(*day)) : std::nullopt;
    }
    case engine::MeasuredAs::number: return wide_number(text, measured_.scale + more_digits);
  }
  return std::nullopt;
}

std::optional<AggregatedValues::Shown> AggregatedValues::read(const std::string& text) const {
  Shown shown{.text = text};
  switch (*attribute_->aggregate) {
    case Microaggregate::mode: return shown;
    case Microaggregate::interval: {
      const auto comma = text.find(',');
      const bool is_interval = text.starts_with('[') && text.ends_with(']') && comma != std::string::npos;
      const auto low = number_of(is_interval ? text.substr(1, comma - 1) : text, 0);
      const auto high = number_of(is_interval ? text.substr(comma + 1, text.size() - comma - 2) : text, 0);
      if (!low || !high || (is_interval && *low >= *high)) return std::nullopt;
      shown.low = *low;
      shown.high = *high;
      return shown;
    }
    case Microaggregate::mean:
    case Microaggregate::geometric_mean:
    case Microaggregate::median: {
      const bool is_number = measured_.measured_as == engine::MeasuredAs::number;
      const auto number = number_of(text, is_number ? kMoreDigits : 0);
      if (!number) return std::nullopt;
      shown.low = shown.high = *number;
      shown.each = is_number ? kHundredths : Wide{1};
      return shown;
    }
  }
  return std::nullopt;
}

AggregatedValues::IsPossible AggregatedValues::of_mean(const Domain& domain, const Shown& shown,
                                                       std::uint64_t known) {
  const auto records = static_cast<Wide>(known);
  // The shown mean is ⌊sum · each / records + 1/2⌋.
  const Wide least_sum = -quotient(-records * (2 * shown.low - 1), 2 * shown.each);
  const Wide greatest_sum = -quotient(-records * (2 * shown.low + 1), 2 * shown.each) - 1;
  return [&domain, others = records - 1, least_sum, greatest_sum](std::int64_t value) {
    const Wide low = least_sum - value, high = greatest_sum - value;  // of the sum of the others
    const Wide least = Wide{domain.numbers.front()} * others;
    const Wide greatest = Wide{domain.numbers.back()} * others;
    if (high < least || low > greatest) return false;
    if (others == 0) return true;
    if (others == 1) return has_number_between(domain.numbers, low, high);
    const auto unit = Wide{domain.unit};
    const Wide first = std::max<Wide>(0, -quotient(-(low - least), unit));
    const Wide last = quotient(std::min(high, greatest) - least, unit);
    if (first > last) return false;
    const auto table = static_cast<std::size_t>(others) - 2;
    if (table >= domain.sums.size()) return true;
    const auto begin = domain.sums[table].begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(last) + 1;
    return std::find(begin + static_cast<std::ptrdiff_t>(first), end, true) != end;
  };
}

AggregatedValues::IsPossible AggregatedValues::of_geometric_mean(const Domain& domain, const Shown& shown,
                                                                 std::uint64_t known) {
  if (shown.low == 0) {
    const bool is_there = contains(domain.numbers, 0);
    return [is_there, known](std::int64_t value) { return is_there && (known > 1 || value == 0); };
  }
  // It was rounded to a part, and from seven digits on to six. If all numbers are equal, it was not.
  Wide unit = 1;
  while (shown.low / unit >= kSignificant) unit *= 10;
  const bool can_be_mixed = known > 1 && shown.low % unit == 0;
  const double rounding = (unit == 1 ? 0.5 : 0.5 + static_cast<double>(unit) / 2) + 1e-6;
  const auto each = static_cast<double>(shown.each), records = static_cast<double>(known);
  const double low = (static_cast<double>(shown.low) - rounding) / each;
  const double high = (static_cast<double>(shown.low) + rounding) / each;
  const double additions = std::min(records, static_cast<double>(domain.numbers.size()));
  const double error = kLogarithmError * records * (additions + kFewRoundings);
  const double least_sum = records * std::log(low) - error;
  const double greatest_sum = records * std::log(high) + error;
  const auto positive =
      std::ranges::subrange(std::ranges::upper_bound(domain.numbers, 0), domain.numbers.end());
  return [=, number = shown.low, whole = shown.each](std::int64_t value) {
    if (value <= 0) return false;
    if (value * whole == number) return true;  // all records can have it
    if (!can_be_mixed) return false;
    const auto logarithm = [](std::int64_t it) { return std::log(static_cast<double>(it)); };
    // Of the logarithms of the other records.
    const double least = least_sum - logarithm(value), greatest = greatest_sum - logarithm(value);
    if (known > 2) {
      const auto others = static_cast<double>(known - 1);
      return logarithm(positive.front()) * others <= greatest && logarithm(positive.back()) * others >= least;
    }
    auto other = std::ranges::lower_bound(positive, least, {}, logarithm);
    if (other != positive.end() && *other == value) ++other;
    return other != positive.end() && logarithm(*other) <= greatest;
  };
}

AggregatedValues::IsPossible AggregatedValues::of_median(const Domain& domain, const Shown& shown,
                                                         std::uint64_t known) {
  const auto is_shown = [each = shown.each, low = shown.low](std::int64_t number) {
    return number * each == low;
  };
  if (known % 2 == 1) {
    const bool is_there = std::ranges::any_of(domain.numbers, is_shown);
    return [=](std::int64_t value) { return is_there && (known > 1 || is_shown(value)); };
  }
  // Both middle values, whose mean was rounded up. The last pair is the closest one.
  std::vector<std::int64_t> of_two;
  std::optional<std::pair<std::int64_t, std::int64_t>> closest;
  const Wide doubled = 2 * shown.low;
  auto upper = domain.numbers.rbegin();
  for (const auto lower : domain.numbers) {
    while (upper != domain.numbers.rend() && (Wide{lower} + *upper) * shown.each > doubled) ++upper;
    for (auto at = upper; at != domain.numbers.rend() && *at >= lower; ++at) {
      if ((Wide{lower} + *at) * shown.each < doubled - 1) break;
      closest = {lower, *at};
      of_two.insert(of_two.end(), {lower, *at});
    }
  }
  if (known > 2)
    return [closest](std::int64_t value) {
      return closest && (value <= closest->first || value >= closest->second);
    };
  std::ranges::sort(of_two);
  return [of_two](std::int64_t value) { return contains(of_two, value); };
}

AggregatedValues::IsPossible AggregatedValues::of_interval(const Domain& domain, const Shown& shown,
                                                           std::uint64_t known) {
  const bool is_there = contains(domain.numbers, shown.low) && contains(domain.numbers, shown.high) &&
                        (known > 1 || shown.low == shown.high);
  return [=, low = shown.low, high = shown.high](std::int64_t value) {
    return is_there && (value == low || value == high || (known > 2 && low < value && value < high));
  };
}

std::function<bool(engine::Code)> AggregatedValues::of_mode(const Domain& domain, const Shown& shown,
                                                            std::uint64_t known) const {
  // Two records at least have it, or the only one.
  const auto has_it = [this, text = shown.text](engine::Code code) { return raw_->values[code] == text; };
  const bool is_there = std::ranges::any_of(domain.codes, has_it);
  return [=](engine::Code code) { return is_there && (known > 2 || has_it(code)); };
}

std::function<bool(engine::Code)> AggregatedValues::condition(const Domain& domain, const Shown& shown,
                                                              std::uint64_t known) const {
  const auto by_number = [this](IsPossible is_possible) {
    return [this, is_possible = std::move(is_possible)](engine::Code code) {
      return is_possible(*measured_.exact[code]);
    };
  };
  switch (*attribute_->aggregate) {
    case Microaggregate::mean: return by_number(of_mean(domain, shown, known));
    case Microaggregate::geometric_mean: return by_number(of_geometric_mean(domain, shown, known));
    case Microaggregate::median: return by_number(of_median(domain, shown, known));
    case Microaggregate::interval: return by_number(of_interval(domain, shown, known));
    case Microaggregate::mode: return of_mode(domain, shown, known);
  }
  return {};
}

// Whether values below this node can have the aggregate in a class of some size, apart from gaps between
// them.
bool AggregatedValues::is_within(const Domain& domain, const Shown& shown) const {
  if (*attribute_->aggregate == Microaggregate::mode)
    return std::ranges::any_of(domain.codes,
                               [&](engine::Code code) { return raw_->values[code] == shown.text; });
  const bool is_geometric = *attribute_->aggregate == Microaggregate::geometric_mean;
  const Wide rounding = is_geometric ? shown.high / kSignificant * 10 : 0;
  return Wide{domain.numbers.front()} * shown.each <= shown.low + rounding &&
         shown.high - rounding <= Wide{domain.numbers.back()} * shown.each;
}

std::vector<std::uint64_t> AggregatedValues::known_records(const Domain& domain, std::uint64_t records,
                                                           bool is_one_of_several) const {
  std::vector<std::uint64_t> made{records};
  if (!domain.has_null && !is_one_of_several) return made;
  const std::uint64_t k = std::max<std::uint64_t>(job_->k, 1);
  // Middles, modes and ends of more than two depend at most on whether the number is even.
  const bool is_mean = *attribute_->aggregate == Microaggregate::mean ||
                       *attribute_->aggregate == Microaggregate::geometric_mean;
  const std::uint64_t most = domain.has_null ? records - 1 : records - std::min(k, records);
  for (auto known = most; known >= k; --known) {
    const bool permits_the_same = !is_mean && known > 2 && known + 2 <= most;
    if (!permits_the_same) made.push_back(known);
  }
  return made;
}

void AggregatedValues::add_possible(const Domain& domain, const Shown& shown, std::uint64_t records,
                                    bool is_one_of_several, std::vector<bool>& flags) const {
  auto open = domain.codes;
  for (const auto known : known_records(domain, records, is_one_of_several)) {
    const auto is_possible = condition(domain, shown, known);
    const bool wants_null = domain.has_null && known < records && !flags[*null_code_];
    if (wants_null && std::ranges::any_of(domain.codes, is_possible)) flags[*null_code_] = true;
    std::erase_if(open, [&](engine::Code code) {
      if (is_possible(code)) flags[code] = true;
      return flags[code];
    });
    if (open.empty() && (!domain.has_null || flags[*null_code_])) return;
  }
}

std::vector<bool> AggregatedValues::possible(const std::string& text, std::uint64_t records) const {
  if (text == engine::kSuppressed) return std::vector<bool>(raw_->values.size(), true);
  std::vector<bool> made(raw_->values.size(), false);
  if (job_->null_text && text == *job_->null_text) {
    if (null_code_) made[*null_code_] = true;
    return made;
  }
  const auto shown = read(text);
  if (!shown) return made;
  std::vector<const Domain*> nodes;
  for (const auto& domain : domains_) {
    if (is_within(domain, *shown)) nodes.push_back(&domain);
  }
  for (const auto* domain : nodes) add_possible(*domain, *shown, records, nodes.size() > 1, made);
  return made;
}

bool AggregatedValues::names_one_value(const std::string& text) const {
  if (job_->null_text && text == *job_->null_text) return true;
  return *attribute_->aggregate == Microaggregate::interval && text != engine::kSuppressed &&
         !text.starts_with('[');
}

}  // namespace pgveil::app
