#include "rewriter/compile/policy_mask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/assert.hpp"
#include "pg/print.hpp"
#include "rewriter/mask/masks.hpp"
#include "rewriter/mask/stored_decision.hpp"
#include "rewriter/verify/verify_mask.hpp"

namespace pgveil::rewriter {
namespace {

// What masks and their verifier may know of a policy.
policy::PolicySpec spec_of(const MaskInputs& inputs) {
  policy::PolicySpec spec;
  spec.name = inputs.policy;
  spec.enforcement = inputs.enforcement;
  for (const MaskedColumn& column : inputs.columns)
    spec.columns.push_back(
        {.name = column.name, .column_class = column.column_class, .constraints = {}, .at = {}});
  return spec;
}

// Why the version's decisions are not read from the table; empty when they are.
std::string reason_not_stored(const MaskInputs& inputs, const StoredExpression& expression) {
  const policy::PolicyVersion& version = *inputs.version.version;
  if (inputs.guard == VersionGuard::absent)
    return "the database has no schema pgveil: run what pgveil setup-sql prints, then build";
  if (!version.stored || version.stored->column != expression.column)
    return fmt::format("version {} was made without a column: build needed", version.number);
  if (find_stored(version, inputs.table) != nullptr) return {};
  const bool is_there = std::ranges::find(inputs.table.stored, expression.column, &StoredColumn::name) !=
                        inputs.table.stored.end();
  return fmt::format("column {} {}: run what pgveil policy stored-sql {} prints, then build",
                     pg::quote_identifier(expression.column),
                     is_there ? "has another expression" : "is not there", inputs.policy);
}

// Null: the table's column is not read, which not_stored_because explains.
Result<std::shared_ptr<const Mask>> stored_mask(const MaskInputs& inputs, const policy::PolicySpec& spec,
                                                std::string& not_stored_because) {
  const policy::PolicyVersion& version = *inputs.version.version;
  const auto expression = stored_expression(version.tree, inputs.table);
  if (!expression) return expression.error();
  not_stored_because = reason_not_stored(inputs, *expression);
  if (!not_stored_because.empty()) return std::shared_ptr<const Mask>();
  const StoredColumn& stored = *find_stored(version, inputs.table);
  auto mask = compile_stored_mask(spec, version, inputs.table, stored, inputs.look_ups);
  if (!mask) return mask;
  if (auto verified = verify_stored_mask(**mask, spec, version, inputs.table, stored, expression->text);
      !verified)
    return verified.error();
  return mask;
}

Result<std::shared_ptr<const Mask>> copy_mask(const MaskInputs& inputs, const policy::PolicySpec& spec) {
  PGVEIL_ASSERT(inputs.copy.has_value());
  const policy::PolicyVersion& version = *inputs.version.version;
  auto mask = compile_copy_mask(spec, version, inputs.table, *inputs.copy);
  if (!mask) return mask;
  if (auto verified = verify_copy_mask(**mask, spec, version, *inputs.copy); !verified)
    return verified.error();
  return mask;
}

Result<std::shared_ptr<const Mask>> checked_mask(const MaskInputs& inputs, std::string& not_stored_because) {
  const policy::PolicySpec spec = spec_of(inputs);
  const policy::PolicyVersion& version = *inputs.version.version;
  if (inputs.enforcement == policy::Enforcement::copy) return copy_mask(inputs, spec);
  if (inputs.enforcement == policy::Enforcement::stored) {
    auto mask = stored_mask(inputs, spec, not_stored_because);
    if (!mask || *mask) return mask;
  }
  auto mask = compile_mask(spec, version, inputs.table, inputs.guard, inputs.source, inputs.look_ups);
  if (!mask) return mask;
  if (auto verified = verify_mask(**mask, spec, version, inputs.table, inputs.guard); !verified)
    return verified.error();
  return mask;
}

}  // namespace

Result<std::shared_ptr<const PolicyMask>> make_policy_mask(MaskInputs inputs) {
  auto made = std::make_shared<PolicyMask>();
  made->inputs = std::move(inputs);
  auto mask = checked_mask(made->inputs, made->not_stored_because);
  if (!mask) return mask.error();
  made->mask = std::move(*mask);
  return std::shared_ptr<const PolicyMask>(std::move(made));
}

}  // namespace pgveil::rewriter
