// Time to rewrite one statement that was never seen before, against parsing and printing it with libpg_query
// alone, which any proxy that rewrites has to pay. Pairs are interleaved; the table shows medians and the
// median ratio with a 95 % interval from the order statistics of the pairs.
#include <fmt/format.h>
#include <pg_query.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include "daemon/statements/find_verdict.hpp"
#include "daemon/statements/pass_times.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "statements.hpp"
#include "world.hpp"

namespace {

using namespace pgveil;

template <class F>
double microseconds(F&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

void parse_and_deparse(const std::string& sql) {
  PgQueryProtobufParseResult parsed = pg_query_parse_protobuf(sql.c_str());
  PgQueryDeparseResult printed = pg_query_deparse_protobuf(parsed.parse_tree);
  if (parsed.error != nullptr || printed.error != nullptr) std::abort();
  pg_query_free_deparse_result(printed);
  pg_query_free_protobuf_parse_result(parsed);
}

void rewrite_once(const std::string& sql, const rewriter::Client& client, const rewriter::Snapshot& snapshot,
                  rewriter::PassObserver* observer = nullptr) {
  const auto verdict = rewriter::rewrite(sql, client, snapshot, {}, observer);
  if (std::holds_alternative<rewriter::Rewritten>(verdict)) return;
  fmt::print(stderr, "not rewritten: {}\n", sql);
  std::exit(1);
}

void measure(const bench::World& world, const bench::Sample& sample, std::size_t pairs) {
  const rewriter::Client client{"masked"};
  std::vector<double> ours, theirs, ratios;
  for (std::size_t i = 0; i < pairs; ++i) {
    // A comment makes each text a new one for whatever might remember texts.
    const std::string sql = fmt::format("{} /* {} */", sample.sql, i);
    double mine = 0;
    double other = 0;
    if (i % 2 == 0) mine = microseconds([&] { rewrite_once(sql, client, *world.snapshot); });
    other = microseconds([&] { parse_and_deparse(sql); });
    if (i % 2 != 0) mine = microseconds([&] { rewrite_once(sql, client, *world.snapshot); });
    ours.push_back(mine);
    theirs.push_back(other);
    ratios.push_back(mine / other);
  }
  for (auto* values : {&ours, &theirs, &ratios}) std::ranges::sort(*values);
  const auto at = [&](const std::vector<double>& sorted, double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  };
  const double half_width =
      0.98 / std::sqrt(static_cast<double>(pairs));  // 1.96 × √(¼ / n), as a share of the ranks
  fmt::print("| {:<20} | {:>7} | {:>9} | {:>7.1f} | {:>7.1f} | {:>7.1f} | {:.2f} ({:.2f}–{:.2f}) |\n",
             sample.name, world.cohorts, world.mask_bytes, at(ours, 0.5), at(ours, 0.99), at(theirs, 0.5),
             at(ratios, 0.5), at(ratios, 0.5 - half_width), at(ratios, 0.5 + half_width));
}

// Where the time of one statement goes. The clock reads cost time of their own, so these texts are not among
// the pairs.
void measure_passes(const bench::World& world, const bench::Sample& sample, std::size_t runs) {
  app::PassTimes times;
  for (std::size_t i = 0; i < runs; ++i) {
    app::PassClock clock(times);
    rewrite_once(fmt::format("{} /* {} */", sample.sql, i), {"masked"}, *world.snapshot, &clock);
  }
  fmt::print("| {:<20} | {:>7} |", sample.name, world.cohorts);
  for (const rewriter::Pass pass : rewriter::kPasses) {
    const std::chrono::duration<double, std::micro> total = times.total(pass);
    fmt::print(" {:>{}.1f} |", total.count() / static_cast<double>(runs), rewriter::name(pass).size());
  }
  fmt::print("\n");
}

// The same statement with another constant each time: from the template of its shape, and rewritten.
void measure_shapes(const bench::World& world, const bench::Sample& sample, std::size_t pairs) {
  const rewriter::Client client{"masked"};
  const rewriter::Limits limits;
  app::VerdictCache cache(std::size_t{64} << 20);
  app::PassTimes times;
  app::PassClock clock(times);
  const app::JudgedFor judged_for{client, "bench", *world.snapshot, limits};
  std::vector<double> ours, theirs, ratios;
  for (std::size_t i = 0; i < pairs + 2; ++i) {
    const std::string sql = fmt::format("SELECT * FROM ({}) AS s WHERE {} + 1 > 1", sample.sql, i + 5'000);
    double mine = 0;
    const auto by_shape = [&] {
      const auto found = find_verdict(cache, sql, judged_for, clock);
      if (i > 1 && found.from != app::FoundVerdict::From::shape) std::abort();
    };
    if (i % 2 == 0) mine = microseconds(by_shape);
    const double other = microseconds([&] { rewrite_once(sql, client, *world.snapshot); });
    if (i % 2 != 0) mine = microseconds(by_shape);
    if (i < 2) continue;
    ours.push_back(mine);
    theirs.push_back(other);
    ratios.push_back(mine / other);
  }
  for (auto* values : {&ours, &theirs, &ratios}) std::ranges::sort(*values);
  const auto at = [&](const std::vector<double>& sorted, double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  };
  const double half_width = 0.98 / std::sqrt(static_cast<double>(pairs));
  fmt::print("| {:<20} | {:>7} | {:>7.1f} | {:>7.1f} | {:>7.1f} | {:.3f} ({:.3f}–{:.3f}) |\n", sample.name,
             world.cohorts, at(ours, 0.5), at(ours, 0.99), at(theirs, 0.5), at(ratios, 0.5),
             at(ratios, 0.5 - half_width), at(ratios, 0.5 + half_width));
}

bool is_measured(const bench::Sample& sample, unsigned attributes) {
  return attributes >= 5 || sample.name == "small" || sample.name == "small, open";
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t pairs = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 2'000;
  fmt::print(
      "| statement            | cohorts | mask, B   | pgveil µs | p99 µs | libpg_query µs | ratio (95 %) "
      "|\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  std::vector<std::pair<unsigned, bench::World>> worlds;
  for (const auto& [attributes, rows, k] :
       {std::tuple{3U, 2'000U, 100U}, {5U, 21'700U, 20U}, {9U, 30'000U, 5U}})
    worlds.emplace_back(attributes, bench::make_world(attributes, rows, k));
  const std::size_t runs = std::max<std::size_t>(pairs, 100);
  for (const auto& [attributes, world] : worlds) {
    for (const auto& sample : bench::samples()) {
      if (is_measured(sample, attributes)) measure(world, sample, runs);
    }
  }
  fmt::print("\nµs of each pass, the mean of {} texts:\n\n| {:<20} | cohorts |", runs, "statement");
  for (const rewriter::Pass pass : rewriter::kPasses) fmt::print(" {} |", rewriter::name(pass));
  fmt::print("\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const auto& [attributes, world] : worlds) {
    for (const auto& sample : bench::samples()) {
      if (is_measured(sample, attributes)) measure_passes(world, sample, runs);
    }
  }
  fmt::print("\nThe same statement with another constant each time:\n\n");
  fmt::print("| statement            | cohorts | by shape µs | p99 µs | rewritten µs | ratio (95 %) |\n");
  fmt::print("|---|---|---|---|---|---|\n");
  for (const auto& [attributes, world] : worlds) {
    for (const auto& sample : bench::samples()) {
      if (is_measured(sample, attributes)) measure_shapes(world, sample, runs);
    }
  }
}
