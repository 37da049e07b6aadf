#pragma once
// Builders of parse-tree nodes in an arena. Only the shapes that pgveil itself makes.
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "pg/arena.hpp"
#include "pg/ast.hpp"

namespace pgveil::pg {

class Builder {
 public:
  explicit Builder(Arena& arena) : arena_(arena) {}

  [[nodiscard]] Arena& arena() { return arena_; }

  // A repeated field: copies the pointers into the arena.
  [[nodiscard]] Node** list(std::span<Node* const> items);

  [[nodiscard]] Node* string(std::string_view text);
  [[nodiscard]] Node* column(std::initializer_list<std::string_view> path);  // t.city
  [[nodiscard]] Node* all_columns();                                         // *
  [[nodiscard]] Node* integer_constant(int value);
  [[nodiscard]] Node* string_constant(std::string_view text);  // untyped 'x'
  [[nodiscard]] Node* null_constant();
  [[nodiscard]] Node* true_constant();
  [[nodiscard]] Node* false_constant();
  [[nodiscard]] PgQuery__TypeName* type_name(std::string_view schema, std::string_view name,
                                             bool is_array = false);
  [[nodiscard]] Node* cast(Node* value, PgQuery__TypeName* type);
  [[nodiscard]] Node* collate(Node* value, std::string_view schema, std::string_view name);
  [[nodiscard]] Node* equals(Node* left, Node* right);                          // OPERATOR(pg_catalog.=)
  [[nodiscard]] Node* operation(std::string_view op, Node* left, Node* right);  // OPERATOR(pg_catalog.op)
  [[nodiscard]] Node* equals_any(Node* left, Node* array);  // OPERATOR(pg_catalog.=) ANY (array)
  [[nodiscard]] Node* array(std::span<Node* const> elements);
  [[nodiscard]] Node* all_of(std::span<Node* const> conditions);  // AND of one or more
  [[nodiscard]] Node* any_of(std::span<Node* const> conditions);  // OR of one or more
  [[nodiscard]] Node* is_null(Node* value);
  [[nodiscard]] Node* call(std::string_view function,
                           std::span<Node* const> arguments);  // pg_catalog.function(…)
  [[nodiscard]] Node* call_in(std::string_view schema, std::string_view function,
                              std::span<Node* const> arguments);
  [[nodiscard]] Node* field(Node* record, std::string_view name);  // (record).name
  [[nodiscard]] Node* element(Node* array, Node* place);           // (array)[place]
  [[nodiscard]] Node* coalesce(Node* value, Node* if_null);        // COALESCE(value, if_null)
  struct When {
    Node* condition;
    Node* result;
  };
  [[nodiscard]] Node* searched_case(std::span<const When> arms, Node* otherwise);
  [[nodiscard]] Node* target(Node* value, std::string_view name);  // value AS name
  [[nodiscard]] PgQuery__Alias* alias(std::string_view name);
  [[nodiscard]] Node* relation(std::string_view schema, std::string_view name, std::string_view alias_name);
  [[nodiscard]] PgQuery__SelectStmt* select(std::span<Node* const> targets, Node* from, Node* where);
  [[nodiscard]] Node* select_node(PgQuery__SelectStmt* select);
  [[nodiscard]] Node* scalar_subquery(PgQuery__SelectStmt* select);
  [[nodiscard]] Node* from_subquery(PgQuery__SelectStmt* select, PgQuery__Alias* alias);

  // An empty node of the kind: fields are protobuf's defaults.
  template <class T>
  [[nodiscard]] T* make(const ProtobufCMessageDescriptor& descriptor) {
    auto* made = static_cast<T*>(arena_.allocate(sizeof(T)));
    protobuf_c_message_init(&descriptor, made);
    return made;
  }
  [[nodiscard]] Node* node(PgQuery__Node__NodeCase kind);

 private:
  Arena& arena_;
};

}  // namespace pgveil::pg
