// Reads statements from standard input, each ended by a NUL byte, and prints which kinds of parse tree nodes,
// which of their fields and which values of enumerations they have, and how often: "AExpr 12", "AExpr.lexpr
// 11", "AExpr.kind=1 9". With --listed it prints what the verifier may let through, so a kind or field that
// no test ever sent can be seen.
#include <iostream>
#include <iterator>
#include <map>
#include <string>

#include "pg/fields.hpp"
#include "pg/parse.hpp"
#include "rewriter/lists/node_fields.hpp"

namespace {

namespace pg = pgveil::pg;
using pgveil::rewriter::FieldUse;

class Census {
 public:
  void add(std::string_view sql) {
    const auto tree = pg::parse(sql, {});
    if (!tree) return void(++counts_["(does not parse)"]);
    for (std::size_t i = 0; i < tree->result->n_stmts; ++i) message(tree->result->stmts[i]->stmt->base);
  }

  void print() const {
    for (const auto& [what, count] : counts_) std::cout << what << ' ' << count << '\n';
  }

 private:
  void message(const ProtobufCMessage& node) {
    const std::string kind(node.descriptor->short_name);
    if (kind != "Node") ++counts_[kind];  // a mere envelope
    for (unsigned i = 0; kind != "Node" && i < node.descriptor->n_fields; ++i)
      field(kind, node, node.descriptor->fields[i]);
    pg::for_each_child(
        node, [&](const ProtobufCFieldDescriptor&, const ProtobufCMessage& child) { message(child); });
  }

  void field(const std::string& kind, const ProtobufCMessage& node, const ProtobufCFieldDescriptor& field) {
    if (!pg::is_active(node, field)) return;
    const std::string name = kind + "." + field.name;
    if (field.type == PROTOBUF_C_TYPE_ENUM) {
      ++counts_[name + "=" + std::to_string(pg::member_at<int>(node, field.offset))];
    } else if (is_set(node, field)) {
      ++counts_[name];
    }
  }

  static bool is_set(const ProtobufCMessage& node, const ProtobufCFieldDescriptor& field) {
    if (pg::is_repeated(field)) return pg::member_at<std::size_t>(node, field.quantifier_offset) > 0;
    if (field.type == PROTOBUF_C_TYPE_MESSAGE)
      return pg::member_at<const void*>(node, field.offset) != nullptr;
    if (field.type == PROTOBUF_C_TYPE_STRING)
      return pg::member_at<const char*>(node, field.offset)[0] != '\0';
    if (field.type == PROTOBUF_C_TYPE_INT64) return pg::member_at<std::int64_t>(node, field.offset) != 0;
    return pg::member_at<std::int32_t>(node, field.offset) != 0;
  }

  std::map<std::string, std::size_t> counts_;
};

// What the verifier may let through, in the same words: kinds, fields that may be set, values of
// enumerations.
void print_listed() {
  for (const auto& rule : pgveil::rewriter::listed_kinds()) {
    const std::string kind(rule.kind->short_name);
    std::cout << kind << '\n';
    for (const auto& field : rule.fields) {
      const std::string name = kind + "." + std::string(field.name);
      if (field.use == FieldUse::empty || field.use == FieldUse::position) continue;
      if (field.use != FieldUse::choice) std::cout << name << '\n';
      for (int value = 0; field.use == FieldUse::choice && value < 32; ++value) {
        if ((field.values >> value & 1) != 0) std::cout << name << '=' << value << '\n';
      }
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1 && std::string_view(arguments[1]) == "--listed") {
    print_listed();
    return 0;
  }
  std::cin >> std::noskipws;
  const std::string input((std::istreambuf_iterator<char>(std::cin)), std::istreambuf_iterator<char>());
  Census census;
  for (std::size_t at = 0; at < input.size();) {
    const std::size_t end = std::min(input.find('\0', at), input.size());
    census.add(std::string_view(input).substr(at, end - at));
    at = end + 1;
  }
  census.print();
}
