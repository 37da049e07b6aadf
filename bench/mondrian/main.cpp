// Mondrian and least loss on one machine (README.md): time with one thread and with all, DP and GCP, by data
// set and way of choosing attributes; then what least loss takes and loses, in turns with Mondrian.
// Arguments: --quick; --rows=N (census repeated up to N rows, 10,000,000 by default); --rounds=N.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/workers.hpp"
#include "engine/data/hierarchy_builders.hpp"
#include "engine/mondrian/generalized.hpp"
#include "engine/mondrian/least_loss.hpp"
#include "engine/mondrian/mondrian.hpp"

namespace {

using namespace pgveil;
using namespace pgveil::engine;
using Clock = std::chrono::steady_clock;

struct Options {
  std::size_t rows = 10'000'000;
  int rounds = 5;
};

template <class T>
T must(Result<T> result) {
  if (result) return std::move(*result);
  fmt::print(stderr, "{}\n", one_line(result.error()));
  std::exit(1);
}

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

struct Set {
  std::string name;
  Table table;
  std::vector<Dimension> dimensions;
  std::string sensitive;
};

std::vector<const CodeColumn*> columns_of(const Set& set) {
  std::vector<const CodeColumn*> out;
  for (const Dimension& dimension : set.dimensions) out.push_back(&set.table.find(dimension.name)->codes);
  return out;
}

std::optional<Set> adult(const std::string& datasets) {
  const auto text = read_file(datasets + "/data/adult.csv");
  if (!text) return std::nullopt;
  Set set{"adult", must(read_table(*text, ';')), {}, "salary-class"};
  set.dimensions.push_back(must(numeric_dimension(*set.table.find("age"), std::nullopt)));
  for (const std::string name : {"education", "race", "native-country"}) {
    const auto hierarchy = read_file(datasets + "/hierarchies/adult_hierarchy_" + name + ".csv");
    if (!hierarchy) return std::nullopt;
    set.dimensions.push_back(
        must(categorical_dimension(*set.table.find(name), must(read_hierarchy(*hierarchy, ';')))));
  }
  return set;
}

// States in the order of their names, joined by neighbours.
Dimension states(const Column& column) {
  Order order{column.values, {2, 2, 2, 2, 2}};
  std::ranges::sort(order.order);
  return must(categorical_dimension(column, must(build_hierarchy(order, column.name, column.values))));
}

std::optional<Set> census(const std::string& drawn, std::size_t rows) {
  const auto text = read_file(drawn + "/data/census.csv");
  if (!text) return std::nullopt;
  Set set{"census", must(read_table(*text, ';')), {}, "income"};
  const std::size_t drawn_rows = set.table.rows();
  for (Column& column : set.table.columns) {
    for (std::size_t row = drawn_rows; row < rows; ++row)
      column.codes.push_back(column.codes.at(row % drawn_rows));
  }
  if (rows > drawn_rows) set.name = fmt::format("census × {}", rows / drawn_rows);
  set.dimensions.push_back(states(*set.table.find("state")));
  for (const std::string name : {"age", "education", "occupation"})
    set.dimensions.push_back(must(numeric_dimension(*set.table.find(name), std::nullopt)));
  return set;
}

Groups run(const Set& set, MondrianOptions options, std::size_t threads, double& ms) {
  Workers workers(threads);
  options.parallel.threads = threads;
  options.parallel.run = [&workers](std::size_t parts, const auto& work) { workers.run(parts, work); };
  std::vector<const CodeColumn*> sensitive;
  if (!options.models.empty()) sensitive.push_back(&set.table.find(set.sensitive)->codes);
  const std::vector<SensitiveValues> values(sensitive.size());  // these models do not look at them
  options.values = values;
  const auto columns = columns_of(set);
  const auto begin = Clock::now();
  Groups groups = must(mondrian(set.dimensions, columns, sensitive, options));
  ms = ms_since(begin);
  return groups;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

std::size_t peak_mb() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    std::size_t kb = 0;
    if (word == "VmHWM:" && status >> kb) return kb / 1024;
  }
  return 0;
}

void measure(const Set& set, const MondrianOptions& options, const char* cut_by, int rounds) {
  std::vector<double> one, all;
  std::optional<Groups> groups;
  const std::size_t threads = std::max(2U, std::thread::hardware_concurrency());
  for (int round = 0; round < rounds; ++round) {  // in turns
    double ms = 0;
    groups = run(set, options, 1, ms);
    one.push_back(ms);
    (void)run(set, options, threads, ms);
    all.push_back(ms);
  }
  const auto tight = quality_of(*groups, set.dimensions, columns_of(set), Ranges::tight);
  const auto region = quality_of(*groups, set.dimensions, columns_of(set), Ranges::region);
  fmt::print(
      "| {} | {} | {} | {} | {} | {} | {:.1f} | {:.1f} | {:.2f} | {} | {:.4g} | {:.4f} | {:.4f} | {} |\n",
      set.name, set.table.rows(), options.k, std::get<DistinctDiversity>(options.models.front().model).l,
      cut_by, options.cuts == Cuts::strict ? "strict" : "relaxed", median(one), median(all),
      median(one) / median(all), tight.groups, tight.discernibility, tight.global_certainty_penalty,
      region.global_certainty_penalty, peak_mb());
  std::fflush(stdout);
}

void measure_all_ways(const Set& set, std::uint64_t k, int rounds) {
  MondrianOptions options;
  options.k = k;
  options.models = {{0, DistinctDiversity{2}}};
  constexpr std::pair<CutBy, const char*> kWays[] = {{CutBy::entropy, "entropy"},
                                                     {CutBy::min_entropy, "min_entropy"},
                                                     {CutBy::span, "span"},
                                                     {CutBy::normalized_span, "normalized_span"}};
  for (const auto& [cut_by, name] : kWays) {
    options.cut_by = cut_by;
    options.cuts = Cuts::strict;
    measure(set, options, name, rounds);
  }
  options.cuts = Cuts::relaxed;
  measure(set, options, "normalized_span", rounds);
}

void measure_size(const Set& set) {
  MondrianOptions options;
  options.k = 3;
  options.models = {{0, DistinctDiversity{2}}};
  options.cut_by = CutBy::entropy;
  measure(set, options, "entropy", 1);
}

// All columns of a data set that comes with hierarchies; these are numeric.
std::optional<Set> whole(const std::string& datasets, const std::string& name,
                         const std::vector<std::string>& numeric) {
  const auto text = read_file(datasets + "/data/" + name + ".csv");
  if (!text) return std::nullopt;
  Set set{name, must(read_table(*text, ';')), {}, ""};
  for (const Column& column : set.table.columns) {
    if (std::ranges::find(numeric, column.name) != numeric.end()) {
      set.dimensions.push_back(must(numeric_dimension(column, std::nullopt)));
      continue;
    }
    const auto hierarchy =
        read_file(datasets + "/hierarchies/" + name + "_hierarchy_" + column.name + ".csv");
    if (!hierarchy) return std::nullopt;
    set.dimensions.push_back(must(categorical_dimension(column, must(read_hierarchy(*hierarchy, ';')))));
  }
  return set;
}

struct Timed {
  Groups groups;
  double ms = 0;
};

Timed lose_least_timed(const Set& set, const LeastLossOptions& given, std::size_t threads) {
  Workers workers(threads);
  LeastLossOptions options = given;
  options.parallel.threads = threads;
  options.parallel.run = [&workers](std::size_t parts, const auto& work) { workers.run(parts, work); };
  const auto begin = Clock::now();
  auto made = must(lose_least(set.dimensions, columns_of(set), {}, options));
  return {std::move(made.groups), ms_since(begin)};
}

// One line for what is lost by sets and one for common ancestors: least loss, and Mondrian in turns with it.
void measure_least_loss(const Set& set, int rounds) {
  const std::size_t threads = std::max(2U, std::thread::hardware_concurrency());
  const auto columns = columns_of(set);
  for (const auto& [ranges, name] : {std::pair(Ranges::sets, "sets"), std::pair(Ranges::tight, "tight")}) {
    LeastLossOptions options;
    options.k = 5;
    options.ranges = ranges;
    MondrianOptions cutting;
    cutting.k = options.k;
    std::vector<double> one, all, cut;
    std::optional<Groups> groups, cut_groups;
    for (int round = 0; round < rounds; ++round) {
      double ms = 0;
      cut_groups = run(set, cutting, 1, ms);
      cut.push_back(ms);
      auto made = lose_least_timed(set, options, 1);
      one.push_back(made.ms);
      groups = std::move(made.groups);
      all.push_back(lose_least_timed(set, options, threads).ms);
    }
    const auto loss_of = [&](const Groups& it) {
      return quality_of(it, set.dimensions, columns, ranges).global_certainty_penalty;
    };
    const auto bound = loss_bound(set.dimensions, columns, *groups, options.k, ranges, {});
    fmt::print("| {} | {} | {} | {} | {:.4f} | {:.4f} | {:.2f} | {:.4f}{} | {:.0f} | {:.0f} | {:.0f} |\n",
               set.name, set.table.rows(), set.dimensions.size(), name, loss_of(*groups),
               loss_of(*cut_groups), loss_of(*cut_groups) / loss_of(*groups), bound.least,
               bound.is_estimated ? " (sample)" : "", median(cut), median(one), median(all));
    std::fflush(stdout);
  }
}

void measure_all_least_loss(const std::string& datasets, int rounds) {
  fmt::print(
      "\n| set | rows | columns | shown | least loss, GCP | Mondrian, GCP | ratio | bound | Mondrian, ms | "
      "least loss, 1 thread, ms | all threads, ms |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  const std::vector<std::pair<std::string, std::vector<std::string>>> sets = {
      {"adult", {"age"}}, {"cup", {"AGE", "INCOME", "RAMNTALL", "NGIFTALL", "MINRAMNT"}}};
  for (const auto& [name, numeric] : sets) {
    if (const auto set = whole(datasets, name, numeric)) {
      measure_least_loss(*set, rounds);
    } else {
      fmt::print("skipped: {} is not beside the source tree\n", name);
    }
  }
}

Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument(argv[i]);
    const auto number = [&](std::string_view key) {
      return argument.starts_with(key) ? std::atol(argv[i] + key.size()) : 0;
    };
    if (argument == "--quick") {
      options = {1'000'000, 1};
    } else if (const auto rows = number("--rows="); rows > 0) {
      options.rows = static_cast<std::size_t>(rows);
    } else if (const auto rounds = number("--rounds="); rounds > 0) {
      options.rounds = static_cast<int>(rounds);
    } else {
      fmt::print(stderr, "unknown argument {}\n", argument);
      std::exit(2);
    }
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = options_of(argc, argv);
  const char* given = std::getenv("PGVEIL_DATASETS");
  const std::string datasets = given != nullptr ? given : PGVEIL_SOURCE_DIR "/../shared/datasets";
  const std::string drawn = PGVEIL_SOURCE_DIR "/build/bench/drawn";
  fmt::print(
      "| set | rows | k | l | cut by | cuts | 1 thread, ms | all threads, ms | ratio | groups | DP | GCP, "
      "tight | GCP, "
      "regions | peak MB |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  if (const auto set = adult(datasets)) {
    measure_all_ways(*set, 3, options.rounds);
  } else {
    fmt::print("skipped: adult is not beside the source tree\n");
  }
  if (const auto set = census(drawn, 0)) {
    measure_all_ways(*set, 3, options.rounds);
    measure_all_ways(*set, 5, options.rounds);
    measure_size(*census(drawn, options.rows));
  } else {
    fmt::print("skipped: census was not drawn\n");
  }
  measure_all_least_loss(datasets, options.rounds);
  return 0;
}
