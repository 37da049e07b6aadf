// pgveil anonymize JOB.yaml runs a job from the command line. pgveil apply SCHEME applies its transformation
// to other rows.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "cli/verbs.hpp"
#include "common/clock.hpp"
#include "common/files/output_file.hpp"
#include "common/progress_line.hpp"
#include "daemon/policies/table_policies.hpp"
#include "jobs/check/fingerprint.hpp"
#include "jobs/input/data.hpp"
#include "jobs/language/levels_text.hpp"
#include "jobs/report/certificate.hpp"
#include "jobs/report/contingency_report.hpp"
#include "jobs/report/statistics_report.hpp"
#include "jobs/report/utility_report.hpp"
#include "jobs/run/anonymize.hpp"
#include "jobs/run/applied_scheme.hpp"
#include "jobs/run/frontier.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {
namespace {

struct AnonymizeArguments {
  std::string job;
  std::string report;                         // file for the JSON report; empty: none
  std::optional<std::string> transformation;  // "1,1,2"
  bool lists_only = false;
  std::optional<std::string> frontier;  // thresholds: "2,5,10" or "50%,20%"
  std::string certificate;              // file for the certificate; empty: none
  std::optional<std::string> key_file;  // for the input's fingerprint in the certificate
  bool wants_utility = false;
  std::string report_html;                 // file for the page; empty: none
  std::optional<std::string> contingency;  // "age,illness"
  std::string contingency_report;          // file for the pairs of these two; empty: none
  std::optional<std::string> predicted;    // column of the utility's prediction
  std::string statistics_report;           // file for summary statistics; empty: none
};

// Read by the threads of a search, too. Without a lock, so that a signal's handler may write it.
std::atomic<int> interrupts = 0;
static_assert(std::atomic<int>::is_always_lock_free);

// The first interrupt asks for the best so far, the second one for the end, and the third one ends the
// process at once.
void count_interrupt(int number) {
  interrupts += number == SIGTERM ? 2 : 1;
  if (interrupts > 2) {
    signal(number, SIG_DFL);
    raise(number);
  }
}

void count_interrupts() {
  struct sigaction action {};
  action.sa_handler = count_interrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM}) sigaction(number, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a file over the shell's size limit becomes an error of write(2)
}

// Shows how much is decided, never rounded up to 100 %; the incumbent's score; and the number of checks.
void show_search(ProgressLine& line, const engine::Progress& progress) {
  if (!line.is_due()) return;
  const auto best =
      progress.incumbent == nullptr
          ? std::string("nothing anonymous yet")
          : fmt::format("best so far {:.6g}", progress.incumbent->value()) +
                (progress.lower_bound ? fmt::format(", none below {:.6g}", *progress.lower_bound)
                                      : std::string());
  line.show(fmt::format("{} % decided, {}, checked", static_cast<int>(progress.decided_share() * 100), best),
            progress.checks);
}

int fail(const Error& error) {
  const int status = report(error);
  // The data is the caller's own, so all offending values are named.
  if (error.kind == ErrorKind::configuration && !error.private_detail.empty())
    std::fprintf(stderr, "  %s\n", error.private_detail.c_str());
  return status;
}

// Opened before the work, so that a path that cannot be written is known by then.
Result<std::optional<OutputFile>> open_report(const std::string& path, const AnonymizeRequest& request,
                                              std::vector<std::string>& outputs) {
  if (path.empty()) return std::optional<OutputFile>();
  auto inputs = files_read_by(request.job);
  inputs.insert(inputs.end(), request.files_read.begin(), request.files_read.end());
  if (request.config != nullptr) inputs.push_back(request.config->file);
  auto file = OutputFile::create({path, true, std::move(inputs), "", outputs});
  if (!file) return file.error();
  outputs.push_back(path);
  return std::optional<OutputFile>(std::move(*file));
}

// Saved before anything is published. If publishing fails, it is removed again unless settled.
Result<void> save_report(std::optional<OutputFile>& file, const std::string& json) {
  if (!file) return {};
  if (auto written = file->append(json); !written) return written;
  if (auto finished = file->finish(); !finished) return finished;
  return file->publish();
}

// One interrupt may end the search. Any other one ends everything. A job that has no search, such as one with
// mondrian, has nothing that an interrupt could end alone.
class Interrupts {
 public:
  void begin_search() { is_searching_ = true; }
  void end_search() {
    used_ = is_searching_ && interrupts > 0 ? 1 : 0;
    is_searching_ = false;
  }
  [[nodiscard]] bool is_aborted() const { return interrupts > (is_searching_ ? 1 : used_); }

 private:
  bool is_searching_ = false;
  int used_ = 0;
};

AnonymizeHooks hooks_of(ProgressLine& line, Interrupts& interrupted) {
  AnonymizeHooks hooks;
  hooks.wants_best_so_far = [] { return interrupts > 0; };
  hooks.is_aborted = [&interrupted] { return interrupted.is_aborted(); };
  hooks.progress = [&line](std::string_view stage, std::uint64_t done) { line.show(stage, done); };
  hooks.search_progress = [&](const engine::Progress& progress) {
    interrupted.begin_search();
    show_search(line, progress);
  };
  hooks.groups_began = [&interrupted] { interrupted.begin_search(); };
  hooks.search_ended = [&interrupted] { interrupted.end_search(); };
  return hooks;
}

struct ReportFiles {
  std::optional<OutputFile> report, certificate, page, contingency, statistics;
};

void settle(ReportFiles& files) {
  if (files.report) files.report->settle();
  if (files.certificate) files.certificate->settle();
  if (files.page) files.page->settle();
  if (files.contingency) files.contingency->settle();
  if (files.statistics) files.statistics->settle();
}

Result<ReportFiles> open_reports(const AnonymizeArguments& arguments, AnonymizeRequest& request) {
  if (arguments.certificate.empty() && arguments.key_file)
    return usage_error("--key-file is given, but --certificate is not", "add --certificate");
  if (arguments.contingency.has_value() == arguments.contingency_report.empty())
    return usage_error("--contingency and --contingency-report can only be used together",
                       "name two columns with --contingency, and a file for their values and counts "
                       "with --contingency-report");
  if (!arguments.certificate.empty()) request.certificate_key = "";
  if (arguments.key_file) {
    auto key = read_fingerprint_key(*arguments.key_file);
    if (!key) return key.error();
    request.certificate_key = std::move(*key);
    request.files_read.push_back(*arguments.key_file);
  }
  std::vector<std::string> outputs;
  if (request.job.output.file) outputs.push_back(request.job.output.file->path);
  auto report = open_report(arguments.report, request, outputs);
  if (!report) return report.error();
  auto certificate = open_report(arguments.certificate, request, outputs);
  if (!certificate) return certificate.error();
  auto page = open_report(arguments.report_html, request, outputs);
  if (!page) return page.error();
  auto contingency = open_report(arguments.contingency_report, request, outputs);
  if (!contingency) return contingency.error();
  auto statistics = open_report(arguments.statistics_report, request, outputs);
  if (!statistics) return statistics.error();
  return ReportFiles{std::move(*report), std::move(*certificate), std::move(*page), std::move(*contingency),
                     std::move(*statistics)};
}

Result<JobReport> run(const AnonymizeArguments& arguments, AnonymizeRequest& request, ReportFiles& files) {
  ProgressLine line("job " + request.job.name);
  Interrupts interrupted;
  AnonymizeHooks hooks = hooks_of(line, interrupted);
  hooks.contingency = [&](const engine::Contingency& made) {
    return save_report(files.contingency, contingency_json(made));
  };
  hooks.statistics = [&](const std::vector<engine::ColumnSummary>& made) {
    return save_report(files.statistics, statistics_json(made));
  };
  hooks.before_publication = [&](const JobReport& made) {
    if (made.fingerprints) {
      const auto text = certificate_json(request.job, made, *made.fingerprints, utc_now());
      if (auto saved = save_report(files.certificate, text); !saved) return saved;
    }
    if (made.utility) {
      if (auto saved = save_report(files.page, report_html(made)); !saved) return saved;
    }
    return save_report(files.report, report_json(made));
  };
  if (arguments.transformation && !request.levels) {
    auto levels = levels_of(*arguments.transformation);
    if (!levels) return levels.error();
    request.levels = std::move(*levels);
  }
  if (arguments.contingency) {
    auto columns = contingency_columns(*arguments.contingency);
    if (!columns) return columns.error();
    request.contingency = std::move(*columns);
  }
  request.lists_only = arguments.lists_only;
  request.wants_utility =
      arguments.wants_utility || !arguments.report_html.empty() || arguments.predicted.has_value();
  request.predicted = arguments.predicted;
  request.wants_statistics = !arguments.statistics_report.empty();
  return anonymize(request, hooks);
}

Result<std::vector<JobReport>> find_frontier(const std::string& thresholds, const AnonymizeRequest& request,
                                             std::optional<OutputFile>& report_file) {
  const auto ks = thresholds_of(thresholds);
  if (!ks) return ks.error();
  ProgressLine line("job " + request.job.name);
  Interrupts interrupted;
  auto made = search_thresholds(request, hooks_of(line, interrupted), *ks);
  if (!made) return made;
  if (auto saved = save_report(report_file, frontier_json(*made)); !saved) return saved.error();
  return made;
}

int show_frontier(const std::vector<JobReport>& made) {
  std::fputs(frontier_text(made).c_str(), stdout);
  return std::ranges::any_of(made, is_unproven) ? kUnproven : kSuccess;
}

// If nobody gets the report, the message says that the table is there all the same.
bool print_report(const JobReport& made) {
  errno = 0;
  std::fputs(report_text(made).c_str(), stdout);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return true;
  std::fprintf(stderr,
               "pgveil: published %s, but the report could not be written to standard output: %s; the table "
               "stays, and --report writes the report to a file\n",
               fmt::format("{}", fmt::join(made.targets, " and ")).c_str(), std::strerror(errno));
  std::clearerr(stdout);  // so that main() does not report it again
  return false;
}

int run_request(const AnonymizeArguments& arguments, const std::string& config_path,
                AnonymizeRequest request) {
  std::optional<Config> config;
  if (needs_config(request.job)) {
    auto read = read_config(config_path);
    if (!read) return fail(read.error());
    config = std::move(*read);
    request.config = &*config;
    request.policies = [&](const std::string& database) -> Result<TablePolicies> {
      const auto now = read_config(config_path);
      if (!now) return now.error();
      return table_policies(*now, {}, database);
    };
  }
  auto files = open_reports(arguments, request);
  if (!files) return fail(files.error());
  if (arguments.frontier) {
    const auto frontier = find_frontier(*arguments.frontier, request, files->report);
    if (!frontier) return fail(frontier.error());
    settle(*files);
    return show_frontier(*frontier);
  }
  const auto made = run(arguments, request, *files);
  if (!made) return fail(made.error());
  settle(*files);
  if (arguments.lists_only) {
    std::fputs(checked_text(*made).c_str(), stdout);
  } else if (!print_report(*made)) {
    return kMistake;
  }
  return is_unproven(*made) ? kUnproven : kSuccess;
}

int run_anonymize(const AnonymizeArguments& arguments, const std::string& config_path) {
  count_interrupts();
  auto job = read_job_file(arguments.job);
  if (!job) return fail(job.error());
  AnonymizeRequest request;
  request.job = std::move(*job);
  return run_request(arguments, config_path, std::move(request));
}

int run_apply(const ApplyArguments& arguments) {
  count_interrupts();
  auto applied = read_applied_scheme(arguments);
  if (!applied) return fail(applied.error());
  AnonymizeRequest request;
  request.job = std::move(applied->job);
  request.levels = std::move(applied->levels);
  request.heights = std::move(applied->heights);
  request.files_read.push_back(arguments.scheme);
  request.how_to_replace = "add --replace";
  AnonymizeArguments as_anonymize;
  as_anonymize.job = arguments.job;
  as_anonymize.report = arguments.report;
  as_anonymize.certificate = arguments.certificate;
  as_anonymize.key_file = arguments.key_file;
  return run_request(as_anonymize, arguments.config, std::move(request));
}

}  // namespace

Verb add_anonymize(CLI::App& parent, std::string& config) {
  const auto arguments = std::make_shared<AnonymizeArguments>();
  auto* verb =
      add_configured(parent, "anonymize", "publish a k-anonymous copy of a table, as a job file describes",
                     "  pgveil anonymize config/jobs/residents.yaml\n"
                     "  pgveil anonymize job.yaml --list\n"
                     "  pgveil anonymize job.yaml --transformation 1,1,2 --report report.json\n"
                     "  pgveil anonymize job.yaml --frontier 2,5,10,20\n"
                     "Ctrl-C ends the search and publishes the best table found so far. A second Ctrl-C "
                     "publishes nothing. docs/anonymize.md describes jobs.",
                     config);
  verb->add_option("job", arguments->job, "the job's file")->required();
  auto* chosen = verb->add_option("--transformation", arguments->transformation,
                                  "apply these levels, one for each quasi-identifier in the job's order");
  verb->add_flag("--list", arguments->lists_only, "print the evaluated transformations and publish nothing")
      ->excludes(chosen);
  verb->add_option("--report", arguments->report, "also write the report as JSON to this file");
  verb->add_flag("--utility", arguments->wants_utility,
                 "also report how much information is left in each column and between columns")
      ->excludes("--list");
  verb->add_option("--report-html", arguments->report_html,
                   "also write the report, with the figures of --utility, as an HTML page to this file")
      ->excludes("--list");
  verb->add_option("--contingency", arguments->contingency,
                   "count the pairs of values of two columns (age,illness), before and after")
      ->excludes("--list");
  verb->add_option("--contingency-report", arguments->contingency_report,
                   "the file for these counts. It contains values of the input, so do not publish it")
      ->excludes("--list");
  verb->add_option("--predict", arguments->predicted,
                   "with the figures of --utility, also report how well this column can be predicted from "
                   "the quasi-identifiers, before and after")
      ->excludes("--list");
  verb->add_option("--statistics-report", arguments->statistics_report,
                   "write mode, median, mean and so on of each column, before and after, to this file. It "
                   "contains values of the input, so do not publish it")
      ->excludes("--list");
  verb->add_option("--certificate", arguments->certificate,
                   "also write a certificate of the published table to this file, for verify-certificate")
      ->excludes("--list");
  verb->add_option("--key-file", arguments->key_file,
                   "file with the key for the fingerprint of the input. Without a key, the "
                   "certificate has no such fingerprint");
  verb->add_option("--frontier", arguments->frontier,
                   "search once for each k or maximum risk in this list (2,5,10 or 50%,20%,10%) and "
                   "print the information loss. Publishes nothing")
      ->excludes("--transformation")
      ->excludes("--certificate")
      ->excludes("--utility")
      ->excludes("--contingency")
      ->excludes("--predict")
      ->excludes("--statistics-report")
      ->excludes("--report-html")
      ->excludes("--list");
  return {verb, [=, &config] { return run_anonymize(*arguments, config); }, [=] { return arguments->job; }};
}

Verb add_apply(CLI::App& parent, std::string& config) {
  constexpr std::array<std::pair<const char*, ViolatingClasses>, 3> kWhat{
      {{"refuse", ViolatingClasses::refused},
       {"suppress", ViolatingClasses::suppressed},
       {"job", ViolatingClasses::as_job_allows}}};
  const auto arguments = std::make_shared<ApplyArguments>();
  auto* verb =
      parent.add_subcommand("apply", "publish new rows with the transformation that a job found earlier");
  add_table_config(*verb, config);
  verb->add_option("scheme", arguments->scheme, "a report that anonymize --report wrote")->required();
  verb->add_option("--job", arguments->job, "the job that produced the report")->required();
  add_table(*verb, arguments->input, "those of the job's input and output, or a comma");
  verb->add_option("-o,--output", arguments->output, "the file to publish to");
  verb->add_option("--output-table", arguments->output_table, "the table to publish to, schema.table");
  verb->add_flag("--replace", arguments->replaces, "replace the file or table if it exists");
  add_choice(*verb, "--on-violation", arguments->violating, kWhat,
             "what to do with equivalence classes that break a model: refuse (publish "
             "nothing), suppress (all of them), or job (as many records as the job allows)")
      ->default_str("job");
  verb->add_option("--report", arguments->report, "also write the report as JSON to this file");
  verb->add_option("--certificate", arguments->certificate, "also write a certificate to this file");
  verb->add_option("--key-file", arguments->key_file,
                   "file with the key for the fingerprint of the input in the certificate");
  verb->footer(
      "Examples:\n  pgveil anonymize job.yaml --report scheme.json\n"
      "  pgveil apply scheme.json new_rows.csv --job job.yaml --output new_rows_k5.csv\n"
      "If no table is given, the job's own input is read again.");
  const auto run = [=, &config] {
    arguments->config = config;
    return run_apply(*arguments);
  };
  return {verb, run, [=] { return arguments->job; }};
}

}  // namespace pgveil::app
