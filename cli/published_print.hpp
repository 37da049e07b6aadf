#pragma once
// The fingerprints of a published file or table. A certificate and a report of `pgveil attack` have them, so
// that both can be seen to be about the same release.
#include <optional>
#include <string>

#include "cli/verb.hpp"
#include "engine/data/table.hpp"

namespace pgveil::app {

struct PublishedPrint {
  std::optional<std::string> file;   // of a file's bytes
  std::optional<std::string> table;  // of a table's rows, in any order
};

// given: where `table` was read from; not standard input, which can't be read twice. A file is read again: if
// it changes in between, the fingerprint is that of the later bytes. Errors: the file can't be read.
[[nodiscard]] Result<PublishedPrint> print_of_published(const TableArguments& given,
                                                        const engine::Table& table);

// key: empty for none.
[[nodiscard]] std::string print_of_table(const engine::Table& table,
                                         const std::optional<std::string>& null_text, const std::string& key);

// Errors, kind configuration: there is no such file; it can't be read.
[[nodiscard]] Result<std::string> read_text(const std::string& path);

}  // namespace pgveil::app
