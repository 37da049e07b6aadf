#include "engine/check/plan.hpp"
#include "engine/check/history.hpp"
#include "tables.hpp"

namespace pgveil::engine::plan_test {

namespace {

Transformation at(std::vector<unsigned> levels) {
  Transformation made;
  for (std::size_t j = 0; j < levels.size(); ++j) made.set_level(j, levels[j]);
  return made;
}

std::string columns(const Plan& plan) {
  return plan.to_transform.to_string().substr(kMaxAttributes - 3);
}

}  // namespace

TEST_CASE("a plan starts from the smallest legal source and transforms only what differs") {
  const std::vector<Available> snapshots = {{at({0, 0, 1}), 50}, {at({1, 0, 1}), 30}, {at({2, 0, 0}), 10}};
  const KnownTables known{at({0, 1, 1}), Available{at({0, 1, 0}), 40}, snapshots};
  const Optimizations all;
  const struct {
    const char* name;
    Transformation target;
    Optimizations optimizations;
    Source source;
    std::size_t snapshot;
    const char* columns;  // attribute 0 is the last digit
  } cases[] = {
      {"snapshot", at({1, 0, 2}), all, Source::snapshot, 1, "111"},
      {"roll-up", at({0, 1, 2}), all, Source::roll_up, 0, "100"},
      {"fewest classes", at({2, 1, 2}), all, Source::snapshot, 2, "101"},
      {"all rows", at({0, 0, 0}), all, Source::rows, 0, "110"},
      {"no history", at({2, 1, 2}), {Switch::on, Switch::on, Switch::off}, Source::roll_up, 0, "101"},
      {"no roll-up", at({0, 1, 2}), {Switch::on, Switch::off, Switch::on}, Source::snapshot, 0, "100"},
      {"no projection", at({0, 1, 2}), {Switch::off, Switch::on, Switch::on}, Source::roll_up, 0, "111"},
      {"projection alone", at({2, 1, 2}), {Switch::on, Switch::off, Switch::off}, Source::rows, 0, "101"},
      {"nothing", at({2, 1, 2}), {Switch::off, Switch::off, Switch::off}, Source::rows, 0, "111"}};
  for (const auto& [name, target, optimizations, source, snapshot, expected] : cases) {
    CAPTURE(name);
    const auto plan = make_plan(target, known, optimizations, 3);
    CHECK(plan.source == source);
    if (source == Source::snapshot) CHECK(plan.snapshot == snapshot);
    CHECK(columns(plan) == expected);
  }
}

TEST_CASE("without tables, classes and snapshots every column of every row is transformed") {
  const auto plan = make_plan(at({0, 0, 0}), {}, {}, 3);
  CHECK(plan.source == Source::rows);
  CHECK(columns(plan) == "111");
}

TEST_CASE("the history refuses what is too large and evicts useless snapshots before old ones") {
  History history({.share_of_rows = 0.2, .share_of_source = 0.8, .bytes = 20 * kBytesPerClass}, 100);
  CHECK(history.wants(20, 100));
  CHECK_FALSE(history.wants(21, 100));  // more than a fifth of the rows
  CHECK(history.wants(16, 20));
  CHECK_FALSE(history.wants(17, 20));  // more than four fifths of its source

  const auto classes = [](std::size_t count) {
    return Classes{std::vector<std::uint32_t>(count, 7), std::vector<std::uint32_t>(count, 1)};
  };
  const auto never = [](const Transformation&) { return false; };
  history.store(at({0, 1}), classes(8), never);
  history.store(at({1, 0}), classes(8), never);
  CHECK(history.classes(0).size() == 8);
  history.touch(0);  // now (1,0) is the least recently used
  history.store(at({1, 1}), classes(8), never);
  REQUIRE(history.infos().size() == 2);
  CHECK(history.infos()[0].transformation == at({0, 1}));
  CHECK(history.infos()[1].transformation == at({1, 1}));
  history.store(at({2, 1}), classes(8), [](const Transformation& t) { return t == at({1, 1}); });
  REQUIRE(history.infos().size() == 2);
  CHECK(history.infos()[0].transformation == at({0, 1}));
  CHECK(history.infos()[1].transformation == at({2, 1}));
  CHECK(history.stored() == 4);
  CHECK(history.peak_bytes() == 16 * kBytesPerClass);
}

}  // namespace pgveil::engine::plan_test
