#include "proxy/session/error_filter.hpp"

#include <doctest/doctest.h>

using namespace pgveil;
using namespace pgveil::session;

namespace {

wire::ErrorResponse error(std::string sqlstate, std::string message) {
  return {{{{'S', "FEHLER"},
            {'V', "ERROR"},
            {'C', std::move(sqlstate)},
            {'M', std::move(message)},
            {'D', "Key (name)=(Smith)"},
            {'H', "perhaps Smith"},
            {'P', "10"},
            {'p', "5"},
            {'q', "SELECT Smith"},
            {'W', "Smith"},
            {'s', "public"},
            {'t', "people"},
            {'c', "name"},
            {'d', "text"},
            {'n', "people_key"},
            {'F', "nbtinsert.c"},
            {'L', "1"},
            {'R', "_bt_check_unique"}}}};
}

std::string message_of(const Filtered& filtered) {
  return *filtered.diagnostics.find('M');
}

}  // namespace

TEST_CASE("only severity, state, message and hint of an open statement pass") {
  const Filtered filtered = filter_error(error("23505", "no"), Protection::open, Progress::running);
  const wire::Diagnostics expected{
      {{'S', "ERROR"}, {'V', "ERROR"}, {'C', "23505"}, {'M', "no"}, {'H', "perhaps Smith"}}};
  CHECK((filtered.diagnostics == expected));
  CHECK(filtered.private_detail.find("Key (name)=(Smith)") != std::string::npos);
}

TEST_CASE("only the version guard's own states are taken for it") {
  CHECK(is_of_guard(error("PV001", "x")));
  CHECK(is_of_guard(error("PV002", "x")));
  CHECK(is_of_guard(error("22P02", "invalid input syntax for type integer: \"pgveil:open\"")));
  CHECK(is_of_guard(error("22P02", "invalid input syntax for type integer: \"pgveil:view\"")));
  CHECK_FALSE(is_of_guard(error("22P02", "invalid input syntax: \"PV001\"")));
  const Filtered filtered =
      filter_error(error("PV001", "Smith"), Protection::is_protected, Progress::running);
  CHECK(sqlstate_of(filtered.diagnostics) == "40001");
  CHECK(message_of(filtered).find("Smith") == std::string::npos);
  CHECK(filtered.diagnostics.find('D') == nullptr);
}

TEST_CASE("a plan is stale if the function says so that finds out, and its words are PostgreSQL's") {
  wire::ErrorResponse stale = error("0A000", "Smith");
  CHECK_FALSE(is_of_stale_plan(stale));
  stale.diagnostics.fields.back().second = "RevalidateCachedQuery";
  CHECK(is_of_stale_plan(stale));
  const Filtered filtered = filter_error(stale, Protection::is_protected, Progress::running);
  CHECK(message_of(filtered) == "cached plan must not change result type");
  CHECK(sqlstate_of(filtered.diagnostics) == "0A000");
}

TEST_CASE("what a client sees of a protected statement's error, by state and progress") {
  struct Row {
    const char* sqlstate;
    const char* before_rows;
    const char* running;
  };
  constexpr const char* kOriginal = "about Smith";
  constexpr const char* kFallback = "error while running a protected statement";
  constexpr const char* kInvalid = "a protected statement was not valid when it ran";
  const Row rows[] = {
      {"25P02", kOriginal, kOriginal},
      {"26000", kOriginal, kOriginal},
      {"34000", kOriginal, kOriginal},
      {"40001", kOriginal, kOriginal},
      {"55P03", kOriginal, kOriginal},
      {"57014", kOriginal, kOriginal},
      {"42601", kOriginal, kInvalid},
      {"42P01", kOriginal, kInvalid},
      {"42883", kOriginal, kInvalid},
      {"0A000", kOriginal, kFallback},
      {"3F000", kOriginal, kFallback},
      {"3D000", kOriginal, kFallback},
      {"22012", "division by zero", "division by zero"},
      {"22P02", "invalid input syntax", "invalid input syntax"},
      {"22003", "value out of range", "value out of range"},
      {"22999", "data exception while running a protected statement",
       "data exception while running a protected statement"},
      {"21000", "more than one row returned by a subquery used as an expression",
       "more than one row returned by a subquery used as an expression"},
      {"53200", "the database server is out of memory", "the database server is out of memory"},
      {"54000", "a limit of the database server was crossed", "a limit of the database server was crossed"},
      {"55000", kFallback, kFallback},
      {"57P03", kFallback, kFallback},
      {"23505", kFallback, kFallback},
      {"P0001", kFallback, kFallback},
      {"XX000", kFallback, kFallback},
      {"99999", kFallback, kFallback},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sqlstate);
    const auto given = error(row.sqlstate, kOriginal);
    const Filtered before = filter_error(given, Protection::is_protected, Progress::before_rows);
    const Filtered running = filter_error(given, Protection::is_protected, Progress::running);
    CHECK(message_of(before) == row.before_rows);
    CHECK(message_of(running) == row.running);
    CHECK(*before.diagnostics.find('C') == row.sqlstate);
    CHECK(before.diagnostics.fields.size() == 4);
    CHECK(running.diagnostics.fields.size() == 4);
  }
}

TEST_CASE("the shape guard's error says what to do, whatever it was about") {
  for (const Protection protection : {Protection::open, Protection::is_protected}) {
    const Filtered filtered =
        filter_error(error("22023", "pgveil:shape people_k2"), protection, Progress::running);
    CHECK(*filtered.diagnostics.find('C') == "42501");
    CHECK(message_of(filtered) == "the table changed since its policy was built");
    CHECK(*filtered.diagnostics.find('H') == "BUILD POLICY is needed");
  }
}

TEST_CASE("the guard of an open table tells to try again") {
  const auto raised = error("22P02", "invalid input syntax for type integer: \"pgveil:open\"");
  for (const Protection protection : {Protection::open, Protection::is_protected}) {
    const Filtered filtered = filter_error(raised, protection, Progress::running);
    CHECK(*filtered.diagnostics.find('C') == "40001");
    CHECK(message_of(filtered).starts_with("a table, or one of its partitions"));
    CHECK(*filtered.diagnostics.find('H') == "run the transaction again");
  }
}

TEST_CASE("the guard of a mask's view tells to try again") {
  const auto raised = error("22P02", "invalid input syntax for type integer: \"pgveil:view\"");
  for (const Protection protection : {Protection::open, Protection::is_protected}) {
    const Filtered filtered = filter_error(raised, protection, Progress::running);
    CHECK(*filtered.diagnostics.find('C') == "40001");
    CHECK(message_of(filtered).starts_with("the policy's mask view was replaced"));
    CHECK(*filtered.diagnostics.find('H') == "run the transaction again");
  }
}

TEST_CASE("states and severities that are none are replaced") {
  for (const std::string code : {"", "1234", "123456", "22p02", "22 12", "2201\n"}) {
    CHECK(sqlstate_of({{{'C', code}}}) == "XX000");
  }
  CHECK(sqlstate_of({}) == "XX000");
  wire::ErrorResponse odd = error("22012", "x");
  odd.diagnostics.fields[1].second = "Smith";
  CHECK(*filter_error(odd, Protection::open, Progress::running).diagnostics.find('S') == "ERROR");
  CHECK(is_fatal({{{{'S', "FATAL"}}}}));
  CHECK(is_fatal({{{{'S', "x"}, {'V', "PANIC"}}}}));
  CHECK_FALSE(is_fatal(odd));
  CHECK_FALSE(is_fatal({}));
}

TEST_CASE("notices and fatal errors are filtered too") {
  const wire::NoticeResponse notice{
      {{{'V', "WARNING"}, {'C', "01000"}, {'M', "Smith"}, {'D', "x"}, {'H', "h"}}}};
  CHECK(message_of(filter_notice(notice, Protection::open)) == "Smith");
  CHECK(filter_notice(notice, Protection::open).diagnostics.find('D') == nullptr);
  CHECK(message_of(filter_notice(notice, Protection::is_protected)) ==
        "notice while running a protected statement");
  CHECK(*filter_notice(notice, Protection::is_protected).diagnostics.find('S') == "WARNING");
  CHECK(message_of(filter_fatal(error("57P01", "Smith"))) ==
        "terminating connection due to administrator command");
  CHECK(message_of(filter_fatal(error("XX001", "Smith"))) == "the database server ended the connection");
  CHECK(*filter_fatal(error("XX001", "Smith")).diagnostics.find('C') == "XX001");
}
