#pragma once
// The implementation of yaml::Value, shared by common/yaml.cpp (which makes nodes) and common/yaml_value.cpp
// (which reads them). For these two only.
#include <string>
#include <vector>

#include "common/yaml.hpp"

namespace pgveil::yaml {

enum class NodeKind { null, plain_scalar, quoted_scalar, block_scalar, sequence, map };

struct Value::Node {
  NodeKind kind = NodeKind::null;
  Position position;
  std::string text;            // of a scalar
  std::vector<Value> items;    // of a sequence
  std::vector<Entry> entries;  // of a map
};

}  // namespace pgveil::yaml
