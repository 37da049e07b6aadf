#include "rewriter/compile/level_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "common/sql_quoting.hpp"

namespace pgveil::rewriter {
namespace {

using policy::Level;
using policy::LevelShows;

bool is_one_of(const Column& column, std::initializer_list<std::string_view> types) {
  return column.type_schema == "pg_catalog" && column.type_kind == 'b' &&
         std::ranges::find(types, column.type_name) != types.end();
}

bool is_whole(policy::Scaled number) {
  return number % policy::kScale == 0;
}

// What is wrong with this kind of level on a column of this type. Empty: nothing.
struct Objection {
  const Column& source;

  std::string_view numbers(bool are_whole) const {
    if (is_one_of(source, {"int2", "int4", "int8"}))
      return are_whole ? "" : "bounds for whole numbers must be whole";
    return is_one_of(source, {"numeric"}) ? "" : "bins are of int2, int4, int8 and numeric";
  }
  std::string_view operator()(const policy::Bins& bins) const {
    return numbers(is_whole(bins.width) && is_whole(bins.origin));
  }
  std::string_view operator()(const policy::Bounds& bounds) const {
    return numbers(std::ranges::all_of(bounds.cuts, is_whole));
  }
  std::string_view operator()(policy::Period) const {
    return is_one_of(source, {"date", "timestamp", "timestamptz"})
               ? ""
               : "periods are of date, timestamp and timestamptz";
  }
  std::string_view operator()(const policy::Prefix&) const {
    return is_one_of(source, {"text", "varchar"}) ? "" : "prefixes are of text and varchar";
  }
  std::string_view operator()(const policy::Groups&) const {
    return is_one_of(source, {"text", "varchar"}) ? "" : "groups are of text and varchar";
  }
};

std::string_view needed_type(const Level& level, const Column& source) {
  if (level.shows == LevelShows::label) return "text";
  // Other types have starts that are out of range or have more than one rendering.
  if (is_one_of(source, {"int4", "int8", "date"}) || (is_one_of(source, {"numeric"}) && source.typmod < 0))
    return source.type_name;
  return "";
}

bool has_type(const Column& column, std::string_view type) {
  return is_one_of(column, {type}) && column.typmod < 0 && column.collation_is_deterministic;
}

}  // namespace

std::optional<Error> check_level(const policy::ColumnRule& rule, const Relation& relation) {
  const Level& level = *rule.level;
  const Column* source = relation.find_column(level.source);
  if (source == nullptr) return std::nullopt;
  const auto refuse = [&](const std::string& what, const std::string& fix) {
    return yaml::error_at(rule.at, what, fix);
  };
  const std::string_view objection = std::visit(Objection{*source}, level.method);
  if (!objection.empty()) {
    return refuse(fmt::format("column \"{}\" of type {} can't have this level: {}", source->name,
                              source->type_text, objection),
                  "choose another method, or add a column of such a type");
  }
  const std::string_view type = needed_type(level, *source);
  if (type.empty()) {
    return refuse(fmt::format("the starts of such bins can't be shown as {}", source->type_text),
                  "name a column of type text to show labels in: column: …, or show: label");
  }
  const Column* shown_in = relation.find_column(rule.name);
  if (shown_in == nullptr) {
    return refuse(
        fmt::format("\"{}.{}\" has no column \"{}\" to show a level in", relation.schema, relation.name,
                    rule.name),
        fmt::format("add it, empty, which rewrites nothing: ALTER TABLE {}.{} ADD COLUMN {} pg_catalog.{}",
                    quoted_name(relation.schema), quoted_name(relation.name), quoted_name(rule.name), type));
  }
  if (!has_type(*shown_in, type)) {
    return refuse(fmt::format("column \"{}\" of type {} can't show this level: it must be of type {} without "
                              "length",
                              rule.name, shown_in->type_text, type),
                  "name another column, or change show:");
  }
  return std::nullopt;
}

}  // namespace pgveil::rewriter
