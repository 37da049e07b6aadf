#include "web/api/page_jobs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "common/files/whole_file.hpp"
#include "console/quote.hpp"
#include "engine/data/table.hpp"
#include "engine/publish/judged_rows.hpp"
#include "web/api/page_job_tables.hpp"

namespace pgveil::app {
namespace {

constexpr std::size_t kMostResultBytes = std::size_t{512} << 20;
constexpr double kThreshold = 0.2;  // a risk of re-identification above this is high

Error unknown_run() {
  return error_of_kind(ErrorKind::unknown_object, "there is no such run",
                       "it was removed, or pgveil was started anew");
}

// The runner's message with the author's names of files.
std::string with_names(std::string text, const std::map<std::string, std::string>& names) {
  for (const auto& [path, name] : names) {
    for (auto at = text.find(path); at != std::string::npos; at = text.find(path, at + name.size()))
      text.replace(at, path.size(), name);
  }
  return text;
}

std::vector<std::string> quasi_identifiers_of(const Job& job) {
  std::vector<std::string> names;
  for (const auto& attribute : job.attributes) {
    if (attribute.attribute_class == AttributeClass::quasi_identifier) names.push_back(attribute.name);
  }
  return names;
}

std::uint64_t starred_rows(const engine::Table& table, const std::vector<std::string>& columns) {
  std::vector<std::uint8_t> is_starred(table.rows(), 1);
  for (const auto& name : columns) {
    const engine::Column* column = table.find(name);
    if (column == nullptr) return 0;
    for (std::size_t row = 0; row < is_starred.size(); ++row) {
      if (column->values[column->codes.at(row)] != engine::kSuppressed) is_starred[row] = 0;
    }
  }
  return static_cast<std::uint64_t>(std::ranges::count(is_starred, 1));
}

struct MeasuredFile {
  std::optional<engine::RiskFigures> figures;  // unset if there are no rows
  std::uint64_t starred_rows = 0;
};

Result<MeasuredFile> measured(const std::string& path, char separator,
                              const std::vector<std::string>& columns) {
  const auto text = read_whole(path, kMostResultBytes);
  if (!text) return text.error();
  if (!*text) return unknown_run();
  const auto table = engine::read_table(**text, separator);
  if (!table) return table.error();
  if (table->rows() == 0) return MeasuredFile{};
  auto figures = engine::measure_risk(*table, columns, kThreshold);
  if (!figures) return figures.error();
  return MeasuredFile{std::move(*figures), starred_rows(*table, columns)};
}

}  // namespace

void InputRisk::measure(const engine::Table& input) {
  auto measured = engine::measure_risk(input, columns_, threshold_);
  if (!measured) return;
  const std::lock_guard lock(mutex_);
  figures_ = std::move(*measured);
}

std::optional<engine::RiskFigures> InputRisk::figures() const {
  const std::lock_guard lock(mutex_);
  return figures_;
}

PageJobs::~PageJobs() {
  for (const auto& entry : runs_) static_cast<void>(runner_.cancel(entry.id));
}

Result<PageJobs::Read> PageJobs::read(const PageJobAuthor& author, const PageJobText& text) {
  auto job = read_job_text(text.yaml, std::string(kPageJobFile));
  if (!job) return job.error();
  if (auto fits = fit_to_page_jobs(*job, author.tables, kDefaultTimeMs, kMostTimeMs, kMostThreads); !fits)
    return fits.error();
  if (auto fits = check_page_job_tables(*author.present, *job); !fits) return fits.error();
  Read made{std::move(*job), {}, {}};
  for (JobFile* file : files_in(made.job)) {
    const auto name = file_name_in_job(file->path, kPageJobFile);
    const auto known = name ? text.files.find(*name) : text.files.end();
    if (known == text.files.end())
      return error_of_kind(ErrorKind::configuration, "the job names a file that was not uploaded",
                           "files stand beside the job, without a folder");
    auto whole = uploads_.whole(author.role, known->second, std::chrono::steady_clock::now());
    if (!whole) return whole.error();
    file->path = (*whole)->path();
    made.names.emplace(file->path, *name);
    made.files.push_back(std::move(*whole));
  }
  const auto* input = std::get_if<JobFile>(&made.job.input);
  made.job.source = input != nullptr ? input->path : std::string(kPageJobFile);
  return made;
}

Result<void> PageJobs::check(const PageJobAuthor& author, const PageJobText& text) {
  const auto made = read(author, text);
  return made ? Result<void>() : made.error();
}

std::string PageJobs::tables_in(const PageJobAuthor& author, const PageJobText& text) {
  const auto made = read(author, text);
  if (!made) return {};
  const auto shown = [](std::string_view word, const JobTable& table) {
    return fmt::format(" {} TABLE {}:{}.{}", word, console::shown_name(table.database),
                       console::shown_name(table.schema), console::shown_name(table.table));
  };
  std::string words;
  if (const auto* input = std::get_if<JobTable>(&made->job.input)) words += shown("FROM", *input);
  if (made->job.output.table) words += shown("TO", *made->job.output.table);
  return words;
}

void PageJobs::tidy() {
  uploads_.forget_old(std::chrono::steady_clock::now());
  const std::lock_guard lock(mutex_);
  for (auto& entry : runs_) {
    const auto run = runner_.run_of(entry.id);
    if (!run || run->state != JobState::running) entry.files.clear();
  }
}

// Removes the oldest runs that have ended.
void PageJobs::make_room() {
  for (auto entry = runs_.begin(); entry != runs_.end() && runs_.size() >= kMostRuns;) {
    if (!runner_.forget(entry->id)) {
      ++entry;
      continue;
    }
    ::unlink(entry->output.c_str());
    entry = runs_.erase(entry);
  }
}

// A job that publishes a table also gets a file, for download and for measuring.
Result<std::string> PageJobs::start(const PageJobAuthor& author, const PageJobText& text) {
  auto made = read(author, text);
  if (!made) return made.error();
  const std::lock_guard lock(mutex_);
  Entry entry;
  entry.owner = author.role;
  entry.id = fmt::format("page-{}", last_ + 1);
  entry.name = made->job.name;
  entry.yaml = text.yaml;
  entry.files = std::move(made->files);
  entry.names = std::move(made->names);
  entry.output = fmt::format("{}/{}.csv", folder_.path(), entry.id);
  made->job.name = entry.id;
  if (!made->job.output.file) made->job.output.file.emplace();
  made->job.output.file->path = entry.output;
  entry.names.emplace(entry.output, "the result");
  entry.job = made->job;
  JobPlace place{folder_.path(), kMostRecorded};
  entry.input_risk = std::make_shared<InputRisk>(quasi_identifiers_of(entry.job), kThreshold);
  place.on_input = [risk = entry.input_risk](const engine::Table& input) { risk->measure(input); };
  if (auto started = runner_.start(author.present, std::move(made->job), author.role, std::move(place));
      !started)
    return started.error();
  ++last_;
  make_room();
  runs_.push_back(std::move(entry));
  return runs_.back().id;
}

const PageJobs::Entry* PageJobs::find(const std::string& owner, const std::string& id) const {
  const auto found =
      std::ranges::find_if(runs_, [&](const Entry& it) { return it.id == id && it.owner == owner; });
  return found == runs_.end() ? nullptr : &*found;
}

PageJobRun PageJobs::shown(const Entry& entry) const {
  PageJobRun made{entry.id, entry.name, entry.yaml, runner_.run_of(entry.id).value_or(JobRun{}),
                  std::holds_alternative<JobTable>(entry.job.input)};
  made.run.message = with_names(std::move(made.run.message), entry.names);
  if (made.run.failure)
    made.run.failure->public_message = with_names(std::move(made.run.failure->public_message), entry.names);
  return made;
}

std::vector<PageJobRun> PageJobs::runs_of(const std::string& owner) const {
  const std::lock_guard lock(mutex_);
  std::vector<PageJobRun> out;
  for (auto entry = runs_.rbegin(); entry != runs_.rend(); ++entry) {
    if (entry->owner == owner) out.push_back(shown(*entry));
  }
  return out;
}

Result<PageJobRun> PageJobs::run(const std::string& owner, const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const Entry* entry = find(owner, id);
  if (entry == nullptr) return unknown_run();
  return shown(*entry);
}

Result<void> PageJobs::cancel(const std::string& owner, const std::string& id) {
  const std::lock_guard lock(mutex_);
  if (find(owner, id) == nullptr) return unknown_run();
  return runner_.cancel(id);
}

Result<void> PageJobs::drop(const std::string& owner, const std::string& id) {
  const std::lock_guard lock(mutex_);
  const Entry* entry = find(owner, id);
  if (entry == nullptr) return unknown_run();
  if (!runner_.forget(id)) return error_of_kind(ErrorKind::usage, "it is running", "cancel it first");
  ::unlink(entry->output.c_str());
  std::erase_if(runs_, [&](const Entry& it) { return it.id == id; });
  return {};
}

Result<std::string> PageJobs::result(const std::string& owner, const std::string& id) const {
  std::string path;
  {
    const std::lock_guard lock(mutex_);
    const Entry* entry = find(owner, id);
    if (entry == nullptr) return unknown_run();
    path = entry->output;
  }
  const auto text = read_whole(path, kMostResultBytes);
  if (!text) return text.error();
  if (!*text) return error_of_kind(ErrorKind::usage, "nothing was published", "see why in its run");
  return std::move(**text);
}

Result<PageJobMeasures> PageJobs::measured_of(const Job& job, const InputRisk& input_risk) const {
  PageJobMeasures made;
  made.before = input_risk.figures();
  auto after = measured(job.output.file->path, job.output.file->separator, quasi_identifiers_of(job));
  if (!after) return after.error();
  made.after = std::move(after->figures);
  made.starred_rows = after->starred_rows;
  return made;
}

Result<PageJobMeasures> PageJobs::measures(const std::string& owner, const std::string& id) {
  Job job;
  std::shared_ptr<const InputRisk> input_risk;
  {
    const std::lock_guard lock(mutex_);
    const Entry* entry = find(owner, id);
    if (entry == nullptr) return unknown_run();
    if (entry->measures) return *entry->measures;
    job = entry->job;
    input_risk = entry->input_risk;
  }
  auto figures = measured_of(job, *input_risk);
  if (!figures) return figures;
  auto made = std::make_shared<const PageJobMeasures>(std::move(*figures));
  const std::lock_guard lock(mutex_);
  for (auto& entry : runs_) {
    if (entry.id == id) entry.measures = made;
  }
  return *made;
}

}  // namespace pgveil::app
