// Classes that a cluster has counted: both judges against the definitions of the models, and bytes that are
// no classes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "jobs/cluster/class_frames.hpp"

namespace pgveil::app::class_frames_test {

namespace {

std::string number(std::uint32_t value) {
  std::string out(4, '\0');
  for (unsigned i = 0; i < 4; ++i) out[i] = static_cast<char>(value >> (8 * i) & 0xFFU);
  return out;
}

std::string wide(std::uint64_t value) {
  return number(static_cast<std::uint32_t>(value)) + number(static_cast<std::uint32_t>(value >> 32U));
}

std::string text(std::string_view value) {
  return number(static_cast<std::uint32_t>(value.size())) + std::string(value);
}

using Class = std::vector<std::uint64_t>;  // by value, how often it occurs

// The values 0 and 1 are of one node below the root, all others of another.
std::string hierarchy_of(std::size_t values) {
  std::string sizes, all;
  for (std::size_t i = 0; i < values; ++i) {
    for (const std::string& cell :
         {std::to_string(i), std::string(i < 2 ? "low" : "high"), std::string("*")}) {
      sizes += number(static_cast<std::uint32_t>(cell.size()));
      all += cell;
    }
  }
  return number(3) + number(static_cast<std::uint32_t>(3 * values)) + sizes + all;
}

struct Question {
  std::string models;  // as in JSON
  bool is_recount = false;
  std::vector<Class> classes;
  std::uint64_t k = 1;
};

bool has(const std::string& in, std::string_view what) {
  return in.find(what) != std::string::npos;
}

std::string bytes_of(const Question& it) {
  Class table(it.classes.front().size());
  std::string records, sizes, codes, counts;
  for (const auto& values : it.classes) {
    std::uint64_t all = 0;
    std::uint32_t different = 0;
    for (std::size_t value = 0; value < values.size(); ++value) {
      table[value] += values[value];
      all += values[value];
      if (values[value] == 0) continue;
      ++different;
      codes += number(static_cast<std::uint32_t>(value));
      counts += wide(values[value]);
    }
    records += wide(all);
    sizes += number(different);
  }
  std::string out = "PGVM" + number(2);
  out += text(R"({"classes":)" + std::to_string(it.classes.size()) + R"(,"k":)" + std::to_string(it.k) +
              R"(,"is_recount":)" + (it.is_recount ? "true" : "false") + R"(,"sensitive":[[)" + it.models +
              "]]}");
  if (has(it.models, "hierarchical")) out += hierarchy_of(table.size());
  if (has(it.models, "t_closeness") || has(it.models, "beta") || has(it.models, "delta")) {
    out += number(static_cast<std::uint32_t>(table.size()));
    for (const auto count : table) out += wide(count);
  }
  return out + records + sizes + codes + counts;
}

ReadBytes reader_of(std::string_view& left) {
  return [&left](char* to, std::size_t size) -> Result<std::size_t> {
    const auto now = std::min(size, left.size());
    std::memcpy(to, left.data(), now);
    left.remove_prefix(now);
    return now;
  };
}

std::string message(std::string_view bytes) {
  const auto request = read_class_request(reader_of(bytes));
  return request ? "" : request.error().public_message;
}

std::vector<bool> verdicts(const Question& it) {
  const std::string bytes = bytes_of(it);
  std::string_view left = bytes;
  const auto request = read_class_request(reader_of(left));
  REQUIRE_MESSAGE(request.has_value(), request.error().public_message);
  const auto kept = judged(*request);
  REQUIRE(kept.has_value());
  return *kept;
}

double total(const Class& values) {
  double sum = 0;
  for (const auto count : values) sum += static_cast<double>(count);
  return sum;
}

// The definitions, written down once more.
struct Shares {
  std::vector<double> q, p;
};

Shares shares_of(const Class& values, const std::vector<Class>& classes) {
  Class table(values.size());
  for (const auto& it : classes) {
    for (std::size_t i = 0; i < it.size(); ++i) table[i] += it[i];
  }
  Shares out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    out.q.push_back(static_cast<double>(values[i]) / total(values));
    out.p.push_back(static_cast<double>(table[i]) / total(table));
  }
  return out;
}

double ordered(const Shares& it) {
  double sum = 0, ahead = 0;
  for (std::size_t i = 0; i < it.q.size(); ++i) sum += std::fabs(ahead += it.q[i] - it.p[i]);
  return sum / static_cast<double>(it.q.size() - 1);
}

double equal(const Shares& it) {
  double sum = 0;
  for (std::size_t i = 0; i < it.q.size(); ++i) sum += std::fabs(it.q[i] - it.p[i]) / 2;
  return sum;
}

// Values of one node are half as far apart as others.
double hierarchical(const Shares& it) {
  double low = 0;
  for (std::size_t i = 0; i < 2; ++i) low += it.q[i] - it.p[i];
  return equal(it) / 2 + std::fabs(low) / 2;
}

double gain(const Shares& it) {
  double most = 0;
  for (std::size_t i = 0; i < it.q.size(); ++i) most = std::max(most, it.q[i] / it.p[i] - 1);
  return most;
}

double disclosure(const Shares& it) {
  double most = 0;
  for (std::size_t i = 0; i < it.q.size(); ++i) {
    if (it.q[i] > 0) most = std::max(most, std::fabs(std::log2(it.q[i] / it.p[i])));
  }
  return most;
}

bool is_recursive(Class values, double c, std::size_t l) {
  std::ranges::sort(values, std::greater());
  double tail = 0;
  for (std::size_t i = l - 1; i < values.size(); ++i) tail += static_cast<double>(values[i]);
  return tail > 0 && static_cast<double>(values.front()) < c * tail;
}

std::vector<Class> drawn_classes(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Class> classes;
  for (int c = 0; c < 12; ++c) {
    Class values(4);
    for (auto& count : values) count = random() % 5 == 0 ? 0 : random() % 9;
    values[random() % 4] += 1;
    classes.push_back(values);
  }
  classes.push_back({1, 1, 1, 1});
  return classes;
}

}  // namespace

TEST_CASE("both judges find what the definitions say, for each model") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto classes = drawn_classes(seed);
    CAPTURE(seed);
    const auto check = [&](const std::string& model, auto&& is_kept) {
      CAPTURE(model);
      for (const bool is_recount : {false, true}) {
        CAPTURE(is_recount);
        const auto found = verdicts({'"' + model + '"', is_recount, classes});
        for (std::size_t c = 0; c < classes.size(); ++c) {
          CAPTURE(c);
          CHECK(found[c] == is_kept(classes[c], shares_of(classes[c], classes)));
        }
      }
    };
    // No share of such small numbers is as near to these as rounding is.
    check("t_closeness 0.23123 ordered",
          [](const Class&, const Shares& it) { return ordered(it) <= 0.23123; });
    check("t_closeness 0.23123", [](const Class&, const Shares& it) { return equal(it) <= 0.23123; });
    check("t_closeness 0.23123 hierarchical",
          [](const Class&, const Shares& it) { return hierarchical(it) <= 0.23123; });
    check("beta_likeness 0.71234 basic", [](const Class&, const Shares& it) { return gain(it) <= 0.71234; });
    check("delta_disclosure 0.71234",
          [](const Class&, const Shares& it) { return disclosure(it) < 0.71234; });
    check("recursive 1.71234 2",
          [](const Class& values, const Shares&) { return is_recursive(values, 1.71234, 2); });
    check("distinct 4",
          [](const Class& values, const Shares&) { return std::ranges::count(values, 0U) == 0; });
  }
}

TEST_CASE("k is judged as well, and a class keeps all models or none is said of it") {
  for (const bool is_recount : {false, true}) {
    const std::vector<Class> classes = {{1, 1}, {3, 1}, {4, 0}};
    CHECK(verdicts({R"("distinct 2")", is_recount, classes, 3}) == std::vector<bool>{false, true, false});
    CHECK(verdicts({R"("distinct 2","recursive 2 2")", is_recount, classes}) ==
          std::vector<bool>{true, false, false});
    CHECK(verdicts({R"("distinct 1")", is_recount, {{std::uint64_t{1} << 40U, 1}}, 7}) ==
          std::vector<bool>{true});
  }
}

TEST_CASE("classes that end anywhere are none, and neither are those that go on") {
  const auto whole = bytes_of({R"("t_closeness 0.1 hierarchical")", false, {{1, 2, 3}, {3, 2, 1}}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(has(message(std::string_view(whole).substr(0, size)), "it ends too early"));
  }
  CHECK(message(whole) == "");
  CHECK(has(message(whole + "x"), "something follows"));
}

TEST_CASE("counts that do not fit each other are refused") {
  const std::string head =
      "PGVM" + number(2) +
      text(R"({"classes":1,"k":1,"is_recount":false,"sensitive":[["beta_likeness 1"]]})") + number(2) +
      wide(5) + wide(5);
  const auto with = [&](std::uint64_t records, const std::vector<std::uint32_t>& codes,
                        const std::vector<std::uint64_t>& counts) {
    std::string bytes = head + wide(records) + number(static_cast<std::uint32_t>(codes.size()));
    for (const auto code : codes) bytes += number(code);
    for (const auto count : counts) bytes += wide(count);
    return message(bytes);
  };
  CHECK(with(4, {0, 1}, {2, 2}) == "");
  CHECK(has(with(5, {0, 1}, {2, 2}), "counts and records"));
  CHECK(has(with(3, {0, 1}, {2, 2}), "counts and records"));
  CHECK(has(with(4, {0, 1}, {4, 0}), "counts and records"));
  CHECK(has(with(1, {0, 1}, {2, UINT64_MAX}), "counts and records"));
  CHECK(has(with(0, {}, {}), "without records"));
  CHECK(has(with(4, {0, 2}, {2, 2}), "more of a value"));
  CHECK(has(with(6, {0}, {6}), "more of a value"));
  CHECK(has(with(4, {0, 0}, {2, 2}), "a value twice"));
}

TEST_CASE("an answer says 1 of what is kept") {
  std::string out;
  const auto append = [&](std::string_view piece) -> Result<void> {
    out += piece;
    return {};
  };
  REQUIRE(write_class_answer({true, false, true}, append).has_value());
  CHECK(out == "PGVM" + number(2) + number(1) + number(0) + number(1));
}

}  // namespace pgveil::app::class_frames_test
