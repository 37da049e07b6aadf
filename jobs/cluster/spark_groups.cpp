#include "jobs/cluster/spark_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include "common/files/child_process.hpp"
#include "common/files/whole_file.hpp"
#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "jobs/cluster/pseudonyms.hpp"
#include "jobs/cluster/spark_lines.hpp"

namespace pgveil::app {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLook{200};
constexpr milliseconds kToEnd{30'000};  // Spark's own tidying
constexpr std::size_t kMostAnswerBytes = std::size_t{1} << 30;
constexpr std::string_view kWorkers = "{workers}";

Error failed(std::string what, std::string hint) {
  return {ErrorKind::server, std::string(sqlstate::kInternalError), std::move(what), std::move(hint)};
}

Error interrupted() {
  return {ErrorKind::usage, std::string(sqlstate::kQueryCanceled), "interrupted; nothing was published"};
}

std::string with_workers(std::string text, std::size_t workers) {
  const auto number = std::to_string(workers);
  for (auto at = text.find(kWorkers); at != std::string::npos; at = text.find(kWorkers, at + number.size()))
    text.replace(at, kWorkers.size(), number);
  return text;
}

// The folder of a run, gone with this value.
class RunFolder {
 public:
  explicit RunFolder(std::string path) : path_(std::move(path)) {}
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(std::string_view name) const { return fmt::format("{}/{}", path_, name); }

 private:
  const std::string path_;
};

// None after this program's file was replaced: the one that runs has no name any more.
Result<std::string> own_binary() {
  std::error_code error;
  auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error && std::filesystem::exists(path, error)) return path.string();
  return failed("the file of the pgveil that runs is gone", "restart pgveil: it was replaced");
}

std::vector<std::string> command_of(const SparkOrder& order, const RunFolder& folder,
                                    const std::string& binary) {
  return {order.command,
          "--json-lines",
          "--input",
          "file://" + folder.file(Pseudonyms::kInputFile),
          "--format",
          "csv",
          "--output",
          "file://" + folder.file("out"),
          "--output-files",
          "1",
          "--partitions",
          std::to_string(order.workers),
          "--partition-by",
          std::string(name(order.by)),
          "--sample",
          fmt::format("{}%", order.sample),
          "--binary",
          binary,
          "--submit=" + with_workers(order.submit, order.workers),
          folder.file(Pseudonyms::kJobFile)};
}

// The last line that says how it ended.
Result<SparkReport> follow(ChildProcess& process, const SparkHooks& hooks, milliseconds most) {
  const auto until = std::chrono::steady_clock::now() + most;
  for (;;) {
    if (hooks.is_aborted && hooks.is_aborted()) return interrupted();
    if (std::chrono::steady_clock::now() >= until)
      return failed(fmt::format("the cluster took longer than {} minutes",
                                std::chrono::duration_cast<std::chrono::minutes>(most).count()),
                    "nothing was published; are there free workers? pgveil-spark itself has no such limit");
    const auto text = process.next_line(kLook, kMostSparkLineBytes);
    if (!text) {
      if (!process.has_nothing_to_say()) continue;
      const int status = process.end(kToEnd);
      log::private_detail("pgveil-spark", process.complaints());
      return failed(fmt::format("pgveil-spark ended with status {} and did not say why", status),
                    "log.log_private shows what it wrote to standard error");
    }
    auto line = read_spark_line(*text);
    if (!line) return line.error();
    if (!*line) continue;
    if (const auto* progress = std::get_if<SparkProgress>(&**line)) {
      if (hooks.progress) hooks.progress(*progress);
    } else if (auto* report = std::get_if<SparkReport>(&**line)) {
      return std::move(*report);
    } else {
      const auto& what = std::get<SparkFailure>(**line).what;
      if (hooks.words) hooks.words(what);
      Error error = failed("pgveil-spark failed", "nothing was published; the job's page says why");
      error.private_detail = what;
      return error;
    }
  }
}

// The one file of the folder that it made.
Result<std::string> read_output(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!entry.path().filename().string().starts_with("part-")) continue;
    auto text = read_whole(entry.path().string(), kMostAnswerBytes);
    if (!text) return text.error();
    if (*text) return std::move(**text);
  }
  return failed("pgveil-spark wrote no file that this machine sees",
                "admin.http.spark.folder has to be one that the cluster and pgveil share");
}

Result<void> write_files(const Pseudonyms& pseudonyms, const RunFolder& folder) {
  for (const auto& [name, text] : pseudonyms.files()) {
    if (auto written = replace_whole(folder.file(name), text); !written) return written.error();
  }
  return {};
}

bool are_penalties(const engine::GroupQuality& quality, std::size_t records, std::size_t dimensions) {
  const auto most = static_cast<double>(records) * (1 + 1e-9);
  const auto is_one = [most](double penalty) { return penalty >= 0 && penalty <= most; };
  return quality.certainty_penalties.size() == dimensions &&
         std::ranges::all_of(quality.certainty_penalties, is_one) && quality.certainty_penalty >= 0 &&
         quality.certainty_penalty <= most * static_cast<double>(dimensions);
}

// The groups are counted anew before they are published; these are for people.
Result<void> check_figures(const SparkReport& told, std::size_t records, std::size_t dimensions) {
  std::uint64_t in_parts = 0;
  for (const auto part : told.records_by_part) in_parts += part;
  const bool are_whole =
      told.records == records && in_parts == records && told.records_by_part.size() == told.parts &&
      are_penalties(told.tight, records, dimensions) && are_penalties(told.region, records, dimensions);
  if (are_whole) return {};
  return failed("pgveil-spark tells figures of another table",
                "nothing was published; are it and pgveil of one version?");
}

void put_in_place(const SparkReport& told, std::size_t dimensions, JobGroupsReport& report) {
  const auto cells = static_cast<double>(told.records) * static_cast<double>(dimensions);
  report.tight = told.tight;
  report.region = told.region;
  for (auto* quality : {&report.tight, &report.region})
    quality->global_certainty_penalty = cells == 0 ? 0 : quality->certainty_penalty / cells;
}

Result<JobGroups> cut(const Job& job, const engine::Table& table, const HierarchyOf& hierarchy_of,
                      const SparkOrder& order, const SparkHooks& hooks) {
  const auto begin = std::chrono::steady_clock::now();
  const auto pseudonyms = Pseudonyms::make(job, table, hierarchy_of);
  if (!pseudonyms) return pseudonyms.error();
  const auto binary = own_binary();
  if (!binary) return binary.error();
  if (auto made = make_private_folder(order.folder); !made) return made.error();
  const RunFolder folder(order.folder);
  if (auto written = write_files(*pseudonyms, folder); !written) return written.error();
  if (auto made = make_private_folder(folder.file("driver")); !made) return made.error();
  auto environment = plain_environment();
  std::erase_if(environment, [](const std::string& it) {
    return it.starts_with("TMPDIR=") || it.starts_with("SPARK_LOCAL_DIRS=");
  });
  for (const char* variable :
       {"TMPDIR=", "SPARK_LOCAL_DIRS="})  // so that they go with the run, whatever becomes of it
    environment.push_back(variable + folder.file("driver"));
  auto process = ChildProcess::start(command_of(order, folder, *binary), environment);
  if (!process) return process.error();
  const auto told = follow(*process, hooks, order.most);
  process->end(kToEnd);
  if (!told) return told.error();
  if (auto fits = check_figures(*told, table.rows(), pseudonyms->dimensions()); !fits) return fits.error();
  const auto answer = read_output(folder.file("out"));
  if (!answer) return answer.error();
  auto groups = pseudonyms->read_answer(*answer);
  if (!groups) return groups.error();
  JobGroups made;
  made.table = std::move(*groups);
  put_in_place(*told, pseudonyms->dimensions(), made.report);
  made.report.ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  if (hooks.report) hooks.report(*told);
  return made;
}

}  // namespace

MakeGroups groups_on_spark(SparkOrder order, SparkHooks hooks) {
  return [order = std::move(order), hooks = std::move(hooks)](const Job& job, engine::Table table,
                                                              const HierarchyOf& hierarchy_of) {
    return cut(job, table, hierarchy_of, order, hooks);
  };
}

}  // namespace pgveil::app
