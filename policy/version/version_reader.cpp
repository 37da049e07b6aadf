#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <limits>

#include "common/json_object.hpp"
#include "policy/level/level_json.hpp"
#include "policy/spec/spec.hpp"
#include "policy/tree/tree_check.hpp"
#include "policy/version/utility_json.hpp"
#include "policy/version/version.hpp"

namespace pgveil::policy {

namespace {

namespace json = boost::json;

constexpr std::size_t kMaxJsonDepth = 8;  // our own files have 5
constexpr std::int64_t kMaxOid = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMaxAttributeNumber = std::numeric_limits<std::int16_t>::max();
constexpr std::int64_t kMaxNodes = std::numeric_limits<NodeIndex>::max();

std::string item_path(const std::string& list, std::size_t index) {
  return fmt::format("{}[{}]", list, index);
}

std::vector<EnumLabel> read_labels(JsonObjectView& object, FirstError& errors) {
  std::vector<EnumLabel> labels;
  const std::string path = object.path_of("labels");
  for (const json::value& item : object.array("labels")) {
    JsonObjectView label{item, item_path(path, labels.size()), errors};
    labels.push_back({static_cast<std::uint32_t>(label.integer("oid", 1, kMaxOid)), label.text("label")});
    label.finish();
    if (errors.error()) return labels;
    if (labels.size() > 1 && labels[labels.size() - 2].oid >= labels.back().oid)
      errors.add(broken_json(item_path(path, labels.size() - 1), "not ascending by oid"));
  }
  return labels;
}

ShapeColumn read_column(JsonObjectView object, FirstError& errors) {
  ShapeColumn column;
  column.number = static_cast<int>(object.integer("number", 1, kMaxAttributeNumber));
  column.name = object.text("name");
  column.type_oid = static_cast<std::uint32_t>(object.integer("type_oid", 0, kMaxOid));
  column.typmod = static_cast<std::int32_t>(object.integer("typmod", std::numeric_limits<std::int32_t>::min(),
                                                           std::numeric_limits<std::int32_t>::max()));
  column.collation_oid = static_cast<std::uint32_t>(object.integer("collation_oid", 0, kMaxOid));
  if (object.has("labels")) column.labels = read_labels(object, errors);
  object.finish();
  return column;
}

TableShape read_shape(JsonObjectView object, FirstError& errors) {
  TableShape shape;
  shape.table_oid = static_cast<std::uint32_t>(object.integer("oid", 0, kMaxOid));
  shape.relfilenode = static_cast<std::uint32_t>(object.integer("relfilenode", 0, kMaxOid));
  shape.schema = object.text("schema");
  shape.name = object.text("name");
  const std::string path = object.path_of("columns");
  for (const json::value& item : object.array("columns")) {
    shape.columns.push_back(read_column({item, item_path(path, shape.columns.size()), errors}, errors));
    if (errors.error()) return shape;
  }
  for (std::size_t i = 1; i < shape.columns.size(); ++i) {
    if (shape.columns[i - 1].number >= shape.columns[i].number) {
      errors.add(broken_json(item_path(path, i), "not ascending by number"));
    }
  }
  object.finish();
  return shape;
}

StoredDecision read_stored(JsonObjectView object) {
  StoredDecision stored;
  stored.column = object.text("column");
  stored.digest = object.text("digest");
  object.finish();
  return stored;
}

TreeAttribute read_attribute(JsonObjectView object, const TableShape& shape, FirstError& errors,
                             const std::string& path) {
  TreeAttribute attribute;
  attribute.number = static_cast<int>(object.integer("number", 1, kMaxAttributeNumber));
  attribute.name = object.text("name");
  if (object.has("level")) attribute.level = read_level(object.object("level"), errors);
  object.finish();
  const auto is_it = [&](const ShapeColumn& column) {
    return column.number == attribute.number && column.name == attribute.name;
  };
  if (std::none_of(shape.columns.begin(), shape.columns.end(), is_it)) {
    errors.add(broken_json(path, "no such column in the table"));
  }
  return attribute;
}

std::uint32_t attribute_index(const DisclosureTree& tree, const std::string& name) {
  const auto is_it = [&](const TreeAttribute& attribute) { return attribute.name == name; };
  const auto found = std::find_if(tree.attributes.begin(), tree.attributes.end(), is_it);
  return static_cast<std::uint32_t>(found -
                                    tree.attributes.begin());  // one past the last: find_flaw refuses it
}

Node read_node(JsonObjectView object, const DisclosureTree& tree) {
  Node node;
  node.rows = object.count("rows");
  node.units = object.count("units");
  if (object.has("attribute")) {
    node.split = Split{attribute_index(tree, object.text("attribute")), object.text("value")};
    node.yes = static_cast<NodeIndex>(object.integer("yes", 1, kMaxNodes));
    node.no = static_cast<NodeIndex>(object.integer("no", 1, kMaxNodes));
  } else {
    node.falls_back = object.has("falls_back") && object.flag("falls_back");
    node.is_closed = object.has("closed") && object.flag("closed");
  }
  object.finish();
  return node;
}

Turn read_turn(JsonObjectView object) {
  Turn turn;
  turn.rank = static_cast<std::uint32_t>(object.integer("rank", 0, kMaxRank));
  turn.favour = static_cast<std::uint32_t>(object.integer("favour", 0, kMaxFavour));
  turn.rarity = static_cast<std::uint32_t>(object.integer("rarity", 0, kMaxRarity));
  turn.is_by_cost = object.flag("by_cost");
  object.finish();
  return turn;
}

std::vector<Turn> read_turns(JsonObjectView& object, std::size_t attribute_count, FirstError& errors) {
  std::vector<Turn> turns;
  const std::string path = object.path_of("turns");
  for (const json::value& item : object.array("turns"))
    turns.push_back(read_turn({item, item_path(path, turns.size()), errors}));
  if (turns.size() != attribute_count) errors.add(broken_json(path, "not one turn per attribute"));
  return turns;
}

DisclosureTree read_tree(JsonObjectView object, const TableShape& shape, FirstError& errors) {
  DisclosureTree tree;
  tree.k = object.count("k");
  const std::string attributes_path = object.path_of("attributes");
  for (const json::value& item : object.array("attributes")) {
    const std::string path = item_path(attributes_path, tree.attributes.size());
    tree.attributes.push_back(read_attribute({item, path, errors}, shape, errors, path));
    if (errors.error()) return tree;
  }
  if (object.has("turns")) tree.turns = read_turns(object, tree.attributes.size(), errors);
  if (errors.error()) return tree;
  const std::string nodes_path = object.path_of("nodes");
  const json::array& nodes = object.array("nodes");
  tree.nodes.reserve(nodes.size());
  for (const json::value& item : nodes) {
    tree.nodes.push_back(read_node({item, item_path(nodes_path, tree.nodes.size()), errors}, tree));
    if (errors.error()) return tree;
  }
  object.finish();
  if (errors.error()) return tree;
  if (const auto flaw = find_flaw(tree)) errors.add(broken_json(object.path(), *flaw));
  return tree;
}

std::vector<std::uint64_t> read_counts(JsonObjectView& object, std::string_view key, std::size_t expected,
                                       FirstError& errors) {
  std::vector<std::uint64_t> counts;
  for (const json::value& item : object.array(key)) {
    if (!item.is_int64() || item.get_int64() < 0) {
      errors.add(broken_json(object.path_of(key), "not whole numbers"));
      return {};
    }
    counts.push_back(static_cast<std::uint64_t>(item.get_int64()));
  }
  if (counts.size() != expected) errors.add(broken_json(object.path_of(key), "not one number per attribute"));
  return counts;
}

// Earlier versions have one figure for what is shown, computable or equal. The part that is not shown counts
// as computable until the next build.
void read_implied(JsonObjectView& object, std::size_t attribute_count, Disclosure& disclosure,
                  FirstError& errors) {
  constexpr std::string_view kAll = "disclosed_or_implied";
  constexpr std::string_view kByAttribute = "disclosed_or_implied_by_attribute";
  const std::uint64_t all = object.count(kAll);
  disclosure.computable_by_attribute = read_counts(object, kByAttribute, attribute_count, errors);
  disclosure.equal_by_attribute.assign(attribute_count, 0);
  if (errors.error()) return;
  if (all < disclosure.disclosed)
    errors.add(broken_json(object.path_of(kAll), "less than what is disclosed"));
  disclosure.computable = all - std::min(all, disclosure.disclosed);
  for (std::size_t a = 0; a < attribute_count; ++a) {
    std::uint64_t& found = disclosure.computable_by_attribute[a];
    const std::uint64_t shown = disclosure.disclosed_by_attribute[a];
    if (found < shown) errors.add(broken_json(object.path_of(kByAttribute), "less than what is disclosed"));
    found -= std::min(found, shown);
  }
}

Disclosure read_disclosure(JsonObjectView object, std::size_t attribute_count, FirstError& errors) {
  Disclosure disclosure;
  disclosure.rows = object.count("rows");
  disclosure.units = object.count("units");
  disclosure.cells = object.count("cells");
  disclosure.disclosed = object.count("disclosed");
  disclosure.cohorts = object.count("cohorts");
  disclosure.smallest_cohort = object.count("smallest_cohort");
  disclosure.disclosed_by_attribute = read_counts(object, "disclosed_by_attribute", attribute_count, errors);
  if (object.has("disclosed_or_implied")) {
    read_implied(object, attribute_count, disclosure, errors);
  } else {
    disclosure.computable = object.count("computable");
    disclosure.equal = object.count("equal");
    disclosure.computable_by_attribute =
        read_counts(object, "computable_by_attribute", attribute_count, errors);
    disclosure.equal_by_attribute = read_counts(object, "equal_by_attribute", attribute_count, errors);
  }
  object.finish();
  return disclosure;
}

// Must be ascending, so that it can be searched.
std::vector<std::uint64_t> read_seen(const json::value& value, const std::string& path, FirstError& errors) {
  std::vector<std::uint64_t> seen;
  if (!value.is_array()) {
    errors.add(broken_json(path, "neither a list nor null"));
    return seen;
  }
  for (const json::value& item : value.get_array()) {
    const bool is_number = item.is_int64() && item.get_int64() >= 0;
    if (!is_number || (!seen.empty() && static_cast<std::uint64_t>(item.get_int64()) <= seen.back())) {
      errors.add(broken_json(path, "not ascending whole numbers"));
      return seen;
    }
    seen.push_back(static_cast<std::uint64_t>(item.get_int64()));
  }
  return seen;
}

Lineage read_lineage(JsonObjectView object, std::size_t attribute_count, FirstError& errors) {
  Lineage lineage;
  lineage.first = object.count("first");
  for (const json::value& item : object.array("seen")) {
    const std::string path = item_path(object.path_of("seen"), lineage.seen.size());
    lineage.seen.emplace_back();
    if (!item.is_null()) lineage.seen.back() = read_seen(item, path, errors);
  }
  if (lineage.seen.size() != attribute_count && !lineage.seen.empty())
    errors.add(broken_json(object.path_of("seen"), "not one list per attribute"));
  object.finish();
  return lineage;
}

Companion read_companion(JsonObjectView object) {
  Companion other;
  other.policy = object.text("policy");
  other.number =
      static_cast<std::uint64_t>(object.integer("number", 1, std::numeric_limits<std::int64_t>::max()));
  object.finish();
  return other;
}

PolicyVersion read_version(const json::value& document, std::string_view file_name, FirstError& errors) {
  JsonObjectView object(document, std::string(file_name), errors, ": ");
  PolicyVersion version;
  if (object.integer("format", kVersionFormat, kVersionFormat) != kVersionFormat || errors.error())
    return version;
  version.policy = object.text("policy");
  version.number =
      static_cast<std::uint64_t>(object.integer("number", 1, std::numeric_limits<std::int64_t>::max()));
  version.spec_hash = object.text("spec_hash");
  version.built_at = object.text("built_at");
  version.shape = read_shape(object.object("table"), errors);
  if (errors.error()) return version;
  if (object.has("copy")) {
    version.copy = read_shape(object.object("copy"), errors);
    if (!errors.error() && !is_copy_of(*version.copy, version.shape))
      errors.add(broken_json(object.path_of("copy"), "not the columns of the table"));
    if (errors.error()) return version;
  }
  if (object.has("stored")) version.stored = read_stored(object.object("stored"));
  version.tree = read_tree(object.object("tree"), version.shape, errors);
  if (errors.error()) return version;
  version.disclosure = read_disclosure(object.object("disclosure"), version.tree.attributes.size(), errors);
  if (object.has("lineage")) {
    version.lineage = read_lineage(object.object("lineage"), version.tree.attributes.size(), errors);
  }
  if (object.has("beside")) {
    const std::string path = object.path_of("beside");
    for (const json::value& item : object.array("beside"))
      version.beside.push_back(read_companion({item, item_path(path, version.beside.size()), errors}));
  }
  if (object.has("utility"))
    version.utility = read_utility(object.object("utility"), version.tree, errors);
  object.finish();
  return version;
}

}  // namespace

Result<PolicyVersion> version_from_json(std::string_view text, std::string_view file_name) {
  if (text.size() > kMaxVersionBytes) {
    return broken_json(file_name, fmt::format("larger than {} bytes", kMaxVersionBytes));
  }
  json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  json::error_code error;
  json::value document;
  try {
    document = json::parse(text, error, {}, options);
  } catch (const std::exception&) {
    return broken_json(file_name, "can't be parsed");
  }
  if (error) return broken_json(file_name, fmt::format("not valid JSON ({})", error.message()));
  if (has_duplicate_keys(text, document)) return broken_json(file_name, "a key is there twice");
  FirstError errors;
  PolicyVersion version = read_version(document, file_name, errors);
  if (errors.error()) return *errors.error();
  return version;
}

}  // namespace pgveil::policy
