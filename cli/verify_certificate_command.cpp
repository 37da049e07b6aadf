// pgveil verify-certificate: is this the table that the certificate speaks of, and does it keep what it promises?
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "cli/certificate.hpp"
#include "cli/check_table.hpp"
#include "cli/fingerprint.hpp"
#include "cli/job_recount.hpp"
#include "cli/subcommands.hpp"
#include "cli/whole_file.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::cli {
namespace {

Error refused(ErrorKind kind, std::string message, std::string hint) {
  return {kind, std::string(sqlstate::kInvalidParameterValue), std::move(message), std::move(hint)};
}

class Verdicts {
 public:
  void add(bool is_good, std::string_view what) {
    all_good_ = all_good_ && is_good;
    out_ += fmt::format("{:<10}{}\n", is_good ? "ok" : "FAILED", what);
  }
  void leave(std::string_view what) { out_ += fmt::format("{:<10}{}\n", "unchecked", what); }
  [[nodiscard]] const std::string& text() const { return out_; }
  [[nodiscard]] bool all_good() const { return all_good_; }

 private:
  std::string out_;
  bool all_good_ = true;
};

Result<std::string> read_text(const std::string& path) {
  auto text = read_whole(path, std::numeric_limits<std::size_t>::max());
  if (!text) return text.error();
  if (*text) return std::move(**text);
  return refused(ErrorKind::configuration, fmt::format("there is no file {}", path), "check the path");
}

std::string print_of(const engine::Table& table, const std::optional<std::string>& null_text,
                     const std::string& key) {
  std::vector<std::string> names;
  for (const auto& column : table.columns) names.push_back(column.name);
  TableFingerprint print(names, key);
  std::vector<std::optional<std::string_view>> cells(names.size());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto& text = table.columns[i].values[table.columns[i].codes.at(row)];
      cells[i] = text == null_text ? std::nullopt : std::optional<std::string_view>(text);
    }
    print.add(cells);
  }
  return std::move(print).finish();
}

// Read once for its fingerprint and once more as a table; what changes between them is seen by neither alone, and both are said.
Result<bool> is_the_table(const TableArguments& given, const Certificate& certificate,
                          const engine::Table& table) {
  if (given.table) {
    return certificate.table_print == print_of(table, null_text_of(given), "");
  }
  const auto text = read_text(*given.file);
  if (!text) return text.error();
  return certificate.file_print == fingerprint_of(*text);
}

bool compares_with_all(const engine::ValueModel& model) {
  return std::holds_alternative<engine::TCloseness>(model) ||
         std::holds_alternative<engine::BetaLikeness>(model) ||
         std::holds_alternative<engine::DeltaDisclosure>(model);
}

// A distance in a hierarchy is left out: the certificate has none.
TableDemand demand_of(const Certificate& certificate, Verdicts& verdicts) {
  TableDemand made;
  made.quasi_identifiers = certificate.quasi_identifiers;
  made.null_text = certificate.null_text;
  made.demand.k = certificate.k;
  made.demand.risks = certificate.risks;
  if (certificate.lets_suppressed_be) made.demand.outliers = engine::Outliers::as_reference;
  for (auto column : certificate.sensitive) {
    std::erase_if(column.demanded, [&](const engine::ValueModel& model) {
      const auto* closeness = std::get_if<engine::TCloseness>(&model);
      const bool is_hierarchical =
          closeness != nullptr && closeness->distance == engine::Distance::hierarchical;
      // At issue it was held against the input, which had more records than this table.
      const bool is_gone = certificate.dropped_rows > 0 && compares_with_all(model);
      if (is_hierarchical || is_gone)
        verdicts.leave(fmt::format("{} {}: {}", column.name, engine::describe(model),
                                   is_hierarchical ? "the hierarchy is the job's; check-table --job has it"
                                                   : "it compares with records that were dropped"));
      return is_hierarchical || is_gone;
    });
    made.sensitive.push_back(std::move(column));
  }
  return made;
}

Result<void> verify_models(const Certificate& certificate, const engine::Table& table, bool is_file,
                           Verdicts& verdicts) {
  auto demand = demand_of(certificate, verdicts);
  demand.is_empty_null = is_file;
  const auto found = check_table(table, demand);
  if (!found) return found.error();
  for (const auto& it : found->demands)
    verdicts.add(it.is_kept(), it.column.empty() ? it.model : it.column + " " + it.model);
  return {};
}

Result<void> verify_input(const VerifyArguments& arguments, const Certificate& certificate,
                          TableReader& reader, Verdicts& verdicts) {
  if (!arguments.input.file && !arguments.input.table) return {};
  if (!arguments.key_file)
    return refused(ErrorKind::usage, "the input's fingerprint has a key", "name its file with --key-file");
  if (certificate.input_print.empty())
    return refused(ErrorKind::configuration, "the certificate has no fingerprint of the input",
                   "leave the input out");
  const auto key = read_fingerprint_key(*arguments.key_file);
  if (!key) return key.error();
  auto given = arguments.input;
  given.null_text = certificate.null_text;
  const auto input = reader.read(given, certificate.columns);
  if (!input) return input.error();
  verdicts.add(print_of(*input, std::nullopt, *key) == certificate.input_print,
               "the input is the one it was made of");
  return {};
}

Result<Verdicts> verify(const VerifyArguments& arguments) {
  const auto text = read_text(arguments.certificate);
  if (!text) return text.error();
  const auto certificate = read_certificate(*text);
  if (!certificate) return certificate.error();
  if (arguments.table.file == "-")
    return refused(ErrorKind::usage, "standard input has no second reading", "name a file or a table");
  TableReader reader(arguments.config, "verify-certificate");
  auto given = arguments.table;
  if (given.table && !given.null_text) given.null_text = certificate->null_text;
  const auto table = reader.read(given, {});
  if (!table) return table.error();
  Verdicts verdicts;
  const auto is_same = is_the_table(given, *certificate, *table);
  if (!is_same) return is_same.error();
  verdicts.add(*is_same, "the table is the one that was published");
  verdicts.add(table->rows() == certificate->rows, fmt::format("{} records", certificate->rows));
  if (arguments.job) {
    const auto job = read_text(*arguments.job);
    if (!job) return job.error();
    verdicts.add(fingerprint_of(*job) == certificate->job_print, "the job is the one that published it");
  }
  if (auto models = verify_models(*certificate, *table, arguments.table.file.has_value(), verdicts); !models)
    return models.error();
  if (auto input = verify_input(arguments, *certificate, reader, verdicts); !input) return input.error();
  return verdicts;
}

}  // namespace

int run_verify_certificate(const VerifyArguments& arguments) {
  const auto made = verify(arguments);
  if (!made) return report(made.error());
  std::fputs(made->text().c_str(), stdout);
  return made->all_good() ? kSuccess : kMistake;
}

}  // namespace pgveil::cli
