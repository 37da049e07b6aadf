#include "jobs/cluster/risk_frames.hpp"

#include <algorithm>
#include <string>

#include "common/json_object.hpp"
#include "engine/privacy/risk_test.hpp"
#include "engine/recount/table_risks.hpp"
#include "jobs/check/model_words.hpp"

namespace pgveil::app {
namespace {

constexpr std::uint64_t kMostOfClasses = std::uint64_t{1} << 53U;

engine::Anonymity anonymity_of(const RiskRequest& request) {
  engine::Anonymity anonymity;
  anonymity.k = 1;
  anonymity.risks = request.risks;
  return anonymity;
}

// Returns the number of different sizes.
Result<std::uint64_t> read_header(const std::string& text, RiskRequest& request) {
  const auto parsed = parse_json(text);
  if (!parsed) return broken_frames("its header is not JSON");
  FirstError errors;
  JsonObjectView view(*parsed, "header", errors);
  const auto sizes = static_cast<std::uint64_t>(view.integer("sizes", 1, std::int64_t{1} << 32U));
  request.judge = view.flag("is_recount") ? ClassJudge::recount : ClassJudge::engine;
  for (const auto& words : view.texts("risks")) {
    const auto risk = risk_of(words);
    if (risk) {
      request.risks.push_back(*risk);
    } else {
      errors.add(broken_frames(risk.error().public_message));
    }
  }
  view.finish();
  if (errors.error()) return *errors.error();
  if (auto valid = engine::validate(anonymity_of(request), {}, false); !valid)
    return broken_frames(valid.error().public_message);
  return sizes;
}

std::uint64_t all_classes(const engine::SizeHistogram& sizes) {
  std::uint64_t classes = 0;
  for (const auto& [_, count] : sizes) classes += count;
  return classes;
}

}  // namespace

Result<RiskRequest> read_risk_request(const ReadBytes& read) {
  FrameReader frames(read);
  frames.begin();
  const auto text = frames.text();
  if (!frames.is_good()) return frames.error();
  RiskRequest out;
  const auto sizes = read_header(text, out);
  if (!sizes) return sizes.error();
  std::vector<std::uint64_t> read_sizes;
  frames.wide_numbers(*sizes, [&](std::uint64_t size) {
    const std::uint64_t before = read_sizes.empty() ? 0 : read_sizes.back();
    if (size <= before || size > kMostOfClasses) return frames.fail("sizes of classes do not ascend");
    read_sizes.push_back(size);
  });
  std::uint64_t records = 0;
  frames.wide_numbers(*sizes, [&](std::uint64_t classes) {
    const auto size = read_sizes[out.sizes.size()];
    if (classes == 0 || classes > (kMostOfClasses - records) / size)
      return frames.fail("no class of a size, or too many");
    records += size * classes;
    out.sizes.emplace(size, classes);
  });
  frames.end();
  if (!frames.is_good()) return frames.error();
  if (auto valid = engine::validate_populations(anonymity_of(out), records); !valid) return valid.error();
  return out;
}

std::uint64_t classes_to_suppress(const RiskRequest& request) {
  switch (request.judge) {
    case ClassJudge::engine:
      return engine::RiskTest(anonymity_of(request)).classes_to_suppress(request.sizes);
    case ClassJudge::recount: break;
  }
  const bool is_kept = std::ranges::all_of(
      request.risks, [&](const engine::RiskModel& it) { return engine::keeps_risk(request.sizes, it); });
  return is_kept ? 0 : all_classes(request.sizes);
}

Result<void> write_risk_answer(std::uint64_t classes, const WriteBytes& write) {
  FrameWriter answer(write);
  answer.number(static_cast<std::uint32_t>(classes));
  answer.number(static_cast<std::uint32_t>(classes >> 32U));
  return answer.finish();
}

}  // namespace pgveil::app
