// What a worker of a cluster reads, on arbitrary bytes. A partition that is taken can be cut, its groups have
// k records and the diversity that the request demands, and the answer has a label for each record. Classes
// that are taken can be judged, and those that are kept have k records. So can the sizes of all classes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>

#include "jobs/cluster/class_frames.hpp"
#include "jobs/cluster/partition_frames.hpp"
#include "jobs/cluster/risk_frames.hpp"

namespace {

using namespace pgveil;
using namespace pgveil::app;

ReadBytes reader_of(std::string_view& left) {
  return [&left](char* to, std::size_t size) -> Result<std::size_t> {
    const auto now = std::min(size, left.size());
    std::memcpy(to, left.data(), now);
    left.remove_prefix(now);
    return now;
  };
}

void check(const PartitionRequest& request, const engine::Groups& groups) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups.size_of(g) < request.options.k) std::abort();
    for (const auto& [column, model] : request.options.models) {
      std::set<engine::Code> values;
      for (auto i = groups.begin_of(g); i < groups.ends[g]; ++i)
        values.insert(request.sensitive[column].codes.at(groups.records[i]));
      double l = 1;  // other models demand no number of values
      if (const auto* distinct = std::get_if<engine::DistinctDiversity>(&model)) l = distinct->l;
      if (const auto* entropy = std::get_if<engine::EntropyDiversity>(&model)) l = entropy->l;
      if (static_cast<double>(values.size()) < l) std::abort();
    }
  }
}

void judge_sizes(std::string_view bytes) {
  const auto request = read_risk_request(reader_of(bytes));
  if (!request) return;
  std::uint64_t classes = 0;
  for (const auto& [_, count] : request->sizes) classes += count;
  if (classes_to_suppress(*request) > classes) std::abort();
}

void judge(std::string_view bytes) {
  const auto request = read_class_request(reader_of(bytes));
  if (!request) return;
  const auto kept = judged(*request);
  if (!kept) return;
  if (kept->size() != request->records.size()) std::abort();
  for (std::size_t c = 0; c < kept->size(); ++c) {
    if ((*kept)[c] && request->records[c] < request->k) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view left(reinterpret_cast<const char*>(data), size);
  judge(left);
  judge_sizes(left);
  auto request = read_partition_request(reader_of(left));
  if (!request) return 0;
  request->options.parallel.threads = 1;
  std::vector<const engine::CodeColumn*> quasi_identifiers, sensitive;
  for (const auto& column : request->quasi_identifiers) quasi_identifiers.push_back(&column.codes);
  for (const auto& column : request->sensitive) sensitive.push_back(&column.codes);
  const auto groups = engine::mondrian(request->dimensions, quasi_identifiers, sensitive, request->options);
  if (!groups) return 0;
  check(*request, *groups);
  std::size_t written = 0;
  const auto count = [&](std::string_view bytes) -> Result<void> {
    written += bytes.size();
    return {};
  };
  if (!write_partition_answer(*request, *groups, count)) std::abort();
  if (written < groups->records.size() * request->dimensions.size() * 4) std::abort();
  return 0;
}
