#include "jobs/check/demand_words.hpp"

#include <algorithm>
#include <utility>

#include "jobs/check/model_words.hpp"
#include "jobs/check/recount.hpp"
#include "jobs/input/table_input.hpp"

namespace pgveil::app {
namespace {

engine::CheckedColumn& sensitive_column(TableDemand& demand, const std::string& name) {
  const auto found = std::ranges::find(demand.sensitive, name, &engine::CheckedColumn::name);
  if (found != demand.sensitive.end()) return *found;
  return demand.sensitive.emplace_back(engine::CheckedColumn{name});
}

Result<engine::ValueOrder> order_of(const std::string& text) {
  if (text == "number") return engine::ValueOrder(engine::SortedBy::number);
  if (text == "text") return engine::ValueOrder(engine::SortedBy::text);
  auto values = column_names("--order", text);
  if (!values) return values.error();
  return engine::ValueOrder(std::move(*values));
}

}  // namespace

Result<TableDemand> demand_of(const DemandWords& words, const std::optional<std::string>& null_text) {
  TableDemand made;
  made.quasi_identifiers = words.columns;
  for (const auto& name : words.sensitive) sensitive_column(made, name);
  for (const auto& text : words.required) {
    const auto parts = column_and_rest("--require", text);
    if (!parts) return parts.error();
    const auto model = model_of(parts->second);
    if (!model) return model.error();
    sensitive_column(made, parts->first).demanded.push_back(*model);
  }
  for (const auto& text : words.orders) {
    const auto parts = column_and_rest("--order", text);
    if (!parts) return parts.error();
    auto order = order_of(parts->second);
    if (!order) return order.error();
    sensitive_column(made, parts->first).order = std::move(*order);
  }
  for (const auto& text : words.risks) {
    const auto model = risk_of(text);
    if (!model) return model.error();
    made.demand.risks.push_back(*model);
  }
  made.demand.k = words.k;
  made.null_text = null_text;
  for (auto& column : made.sensitive) column.null_text = made.null_text;
  return made;
}

Result<TableDemand> demand_of(const Job& job, const engine::Table& values) {
  TableDemand made;
  for (const auto& attribute : job.attributes) {
    if (attribute.attribute_class == AttributeClass::quasi_identifier)
      made.quasi_identifiers.push_back(attribute.name);
  }
  auto columns = checked_columns(job, values);
  if (!columns) return columns.error();
  made.sensitive = std::move(*columns);
  made.null_text = job.null_text;
  made.demand.k = job.k;
  made.demand.suppressed_records = job.suppressed_records;
  made.demand.risks = job.risks;
  return made;
}

std::string unit_not_counted(const Job& job) {
  return *job.unit +
         ": the table does not have it, so records are counted in its place, which is a weaker promise";
}

std::vector<std::string> without_hierarchical(TableDemand& demand) {
  std::vector<std::string> taken;
  for (auto& column : demand.sensitive) {
    std::erase_if(column.demanded, [&](const engine::ValueModel& model) {
      const auto* closeness = std::get_if<engine::TCloseness>(&model);
      const bool is_hierarchical =
          closeness != nullptr && closeness->distance == engine::Distance::hierarchical;
      if (is_hierarchical) taken.push_back(column.name + " " + engine::describe(model));
      return is_hierarchical;
    });
  }
  return taken;
}

}  // namespace pgveil::app
