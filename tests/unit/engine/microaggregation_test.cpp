// Microaggregation: each function by hand, then classes of random tables computed a second time from texts,
// by doubles and maps.
#include "engine/publish/microaggregation.hpp"

#include <array>

#include "engine/data/calendar.hpp"
#include "engine/publish/publication.hpp"

#include "random_sensitive.hpp"

using namespace pgveil::engine;
using namespace pgveil::engine::test;

namespace {

// A class that is all of a column, NULL written "?".
std::string shown(const std::vector<std::string>& cells, Microaggregate how, std::uint64_t least = 1) {
  const auto column = column_of("x", cells);
  const auto aggregate = value_of(ClassAggregate::make(column, {"x", how, "?"}, column.values.size(), least));
  std::vector<ValueCount> counts;
  for (Code code = 0; code < column.values.size(); ++code) {
    counts.push_back({code, static_cast<std::uint64_t>(std::ranges::count(cells, column.values[code]))});
  }
  return aggregate.of(counts).text;
}

pgveil::Error refusal(const std::vector<std::string>& cells, Microaggregate how) {
  const auto column = column_of("x", cells);
  const auto made = ClassAggregate::make(column, {"x", how, "?"}, 1, 1);
  REQUIRE(made.has_error());
  return made.error();
}

std::vector<std::string> cells_of(const Table& table, std::string_view name) {
  const auto* column = table.find(name);
  REQUIRE(column != nullptr);
  std::vector<std::string> made;
  for (std::size_t row = 0; row < table.rows(); ++row) made.push_back(column->values[column->codes.at(row)]);
  return made;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("days of the calendar are numbered one after the other") {
  const auto day = [](std::string_view text) {
    const auto read = calendar_day(text);
    REQUIRE(read.has_value());
    return day_number(*read);
  };
  CHECK(day("2026-11-22") - day("1970-01-01") == 20779);
  CHECK(day("2000-03-01") - day("2000-02-28") == 2);
  CHECK(day("1900-03-01") - day("1900-02-28") == 1);
  CHECK(day("0001-01-01") > 0);
  std::size_t wrong = 0;
  std::string before;
  for (std::int64_t number = day("1899-12-01"); number <= day("2100-03-02"); ++number) {
    const auto text = date_text(day_of_number(number));
    if (day(text) != number || text <= before) ++wrong;
    before = text;
  }
  CHECK(wrong == 0);
  for (const auto* text : {"0001-01-01", "0004-02-29", "9999-12-31"})
    CHECK(date_text(day_of_number(day(text))) == text);
  for (const auto* text :
       {"", "2024-02-30", "2023-02-29", "0000-01-01", "2024-13-01", "2024-1-1", "2024-01-01 ", "2024/01/01"})
    CHECK_FALSE(calendar_day(text).has_value());
}

TEST_CASE("a class shows the mean, the median, the mode or the interval of its values") {
  const Texts numbers = {"1", "2", "2", "7"};
  CHECK(shown(numbers, Microaggregate::mean) == "3");
  CHECK(shown(numbers, Microaggregate::geometric_mean) == "2.3");  // 28^¼ = 2.3003
  CHECK(shown(numbers, Microaggregate::median) == "2");
  CHECK(shown(numbers, Microaggregate::mode) == "2");
  CHECK(shown(numbers, Microaggregate::interval) == "[1,7]");
  CHECK(shown({"5", "5.0", "+5"}, Microaggregate::interval) == "5");
  CHECK(shown({"2", "1"}, Microaggregate::median) == "1.5");
  CHECK(shown({"10", "9", "8", "100"}, Microaggregate::median) == "9.5");  // as numbers, not as texts
  CHECK(shown({"1.5", "-2.25", "10"}, Microaggregate::interval) == "[-2.25,10]");
  CHECK(shown({"b", "a", "b"}, Microaggregate::mode) == "b");
  CHECK(shown({"b", "a", "b", "a"}, Microaggregate::mode) == "a");  // of two the first
}

TEST_CASE("means have two decimals more than the values, and halves are rounded up") {
  CHECK(shown({"1", "2", "2"}, Microaggregate::mean) == "1.67");
  CHECK(shown({"-1", "-2", "-2"}, Microaggregate::mean) == "-1.67");
  CHECK(shown({"1.50", "2.25", "2.25", "10"}, Microaggregate::mean) == "4");
  CHECK(shown({"0.01", "0.02"}, Microaggregate::mean) == "0.015");
  const Texts eighth = {"1", "0", "0", "0", "0", "0", "0", "0"};
  CHECK(shown(eighth, Microaggregate::mean) == "0.13");
  const Texts minus = {"-1", "0", "0", "0", "0", "0", "0", "0"};
  CHECK(shown(minus, Microaggregate::mean) == "-0.12");
  // No digit is lost where a double would lose some.
  CHECK(shown({"99999999999999999", "99999999999999997"}, Microaggregate::mean) == "99999999999999998");
  CHECK(shown({"0.00000000000000001", "0.00000000000000003"}, Microaggregate::mean) == "0.00000000000000002");
  CHECK(shown({"4", "9"}, Microaggregate::geometric_mean) == "6");
  CHECK(shown({"0", "9"}, Microaggregate::geometric_mean) == "0");
  CHECK(shown({"1234567", "1234567"}, Microaggregate::geometric_mean) == "1234567");
  CHECK(shown({"1234567", "1234569"}, Microaggregate::geometric_mean) == "1234570");  // six digits
}

TEST_CASE("dates are days") {
  const Texts dates = {"2024-02-28", "2024-03-01", "2024-03-02"};
  CHECK(shown(dates, Microaggregate::mean) == "2024-03-01");  // 0, 2 and 3 days later: 1.67, which is 2
  CHECK(shown(dates, Microaggregate::median) == "2024-03-01");
  CHECK(shown(dates, Microaggregate::interval) == "[2024-02-28,2024-03-02]");
  CHECK(shown({"2024-02-28", "2024-03-02"}, Microaggregate::median) == "2024-03-01");  // 1.5 is rounded up
}

TEST_CASE("of NULLs nothing is computed, and of too few values nothing is shown") {
  CHECK(shown({"?", "4", "6"}, Microaggregate::mean) == "5");
  CHECK(shown({"?", "4", "6"}, Microaggregate::mean, 2) == "5");
  CHECK(shown({"?", "?", "6"}, Microaggregate::mean, 2) == "*");
  CHECK(shown({"?", "?", "6"}, Microaggregate::interval, 2) == "*");
  CHECK(shown({"?", "?", "a"}, Microaggregate::mode, 2) == "*");
  CHECK(shown({"?", "?", "a", "a"}, Microaggregate::mode, 2) == "a");
  CHECK(shown({"?", "?"}, Microaggregate::mean, 2) == "?");
  CHECK(shown({"?", "?"}, Microaggregate::mode, 2) == "?");
  // A mode that one record has is that record's value.
  CHECK(shown({"a", "b", "c"}, Microaggregate::mode, 2) == "*");
}

TEST_CASE("values that a function can't take are refused, and counted without being named") {
  const auto strange = refusal({"1", "2", "about 3"}, Microaggregate::mean);
  CHECK(strange.kind == pgveil::ErrorKind::configuration);
  CHECK(strange.public_message == "1 values of x are no numbers of at most 18 digits");
  CHECK(strange.private_detail == "about 3");
  CHECK(refusal({"2024-01-01", "2024-01-02", "7"}, Microaggregate::median).public_message ==
        "1 values of x are no dates YYYY-MM-DD");
  CHECK(refusal({"", "1"}, Microaggregate::median).public_message.find("1 values") == 0);
  CHECK(refusal({"1e3"}, Microaggregate::mean).private_detail == "1e3");
  CHECK(refusal({"1234567890123456789"}, Microaggregate::mean).public_message.find("1 values") == 0);
  CHECK(refusal({"1234567890123456", "0.001"}, Microaggregate::mean).private_detail == "1234567890123456");
  CHECK(refusal({"-1", "2"}, Microaggregate::geometric_mean).private_detail == "-1");
  CHECK(refusal({"2024-01-01"}, Microaggregate::geometric_mean).public_message.find("dates") !=
        std::string::npos);
  CHECK(shown({"1e3", "1e3"}, Microaggregate::mode) == "1e3");
}

TEST_CASE("each class shows its own mean, with a hierarchy and without one") {
  const auto table = value_of(
      read_table("zip;age;income;s\n1;20;100;a\n1;30;300;b\n2;60;?;c\n2;64;500;d\n3;90;700;e\n", ';'));
  const std::vector<QuasiIdentifier> columns = {
      quasi_identifier("zip", "1;*\n2;*\n3;*\n"),
      quasi_identifier("age", "20;<50;*\n30;<50;*\n60;>=50;*\n64;>=50;*\n90;>=50;*\n"),
      quasi_identifier("income", "100;*\n300;*\n?;*\n500;*\n700;*\n")};
  const auto prepared = value_of(prepare(table, columns));
  const Anonymity anonymity{2, 1};
  const std::vector<MicroaggregatedColumn> aggregated = {{"age", Microaggregate::mean, "?"},
                                                         {"income", Microaggregate::mean, "?"}};
  const std::vector<unsigned> levels = {0, 1, 1};
  const auto made = value_of(microaggregate(table, prepared, levels, anonymity, aggregated));
  CHECK(cells_of(made.table, "zip") == Texts{"1", "1", "2", "2", "*"});
  CHECK(cells_of(made.table, "age") == Texts{"25", "25", "62", "62", "*"});
  CHECK(cells_of(made.table, "income") == Texts{"200", "200", "*", "*", "*"});  // one of the second has none
  CHECK(cells_of(made.table, "s") == cells_of(table, "s"));
  CHECK(made.classes == 2);
  CHECK(made.smallest_class == 2);
  CHECK(made.suppressed() == 1);
  // zip: 1 of 5 suppressed; age: 10, 10, 4, 4 and all of 70; income: 200 and 200 of 600, all of three.
  CHECK(made.certainty_penalties[0] == doctest::Approx(0.2));
  CHECK(made.certainty_penalties[1] == doctest::Approx((28.0 / 70 + 1) / 5));
  CHECK(made.certainty_penalties[2] == doctest::Approx((400.0 / 600 + 3) / 5));
  CHECK(made.certainty_penalty ==
        doctest::Approx(
            (made.certainty_penalties[0] + made.certainty_penalties[1] + made.certainty_penalties[2]) / 3));
  REQUIRE(made.errors.size() == 2);
  CHECK(made.errors[0] == doctest::Approx(((25.0 + 25 + 4 + 4) / 4900 + 1) / 5));
  CHECK(made.errors[1] == doctest::Approx((2 * 10000.0 / 360000 + 2) / 4));  // of four with an income
  // Without the right to suppress one, it is not anonymous.
  CHECK(microaggregate(table, prepared, levels, {2, 0}, aggregated).has_error());
  const std::vector<unsigned> none = {0, 9, 1};
  CHECK(microaggregate(table, prepared, none, anonymity, aggregated).has_error());
}

TEST_CASE("classes that come to look alike are one") {
  const auto table = value_of(read_table("q\na\nb\nc\nd\n", ';'));
  const std::vector<QuasiIdentifier> columns = {quasi_identifier("q", "a;1\nb;1\nc;2\nd;2\n")};
  const auto prepared = value_of(prepare(table, columns));
  const std::vector<unsigned> levels = {1};
  // No value is frequent, so both show `*`.
  const std::vector<MicroaggregatedColumn> mode = {{"q", Microaggregate::mode, {}}};
  const auto made = value_of(microaggregate(table, prepared, levels, {2, 0}, mode));
  CHECK(cells_of(made.table, "q") == Texts{"*", "*", "*", "*"});
  CHECK(made.classes == 1);
  CHECK(made.smallest_class == 4);
  CHECK(made.certainty_penalty == doctest::Approx(1));
  CHECK(made.errors[0] == doctest::Approx(1));
}

namespace {

// What is random of a table with a column of numbers.
struct NumberedTable {
  SensitiveTable it;
  Texts numbers;
};

NumberedTable numbered_table(std::uint64_t seed) {
  NumberedTable made{sensitive_table(seed), {}};
  made.it.privacy.subset.clear();
  std::mt19937_64 random(seed * 31 + 5);
  const bool has_null = random() % 2 == 0;
  const unsigned decimals = static_cast<unsigned>(random() % 3);
  for (std::size_t row = 0; row < made.it.random.table.rows(); ++row) {
    const auto number = static_cast<std::int64_t>(random() % (seed % 2 == 0 ? 400 : 4)) - 1;
    const double unit = decimals == 0 ? 1 : decimals == 1 ? 10 : 100;
    made.numbers.push_back(has_null && random() % 3 == 0
                               ? "?"
                               : fmt::format("{:.{}f}", static_cast<double>(number) / unit, decimals));
  }
  made.it.random.table.columns.push_back(column_of("n", made.numbers));
  Hierarchy hierarchy;
  for (const auto& value : made.it.random.table.find("n")->values)
    hierarchy.rows.push_back({value, hierarchy.rows.size() % 2 == 0 ? "some" : "others", "*"});
  made.it.random.columns.push_back({"n", std::move(hierarchy)});
  return made;
}

// Is it what a class shows, from its texts, as near as doubles tell?
bool is_shown(const std::string& text, const Texts& values, Microaggregate how, std::uint64_t least) {
  const std::size_t n = values.size() - static_cast<std::size_t>(std::ranges::count(values, "?"));
  if (n == 0) return text == "?";
  if (n < least) return text == "*";
  std::vector<double> numbers;
  for (const auto& value : values) {
    if (value != "?" && how != Microaggregate::mode) numbers.push_back(std::stod(value));
  }
  std::ranges::sort(numbers);
  double sum = 0;
  for (const auto number : numbers) sum += number;
  const auto is_near = [](const std::string& given, double number, double most) {
    return std::fabs(std::stod(given) - number) <= most + 1e-9;
  };
  switch (how) {
    case Microaggregate::mean: return is_near(text, sum / static_cast<double>(n), 0.005);
    case Microaggregate::median: return is_near(text, (numbers[(n - 1) / 2] + numbers[n / 2]) / 2, 0);
    case Microaggregate::interval: {
      if (numbers.front() == numbers.back()) return is_near(text, numbers.front(), 0);
      const auto comma = text.find(',');
      return text.front() == '[' && text.back() == ']' && comma != std::string::npos &&
             is_near(text.substr(1, comma - 1), numbers.front(), 0) &&
             is_near(text.substr(comma + 1, text.size() - comma - 2), numbers.back(), 0);
    }
    case Microaggregate::mode: {
      std::map<std::string, std::size_t> counts;
      for (const auto& value : values) {
        if (value != "?") ++counts[value];
      }
      std::string best;
      for (const auto& [value, count] : counts) {
        if (best.empty() || count > counts[best]) best = value;
      }
      return text == (counts[best] < 2 && n > 1 ? "*" : best);
    }
    case Microaggregate::geometric_mean: break;
  }
  return false;
}

}  // namespace

TEST_CASE(
    "classes of random tables show what a naive computation says, and stay anonymous when they are "
    "published") {
  constexpr std::array<Microaggregate, 4> kOfNumbers{Microaggregate::mean, Microaggregate::median,
                                                     Microaggregate::interval, Microaggregate::mode};
  std::uint64_t kept = 0, merged = 0, starred = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    const auto random = numbered_table(seed);
    const auto& table = random.it.random.table;
    const auto& columns = random.it.random.columns;
    const auto prepared = value_of(prepare(table, columns, random.it.privacy));
    std::mt19937_64 generator(seed);
    auto anonymity = random_anonymity(generator, prepared);
    anonymity.presence.reset();
    anonymity.k_map.reset();
    anonymity.suppression_limit = prepared.rows - 1;
    std::erase_if(anonymity.sensitive,
                  [](const auto& model) { return std::holds_alternative<DeltaDisclosure>(model.model); });
    const auto least = smallest_class(anonymity);
    const auto how = kOfNumbers[seed % kOfNumbers.size()];
    // The numbers stand at `*`, or have a level of two values; one of the others is aggregated with its
    // hierarchy.
    std::vector<unsigned> levels;
    for (const auto& column : columns)
      levels.push_back(static_cast<unsigned>(generator() % column.hierarchy.rows.front().size()));
    levels.back() = seed % 3 == 0 ? 1 : 2;
    const std::vector<MicroaggregatedColumn> aggregated = {
        {columns.front().column, Microaggregate::mode, "?"}, {"n", how, "?"}};
    const auto found = microaggregate(table, prepared, levels, anonymity, aggregated);
    if (!found) {
      ++refused;
      continue;
    }
    std::vector<Texts> raw, made;
    for (const auto& column : columns) {
      raw.push_back(cells_of(table, column.column));
      made.push_back(cells_of(found->table, column.column));
    }
    std::map<Texts, std::vector<std::size_t>> classes;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      Texts key;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        for (const auto& entry : columns[i].hierarchy.rows) {
          if (entry.front() == raw[i][row]) key.push_back(entry[levels[i]]);
        }
      }
      classes[key].push_back(row);
    }
    std::map<Texts, std::uint64_t> looks;
    std::uint64_t suppressed = 0;
    for (const auto& [key, rows] : classes) {
      bool keeps = rows.size() >= anonymity.k;
      for (const auto& model : anonymity.sensitive) {
        Values in_class;
        for (const auto row : rows) in_class.push_back(random.it.cells[model.column][row]);
        keeps = keeps && naive_keeps(model.model, in_class, random.it.cells[model.column]);
      }
      suppressed += keeps ? 0 : rows.size();
      Texts look, modes, numbers;
      for (std::size_t i = 0; i < columns.size(); ++i) look.push_back(made[i][rows.front()]);
      for (const auto row : rows) {
        modes.push_back(raw.front()[row]);
        numbers.push_back(raw.back()[row]);
        for (std::size_t i = 0; i < columns.size(); ++i) {
          REQUIRE(made[i][row] == look[i]);
          if (!keeps) REQUIRE(look[i] == "*");
          if (keeps && i > 0 && i + 1 < columns.size()) REQUIRE(look[i] == key[i]);
        }
      }
      if (!keeps) continue;
      ++kept;
      CHECK(is_shown(look.back(), numbers, how, least));
      CHECK(is_shown(look.front(), modes, Microaggregate::mode, least));
      starred += look.back() == "*" ? 1 : 0;
      merged += looks.contains(look) ? 1 : 0;
      looks[look] += rows.size();
    }
    CHECK(found->suppressed() == suppressed);
    CHECK(found->classes == looks.size());
    // Published, all that is shown looks like k others.
    std::vector<QuasiIdentifier> as_shown;
    for (const auto& column : columns) {
      Hierarchy flat;
      for (const auto& value : found->table.find(column.column)->values) flat.rows.push_back({value});
      as_shown.push_back({column.column, std::move(flat)});
    }
    PublicationOptions options;
    for (const auto& column : columns) options.columns.push_back(column.column);
    options.anonymity = anonymity;
    const auto again = value_of(prepare(found->table, as_shown, random.it.privacy));
    const auto published = publish(found->table, again, std::vector<unsigned>(columns.size(), 0), options);
    if (!published) continue;  // every record would be dropped
    std::map<Texts, std::uint64_t> sizes;
    for (std::size_t row = 0; row < published->rows; ++row) {
      Texts look;
      for (const auto& column : published->columns) look.push_back(column.values[column.codes[row]]);
      ++sizes[look];
    }
    for (const auto& [look, size] : sizes) CHECK(size >= anonymity.k);
    CHECK(published->rows + published->dropped_rows == table.rows());
  }
  CHECK(kept > 300);
  CHECK(merged > 0);
  CHECK(starred > 3);
  CHECK(refused < 200);
}
