#pragma once
// The sensitive columns in the frames of a cluster (docs/spark.md): which models they have to keep, and how
// often each value occurs in the whole table, for the models that compare with it. A worker sees only a part
// of the table. It is told values by numbers: the value i is the text of i, and the order of the values is
// that of their numbers.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/first_error.hpp"
#include "common/json_object.hpp"
#include "engine/data/hierarchy.hpp"
#include "engine/privacy/anonymity.hpp"
#include "engine/privacy/sensitive_values.hpp"
#include "jobs/cluster/frames.hpp"

namespace pgveil::app {

using ColumnModels = std::vector<engine::ValueModel>;

// Whether a model looks at the whole table, beside the class that it tests.
[[nodiscard]] bool compares_with_table(const engine::ValueModel& model);
[[nodiscard]] bool compares_with_table(const ColumnModels& models);

// The key `sensitive` of a header: for each column the words of its models (engine::describe). Errors: words
// that are no model, and parameters out of range, which are added to `errors`.
[[nodiscard]] std::vector<ColumnModels> read_models(JsonObjectView& header, FirstError& errors);
[[nodiscard]] std::vector<engine::SensitiveModel> models_of(std::span<const ColumnModels> columns);

// A column of the whole table. Everything is empty if no model compares with the table.
struct WholeColumn {
  engine::SensitiveValues values;
  std::optional<engine::ValueOrder> order;     // of the ordered distance
  std::optional<engine::Hierarchy> hierarchy;  // of the hierarchical distance
};

// Reads nothing if no model compares with the table. Otherwise, a hierarchy if a distance needs one, then how
// many values there are, and how often each occurs, from 1 on, in wide numbers. Errors are those of `frames`.
[[nodiscard]] WholeColumn read_whole_column(FrameReader& frames, const ColumnModels& models);

}  // namespace pgveil::app
