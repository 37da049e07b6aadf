#include "bench/engine/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace pgveil::engine::reference {
namespace {

namespace json = boost::json;

std::string whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

template <class T>
T must(Result<T> result) {
  if (result.has_error())
    throw std::runtime_error(one_line(result.error()) + " " + result.error().private_detail);
  return std::move(*result);
}

// "loss_arithmetic" names metric and aggregate; nullopt for what the engine does not have.
std::optional<QualityModel> model_of(const std::string& text) {
  QualityModel model;
  if (text == "loss_geometric") return model;
  if (text == "loss_arithmetic") {
    model.aggregate = Aggregate::arithmetic_mean;
    return model;
  }
  for (std::size_t i = 0; i < kMetrics; ++i) {
    model.metric = static_cast<Metric>(i);
    if (name(model.metric) == text) return model;
  }
  return std::nullopt;
}

// With the parameters in the order of their names in the literature.
std::optional<ValueModel> privacy_of(std::string_view model, const std::vector<double>& parameters) {
  const double first = parameters.front();
  if (model == "distinct_l_diversity") return DistinctDiversity{first};
  if (model == "entropy_l_diversity_shannon") return EntropyDiversity{first};
  if (model == "recursive_c_l_diversity")
    return RecursiveDiversity{first, static_cast<std::uint64_t>(parameters.at(1))};
  if (model == "t_closeness_equal") return TCloseness{first, Distance::equal};
  if (model == "t_closeness_ordered") return TCloseness{first, Distance::ordered};
  if (model == "t_closeness_hierarchical") return TCloseness{first, Distance::hierarchical};
  return std::nullopt;
}

std::optional<Row> row_of(const json::object& entry) {
  const std::string metric(entry.at("metric").as_string());
  auto model = model_of(metric);
  if (!model) return std::nullopt;
  Row row;
  if (const auto* privacy = entry.if_contains("model")) {
    row.model = privacy_of(privacy->as_string(), json::value_to<std::vector<double>>(entry.at("parameters")));
    if (!row.model) return std::nullopt;
    row.sensitive = std::string(entry.at("sensitive").as_string());
  }
  if (const auto* gs = entry.if_contains("gs")) {
    model->gs = gs->to_number<double>();
    // These rows say loss_geometric, but their scores are arithmetic means (and only those are reproduced).
    model->aggregate = Aggregate::arithmetic_mean;
  }
  row.dataset = std::string(entry.at("dataset").as_string());
  row.quasi_identifiers = json::value_to<std::vector<std::string>>(entry.at("quasi_identifiers"));
  row.k = entry.at("k").to_number<std::uint64_t>();
  row.suppression = entry.at("suppression").to_number<double>();
  row.metric = metric;
  row.quality = *model;
  row.optimum = json::value_to<std::vector<unsigned>>(entry.at("optimum"));
  row.score = std::strtod(entry.at("score").as_string().c_str(), nullptr);
  row.checked = entry.at("checked").to_number<std::uint64_t>();
  if (const auto* ms = entry.if_contains("ms")) row.ms = ms->to_number<double>();
  return row;
}

// A file of the shared folder, or else of the drawn sets, which make_synthetic.py writes in the same layout.
std::string file_of(const std::string& folder, const std::string& path) {
  if (std::filesystem::exists(folder + path)) return folder + path;
  const char* given = std::getenv("PGVEIL_DRAWN");
  return (given != nullptr ? given : PGVEIL_SOURCE_DIR "/build/bench/drawn") + path;
}

std::string data_file(const std::string& folder, const std::string& dataset) {
  return file_of(folder, "/data/" + dataset + ".csv");
}

struct Files {
  Table table;
  std::vector<QuasiIdentifier> columns;
  PrivacyColumns privacy;
};

Files read_files(const std::string& folder, const Row& row) {
  Files files{must(read_table(whole_file(data_file(folder, row.dataset)), ';')), {}, {}};
  const auto hierarchy_of = [&](const std::string& column) {
    const auto file = file_of(folder, fmt::format("/hierarchies/{}_hierarchy_{}.csv", row.dataset, column));
    return must(read_hierarchy(whole_file(file), ';'));
  };
  for (const auto& column : row.quasi_identifiers) files.columns.push_back({column, hierarchy_of(column)});
  if (row.model)
    files.privacy.sensitive.push_back(
        {row.sensitive, SortedBy::text, hierarchy_of(row.sensitive), std::nullopt});
  return files;
}

PreparedTable prepared(const Files& files) {
  return must(prepare(files.table, files.columns, files.privacy));
}

}  // namespace

std::string datasets_folder() {
  const char* given = std::getenv("PGVEIL_DATASETS");
  const std::string folder = given != nullptr ? given : PGVEIL_SOURCE_DIR "/../shared/datasets";
  return std::filesystem::exists(folder + "/reference/optima.jsonl") ? folder : "";
}

std::vector<Row> rows(const std::string& folder) {
  std::istringstream lines(whole_file(folder + "/reference/optima.jsonl"));
  std::vector<Row> made;
  for (std::string line; std::getline(lines, line);) {
    auto row = row_of(json::parse(line).as_object());
    if (row && std::filesystem::exists(data_file(folder, row->dataset))) made.push_back(std::move(*row));
  }
  return made;
}

PreparedTable load(const std::string& folder, const Row& row) {
  return prepared(read_files(folder, row));
}

PreparedTable load_renamed(const std::string& folder, const Row& row, std::span<const std::size_t> order) {
  auto files = read_files(folder, row);
  for (std::size_t i = 0; i < files.columns.size(); ++i) {
    auto& given = files.columns[i].column;
    const auto renamed = fmt::format("renamed {:02}", order[i]);
    std::ranges::find(files.table.columns, given, &Column::name)->name = renamed;
    given = renamed;
  }
  return prepared(files);
}

SearchOptions options(const Row& row, std::uint64_t table_rows) {
  SearchOptions made;
  made.anonymity = {row.k, suppression_limit(row.suppression, table_rows)};
  if (row.model) made.anonymity.sensitive.push_back({0, *row.model});
  made.quality = row.quality;
  return made;
}

std::string describe(const Row& row) {
  const auto set =
      row.dataset == "acs15" ? fmt::format("{}/{}", row.dataset, row.quasi_identifiers.size()) : row.dataset;
  return fmt::format("{} k={} s={} {}{}{}", set, row.k, row.suppression, row.metric,
                     row.quality.gs == 0.5 ? "" : fmt::format(" gs={}", row.quality.gs),
                     row.model ? fmt::format(" {} {}", row.sensitive, engine::describe(*row.model)) : "");
}

}  // namespace pgveil::engine::reference
