#include "daemon/access/hba.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <iterator>
#include <utility>

#include "common/files/trusted_file.hpp"
#include "common/sqlstate.hpp"
#include "common/yaml.hpp"

namespace pgveil::app {
namespace {

constexpr std::size_t kMaxFileBytes = 1 << 20;
constexpr HbaAddress kIpv4Prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr int kIpv4PrefixBits = 96;
constexpr HbaAddress kIpv6Loopback{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

// One word of a line. A quoted word is always a name.
struct Word {
  std::string text;
  bool is_quoted = false;
  bool ends_list = true;  // no comma follows
};

// nullopt: a quote is not closed.
std::optional<std::vector<Word>> words_of(std::string_view line) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < line.size();) {
    const char c = line[at];
    if (c == '#') break;
    if (c == ' ' || c == '\t' || c == '\r') {
      ++at;
    } else if (c == ',') {
      if (words.empty() || !words.back().ends_list) return std::nullopt;
      words.back().ends_list = false;
      ++at;
    } else if (c == '"') {
      const std::size_t end = line.find('"', at + 1);
      if (end == std::string_view::npos) return std::nullopt;
      words.push_back({std::string(line.substr(at + 1, end - at - 1)), true});
      at = end + 1;
    } else {
      const std::size_t end = std::min(line.find_first_of(" \t\r,#\"", at), line.size());
      words.push_back({std::string(line.substr(at, end - at))});
      at = end;
    }
  }
  if (!words.empty() && !words.back().ends_list) return std::nullopt;
  return words;
}

std::optional<std::pair<HbaAddress, bool>> parse_address(const std::string& text) {
  HbaAddress address{};
  if (::inet_pton(AF_INET6, text.c_str(), address.data()) == 1) {
    const bool is_mapped = std::equal(kIpv4Prefix.begin(), kIpv4Prefix.begin() + 12, address.begin());
    return std::pair(address, is_mapped);
  }
  address = kIpv4Prefix;
  if (::inet_pton(AF_INET, text.c_str(), address.data() + 12) == 1) return std::pair(address, true);
  return std::nullopt;
}

HbaAddress mask_of(int bits) {
  HbaAddress mask{};
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const int left = std::clamp(bits - static_cast<int>(i) * 8, 0, 8);
    mask[i] = static_cast<std::uint8_t>(0xff << (8 - left));
  }
  return mask;
}

// "10.0.0.0/8", or a single address. nullopt: it is neither. If the mask is in the next word, there must be
// no bits here.
std::optional<HbaNetwork> parse_network(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto parsed = parse_address(text.substr(0, slash));
  if (!parsed) return std::nullopt;
  const auto& [address, is_ipv4] = *parsed;
  const int size = is_ipv4 ? 32 : 128;
  int bits = size;
  if (slash != std::string::npos) {
    const char* begin = text.data() + slash + 1;
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), bits);
    if (error != std::errc() || end != text.data() + text.size() || end == begin || bits < 0 || bits > size)
      return std::nullopt;
  }
  return HbaNetwork{address, mask_of(bits + (is_ipv4 ? kIpv4PrefixBits : 0)), is_ipv4};
}

class LineReader {
 public:
  LineReader(std::vector<Word> words, yaml::Position position)
      : words_(std::move(words)), position_(std::move(position)) {}

  Result<HbaRule> read() {
    HbaRule rule;
    if (auto type = read_type(rule); !type) return type.error();
    if (auto names = read_names("a database", rule.databases, "sameuser"); !names) return names.error();
    if (auto names = read_names("a role", rule.roles, ""); !names) return names.error();
    if (rule.type != HbaRule::Type::local) {
      if (auto network = read_network(rule); !network) return network.error();
    }
    if (auto method = read_method(rule); !method) return method.error();
    if (auto option = read_option(rule); !option) return option.error();
    return rule;
  }

 private:
  [[nodiscard]] Error wrong(std::string_view what, std::string_view fix) const {
    return yaml::error_at(position_, what, fix);
  }
  const Word* next() { return at_ < words_.size() ? &words_[at_++] : nullptr; }

  Result<void> read_type(HbaRule& rule) {
    constexpr std::pair<std::string_view, HbaRule::Type> kTypes[] = {{"local", HbaRule::Type::local},
                                                                     {"host", HbaRule::Type::host},
                                                                     {"hostssl", HbaRule::Type::hostssl},
                                                                     {"hostnossl", HbaRule::Type::hostnossl}};
    const Word* word = next();
    const auto found =
        std::ranges::find(kTypes, word->text, &std::pair<std::string_view, HbaRule::Type>::first);
    if (found == std::end(kTypes) || word->is_quoted)
      return wrong(fmt::format("unknown type {}", yaml::in_quotes(word->text)),
                   "use local, host, hostssl or hostnossl");
    rule.type = found->second;
    return {};
  }

  // keyword: allowed besides all; empty: none. A word with a special meaning in pg_hba.conf is refused, not
  // taken for a name.
  Result<void> read_names(std::string_view what, HbaNames& names, std::string_view keyword) {
    for (const Word* word = next(); word != nullptr; word = next()) {
      if (!word->is_quoted && word->text == "all") {
        names.is_all = true;
      } else if (!word->is_quoted && !keyword.empty() && word->text == keyword) {
        names.is_same_user = true;
      } else if (!word->is_quoted && has_other_meaning(word->text)) {
        return wrong(fmt::format("{} is a pg_hba.conf keyword that pgveil does not support",
                                 yaml::in_quotes(word->text)),
                     "list names. If a name is such a keyword, put it in double quotes");
      } else {
        names.names.push_back(word->text);
      }
      if (word->ends_list) return {};
    }
    return wrong(fmt::format("{} is expected", what), "write TYPE DATABASE USER ADDRESS METHOD");
  }

  static bool has_other_meaning(std::string_view text) {
    return text.empty() || text.front() == '+' || text.front() == '@' || text.front() == '/' ||
           text == "samerole" || text == "samegroup" || text == "replication" || text == "sameuser";
  }

  Result<void> read_network(HbaRule& rule) {
    const Word* word = next();
    if (word != nullptr && word->text == "all" && !word->is_quoted) return {};
    auto network = word == nullptr ? std::nullopt : parse_network(word->text);
    if (!network)
      return wrong("an address is expected",
                   "write all, 10.1.2.3, 10.0.0.0/8, 10.0.0.0 255.0.0.0 or the like of IPv6");
    const bool may_have_mask = word->text.find('/') == std::string::npos && at_ < words_.size();
    if (may_have_mask) {
      if (const auto mask = parse_address(words_[at_].text)) {
        if (mask->second != network->is_ipv4)
          return wrong("one of address and mask is IPv4 and the other is IPv6", "use one kind");
        ++at_;
        network->mask = mask->first;
        std::fill_n(network->mask.begin(), network->is_ipv4 ? 12 : 0, std::uint8_t{0xff});
      }
    }
    rule.network = *network;
    return {};
  }

  Result<void> read_method(HbaRule& rule) {
    const Word* word = next();
    const std::string_view name = word == nullptr ? std::string_view() : word->text;
    if (name == "scram-sha-256") {
      rule.demand = session::LoginDemand::password;
    } else if (name == "cert") {
      if (rule.type != HbaRule::Type::hostssl)
        return wrong("method cert on a rule that also allows connections without TLS", "write hostssl");
      rule.demand = session::LoginDemand::certificate;
    } else if (name != "reject") {
      return wrong(
          word == nullptr ? "a method is expected" : fmt::format("unknown method {}", yaml::in_quotes(name)),
          "use scram-sha-256, cert or reject");
    }
    return {};
  }

  Result<void> read_option(HbaRule& rule) {
    const Word* word = next();
    if (word == nullptr) return {};
    constexpr std::string_view kVerifyCa = "clientcert=verify-ca", kVerifyFull = "clientcert=verify-full";
    if (word->text != kVerifyCa && word->text != kVerifyFull)
      return wrong("something follows the method", "the only supported option is clientcert");
    if (rule.type != HbaRule::Type::hostssl)
      return wrong("clientcert on a rule that also allows connections without TLS", "write hostssl");
    if (rule.demand == session::LoginDemand::password) {
      rule.demand = word->text == kVerifyFull ? session::LoginDemand::password_and_certificate
                                              : session::LoginDemand::password_and_any_certificate;
    } else if (!rule.demand || word->text == kVerifyCa) {
      return wrong(fmt::format("{} cannot be combined with this method", word->text), "leave it out");
    }
    if (next() != nullptr) return wrong("something follows the option", "write at most one option");
    return {};
  }

  std::vector<Word> words_;
  yaml::Position position_;
  std::size_t at_ = 0;
};

bool fits(const HbaNames& names, std::string_view name, std::string_view role) {
  return names.is_all || (names.is_same_user && name == role) ||
         std::ranges::find(names.names, name) != names.names.end();
}

bool fits(const HbaRule& rule, const session::ClientOrigin& origin) {
  const bool is_local = origin.address.empty();
  switch (rule.type) {
    case HbaRule::Type::local: return is_local;
    case HbaRule::Type::host: break;
    case HbaRule::Type::hostssl:
      if (!origin.is_secured) return false;
      break;
    case HbaRule::Type::hostnossl:
      if (origin.is_secured) return false;
      break;
  }
  if (is_local) return false;
  if (!rule.network) return true;
  const auto parsed = parse_address(origin.address);
  if (!parsed || parsed->second != rule.network->is_ipv4) return false;
  for (std::size_t i = 0; i < parsed->first.size(); ++i) {
    const auto mask = rule.network->mask[i];
    if ((parsed->first[i] & mask) != (rule.network->address[i] & mask)) return false;
  }
  return true;
}

// Whether only this machine has addresses of the network.
bool is_loopback(const std::optional<HbaNetwork>& network) {
  if (!network) return false;
  const auto is_full = [](std::uint8_t byte) { return byte == 0xff; };
  if (!network->is_ipv4)
    return network->address == kIpv6Loopback && std::ranges::all_of(network->mask, is_full);
  constexpr std::size_t kFirst = kIpv4PrefixBits / 8;
  return network->address[kFirst] == 127 && is_full(network->mask[kFirst]);
}

}  // namespace

Result<HbaRules> parse_hba(std::string_view text, const std::string& file_name) {
  HbaRules rules;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const yaml::Position position{file_name, number, 1};
    auto words = words_of(text.substr(0, end));
    if (!words) return yaml::error_at(position, "a quote or a list is not closed", "end it on the same line");
    if (!words->empty()) {
      auto rule = LineReader(std::move(*words), position).read();
      if (!rule) return rule.error();
      rules.push_back(std::move(*rule));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rules;
}

Result<HbaRules> read_hba_file(const std::string& path) {
  const auto text = read_trusted(path, Secrecy::open, kMaxFileBytes);
  if (!text) return text.error();
  return parse_hba(*text, path);
}

const HbaRule* find_rule(const HbaRules& rules, std::string_view role, std::string_view database,
                         const session::ClientOrigin& origin) {
  const auto found = std::ranges::find_if(rules, [&](const HbaRule& rule) {
    return fits(rule.databases, database, role) && fits(rule.roles, role, {}) && fits(rule, origin);
  });
  return found == rules.end() ? nullptr : &*found;
}

bool lets_in_by_certificate(const HbaRules& rules) {
  return std::ranges::find(rules, session::LoginDemand::certificate, &HbaRule::demand) != rules.end();
}

bool asks_for_certificates(const HbaRules& rules) {
  return std::ranges::any_of(rules, [](const HbaRule& rule) {
    return rule.demand && *rule.demand != session::LoginDemand::password;
  });
}

bool lets_in_remote_plaintext(const HbaRules& rules) {
  for (const auto& rule : rules) {
    if (rule.type == HbaRule::Type::local || rule.type == HbaRule::Type::hostssl) continue;
    if (rule.demand && !is_loopback(rule.network)) return true;
    const bool is_for_all = rule.databases.is_all && rule.roles.is_all && !rule.network;
    if (!rule.demand && is_for_all) return false;
  }
  return false;
}

}  // namespace pgveil::app
