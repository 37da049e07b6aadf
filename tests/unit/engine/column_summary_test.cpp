// Summary statistics of columns before and after, by hand and against a recount of sorted values.
#include "engine/publish/column_summary.hpp"

#include <cmath>
#include <random>

#include "engine/publish/utility.hpp"
#include "tables.hpp"

namespace pgveil::engine::column_summary_test {

using namespace pgveil::engine::test;

namespace {

struct Made {
  std::vector<ColumnSummary> summaries;
  Utility utility;
};

Made summarized(std::string_view rows, std::string_view hierarchy, unsigned level,
                const Anonymity& anonymity) {
  const auto table = value_of(read_table(rows, ';'));
  const std::vector<QuasiIdentifier> columns = {quasi_identifier("q", hierarchy)};
  const auto prepared = value_of(prepare(table, columns));
  PublicationOptions options;
  for (const auto& column : table.columns) options.columns.push_back(column.name);
  options.anonymity = anonymity;
  options.suppressed_records = SuppressedRecords::drop;
  options.null_text = "?";
  options.wants_source_rows = true;
  const auto made = value_of(publish(table, prepared, std::vector<unsigned>{level}, options));
  return {summarize_columns(table, {}, options.null_text, made),
          measure_utility(table, {}, options.null_text, made)};
}

constexpr std::string_view kNumbers = "1;low;*\n2;low;*\n3;low;*\n10;high;*\n12;high;*\n40;far;*\n?;?;*\n";

}  // namespace

TEST_CASE("numbers of a generalized column count as the middle of what their records have") {
  const auto made = summarized("q;s\n1;a\n1;b\n3;a\n10;c\n12;c\n40;b\n", kNumbers, 1, {2, 1});
  const auto& q = made.summaries[0];
  CHECK(q.measured_as == MeasuredAs::number);
  CHECK(q.before.mode == "1");
  CHECK(q.before.mode_records == 2);
  REQUIRE(q.before.numbers);
  CHECK(q.before.numbers->least == 1);
  CHECK(q.before.numbers->median == 6.5);
  CHECK(q.before.numbers->greatest == 40);
  CHECK(q.before.numbers->mean == doctest::Approx(67.0 / 6));
  CHECK(q.after.mode == "low");  // of 1, 1 and 3
  REQUIRE(q.after.numbers);
  CHECK(q.after.numbers->least == 1);
  CHECK(q.after.numbers->greatest == 12);  // 40 is left out
  CHECK(q.after.numbers->median == 2);     // of 2, 2, 2, 11, 11
  CHECK(q.after.numbers->mean == doctest::Approx(28.0 / 5));
  CHECK(q.after.numbers->variance == doctest::Approx((3 * 12.96 + 2 * 29.16) / 5));
  REQUIRE(made.utility.columns[0].numbers);
  CHECK(made.utility.columns[0].numbers->mean_shift == doctest::Approx((67.0 / 6 - 5.6) / 39));
  CHECK(made.utility.columns[0].numbers->median_shift == doctest::Approx(4.5 / 39));
  CHECK(made.utility.columns[0].numbers->range == doctest::Approx(11.0 / 39));
  const auto& s = made.summaries[1];
  CHECK_FALSE(s.measured_as);
  CHECK(s.before.mode == "a");  // a, b and c are twice there
  CHECK_FALSE(s.before.numbers);
  CHECK_FALSE(made.utility.columns[1].numbers);
}

TEST_CASE("NULL has no place, dates are days, and a column that shows nothing has no numbers") {
  const auto made = summarized("q;s\n1;2024-02-28\n1;2024-03-01\n?;?\n?;2024-03-01\n", kNumbers, 0, {2, 0});
  CHECK(made.summaries[0].before.numbers->mean == 1);
  CHECK(made.summaries[0].before.numbers->variance == 0);
  CHECK(made.utility.columns[0].numbers->deviation == 1);
  const auto& s = made.summaries[1];
  CHECK(s.measured_as == MeasuredAs::date);
  CHECK(s.before.mode == "2024-03-01");
  CHECK(s.before.numbers->greatest - s.before.numbers->least == 2);
  CHECK(s.after.numbers->median == s.before.numbers->median);
  CHECK(made.utility.columns[1].numbers->mean_shift == 0);
  const auto stars = summarized("q;s\n1;a\n2;b\n", kNumbers, 2, {2, 0});
  CHECK_FALSE(stars.summaries[0].after.numbers);
  CHECK_FALSE(stars.summaries[0].after.mode);
  CHECK_FALSE(stars.utility.columns[0].numbers);
}

TEST_CASE("statistics of random numbers are those of their sorted list") {
  for (unsigned seed = 0; seed < 30; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::vector<double> numbers(3 + random() % 40);
    std::string text = "q;s\n";
    for (auto& it : numbers) {
      const auto value = random() % 25;
      it = static_cast<double>(value) / 4;
      text += "1;" + std::to_string(value / 4) +
              (value % 4 == 0   ? ""
               : value % 4 == 1 ? ".25"
               : value % 4 == 2 ? ".5"
                                : ".75") +
              "\n";
    }
    std::ranges::sort(numbers);
    const auto made = summarized(text, kNumbers, 0, {2, 0});
    const auto& found = *made.summaries[1].before.numbers;
    const auto n = numbers.size();
    double mean = 0, variance = 0;
    for (const double it : numbers) mean += it / static_cast<double>(n);
    for (const double it : numbers) variance += (it - mean) * (it - mean) / static_cast<double>(n);
    CHECK(found.least == numbers.front());
    CHECK(found.greatest == numbers.back());
    CHECK(found.median == (numbers[(n - 1) / 2] + numbers[n / 2]) / 2);
    CHECK(found.mean == doctest::Approx(mean));
    CHECK(found.variance == doctest::Approx(variance));
    CHECK(made.summaries[1].after.numbers->mean == found.mean);
  }
}

}  // namespace pgveil::engine::column_summary_test
