#pragma once
// Generalizes the rows of a source (all rows, or the classes of an earlier check) and groups them. A large
// source is divided among threads. The classes, their order and their rows are the same for any number of
// threads.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/check/code_tables.hpp"
#include "engine/check/distinct_rows.hpp"
#include "engine/check/grouping.hpp"
#include "engine/check/parallel.hpp"

namespace pgveil::engine {

class SourceGrouper {
 public:
  // `rows` must outlive this object.
  SourceGrouper(const DistinctRows& rows, const Parallel& parallel);

  // Groups into `into`, which may be the source itself. REQUIRES: the source consists of classes of `rows`,
  // in their order.
  void group(const CodeTables& tables, const Classes& source, Classes& into);

  // Sets, for each class of the source, the number of its class by the quasi-identifiers alone, from 0 in
  // order of first appearance. Returns the number of classes. Runs on one thread.
  [[nodiscard]] std::size_t number_by_quasi_identifiers(const CodeTables& tables, const Classes& source,
                                                        std::vector<std::uint32_t>& numbers);

  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Keys;
  struct Part;
  // The working memory of one thread.
  struct Lane {
    Grouper grouper;
    std::vector<std::uint64_t> wide_keys;
  };

  void group_apart(const Keys& keys, const Classes& source, std::span<const std::size_t> bounds,
                   Classes& into);
  void group_and_merge(const Keys& keys, const Classes& source, std::size_t parts, Classes& into);
  void group_parts(const Keys& keys, const Classes& source, std::span<const std::size_t> bounds);
  void concatenate(std::size_t parts, Classes& into);

  const DistinctRows& rows_;
  Parallel parallel_;
  std::vector<Lane> lanes_;          // the first is large enough for all rows
  std::vector<std::size_t> starts_;  // [part]: where its classes begin, while parts are combined
  Classes merged_;
};

}  // namespace pgveil::engine
