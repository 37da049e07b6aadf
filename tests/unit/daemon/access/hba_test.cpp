#include "daemon/access/hba.hpp"

#include <doctest/doctest.h>

#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app {
namespace {

using session::ClientOrigin;

HbaRules rules(std::string_view text) {
  auto parsed = parse_hba(text, "hba");
  REQUIRE_MESSAGE(parsed.has_value(), (parsed ? "" : one_line(parsed.error())));
  return std::move(*parsed);
}

enum class Verdict { let_in, rejected, no_rule };
Verdict judge_login(const HbaRules& rules, std::string_view role, std::string_view database,
                    const ClientOrigin& origin) {
  const HbaRule* rule = find_rule(rules, role, database, origin);
  if (rule == nullptr) return Verdict::no_rule;
  return rule->demand ? Verdict::let_in : Verdict::rejected;
}

bool lets_in(std::string_view text, std::string_view role, std::string_view database,
             const ClientOrigin& origin) {
  return judge_login(rules(text), role, database, origin) == Verdict::let_in;
}

const ClientOrigin kLocal{"", false};
const ClientOrigin kNear{"10.1.2.3", false};
const ClientOrigin kNearTls{"10.1.2.3", true};
const ClientOrigin kFar{"192.0.2.7", true};
const ClientOrigin kSix{"2001:db8::7", false};

}  // namespace

TEST_CASE("the first rule that fits decides, and without one nobody is let in") {
  constexpr std::string_view kText =
      "# comment\n\nhost all eve all reject\nhost demo ann 10.0.0.0/8 scram-sha-256 # near\n"
      "hostssl all all all scram-sha-256\nhost all all all reject\n";
  CHECK(judge_login(rules(kText), "eve", "demo", kNearTls) == Verdict::rejected);
  CHECK(judge_login(rules(kText), "ann", "demo", kNear) == Verdict::let_in);
  CHECK(judge_login(rules(kText), "ann", "other", kNear) == Verdict::rejected);
  CHECK(judge_login(rules(kText), "ann", "other", kFar) == Verdict::let_in);
  CHECK(judge_login(rules(kText), "ann", "demo", kLocal) == Verdict::no_rule);
  CHECK(judge_login({}, "ann", "demo", kNear) == Verdict::no_rule);
}

TEST_CASE("types tell sockets and TLS apart") {
  CHECK(lets_in("local all all scram-sha-256", "a", "d", kLocal));
  CHECK_FALSE(lets_in("local all all scram-sha-256", "a", "d", kNear));
  CHECK_FALSE(lets_in("host all all all scram-sha-256", "a", "d", kLocal));
  CHECK_FALSE(lets_in("hostssl all all all scram-sha-256", "a", "d", kNear));
  CHECK_FALSE(lets_in("hostnossl all all all scram-sha-256", "a", "d", kNearTls));
  CHECK(lets_in("hostnossl all all all scram-sha-256", "a", "d", kNear));
}

TEST_CASE("addresses are compared by their bits, and the two kinds are not mixed") {
  struct Row {
    std::string_view address;
    bool near, far, six;
  };
  for (const auto& [address, near, far, six] :
       {Row{"10.1.2.3", true, false, false}, Row{"10.1.2.3/32", true, false, false},
        Row{"10.1.2.0/24", true, false, false}, Row{"10.1.2.255/24", true, false, false},
        Row{"10.1.2.0/31", false, false, false}, Row{"10.0.0.0 255.0.0.0", true, false, false},
        Row{"0.0.0.0/0", true, true, false}, Row{"::/0", false, false, true},
        Row{"2001:db8::/32", false, false, true}, Row{"2001:db8::6/127", false, false, true},
        Row{"2001:db8::8/127", false, false, false}, Row{"2001:db8:: ffff:ffff::", false, false, true},
        Row{"all", true, true, true}}) {
    CAPTURE(address);
    const std::string text = "host all all " + std::string(address) + " scram-sha-256";
    CHECK(lets_in(text, "a", "d", kNear) == near);
    CHECK(lets_in(text, "a", "d", kFar) == far);
    CHECK(lets_in(text, "a", "d", kSix) == six);
  }
  CHECK(lets_in("host all all 10.0.0.0/8 scram-sha-256", "a", "d", {"::ffff:10.1.2.3", false}));
  CHECK_FALSE(lets_in("host all all 10.0.0.0/8 scram-sha-256", "a", "d", {"garbage", false}));
}

TEST_CASE("names are lists, quoted ones mean themselves") {
  CHECK(lets_in("local demo,other ann, bob scram-sha-256", "bob", "other", kLocal));
  CHECK_FALSE(lets_in("local demo,other ann,bob scram-sha-256", "eve", "demo", kLocal));
  CHECK(lets_in("local sameuser all scram-sha-256", "demo", "demo", kLocal));
  CHECK_FALSE(lets_in("local sameuser all scram-sha-256", "ann", "demo", kLocal));
  CHECK_FALSE(lets_in("local \"all\" all scram-sha-256", "ann", "demo", kLocal));
  CHECK(lets_in("local \"all\" \"two words\" scram-sha-256", "two words", "all", kLocal));
  CHECK_FALSE(lets_in("local Demo all scram-sha-256", "ann", "demo", kLocal));
}

TEST_CASE("a certificate is asked for where there is TLS") {
  using Demand = session::LoginDemand;
  const auto demand = [](std::string_view rest) {
    return rules("hostssl all all all " + std::string(rest)).at(0).demand;
  };
  CHECK(demand("scram-sha-256") == Demand::password);
  CHECK(demand("cert") == Demand::certificate);
  CHECK(demand("cert clientcert=verify-full") == Demand::certificate);
  CHECK(demand("scram-sha-256 clientcert=verify-full") == Demand::password_and_certificate);
  CHECK(demand("scram-sha-256 clientcert=verify-ca # near") == Demand::password_and_any_certificate);
  CHECK_FALSE(demand("reject").has_value());
  CHECK(asks_for_certificates(rules("hostssl all all all scram-sha-256 clientcert=verify-ca")));
  CHECK_FALSE(asks_for_certificates(rules("local all all scram-sha-256\nhost all all all reject")));
  CHECK(lets_in_by_certificate(rules("local all all scram-sha-256\nhostssl all ann all cert")));
  CHECK_FALSE(lets_in_by_certificate(rules("hostssl all all all scram-sha-256 clientcert=verify-full")));
}

TEST_CASE("what is not known is an error with its line, not a guess") {
  struct Row {
    std::string_view line, what;
  };
  for (const auto& [line, what] :
       {Row{"hostgssenc all all all scram-sha-256", "unknown type"},
        Row{"\"host\" all all all reject", "unknown type"},
        Row{"host all all all md5", "method"},
        Row{"host all all all trust", "method"},
        Row{"local all all peer", "method"},
        Row{"local all all cert", "method cert on a rule that also allows connections without TLS"},
        Row{"host all all all cert", "write hostssl"},
        Row{"host all all all scram-sha-256 clientcert=verify-ca", "write hostssl"},
        Row{"hostssl all all all cert clientcert=verify-ca", "cannot be combined with"},
        Row{"hostssl all all all reject clientcert=verify-full", "cannot be combined with"},
        Row{"hostssl all all all scram-sha-256 clientcert=1", "clientcert"},
        Row{"hostssl all all all scram-sha-256 clientcert=verify-ca map=x", "one option"},
        Row{"host all all all", "method is expected"},
        Row{"host all +admins all reject", "does not support"},
        Row{"host all @file all reject", "does not support"},
        Row{"host replication all all reject", "does not support"},
        Row{"host samerole all all reject", "does not support"},
        Row{"host all sameuser all reject", "does not support"},
        Row{"host all /re$ all reject", "does not support"},
        Row{"host all all samehost reject", "an address"},
        Row{"host all all host.example reject", "an address"},
        Row{"host all all 10.0.0.0/33 reject", "an address"},
        Row{"host all all 10.0.0.0/ reject", "an address"},
        Row{"host all all 10.0.0.0/8x reject", "an address"},
        Row{"host all all ::/129 reject", "an address"},
        Row{"host all all 10.0.0.0 ffff:: reject", "IPv4"},
        Row{"host", "a database"},
        Row{"host all", "a role"},
        Row{"host all all", "an address"},
        Row{"host all \"ann all reject", "not closed"},
        Row{"host all ann, ", "not closed"},
        Row{"host all all all reject map=x", "follows the method"}}) {
    CAPTURE(line);
    const auto parsed = parse_hba("\n" + std::string(line) + "\n", "my.hba");
    REQUIRE_FALSE(parsed.has_value());
    CHECK(one_line(parsed.error()).find(what) != std::string::npos);
    CHECK(one_line(parsed.error()).find("my.hba:2") != std::string::npos);
  }
}

TEST_CASE("a file that others may write is refused") {
  const TemporaryFolder folder;
  folder.write("hba", "local all all reject\n", 0640);
  CHECK(read_hba_file(folder.path("hba")).has_value());
  folder.write("hba", "local all all reject\n", 0660);
  CHECK_FALSE(read_hba_file(folder.path("hba")).has_value());
  CHECK_FALSE(read_hba_file(folder.path("gone")).has_value());
}

TEST_CASE("rules tell whether another machine may log in without TLS") {
  struct Row {
    std::string_view text;
    bool lets_in;
  };
  for (const auto& row :
       {Row{"", false}, Row{"hostssl all all all scram-sha-256", false},
        Row{"local all all scram-sha-256\nhost all all 127.0.0.0/8 scram-sha-256", false},
        Row{"host all all 127.0.0.1/32 scram-sha-256\nhost all all ::1/128 scram-sha-256", false},
        Row{"host all all ::1/64 scram-sha-256", true}, Row{"host all all 0.0.0.0/0 scram-sha-256", true},
        Row{"host all all 10.0.0.0/8 scram-sha-256", true}, Row{"hostnossl demo ann all scram-sha-256", true},
        Row{"hostnossl all all all reject\nhost all all all scram-sha-256", false},
        Row{"host all all all reject\nhost all all all scram-sha-256", false},
        Row{"hostnossl all eve all reject\nhost all all all scram-sha-256", true},
        Row{"hostssl all all all reject\nhost all all all scram-sha-256", true}}) {
    CAPTURE(row.text);
    CHECK(lets_in_remote_plaintext(rules(row.text)) == row.lets_in);
  }
}

}  // namespace pgveil::app
