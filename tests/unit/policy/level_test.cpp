// Levels: what value they make of a text, and what texts a value stands for.
#include "policy/level/level.hpp"
#include "policy/level/preimage.hpp"

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace pgveil::policy::testing {

namespace {

using Text = std::optional<std::string>;

Level level_of(LevelMethod method, LevelShows shows = LevelShows::label) {
  return {"a", 1, 1, shows, std::move(method)};
}

Level bins(Scaled width, Scaled origin = 0, LevelShows shows = LevelShows::label) {
  return level_of(Bins{width * kScale, origin * kScale}, shows);
}

// By definition: is this number, in ten-thousandths, in the range?
bool is_in(const RangeOf& range, long long number) {
  const auto scaled = [](const std::string& text) { return std::stold(text) * 10'000.0L; };
  return (!range.lower || static_cast<long double>(number) >= scaled(*range.lower)) &&
         (!range.upper || static_cast<long double>(number) < scaled(*range.upper));
}

std::string number_text(long long scaled) {
  const std::string digits = std::to_string(std::abs(scaled) % 10'000 + 10'000).substr(1);
  return (scaled < 0 ? "-" : "") + std::to_string(std::abs(scaled) / 10'000) + "." + digits;
}

}  // namespace

TEST_CASE("bins are half-open and take negative numbers down") {
  CHECK(level_value(bins(10), "30") == "[30,40)");
  CHECK(level_value(bins(10), "39.9999") == "[30,40)");
  CHECK(level_value(bins(10), "39.99999999999999999999") == "[30,40)");
  CHECK(level_value(bins(10), "40") == "[40,50)");
  CHECK(level_value(bins(10), "-1") == "[-10,0)");
  CHECK(level_value(bins(10), "-10") == "[-10,0)");
  CHECK(level_value(bins(10), "-10.00001") == "[-20,-10)");
  CHECK(level_value(bins(10, 3), "2") == "[-7,3)");
  CHECK(level_value(bins(10, 0, LevelShows::start), "-1") == "-10");
  CHECK(level_value(level_of(Bins{2'500, 1'250}), "0.1") == "[-0.125,0.125)");
}

TEST_CASE("what is no number, or too large, has no bin") {
  for (const char* text :
       {"", "-", ".", "1.", ".5", "1e3", "NaN", "Infinity", "-Infinity", "+1", " 1", "1 ", "0x1", "1.2.3",
        "v1", "100000000000001", "-100000000000001", "99999999999999999999999999"}) {
    CAPTURE(text);
    CHECK(!level_value(bins(10), text));
  }
  CHECK(level_value(bins(10), "99999999999989") == "[99999999999980,99999999999990)");
  CHECK(!level_value(bins(7), "99999999999999.5"));  // its end would be beyond
  CHECK(!level_value(bins(10, 0, LevelShows::start), "2000000011"));
  CHECK(level_value(bins(10, 0, LevelShows::start), "-2000000000") == "-2000000000");
}

TEST_CASE("bounds take every number, in PostgreSQL's order") {
  const Level level = level_of(Bounds{{18 * kScale, 65 * kScale}});
  CHECK(level_value(level, "17.99999") == "(,18)");
  CHECK(level_value(level, "18") == "[18,65)");
  CHECK(level_value(level, "65") == "[65,)");
  for (const char* text : {"Infinity", "NaN", "99999999999999999999999999"})
    CHECK(level_value(level, text) == "[65,)");
  for (const char* text : {"-Infinity", "-99999999999999999999999999"})
    CHECK(level_value(level, text) == "(,18)");
  CHECK(!level_value(level, "x"));
  const Level starts = level_of(Bounds{{18 * kScale}}, LevelShows::start);
  CHECK(!level_value(starts, "1"));
  CHECK(level_value(starts, "100") == "18");
}

TEST_CASE("periods are cut at their first days") {
  const auto value = [](Period period, const char* text, LevelShows shows = LevelShows::label) {
    return level_value(level_of(period, shows), text);
  };
  CHECK(value(Period::day, "1987-05-04 23:59:59.999999+00") == "1987-05-04");
  CHECK(value(Period::month, "1987-05-04") == "1987-05");
  CHECK(value(Period::quarter, "1987-05-04") == "1987-Q2");
  CHECK(value(Period::year, "1987-12-31") == "1987");
  CHECK(value(Period::decade, "1987-05-04") == "1980s");
  CHECK(value(Period::week, "2021-01-03") == "2020-W53");
  CHECK(value(Period::week, "2021-01-04") == "2021-W01");
  CHECK(value(Period::week, "2018-12-31") == "2019-W01");
  CHECK(value(Period::quarter, "1987-05-04", LevelShows::start) == "1987-04-01");
  CHECK(value(Period::month, "2000-02-29", LevelShows::start) == "2000-02-01");
}

TEST_CASE("what is no date of four-digit years has no period") {
  for (const char* text : {"", "infinity", "-infinity", "0044-03-15 BC", "1987-05-04 BC", "10000-01-01",
                           "0999-12-31", "1987-13-01", "1987-02-29", "1987-5-4", "1987-05-04x", "87-05-04",
                           "1987/05/04", "9999-01-01", "-987-05-04"}) {
    CAPTURE(text);
    CHECK(!level_value(level_of(Period::year), text));
  }
  CHECK(!level_value(level_of(Period::week), "1000-01-01"));  // its week begins before
}

TEST_CASE("prefixes count characters") {
  const Level level = level_of(Prefix{3});
  CHECK(level_value(level, "Hamlet") == "Ham*");
  CHECK(level_value(level, "Züüi") == "Züü*");
  CHECK(level_value(level, "Hä") == "Hä*");
  CHECK(level_value(level, "") == "*");
  CHECK(preimage_of(level, "Ham*") == Preimage(StartsWith{3, "Ham"}));
  CHECK(!preimage_of(level, "Haml*"));
  CHECK(!preimage_of(level, "Ham"));
}

TEST_CASE("groups have what they list") {
  const Level level = level_of(Groups{{{"DC", "east"}, {"KY", "south"}, {"MD", "east"}}});
  CHECK(level_value(level, "MD") == "east");
  CHECK(!level_value(level, "OH"));
  CHECK(preimage_of(level, "east") == Preimage(OneOf{{"DC", "MD"}}));
  CHECK(!preimage_of(level, "west"));
}

TEST_CASE("no level has a value that is not written as it writes it") {
  for (const char* value :
       {"", "[", "[)", "[30)", "[31,41)", "[30,40]", "[30,41)", "(30,40)", "[030,40)", "[30.0,40)", "(,)",
        "(,30)", "[30,)", "30", "[99999999999999999999,40)", "[30,40) "}) {
    CAPTURE(value);
    CHECK(!preimage_of(bins(10), value));
  }
  CHECK(!preimage_of(level_of(Bounds{{kScale}}), "(,2)"));
  CHECK(!preimage_of(bins(10, 0, LevelShows::start), "31"));
  CHECK(!preimage_of(bins(10, 0, LevelShows::start), "[30,40)"));
  for (const char* value : {"", "1987", "1987-00", "1987-13", "1987-5", "1987-005", "1987x05", "198705"})
    CHECK(!preimage_of(level_of(Period::month), value));
  for (const char* value : {"1987-Q0", "1987-Q5", "1987-q1", "1987-Q", "1987-Q11"})
    CHECK(!preimage_of(level_of(Period::quarter), value));
  for (const char* value : {"1987-W00", "1987-W54", "2021-W53", "1987-W1"})
    CHECK(!preimage_of(level_of(Period::week), value));
  for (const char* value : {"1987s", "1980", "980s", "0980s"})
    CHECK(!preimage_of(level_of(Period::decade), value));
  CHECK(!preimage_of(level_of(Period::year, LevelShows::start), "1987-05-01"));
}

TEST_CASE("a number has a value exactly if it is in the value's pre-image") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    const auto draw = [&](long long size) {
      return static_cast<long long>(random() % (2 * size + 1)) - size;
    };
    LevelMethod method = Bins{draw(30'000) + 30'001, draw(100'000)};
    if (i % 2 == 1) {
      std::set<Scaled> cuts;
      for (int c = 0; c < 4; ++c) cuts.insert(draw(100'000));
      method = Bounds{{cuts.begin(), cuts.end()}};
    }
    const Level level = level_of(method);
    std::set<std::string> values;
    std::vector<long long> numbers;
    for (int n = 0; n < 40; ++n) numbers.push_back(draw(200'000));
    for (const long long number : numbers) values.insert(level_value(level, number_text(number)).value());
    for (const std::string& value : values) {
      const auto preimage = preimage_of(level, value);
      REQUIRE(preimage.has_value());
      CHECK(level_value(level, sample_of(level, value)) == value);
      for (const long long number : numbers) {
        CHECK(is_in(std::get<RangeOf>(*preimage), number) ==
              (level_value(level, number_text(number)) == value));
      }
    }
  }
}

TEST_CASE("a day has a value exactly if it is in the value's pre-image") {
  const auto pad = [](int n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  std::vector<std::string> dates;  // of every month some days, ends included
  for (const int year : {1999, 2000, 2001, 2019, 2020, 2021}) {
    for (int month = 1; month <= 12; ++month) {
      for (const int day : {1, 2, 3, 4, 5, 6, 7, 15, 28})
        dates.push_back(std::to_string(year) + "-" + pad(month) + "-" + pad(day));
      const int last = month == 2                                              ? (year % 4 == 0 ? 29 : 28)
                       : month == 4 || month == 6 || month == 9 || month == 11 ? 30
                                                                               : 31;
      if (last > 28) dates.push_back(std::to_string(year) + "-" + pad(month) + "-" + std::to_string(last));
    }
  }
  for (const Period period :
       {Period::day, Period::week, Period::month, Period::quarter, Period::year, Period::decade}) {
    for (const LevelShows shows : {LevelShows::label, LevelShows::start}) {
      const Level level = level_of(period, shows);
      std::set<std::string> values;
      for (const std::string& date : dates) values.insert(level_value(level, date).value());
      for (const std::string& value : values) {
        const auto preimage = preimage_of(level, value);
        REQUIRE(preimage.has_value());
        const RangeOf& days = std::get<RangeOf>(*preimage);
        if (shows == LevelShows::start) CHECK(value == *days.lower);
        for (const std::string& date : dates)
          CHECK((*days.lower <= date && date < *days.upper) == (level_value(level, date) == value));
      }
    }
  }
}

TEST_CASE("a method refines what is made of whole values of it, and then values follow") {
  const std::vector<LevelMethod> numbers = {
      Bins{2 * kScale, 0}, Bins{6 * kScale, 0},  Bins{6 * kScale, 3 * kScale},
      Bins{3 * kScale, 0}, Bounds{{6 * kScale}}, Bounds{{6 * kScale, 9 * kScale}},
      Bounds{{kScale}}};
  for (const LevelMethod& fine : numbers) {
    for (const LevelMethod& coarse : numbers) {
      CAPTURE(describe(fine));
      CAPTURE(describe(coarse));
      std::map<std::string, std::set<std::string>> coarse_of;
      for (long long n = -400'000; n <= 400'000; n += 5'000) {
        coarse_of[level_value(level_of(fine), number_text(n)).value()].insert(
            level_value(level_of(coarse), number_text(n)).value());
      }
      bool follows = true;
      for (const auto& [value, of] : coarse_of) {
        follows = follows && of.size() == 1;
        if (refines(fine, coarse))
          CHECK(level_value(level_of(coarse), sample_of(level_of(fine), value)) == *of.begin());
      }
      CHECK(refines(fine, coarse) == follows);
    }
  }
  CHECK(refines(Period::day, Period::week));
  CHECK(refines(Period::month, Period::decade));
  CHECK(!refines(Period::week, Period::month));
  CHECK(!refines(Period::year, Period::week));
  CHECK(!refines(Period::year, Period::month));
  CHECK(refines(Prefix{3}, Prefix{1}));
  CHECK(!refines(Prefix{1}, Prefix{3}));
  CHECK(!refines(Prefix{1}, Bins{}));
  const Groups fine{{{"a", "x"}, {"b", "y"}, {"c", "y"}}};
  CHECK(refines(fine, Groups{{{"a", "z"}, {"b", "z"}, {"c", "z"}}}));
  CHECK(!refines(fine, Groups{{{"a", "z"}, {"b", "z"}, {"c", "w"}}}));
  CHECK(!refines(fine, Groups{{{"a", "z"}, {"b", "z"}}}));
}

}  // namespace pgveil::policy::testing
