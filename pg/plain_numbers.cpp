#include "pg/plain_numbers.hpp"

#include <algorithm>
#include <vector>

#include "common/ascii.hpp"
#include "pg/fields.hpp"
#include "pg/parse.hpp"

namespace pgveil::pg {
namespace {

// 0: the text is decimal.
int base_of(std::string_view text) {
  if (text.size() < 3 || text[0] != '0') return 0;
  switch (text[1]) {
    case 'x':
    case 'X': return 16;
    case 'o':
    case 'O': return 8;
    case 'b':
    case 'B': return 2;
    default: return 0;
  }
}

int digit_of(char c) {
  if (is_digit(c)) return c - '0';
  return (c | 0x20) - 'a' + 10;
}

// Any number of digits, because such a constant may be a numeric. The least significant digit comes first.
std::string decimal_of(std::string_view digits, int base) {
  std::vector<int> decimal{0};
  for (const char c : digits) {
    int carry = digit_of(c);
    for (int& digit : decimal) {
      carry += digit * base;
      digit = carry % 10;
      carry /= 10;
    }
    for (; carry > 0; carry /= 10) decimal.push_back(carry % 10);
  }
  std::string out;
  for (auto digit = decimal.rbegin(); digit != decimal.rend(); ++digit)
    out += static_cast<char>('0' + *digit);
  return out;
}

bool make_plain(ProtobufCMessage& node, Arena& arena) {
  if (node.descriptor == &pg_query__float__descriptor) {
    auto& number = reinterpret_cast<PgQuery__Float&>(node);
    const auto plain = plain_number(number.fval);
    if (!plain) return false;
    number.fval = arena.copy(*plain);
  }
  bool are_plain = true;
  for_each_child(node, [&](const ProtobufCFieldDescriptor&, const ProtobufCMessage& child) {
    // The whole tree is ours to change.
    are_plain = make_plain(const_cast<ProtobufCMessage&>(child), arena) && are_plain;
  });
  return are_plain;
}

}  // namespace

std::optional<std::string> plain_number(std::string_view text) {
  std::string digits(text);
  std::erase(digits, '_');
  const bool is_negative = digits.starts_with('-');
  const std::string_view bare = std::string_view(digits).substr(is_negative ? 1 : 0);
  const int base = base_of(bare);
  if (base == 0) return digits;
  if (bare.size() > kMaxDigitsOfOddNumber) return std::nullopt;
  return (is_negative ? "-" : "") + decimal_of(bare.substr(2), base);
}

bool may_have_odd_numbers(std::string_view sql) {
  for (std::size_t i = 1; i < sql.size(); ++i) {
    if (is_digit(sql[i - 1]) && std::string_view("_xXoObB").find(sql[i]) != std::string_view::npos)
      return true;
  }
  return false;
}

bool make_numbers_plain(Tree& tree) {
  return make_plain(tree.result->base, *tree.arena);
}

}  // namespace pgveil::pg
