#pragma once
// The table that a verb of the command line works on: separated text from a file or standard input, or a
// table of PostgreSQL.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "db/policy_table/row_classes.hpp"
#include "engine/data/table.hpp"
#include "jobs/language/job.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

struct TableArguments {
  std::optional<std::string> file;       // "-": standard input
  std::optional<std::string> table;      // schema.table or [schema, table], instead of a file
  std::string database;                  // of the table; empty: the only configured one
  std::optional<std::string> separator;  // of the file; "tab" for a tab; none: a comma
  std::optional<std::string> null_text;  // what stands for NULL; for a table "NULL" if not given
  bool is_published = false;             // by pgveil: marks before texts of a CSV file are no part of them
};

// A reader for one command: it reads the configuration and standard input only once.
class TableReader {
 public:
  // subject: comes before the line of progress on a terminal.
  // config: path of the configuration, which is read only when a table is.
  TableReader(std::string config, std::string subject)
      : config_file_(std::move(config)), subject_(std::move(subject)) {}

  // columns: the ones to read; none: all. Errors: neither or both of file and table (kind usage); what cannot
  // be read or parsed; columns that the table does not have; those of read_source_table.
  [[nodiscard]] Result<engine::Table> read(const TableArguments& arguments, std::vector<std::string> columns);

  // Where a table of PostgreSQL is, for callers that let the server count it. REQUIRES: arguments.table.
  struct Place {
    db::Endpoint endpoint;
    db::TablePlace table;
  };
  [[nodiscard]] Result<Place> place_of(const TableArguments& arguments);
  [[nodiscard]] const std::string& subject() const { return subject_; }

 private:
  [[nodiscard]] Result<engine::Table> read_stored(const TableArguments& arguments,
                                                  std::vector<std::string> columns);
  std::string config_file_;
  std::string subject_;
  std::optional<Config> config_;
  bool has_read_input_ = false;
};

[[nodiscard]] std::optional<std::string> null_text_of(const TableArguments& arguments);
// "the file x.csv", "standard input", "table public.people": for reports.
[[nodiscard]] std::string describe(const TableArguments& arguments);

// Reads "age,zip": a record of CSV, so a name with a comma must be in quotes. Errors: kind usage; a name that
// occurs twice.
[[nodiscard]] Result<std::vector<std::string>> column_names(std::string_view option, std::string_view text);

// The separator of the table that a job read: `named` if there is one, else that of the job's input, else
// `otherwise`. job: null: not known.
[[nodiscard]] std::optional<std::string> input_separator(const std::optional<std::string>& named,
                                                         const Job* job,
                                                         const std::optional<std::string>& otherwise);
// The separator of a table that a job published: `named` if there is one, else that of the job's output.
// none: the job publishes no file.
[[nodiscard]] std::optional<std::string> output_separator(const std::optional<std::string>& named,
                                                          const Job& job);

// Reads one ASCII character, or "tab"; none: a comma. Errors: kind usage.
[[nodiscard]] Result<char> separator_of(const std::optional<std::string>& text);

// Writes to standard output or to a file of mode 0600. A file is replaced as a whole and is never one of
// `inputs`.
[[nodiscard]] Result<void> write_report(const std::optional<std::string>& file, std::string_view text,
                                        std::vector<std::string> inputs);

}  // namespace pgveil::app
