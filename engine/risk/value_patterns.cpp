#include "engine/risk/value_patterns.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "common/ascii.hpp"

namespace pgveil::engine {
namespace {

bool is_hex(char c) {
  return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f');
}

// '9' stands for a digit, 'h' for a hexadecimal digit, and any other character for itself.
bool has_form(std::string_view value, std::string_view form) {
  return std::ranges::equal(value, form, [](char c, char place) {
    if (place == '9') return is_digit(c);
    return place == 'h' ? is_hex(c) : c == place;
  });
}

std::size_t digits_in(std::string_view value) {
  return static_cast<std::size_t>(std::ranges::count_if(value, is_digit));
}

// Reads at most four digits; -1: no number.
int small_number(std::string_view text) {
  if (text.empty() || text.size() > 4 || !std::ranges::all_of(text, is_digit)) return -1;
  int number = 0;
  for (const char c : text) number = number * 10 + (c - '0');
  return number;
}

bool is_day_of_year(int year, int month, int day) {
  return year >= 1000 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

// Three numbers separated by two marks; the last one ends at a blank or a T.
bool has_date(std::string_view value, char mark) {
  const auto first = value.find(mark);
  if (first == std::string_view::npos) return false;
  const auto second = value.find(mark, first + 1);
  if (second == std::string_view::npos) return false;
  const auto rest = value.substr(second + 1);
  const int a = small_number(value.substr(0, first));
  const int b = small_number(value.substr(first + 1, second - first - 1));
  const int c = small_number(rest.substr(0, std::min(rest.find_first_of(" T"), rest.size())));
  if (mark == '-') return is_day_of_year(a, b, c);
  return is_day_of_year(c, b, a) || is_day_of_year(c, a, b) || (mark == '/' && is_day_of_year(a, b, c));
}

bool is_version_4(std::string_view value) {
  int parts = 0;
  while (true) {
    const auto end = std::min(value.find('.'), value.size());
    const int number = small_number(value.substr(0, end));
    if (number < 0 || number > 255) return false;
    ++parts;
    if (end == value.size()) return parts == 4;
    value.remove_prefix(end + 1);
  }
}

bool is_version_6(std::string_view value) {
  const auto colons = std::ranges::count(value, ':');
  const bool is_short = value.find("::") != std::string_view::npos;
  return (colons == 7 || (is_short && colons >= 2 && colons <= 7)) && value.size() <= 39 &&
         std::ranges::all_of(value, [](char c) { return is_hex(c) || c == ':'; });
}

// The Luhn check: every second digit from the right is doubled.
bool has_check_digit(const std::string& digits) {
  int sum = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    int digit = digits[digits.size() - 1 - i] - '0';
    if (i % 2 == 1) digit = digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
    sum += digit;
  }
  return sum % 10 == 0;
}

bool is_iban(std::string_view compact) {
  return compact.size() >= 15 && compact.size() <= 34 && is_letter(compact[0]) && is_letter(compact[1]) &&
         is_digit(compact[2]) && is_digit(compact[3]) &&
         std::ranges::all_of(compact, [](char c) { return is_digit(c) || is_letter(c); }) &&
         digits_in(compact) >= 10;
}

}  // namespace

bool looks_like_email(std::string_view value) {
  const auto at = value.find('@');
  if (at == 0 || at == std::string_view::npos || value.find('@', at + 1) != std::string_view::npos)
    return false;
  const auto host = value.substr(at + 1);
  const auto dot = host.rfind('.');
  return dot != std::string_view::npos && dot > 0 && dot + 2 < host.size() + 1 && host.back() != '.' &&
         value.find_first_of(" \t,;") == std::string_view::npos;
}

bool looks_like_url(std::string_view value) {
  return value.starts_with("http://") || value.starts_with("https://") || value.starts_with("ftp://") ||
         value.starts_with("www.");
}

bool looks_like_ip_address(std::string_view value) {
  return is_version_4(value) || is_version_6(value);
}

bool looks_like_mac_address(std::string_view value) {
  return has_form(value, "hh:hh:hh:hh:hh:hh") || has_form(value, "hh-hh-hh-hh-hh-hh");
}

bool looks_like_social_security(std::string_view value) {
  return has_form(value, "999-99-9999");
}

bool looks_like_telephone(std::string_view value) {
  if (value.empty() || looks_like_social_security(value) || looks_like_date(value)) return false;
  const auto digits = digits_in(value);
  const bool has_marks = value.front() == '+' || value.front() == '(' || has_form(value, "999-999-9999") ||
                         has_form(value, "999.999.9999") || has_form(value, "999 999 9999") ||
                         has_form(value, "999-9999");
  return has_marks && digits >= 7 && digits <= 15 && std::ranges::all_of(value, [](char c) {
           return is_digit(c) || std::string_view("+()-./ ").find(c) != std::string_view::npos;
         });
}

bool looks_like_account(std::string_view value) {
  std::string compact;
  for (const char c : value) {
    if (c != ' ' && c != '-') compact += c;
  }
  if (is_iban(compact)) return true;
  return compact.size() >= 13 && compact.size() <= 19 && digits_in(compact) == compact.size() &&
         has_check_digit(compact);
}

bool looks_like_date(std::string_view value) {
  return has_date(value, '-') || has_date(value, '.') || has_date(value, '/');
}

bool looks_like_postcode(std::string_view value) {
  return has_form(value, "99999") || has_form(value, "99999-9999");
}

bool looks_like_age_above_89(std::string_view value) {
  const int age = small_number(value);
  return age > 89 && age < 130;
}

}  // namespace pgveil::engine
