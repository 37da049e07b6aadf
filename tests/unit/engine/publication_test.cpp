#include "engine/publish/publication.hpp"

#include <algorithm>

#include "engine/publish/evaluation.hpp"
#include "engine/publish/recount.hpp"
#include "random_tables.hpp"

using namespace pgveil;
using namespace pgveil::engine;
using namespace pgveil::engine::test;

namespace {

using Texts = std::vector<std::string>;

constexpr std::string_view kPeople =
    "name;age;city;illness\nAnn;34;Oslo;flu\nBob;34;Oslo;cold\nCid;70;Rome;flu\nDan;70;Rome;NULL\nEve;51;"
    "Bonn;gout\n";

struct Fixture {
  Table table;
  PreparedTable prepared;
};

Fixture people() {
  auto table = value_of(read_table(kPeople, ';'));
  const std::vector<QuasiIdentifier> columns = {quasi_identifier("city", "Oslo;*\nRome;*\nBonn;*\n"),
                                                quasi_identifier("age", "34;<60;*\n51;<60;*\n70;>=60;*\n")};
  auto prepared = value_of(prepare(table, columns));
  return {std::move(table), std::move(prepared)};
}

PublicationOptions options(SuppressedRecords suppressed_records, std::uint64_t limit = 1) {
  return {{"age", "city", "illness"}, {2, limit}, suppressed_records, "NULL", 7};
}

// Rows as "a|b|c", NULL as "-".
Texts rows_of(const Publication& publication) {
  Texts rows;
  for (std::uint64_t row = 0; row < publication.rows; ++row) {
    std::string text;
    for (const auto& column : publication.columns) {
      const Code code = column.codes[row];
      text += (text.empty() ? "" : "|") + (code == kNullCode ? "-" : column.values[code]);
    }
    rows.push_back(text);
  }
  return rows;
}

Texts sorted(Texts rows) {
  std::ranges::sort(rows);
  return rows;
}

Result<void> recount(const Publication& publication, std::uint64_t k, SuppressedRecords suppressed_records) {
  Recount counted;
  for (std::uint64_t row = 0; row < publication.rows; ++row) {
    std::vector<std::optional<std::string_view>> cells;
    bool shows_more = false;
    for (const auto& column : publication.columns) {
      const Code code = column.codes[row];
      if (column.is_quasi_identifier) {
        cells.push_back(code == kNullCode ? std::nullopt
                                          : std::optional<std::string_view>(column.values[code]));
      } else {
        shows_more = shows_more || code != kNullCode;
      }
    }
    counted.add(cells, shows_more);
  }
  return counted.check(k, suppressed_records, publication.rows);
}

}  // namespace

TEST_CASE("a transformation is applied to the chosen columns only") {
  const auto [table, prepared] = people();
  const auto made =
      value_of(publish(table, prepared, std::vector{1U, 1U}, options(SuppressedRecords::keep_or_drop)));
  CHECK(sorted(rows_of(made)) == Texts{"<60|*|cold", "<60|*|flu", "<60|*|gout", ">=60|*|-", ">=60|*|flu"});
  CHECK(made.classes == 2);
  CHECK(made.smallest_class == 2);
  CHECK(made.suppressed_rows == 0);
  // ages: 3 cells stand for 2 of 3 rows, 2 for one; cities: 5 for all.
  CHECK(made.certainty_penalty == doctest::Approx((3 * 2.0 / 3 + 5) / 10));
}

TEST_CASE("fewer than k suppressed records are dropped or hidden, or kept as the reference keeps them") {
  const auto [table, prepared] = people();
  const std::vector<unsigned> raw = {0, 0};
  const Texts kept = {"34|Oslo|cold", "34|Oslo|flu", "70|Rome|-", "70|Rome|flu"};
  const struct {
    SuppressedRecords suppressed_records;
    Texts more;
    std::uint64_t dropped, hidden;
  } cases[] = {{SuppressedRecords::keep_or_drop, {}, 1, 0},
               {SuppressedRecords::keep_or_hide, {"*|*|-"}, 0, 1},
               {SuppressedRecords::keep, {"*|*|gout"}, 0, 0},
               {SuppressedRecords::drop, {}, 1, 0}};
  for (const auto& [suppressed_records, more, dropped, hidden] : cases) {
    CAPTURE(static_cast<int>(suppressed_records));
    const auto made = value_of(publish(table, prepared, raw, options(suppressed_records)));
    Texts expected = kept;
    expected.insert(expected.end(), more.begin(), more.end());
    CHECK(sorted(rows_of(made)) == sorted(expected));
    CHECK(made.suppressed_rows == 1);
    CHECK(made.dropped_rows == dropped);
    CHECK(made.hidden_rows == hidden);
    CHECK(made.classes == 2);
    CHECK_FALSE(recount(made, 2, suppressed_records).has_error());
    if (!more.empty()) CHECK(recount(made, 2, SuppressedRecords::keep_or_drop).has_error());
  }
}

TEST_CASE("neither dropping nor hiding mends what suppressed records tell of who is in the subset") {
  const auto table = value_of(read_table(kPeople, ';'));
  const std::vector<QuasiIdentifier> columns = {quasi_identifier("city", "Oslo;*\nRome;*\nBonn;*\n")};
  // One of two in Oslo and in Rome, the only one of Bonn.
  const auto prepared = value_of(prepare(table, columns, {{}, {1, 0, 1, 0, 1}}));
  const std::vector<unsigned> raw = {0};
  const struct {
    DeltaPresence presence;
    std::uint64_t k;
    SuppressedRecords suppressed_records;
    bool is_published;
  } cases[] = {{{0, 0.5}, 1, SuppressedRecords::keep_or_drop, true},
               {{0.2, 0.5}, 1, SuppressedRecords::keep_or_drop, false},
               {{0, 0.5}, 1, SuppressedRecords::keep_or_hide, false},
               {{0.2, 0.5}, 1, SuppressedRecords::keep_or_hide, false},
               {{0.2, 0.5}, 1, SuppressedRecords::keep, true},
               {{0.2, 1}, 1, SuppressedRecords::keep_or_drop, true},
               {{0.2, 0.5}, 1, SuppressedRecords::drop, false},
               {{0, 0.5}, 1, SuppressedRecords::drop, true},
               {{0, 0.5}, 1, SuppressedRecords::keep, true}};
  for (const auto& [presence, k, suppressed_records, is_published] : cases) {
    CAPTURE(presence.least);
    CAPTURE(static_cast<int>(suppressed_records));
    PublicationOptions wanted{{"city"}, {k, 1}, suppressed_records, "NULL", 7};
    wanted.anonymity.presence = presence;
    const auto made = publish(table, prepared, raw, wanted);
    CHECK(made.has_value() == is_published);
    if (!made) CHECK(made.error().public_message.find("1 records that are suppressed") != std::string::npos);
  }
}

TEST_CASE("suppressed records that are k, or join others that show only stars, stay") {
  const auto table = value_of(read_table("a;s\n1;x\n2;y\n3;z\n3;z\n", ';'));
  const std::vector<QuasiIdentifier> column = {quasi_identifier("a", "1;1\n2;2\n3;*\n")};
  const auto prepared = value_of(prepare(table, column));
  const PublicationOptions wanted{{"a", "s"}, {2, 2}, SuppressedRecords::keep_or_drop, std::nullopt, 1};
  CHECK(sorted(rows_of(value_of(publish(table, prepared, std::vector{0U}, wanted)))) ==
        Texts{"*|x", "*|y", "3|z", "3|z"});
  const auto one = value_of(read_table("a;s\n1;x\n3;z\n3;z\n", ';'));
  const auto of_one = value_of(prepare(one, column));
  CHECK(sorted(rows_of(value_of(publish(one, of_one, std::vector{1U}, wanted)))) ==
        Texts{"*|x", "*|z", "*|z"});
}

TEST_CASE("with drop, suppressed records leave the file even if they are k, and no other record does") {
  const auto table = value_of(read_table("a;s\n1;x\n2;y\n3;z\n3;z\n", ';'));
  const std::vector<QuasiIdentifier> column = {quasi_identifier("a", "1;1\n2;2\n3;*\n")};
  const auto prepared = value_of(prepare(table, column));
  PublicationOptions wanted{{"a", "s"}, {2, 2}, SuppressedRecords::drop, std::nullopt, 1};
  const auto made = value_of(publish(table, prepared, std::vector{0U}, wanted));
  CHECK(sorted(rows_of(made)) == Texts{"3|z", "3|z"});
  CHECK(made.suppressed_rows == 2);
  CHECK(made.dropped_rows == 2);
  CHECK(made.hidden_rows == 0);
  CHECK(made.rows == 2);
  CHECK_FALSE(recount(made, 2, wanted.suppressed_records).has_error());
  // Records that the transformation itself shows as `*` are not suppressed.
  const auto shown = value_of(publish(table, prepared, std::vector{1U}, wanted));
  CHECK(sorted(rows_of(shown)) == Texts{"*|z", "*|z"});
  wanted.suppressed_records = SuppressedRecords::keep;
  CHECK(value_of(publish(table, prepared, std::vector{0U}, wanted)).certainty_penalty ==
        made.certainty_penalty);
}

TEST_CASE("what is not anonymous, does not exist or would leave nothing is refused") {
  const auto [table, prepared] = people();
  const auto refusal = [&](std::vector<unsigned> levels, const PublicationOptions& wanted) {
    const auto made = publish(table, prepared, levels, wanted);
    REQUIRE(made.has_error());
    return made.error().public_message;
  };
  CHECK(refusal({0, 0}, options(SuppressedRecords::keep_or_drop, 0)) ==
        "the transformation is not anonymous: 1 records are in classes below k = 2, 0 may be suppressed");
  CHECK(refusal({0, 3}, options(SuppressedRecords::keep_or_drop)) == "age has no level 3");
  CHECK(refusal({0}, options(SuppressedRecords::keep_or_drop)) == "1 levels for 2 quasi-identifiers");
  auto strange = options(SuppressedRecords::keep_or_drop);
  strange.columns.push_back("Name");
  CHECK(refusal({1, 1}, strange) == "the table has no column Name");
  auto all = options(SuppressedRecords::keep_or_drop, 5);
  all.anonymity.k = 6;
  CHECK(refusal({1, 2}, all) == "every record would be dropped");
}

TEST_CASE("the order of rows depends on the seed and on what is written, not on the input") {
  const auto [table, prepared] = people();
  const std::vector<unsigned> levels = {1, 1};
  const auto first =
      rows_of(value_of(publish(table, prepared, levels, options(SuppressedRecords::keep_or_drop))));
  CHECK(first ==
        rows_of(value_of(publish(table, prepared, levels, options(SuppressedRecords::keep_or_drop)))));

  const auto reversed = value_of(read_table(
      "name;age;city;illness\nEve;51;Bonn;gout\nDan;70;Rome;NULL\nCid;70;Rome;flu\nBob;34;Oslo;cold\n"
      "Ann;34;Oslo;flu\n",
      ';'));
  const std::vector<QuasiIdentifier> columns = {quasi_identifier("city", "Bonn;*\nRome;*\nOslo;*\n"),
                                                quasi_identifier("age", "70;>=60;*\n34;<60;*\n51;<60;*\n")};
  const auto again = value_of(prepare(reversed, columns));
  CHECK(first ==
        rows_of(value_of(publish(reversed, again, levels, options(SuppressedRecords::keep_or_drop)))));

  auto other = options(SuppressedRecords::keep_or_drop);
  bool differs = false;
  for (other.seed = 0; other.seed < 5; ++other.seed) {
    const auto rows = rows_of(value_of(publish(table, prepared, levels, other)));
    CHECK(sorted(rows) == sorted(first));
    differs = differs || rows != first;
  }
  CHECK(differs);
}

TEST_CASE("the shuffle is the same on every machine") {
  std::vector<std::uint32_t> rows = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  shuffle(rows, 1);
  CHECK(rows == std::vector<std::uint32_t>{1, 7, 3, 9, 4, 0, 5, 2, 6, 8});
}

TEST_CASE("a recount tells texts apart that would run into one another") {
  using Cell = std::optional<std::string_view>;
  Recount counted;
  counted.add(std::vector<Cell>{"a;1", "b"}, true);
  counted.add(std::vector<Cell>{"a", "1;b"}, true);
  counted.add(std::vector<Cell>{std::nullopt, "b"}, true);
  counted.add(std::vector<Cell>{"", "b"}, true);
  const auto checked = counted.check(2, SuppressedRecords::keep_or_drop, 4);
  REQUIRE(checked.has_error());
  CHECK(checked.error().public_message ==
        "the output did not pass the recount: 4 classes have fewer than k = 2 rows");
  CHECK(counted.check(1, SuppressedRecords::keep_or_drop, 3).has_error());
  CHECK_FALSE(counted.check(1, SuppressedRecords::keep_or_drop, 4).has_error());
}

TEST_CASE("property: what is published passes the recount, and scores agree with the search") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    const auto random = random_table(seed);
    const auto prepared = value_of(prepare(random.table, random.columns));
    SearchOptions wanted;
    wanted.anonymity = {1 + seed % 5, seed % 3 * random.table.rows() / 10};
    if (wanted.anonymity.k > random.table.rows()) continue;
    wanted.quality.metric = static_cast<Metric>(seed % kMetrics);
    wanted.quality.gs = static_cast<double>(seed % 4) / 4;
    const auto found = value_of(search(prepared, wanted));
    if (!found.optimum) continue;
    const auto scores = evaluate(prepared, found.optimum->levels, wanted.anonymity, wanted.quality);
    REQUIRE(scores.scores.size() == kMetrics);
    CHECK(scores.scores[seed % kMetrics].score == found.optimum->score);
    CHECK(scores.summary.classes == found.optimum->summary.classes);
    PublicationOptions options{
        {}, wanted.anonymity, static_cast<SuppressedRecords>(seed % kSuppressedRecords), std::nullopt, seed};
    for (const auto& column : random.table.columns) options.columns.push_back(column.name);
    const auto made = publish(random.table, prepared, found.optimum->levels, options);
    if (made.has_error()) {
      CHECK(made.error().public_message == "every record would be dropped");
      continue;
    }
    CHECK(made->suppressed_rows == found.optimum->summary.suppressed_rows);
    CHECK(made->classes == found.optimum->summary.classes - found.optimum->summary.suppressed_classes);
    CHECK(made->rows + made->dropped_rows == random.table.rows());
    if (options.suppressed_records == SuppressedRecords::drop)
      CHECK(made->dropped_rows == made->suppressed_rows);
    CHECK(made->certainty_penalty >= 0);
    CHECK(made->certainty_penalty <= 1);
    CHECK_FALSE(recount(*made, wanted.anonymity.k, options.suppressed_records).has_error());
  }
}
