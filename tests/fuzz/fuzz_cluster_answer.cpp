// What a cluster says, on arbitrary bytes: a line that is taken is one of the three kinds, and an answer that
// is taken shows of each record what is true of it.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "jobs/cluster/pseudonyms.hpp"
#include "jobs/cluster/spark_lines.hpp"
#include "jobs/input/data.hpp"

namespace {

using namespace pgveil;
using namespace pgveil::app;

struct Sent {
  Job job;
  engine::Table table;
};

const Sent& sent() {
  static const Sent made = [] {
    auto job = read_job_text(
        "version: 1\nname: a\ninput: {file: a.csv}\nattributes:\n  age: {class: quasi_identifier, numeric: "
        "true}\n"
        "  town: {class: quasi_identifier, hierarchy: {tree: {North: [Aber, Bree], South: [Cork]}}}\n"
        "k: 2\nalgorithm: mondrian\noutput: {file: b.csv}\n",
        "/a/job.yaml");
    auto table = engine::read_table("age,town\n31,Aber\n-4,Bree\n50,Cork\n", ',');
    if (!job || !table) std::abort();
    return Sent{std::move(*job), std::move(*table)};
  }();
  return made;
}

std::string cell(const engine::Table& table, std::size_t column, std::size_t row) {
  return table.columns[column].values[table.columns[column].codes.at(row)];
}

bool is_true_of(const std::string& age, const std::string& label) {
  if (label == "*" || label == age) return true;
  for (const std::string low : {"-4", "31", "50"}) {
    for (const std::string high : {"-4", "31", "50"}) {
      const bool is_between = std::stod(low) <= std::stod(age) && std::stod(age) <= std::stod(high);
      if (is_between && label == "[" + low + "," + high + "]") return true;
    }
  }
  return false;
}

void check_answer(std::string_view text) {
  const Job& job = sent().job;
  const engine::Table& table = sent().table;
  const auto hierarchy_of = [&](const JobAttribute& attribute) {
    return app::hierarchy_of(attribute, *table.find(attribute.name), job);
  };
  static const auto pseudonyms = Pseudonyms::make(job, table, hierarchy_of);
  if (!pseudonyms) std::abort();
  const auto read = pseudonyms->read_answer(text);
  if (!read) return;
  if (read->rows() != table.rows()) std::abort();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto town = cell(table, 1, row), shown = cell(*read, 1, row);
    const bool is_right = shown == town || shown == "*" || shown == (town == "Cork" ? "South" : "North");
    if (!is_right || !is_true_of(cell(table, 0, row), cell(*read, 0, row))) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with("record"))
    check_answer(bytes);
  else
    static_cast<void>(read_spark_line(bytes));
  return 0;
}
