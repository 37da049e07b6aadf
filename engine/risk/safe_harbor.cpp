#include "engine/risk/safe_harbor.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include "common/ascii.hpp"
#include "engine/risk/value_patterns.hpp"

namespace pgveil::engine {
namespace {

constexpr std::size_t kMostLookedAt = 10'000;  // distinct values of a column
constexpr double kEnough = 0.5;
constexpr std::size_t kLeastRecords = 20;

// The words of a name: "dateOfBirth", "date_of_birth" and "Date of birth" all give "date of birth".
std::string words_of(std::string_view name) {
  std::string words = " ";
  char before = ' ';
  for (const char c : name) {
    const bool begins_word = is_upper(c) && (is_lower(before) || is_digit(before));
    if (begins_word && words.back() != ' ') words += ' ';
    if (is_letter(c) || is_digit(c) || is_above_ascii(c)) {
      words += lower(c);
    } else if (words.back() != ' ') {
      words += ' ';
    }
    before = c;
  }
  if (words.back() != ' ') words += ' ';
  return words;
}

struct NameRule {
  SafeHarborItem item;
  std::string_view phrases;  // separated by |
};

using Item = SafeHarborItem;
constexpr std::array<NameRule, 18> kNames{{
    {Item::name, "name|names|surname|forename|firstname|lastname|fullname|initials|nickname|maiden"},
    {Item::geography,
     "street|address|city|town|village|county|district|precinct|parish|zip|zipcode|zip "
     "code|postcode|postal|plz|"
     "latitude|longitude|lat|lon|lng|geo|location|neighborhood|neighbourhood|municipality"},
    {Item::date,
     "date|dates|dob|birth|birthday|born|birthdate|death|died|admission|admitted|discharge|discharged|"
     "timestamp|"
     "created|visited"},
    {Item::telephone, "phone|telephone|tel|mobile|cell|cellphone|handy"},
    {Item::fax, "fax|telefax"},
    {Item::email, "email|e mail|mail"},
    {Item::social_security, "ssn|social security|sozialversicherung|national id|nino|tax id|tin"},
    {Item::medical_record, "mrn|medical record|record number|patient|patientid|chart"},
    {Item::health_plan, "health plan|beneficiary|member id|insurance|policy number|insured|subscriber"},
    {Item::account, "account|iban|bic|card number|credit card|creditcard|bank"},
    {Item::certificate, "license|licence|certificate|passport|permit|driver"},
    {Item::vehicle, "vin|plate|license plate|licence plate|vehicle"},
    {Item::device, "device|serial|imei|imsi|mac|udid|implant"},
    {Item::url, "url|uri|website|homepage|web|link"},
    {Item::ip_address, "ip|ip address|ipaddress|ipv4|ipv6"},
    {Item::biometric, "fingerprint|finger print|retina|iris|voice|voiceprint|biometric|dna|genome|gait"},
    {Item::photograph, "photo|photograph|picture|image|portrait|face|selfie|video"},
    {Item::other_identifier,
     "id|uuid|guid|key|identifier|username|user|login|token|hash|pseudonym|number|no|nr|code"},
}};

bool has_phrase(const std::string& words, std::string_view phrases) {
  while (!phrases.empty()) {
    const auto end = std::min(phrases.find('|'), phrases.size());
    if (words.find(" " + std::string(phrases.substr(0, end)) + " ") != std::string::npos) return true;
    phrases.remove_prefix(std::min(end + 1, phrases.size()));
  }
  return false;
}

struct ValueRule {
  SafeHarborItem item;
  bool (*matches)(std::string_view value);
};
constexpr std::array<ValueRule, 9> kValues{{{Item::geography, looks_like_postcode},
                                            {Item::date, looks_like_date},
                                            {Item::telephone, looks_like_telephone},
                                            {Item::email, looks_like_email},
                                            {Item::social_security, looks_like_social_security},
                                            {Item::account, looks_like_account},
                                            {Item::device, looks_like_mac_address},
                                            {Item::url, looks_like_url},
                                            {Item::ip_address, looks_like_ip_address}}};

std::vector<std::string_view> values_of(const Column& column, const std::optional<std::string>& null_text) {
  std::vector<std::string_view> values;
  for (const auto& value : column.values) {
    if (value.empty() || value == null_text) continue;
    values.push_back(value);
    if (values.size() == kMostLookedAt) break;
  }
  return values;
}

double share_of(std::span<const std::string_view> values, bool (*matches)(std::string_view)) {
  if (values.empty()) return 0;
  const auto found = std::ranges::count_if(values, matches);
  return static_cast<double>(found) / static_cast<double>(values.size());
}

std::vector<SafeHarborHint> hints_of(const Column& column, const std::optional<std::string>& null_text) {
  const auto words = words_of(column.name);
  const auto values = values_of(column, null_text);
  std::vector<SafeHarborHint> hints;
  for (const auto& rule : kNames) {
    const bool is_named = has_phrase(words, rule.phrases);
    double matching = 0;
    for (const auto& pattern : kValues) {
      if (pattern.item == rule.item) matching = share_of(values, pattern.matches);
    }
    if (rule.item == Item::date && has_phrase(words, "age")) {
      // The rule does not count an age as a date, unless it is above 89.
      const bool is_old = std::ranges::any_of(values, looks_like_age_above_89);
      if (is_old) hints.push_back({column.name, Item::date, true, share_of(values, looks_like_age_above_89)});
      continue;
    }
    if (rule.item == Item::other_identifier && !hints.empty()) continue;
    if (is_named || matching >= kEnough)
      hints.push_back({column.name, rule.item, is_named, matching >= kEnough ? matching : 0});
  }
  const bool is_unique = column.codes.size() >= kLeastRecords && column.values.size() == column.codes.size();
  if (is_unique && hints.empty()) hints.push_back({column.name, Item::other_identifier, false, 1});
  return hints;
}

}  // namespace

char letter(SafeHarborItem item) {
  return static_cast<char>('A' + static_cast<int>(item));
}

std::string_view meaning(SafeHarborItem item) {
  switch (item) {
    case Item::name: return "a name";
    case Item::geography: return "a place smaller than a state";
    case Item::date: return "a date finer than a year, or an age above 89";
    case Item::telephone: return "a telephone number";
    case Item::fax: return "a fax number";
    case Item::email: return "an e-mail address";
    case Item::social_security: return "a social security number";
    case Item::medical_record: return "a medical record number";
    case Item::health_plan: return "a health plan's number";
    case Item::account: return "an account's number";
    case Item::certificate: return "a number of a certificate or license";
    case Item::vehicle: return "a vehicle's number or plate";
    case Item::device: return "a device's number";
    case Item::url: return "a web address";
    case Item::ip_address: return "an IP address";
    case Item::biometric: return "a biometric identifier";
    case Item::photograph: return "a photograph";
    case Item::other_identifier: return "another number or code that identifies";
  }
  return "";
}

std::vector<SafeHarborHint> safe_harbor_hints(const Table& table,
                                              const std::optional<std::string>& null_text) {
  std::vector<SafeHarborHint> all;
  for (const auto& column : table.columns) {
    const auto some = hints_of(column, null_text);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace pgveil::engine
