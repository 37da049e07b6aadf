// Every field of every kind of node is accounted for. tests/golden/node_fields_15.txt and node_fields_17.txt
// are those parsers' own descriptors, with what the table says of each field: another libpg_query shows up as
// a difference there, and is refused until it is entered. UPDATE_GOLDEN=1 writes the file of the parser that
// the tests were built with; the diff is reviewed.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "rewriter/lists/node_fields.hpp"

using namespace pgveil::rewriter;

namespace {

using Kind = ProtobufCMessageDescriptor;

template <class Visit>
void for_each_child_kind(const Kind& kind, Visit&& visit) {
  for (unsigned i = 0; i < kind.n_fields; ++i) {
    if (kind.fields[i].type == PROTOBUF_C_TYPE_MESSAGE)
      visit(kind.fields[i], *static_cast<const Kind*>(kind.fields[i].descriptor));
  }
}

// All that a parse tree may be made of, by name.
std::map<std::string, const Kind*> grammar() {
  std::map<std::string, const Kind*> found;
  std::vector<const Kind*> left{&pg_query__raw_stmt__descriptor};
  while (!left.empty()) {
    const Kind* kind = left.back();
    left.pop_back();
    if (!found.emplace(kind->short_name, kind).second) continue;
    for_each_child_kind(*kind, [&](const auto&, const Kind& child) { left.push_back(&child); });
  }
  return found;
}

std::string type_text(const ProtobufCFieldDescriptor& field) {
  std::string out = field.label == PROTOBUF_C_LABEL_REPEATED ? "repeated " : "";
  switch (field.type) {
    case PROTOBUF_C_TYPE_MESSAGE: return out + static_cast<const Kind*>(field.descriptor)->short_name;
    case PROTOBUF_C_TYPE_ENUM: {
      const auto& values = *static_cast<const ProtobufCEnumDescriptor*>(field.descriptor);
      return out + values.short_name + "/" + std::to_string(values.n_values);
    }
    case PROTOBUF_C_TYPE_STRING: return out + "text";
    case PROTOBUF_C_TYPE_BOOL: return out + "bool";
    case PROTOBUF_C_TYPE_INT32: return out + "int32";
    case PROTOBUF_C_TYPE_INT64: return out + "int64";
    case PROTOBUF_C_TYPE_UINT32: return out + "uint32";
    case PROTOBUF_C_TYPE_UINT64: return out + "uint64";
    default: return out + "type " + std::to_string(field.type);
  }
}

std::string describe(const Kind& kind) {
  std::string out(kind.short_name);
  const KindRule* rule = kind_rule(kind);
  out += rule == nullptr ? ": refused\n" : "\n";
  for (unsigned i = 0; i < kind.n_fields; ++i) {
    out += "  " + std::string(kind.fields[i].name) + " " + type_text(kind.fields[i]);
    if (rule != nullptr) {
      const FieldRule& field = rule->fields[i];
      out += ": " + std::string(use_name(field.use));
      if (!field.because.empty()) out += " (" + std::string(field.because) + ")";
    }
    out += "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("the account of the parse tree is the one that was reviewed") {
  std::string found;
  std::size_t fields = 0;
  for (const auto& [name, kind] : grammar()) {
    if (kind == &pg_query__node__descriptor) continue;  // one field per kind
    found += describe(*kind);
    if (kind_rule(*kind) != nullptr) fields += kind->n_fields;
  }
  MESSAGE(listed_kinds().size(), " kinds with ", fields, " fields accounted for, of ", grammar().size(),
          " kinds");
  const std::string path = std::string(PGVEIL_SOURCE_DIR) + "/tests/golden/node_fields_" +
                           std::to_string(pgveil::pg::kParserMajor) + ".txt";
  std::ifstream in(path);
  const std::string expected((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (std::getenv("UPDATE_GOLDEN") != nullptr)
    std::ofstream(path) << found;
  else
    CHECK(found == expected);
}

TEST_CASE("each listed kind has a rule for each of its fields, in the descriptor's order") {
  std::set<const Kind*> seen;
  for (const KindRule& rule : listed_kinds()) {
    CAPTURE(rule.kind->short_name);
    CHECK(seen.insert(rule.kind).second);
    CHECK(fits(rule));
    CHECK(kind_rule(*rule.kind) == &rule);
    for (const FieldRule& field : rule.fields) {
      CAPTURE(field.name);
      const bool has_reason = !field.because.empty();
      const bool needs_reason =
          field.use == FieldUse::checked || field.use == FieldUse::flag || field.use == FieldUse::empty;
      CHECK((has_reason || !needs_reason));
      CHECK((field.use == FieldUse::choice) == (field.values != 0));
      CHECK((field.values & 1U) == 0);  // 0: what no parser writes
    }
  }
}

TEST_CASE("the table has fields for each parser that has them, and for no other") {
  FieldRule kept{"both", FieldUse::empty, {}};
  FieldRule gone{"old", FieldUse::empty, {}};
  FieldRule newer{"newer", FieldUse::empty, {}};
  FieldRule newest{"newest", FieldUse::empty, {}};
  gone.last_parser = 15;
  newer.first_parser = 16;
  newest.first_parser = 17;
  const FieldRule fields[] = {kept, gone, newer, newest};
  const auto names = [&](int major) {
    std::string out;
    for (const FieldRule& field : fields_of_parser(fields, major)) out += std::string(field.name) + " ";
    return out;
  };
  CHECK(names(15) == "both old ");
  CHECK(names(16) == "both newer ");
  CHECK(names(17) == "both newer newest ");
}

TEST_CASE("a kind that can stand in a listed one is listed, too") {
  for (const KindRule& rule : listed_kinds()) {
    for_each_child_kind(*rule.kind, [&](const ProtobufCFieldDescriptor& field, const Kind& child) {
      CAPTURE(rule.kind->short_name);
      CAPTURE(field.name);
      const auto at = static_cast<std::size_t>(&field - rule.kind->fields);
      if (rule.fields[at].use == FieldUse::empty || &child == &pg_query__node__descriptor) return;
      CHECK(kind_rule(child) != nullptr);
    });
  }
}

TEST_CASE("a kind whose fields are not the ones listed has no rule") {
  const KindRule& rule = *kind_rule(pg_query__alias__descriptor);
  CHECK(fits(rule));
  ProtobufCFieldDescriptor fields[3] = {rule.kind->fields[0], rule.kind->fields[1], rule.kind->fields[1]};
  Kind other = *rule.kind;
  other.fields = fields;
  KindRule of_other{&other, rule.check, rule.fields};
  CHECK(fits(of_other));
  CHECK(kind_rule(other) == nullptr);  // not the kind that was listed
  other.n_fields = 3;                  // a new field
  CHECK_FALSE(fits(of_other));
  other.n_fields = 2;
  fields[1].name = "renamed";
  CHECK_FALSE(fits(of_other));
  fields[1] = rule.kind->fields[1];
  fields[1].type = PROTOBUF_C_TYPE_STRING;  // names of columns that are texts
  CHECK_FALSE(fits(of_other));
}
