#include "jobs/cluster/partition_frames.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/json.hpp>
#include <optional>
#include <unordered_set>
#include <utility>

#include "common/json_object.hpp"
#include "common/sqlstate.hpp"
#include "engine/data/hierarchy.hpp"
#include "jobs/input/mondrian.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

constexpr std::uint64_t kMostRecords = (std::uint64_t{1} << 32U) - 2;

struct DimensionHeader {
  std::string name;
  bool is_numeric = false;
};

struct Header {
  std::uint64_t records = 0;
  std::optional<std::string> null_text;
  std::vector<DimensionHeader> dimensions;
  std::vector<ColumnModels> models;  // by sensitive column
};

template <class Choice, std::size_t N>
Choice choice(JsonObjectView& view, std::string_view key,
              const std::array<std::pair<std::string_view, Choice>, N>& choices, FirstError& errors) {
  const auto text = view.text(key);
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
  }
  errors.add(broken_frames(fmt::format("unknown {}", key)));
  return choices.front().second;
}

void read_dimensions(JsonObjectView& view, PartitionRequest& request, Header& header, FirstError& errors) {
  for (const auto& item : view.array("dimensions")) {
    JsonObjectView one(item, "header.dimensions", errors);
    header.dimensions.push_back({one.text("name"), one.flag("numeric")});
    if (one.flag("cut_before")) request.options.cut_before.push_back(header.dimensions.size() - 1);
    one.finish();
  }
  if (header.dimensions.empty() || header.dimensions.size() > kMostColumns)
    errors.add(broken_frames("no dimensions, or too many"));
}

Result<Header> read_header(const std::string& text, PartitionRequest& request) {
  const auto parsed = parse_json(text);
  if (!parsed) return broken_frames("its header is not JSON");
  FirstError errors;
  Header header;
  JsonObjectView view(*parsed, "header", errors);
  header.records =
      static_cast<std::uint64_t>(view.integer("records", 1, static_cast<std::int64_t>(kMostRecords)));
  request.options.k = static_cast<std::uint64_t>(view.integer("k", 1, std::int64_t{1} << 32U));
  request.options.parallel.threads = static_cast<std::size_t>(view.integer("threads", 1, 256));
  request.options.cut_by = choice(view, "cut_by", kCutBy, errors);
  request.options.cuts = choice(view, "cuts", kCuts, errors);
  request.ranges = choice(view, "ranges", kRanges, errors);
  if (view.has("null")) header.null_text = view.text("null");
  read_dimensions(view, request, header, errors);
  header.models = read_models(view, errors);
  if (header.models.size() > kMostColumns) errors.add(broken_frames("too many sensitive columns"));
  request.options.models = models_of(header.models);
  view.finish();
  if (errors.error()) return *errors.error();
  return header;
}

engine::Column read_column(FrameReader& frames, std::string name, std::uint64_t records) {
  engine::Column out;
  out.name = std::move(name);
  out.values = frames.texts();
  const std::unordered_set<std::string_view> different(out.values.begin(), out.values.end());
  if (different.size() != out.values.size()) frames.fail("a dictionary has a value twice");
  frames.numbers(records, [&](std::uint32_t code) {
    if (code >= out.values.size()) return frames.fail("a code without a value");
    out.codes.push_back(code);
  });
  return out;
}

void check_part_of(const engine::SensitiveValues& whole, const engine::Column& part, FrameReader& frames) {
  if (!frames.is_good()) return;
  if (part.values.size() != whole.in_table.size())
    return frames.fail("a partition has other values than the whole table");
  std::vector<std::uint64_t> here(part.values.size());
  part.codes.visit([&](const auto codes) {
    for (const auto code : codes) ++here[code];
  });
  for (std::size_t code = 0; code < here.size(); ++code) {
    if (here[code] > whole.in_table[code])
      return frames.fail("a partition has more of a value than the whole table");
  }
}

// Adds values that only other partitions have, because they determine how wide the whole column is.
void add_domain(engine::Column& column, std::vector<std::string> domain) {
  std::unordered_set<std::string> known(column.values.begin(), column.values.end());
  for (auto& value : domain) {
    if (known.insert(value).second) column.values.push_back(std::move(value));
  }
}

void read_dimension(FrameReader& frames, const DimensionHeader& header, const Header& all,
                    PartitionRequest& out) {
  std::optional<engine::Hierarchy> hierarchy;
  if (!header.is_numeric) hierarchy = frames.hierarchy();
  auto domain = frames.texts();
  auto column = read_column(frames, header.name, all.records);
  if (!frames.is_good()) return;
  add_domain(column, std::move(domain));
  auto dimension =
      hierarchy ? engine::categorical_dimension(column, *hierarchy)
                : engine::numeric_dimension(
                      column, all.null_text ? std::optional<std::string_view>(*all.null_text) : std::nullopt);
  if (!dimension) return frames.fail(dimension.error());
  out.dimensions.push_back(std::move(*dimension));
  out.quasi_identifiers.push_back(std::move(column));
}

json::object quality_json(const engine::GroupQuality& quality) {
  const auto& by_dimension = quality.certainty_penalties;
  return {{"groups", quality.groups},
          {"smallest", quality.smallest},
          {"largest", quality.largest},
          {"discernibility_penalty", quality.discernibility},
          {"certainty_penalty", quality.certainty_penalty},
          {"certainty_penalties", json::array(by_dimension.begin(), by_dimension.end())}};
}

}  // namespace

Result<PartitionRequest> read_partition_request(const ReadBytes& read) {
  FrameReader frames(read);
  frames.begin();
  const auto text = frames.text();
  if (!frames.is_good()) return frames.error();
  PartitionRequest out;
  const auto header = read_header(text, out);
  if (!header) return header.error();
  for (const auto& dimension : header->dimensions) read_dimension(frames, dimension, *header, out);
  for (const auto& models : header->models) {
    auto whole = read_whole_column(frames, models).values;
    out.sensitive.push_back(read_column(frames, "sensitive", header->records));
    if (compares_with_table(models)) check_part_of(whole, out.sensitive.back(), frames);
    out.values.push_back(std::move(whole));
  }
  frames.end();
  if (!frames.is_good()) return frames.error();
  out.options.values = out.values;
  return out;
}

Result<void> write_partition_answer(const PartitionRequest& request, const engine::Groups& groups,
                                    const WriteBytes& write) {
  FrameWriter answer(write);
  std::vector<const engine::CodeColumn*> columns;
  for (const auto& column : request.quasi_identifiers) columns.push_back(&column.codes);
  const auto quality = [&](engine::Ranges ranges) {
    return quality_json(engine::quality_of(groups, request.dimensions, columns, ranges));
  };
  const json::object header{{"records", groups.records.size()},
                            {"tight", quality(engine::Ranges::tight)},
                            {"region", quality(engine::Ranges::region)}};
  answer.text(json::serialize(header));
  for (std::size_t d = 0; d < request.dimensions.size(); ++d) {
    const auto column = engine::generalized(groups, request.dimensions, columns, d, request.ranges);
    answer.texts(column.values);
    column.codes.visit([&](const auto codes) {
      for (const auto code : codes) answer.number(code);
    });
  }
  return answer.finish();
}

}  // namespace pgveil::app
