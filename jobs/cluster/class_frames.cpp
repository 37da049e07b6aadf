#include "jobs/cluster/class_frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/privacy/class_test.hpp"
#include "engine/recount/value_counts.hpp"

namespace pgveil::app {
namespace {

constexpr std::uint64_t kMostOfClass = std::uint64_t{1} << 53U;

// Returns the number of classes.
Result<std::uint64_t> read_header(const std::string& text, ClassRequest& request) {
  const auto parsed = parse_json(text);
  if (!parsed) return broken_frames("its header is not JSON");
  FirstError errors;
  JsonObjectView view(*parsed, "header", errors);
  const auto classes = static_cast<std::uint64_t>(view.integer("classes", 1, std::int64_t{1} << 32U));
  request.k = static_cast<std::uint64_t>(view.integer("k", 1, std::int64_t{1} << 32U));
  request.judge = view.flag("is_recount") ? ClassJudge::recount : ClassJudge::engine;
  request.models = read_models(view, errors);
  view.finish();
  if (errors.error()) return *errors.error();
  return classes;
}

void check_class(FrameReader& frames, std::span<const engine::Code> codes,
                 std::span<const std::uint64_t> counts, std::uint64_t records,
                 std::span<const std::uint64_t> in_table, std::vector<bool>& is_seen) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (counts[i] == 0 || counts[i] > records - sum) return frames.fail("counts and records of a class");
    sum += counts[i];
    if (in_table.empty()) continue;
    if (codes[i] >= in_table.size() || counts[i] > in_table[codes[i]])
      return frames.fail("a class has more of a value than the whole table");
    if (is_seen[codes[i]]) return frames.fail("a class has a value twice");
    is_seen[codes[i]] = true;
  }
  if (sum != records) return frames.fail("counts and records of a class");
  for (const auto code : codes) {
    if (!in_table.empty()) is_seen[code] = false;
  }
}

ClassRequest::Counts read_counts(FrameReader& frames, const WholeColumn& whole,
                                 std::span<const std::uint64_t> records) {
  ClassRequest::Counts out;
  std::uint64_t values = 0;
  frames.numbers(records.size(), [&](std::uint32_t count) { out.ends.push_back(values += count); });
  frames.numbers(values, [&](std::uint32_t code) { out.codes.push_back(code); });
  frames.wide_numbers(values, [&](std::uint64_t count) { out.counts.push_back(count); });
  std::vector<bool> is_seen(whole.values.in_table.size());
  for (std::size_t c = 0; c < records.size() && frames.is_good(); ++c) {
    const auto begin = c == 0 ? 0 : out.ends[c - 1], size = out.ends[c] - begin;
    check_class(frames, std::span(out.codes).subspan(begin, size), std::span(out.counts).subspan(begin, size),
                records[c], whole.values.in_table, is_seen);
  }
  return out;
}

std::vector<bool> judged_by_engine(const ClassRequest& request) {
  engine::Anonymity anonymity;
  anonymity.k = request.k;
  anonymity.sensitive = models_of(request.models);
  std::vector<engine::SensitiveValues> values;
  for (const auto& whole : request.whole) values.push_back(whole.values);
  engine::ClassTest test(anonymity, values);
  std::vector<bool> kept;
  std::vector<engine::ClassView::Values> views;
  for (std::size_t c = 0; c < request.records.size(); ++c) {
    views.clear();
    for (const auto& column : request.columns) {
      const auto begin = c == 0 ? 0 : column.ends[c - 1], size = column.ends[c] - begin;
      views.push_back(
          {std::span(column.codes).subspan(begin, size), std::span(column.counts).subspan(begin, size)});
    }
    kept.push_back(test.test({request.records[c], request.records[c], views}).is_kept);
  }
  return kept;
}

std::string name_of(std::uint64_t value) {
  return fmt::format("{}", value);
}

Result<std::vector<bool>> judged_by_recount(const ClassRequest& request) {
  std::vector<bool> kept;
  for (const auto records : request.records) kept.push_back(records >= request.k);
  for (std::size_t i = 0; i < request.columns.size(); ++i) {
    const auto& whole = request.whole[i];
    const auto& column = request.columns[i];
    engine::ValueCounts in_table;
    for (std::size_t code = 0; code < whole.values.in_table.size(); ++code)
      in_table.emplace(name_of(code), whole.values.in_table[code]);
    const auto table = engine::ValueTable::make(in_table, whole.order, whole.hierarchy, std::nullopt);
    if (!table) return table.error();
    for (std::size_t c = 0; c < kept.size(); ++c) {
      engine::ValueCounts values;
      for (auto at = c == 0 ? 0 : column.ends[c - 1]; at < column.ends[c]; ++at) {
        // Without the whole table, equal codes need not be equal values: each place is a value of its own.
        values.emplace(name_of(in_table.empty() ? at : column.codes[at]), column.counts[at]);
      }
      for (const auto& model : request.models[i]) kept[c] = kept[c] && table->keeps(values, model);
    }
  }
  return kept;
}

}  // namespace

Result<ClassRequest> read_class_request(const ReadBytes& read) {
  FrameReader frames(read);
  frames.begin();
  const auto text = frames.text();
  if (!frames.is_good()) return frames.error();
  ClassRequest out;
  const auto classes = read_header(text, out);
  if (!classes) return classes.error();
  for (const auto& models : out.models) out.whole.push_back(read_whole_column(frames, models));
  frames.wide_numbers(*classes, [&](std::uint64_t records) {
    if (records == 0 || records > kMostOfClass)
      return frames.fail("a class without records, or with too many");
    out.records.push_back(records);
  });
  for (std::size_t i = 0; i < out.models.size() && frames.is_good(); ++i)
    out.columns.push_back(read_counts(frames, out.whole[i], out.records));
  frames.end();
  if (!frames.is_good()) return frames.error();
  return out;
}

Result<std::vector<bool>> judged(const ClassRequest& request) {
  switch (request.judge) {
    case ClassJudge::engine: return judged_by_engine(request);
    case ClassJudge::recount: return judged_by_recount(request);
  }
  return std::vector<bool>();
}

Result<void> write_class_answer(const std::vector<bool>& kept, const WriteBytes& write) {
  FrameWriter answer(write);
  for (const bool is_kept : kept) answer.number(is_kept ? 1 : 0);
  return answer.finish();
}

}  // namespace pgveil::app
