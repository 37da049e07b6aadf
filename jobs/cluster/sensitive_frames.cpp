#include "jobs/cluster/sensitive_frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "engine/data/code_column.hpp"
#include "engine/privacy/overloaded.hpp"
#include "jobs/check/model_words.hpp"

namespace pgveil::app {
namespace {

constexpr std::uint64_t kMostInTable = std::uint64_t{1} << 53U;  // doubles tell all of them apart

bool has_distance(const ColumnModels& models, engine::Distance distance) {
  return std::ranges::any_of(models, [distance](const engine::ValueModel& it) {
    const auto* closeness = std::get_if<engine::TCloseness>(&it);
    return closeness != nullptr && closeness->distance == distance;
  });
}

std::vector<std::string> numbered_values(std::size_t count) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(fmt::format("{}", i));
  return values;
}

}  // namespace

bool compares_with_table(const engine::ValueModel& model) {
  return std::visit(engine::Overloaded{[](const engine::DistinctDiversity&) { return false; },
                                       [](const engine::EntropyDiversity&) { return false; },
                                       [](const engine::RecursiveDiversity&) { return false; },
                                       [](const engine::TCloseness&) { return true; },
                                       [](const engine::BetaLikeness&) { return true; },
                                       [](const engine::DeltaDisclosure&) { return true; }},
                    model);
}

bool compares_with_table(const ColumnModels& models) {
  return std::ranges::any_of(models, [](const auto& it) { return compares_with_table(it); });
}

std::vector<ColumnModels> read_models(JsonObjectView& header, FirstError& errors) {
  std::vector<ColumnModels> columns;
  for (const auto& column : header.array("sensitive")) {
    ColumnModels made;
    if (!column.is_array()) errors.add(broken_frames("the models of a column are no list"));
    for (const auto& words : column.is_array() ? column.get_array() : boost::json::array()) {
      auto model = words.is_string()
                       ? model_of(std::string_view(words.get_string()))
                       : Result<engine::ValueModel>(broken_frames("the words of a model are no text"));
      if (model) {
        made.push_back(*model);
      } else {
        errors.add(broken_frames(model.error().public_message));
      }
    }
    columns.push_back(std::move(made));
  }
  // What the ordered and the hierarchical distance need is read with each column.
  const std::vector<engine::SensitiveShape> shapes(columns.size(), {"a sensitive column", true, true});
  engine::Anonymity anonymity;
  anonymity.sensitive = models_of(columns);
  if (auto valid = engine::validate(anonymity, shapes, false); !valid)
    errors.add(broken_frames(valid.error().public_message));
  return columns;
}

std::vector<engine::SensitiveModel> models_of(std::span<const ColumnModels> columns) {
  std::vector<engine::SensitiveModel> made;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    for (const auto& model : columns[column]) made.push_back({column, model});
  }
  return made;
}

WholeColumn read_whole_column(FrameReader& frames, const ColumnModels& models) {
  WholeColumn out;
  if (!compares_with_table(models)) return out;
  if (has_distance(models, engine::Distance::hierarchical)) out.hierarchy = frames.hierarchy();
  std::vector<std::uint64_t> in_table;
  std::uint64_t total = 0;
  frames.wide_numbers(frames.number(), [&](std::uint64_t count) {
    if (count == 0 || count > kMostInTable - total)
      return frames.fail("a value occurs never, or too often in the whole table");
    total += count;
    in_table.push_back(count);
  });
  if (in_table.empty()) frames.fail("a column of the whole table without a value");
  if (!frames.is_good()) return out;
  const engine::Column column{"a sensitive column", numbered_values(in_table.size()), {}};
  if (has_distance(models, engine::Distance::ordered)) out.order = column.values;
  auto values = engine::make_sensitive_values(column, {column.name, out.order, out.hierarchy, {}}, {});
  if (!values) {
    frames.fail(values.error());
    return out;
  }
  out.values = std::move(*values);
  out.values.in_table = std::move(in_table);
  out.values.total = total;
  return out;
}

}  // namespace pgveil::app
