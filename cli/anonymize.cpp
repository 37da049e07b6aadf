// pgveil anonymize JOB.yaml runs a job from the command line. pgveil apply SCHEME applies its transformation
// to other rows.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "cli/subcommands.hpp"
#include "common/clock.hpp"
#include "common/files/output_file.hpp"
#include "common/progress_line.hpp"
#include "jobs/check/fingerprint.hpp"
#include "jobs/input/data.hpp"
#include "jobs/language/levels_text.hpp"
#include "jobs/report/certificate.hpp"
#include "jobs/report/contingency_report.hpp"
#include "jobs/report/utility_report.hpp"
#include "jobs/run/anonymize.hpp"
#include "jobs/run/applied_scheme.hpp"
#include "jobs/run/frontier.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {
namespace {

volatile sig_atomic_t interrupts = 0;

// The first interrupt asks for the best so far, the second one for the end, and the third one ends the
// process at once.
void count_interrupt(int number) {
  interrupts = interrupts + (number == SIGTERM ? 2 : 1);
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
Result<std::optional<OutputFile>> open_report(const std::string& path, const Job& job,
                                              const std::optional<std::string>& key_file = {}) {
  if (path.empty()) return std::optional<OutputFile>();
  auto kept = files_read_by(job);
  if (job.output.file) kept.push_back(job.output.file->path);
  if (key_file) kept.push_back(*key_file);
  auto file = OutputFile::create({path, true, std::move(kept), ""});
  if (!file) return file.error();
  return std::optional<OutputFile>(std::move(*file));
}

// Saved before anything is published. If publishing fails, it is removed again unless settled.
Result<void> save_report(std::optional<OutputFile>& file, const std::string& json) {
  if (!file) return {};
  if (auto written = file->append(json); !written) return written;
  if (auto finished = file->finish(); !finished) return finished;
  return file->publish();
}

AnonymizeHooks hooks_of(ProgressLine& line, bool& is_searching) {
  AnonymizeHooks hooks;
  hooks.wants_best_so_far = [] { return interrupts > 0; };
  hooks.is_aborted = [&is_searching] { return interrupts > (is_searching ? 1 : 0); };
  hooks.progress = [&line](std::string_view stage, std::uint64_t done) { line.show(stage, done); };
  hooks.search_progress = [&](const engine::Progress& progress) {
    is_searching = true;
    show_search(line, progress);
  };
  return hooks;
}

struct ReportFiles {
  std::optional<OutputFile> report, certificate, page, contingency;
};

void settle(ReportFiles& files) {
  if (files.report) files.report->settle();
  if (files.certificate) files.certificate->settle();
  if (files.page) files.page->settle();
  if (files.contingency) files.contingency->settle();
}

Result<ReportFiles> open_reports(const AnonymizeArguments& arguments, AnonymizeRequest& request) {
  if (arguments.certificate.empty() && arguments.key_file)
    return usage_error("a key and no certificate", "add --certificate");
  if (arguments.contingency.has_value() == arguments.contingency_report.empty())
    return usage_error("--contingency and --contingency-report need each other",
                       "name two columns, and the file for their values and counts");
  const std::array<const std::string*, 4> places{&arguments.report, &arguments.certificate,
                                                 &arguments.report_html, &arguments.contingency_report};
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!places[i]->empty() && *places[i] == *places[j])
        return usage_error("two of report, certificate, page and contingency are one file", "name another");
    }
  }
  if (!arguments.certificate.empty()) request.certificate_key = "";
  if (arguments.key_file) {
    auto key = read_fingerprint_key(*arguments.key_file);
    if (!key) return key.error();
    request.certificate_key = std::move(*key);
  }
  auto report = open_report(arguments.report, request.job, arguments.key_file);
  if (!report) return report.error();
  auto certificate = open_report(arguments.certificate, request.job, arguments.key_file);
  if (!certificate) return certificate.error();
  auto page = open_report(arguments.report_html, request.job, arguments.key_file);
  if (!page) return page.error();
  auto contingency = open_report(arguments.contingency_report, request.job, arguments.key_file);
  if (!contingency) return contingency.error();
  return ReportFiles{std::move(*report), std::move(*certificate), std::move(*page), std::move(*contingency)};
}

Result<JobReport> run(const AnonymizeArguments& arguments, AnonymizeRequest& request, ReportFiles& files) {
  ProgressLine line("job " + request.job.name);
  bool is_searching = false;
  AnonymizeHooks hooks = hooks_of(line, is_searching);
  hooks.contingency = [&](const engine::Contingency& made) {
    return save_report(files.contingency, contingency_json(made));
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
  request.wants_utility = arguments.wants_utility || !arguments.report_html.empty();
  return anonymize(request, hooks);
}

Result<std::vector<JobReport>> find_frontier(const std::string& thresholds, const AnonymizeRequest& request,
                                             std::optional<OutputFile>& report_file) {
  const auto ks = thresholds_of(thresholds);
  if (!ks) return ks.error();
  ProgressLine line("job " + request.job.name);
  bool is_searching = false;
  auto made = search_thresholds(request, hooks_of(line, is_searching), *ks);
  if (!made) return made;
  if (auto saved = save_report(report_file, frontier_json(*made)); !saved) return saved.error();
  return made;
}

int show_frontier(const std::vector<JobReport>& made) {
  std::fputs(frontier_text(made).c_str(), stdout);
  return std::ranges::any_of(made, is_unproven) ? kUnproven : kSuccess;
}

int run_request(const AnonymizeArguments& arguments, AnonymizeRequest request) {
  std::optional<Config> config;
  Specs specs;
  if (needs_config(request.job)) {
    auto read = read_config(arguments.config);
    if (!read) return fail(read.error());
    config = std::move(*read);
    auto policies = read_policy_files(*config);
    if (!policies) return fail(policies.error());
    specs = std::move(*policies);
    request.config = &*config;
    request.specs = &specs;
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
  std::fputs((arguments.lists_only ? checked_text(*made) : report_text(*made)).c_str(), stdout);
  return is_unproven(*made) ? kUnproven : kSuccess;
}

}  // namespace

int run_anonymize(const AnonymizeArguments& arguments) {
  count_interrupts();
  auto job = read_job_file(arguments.job);
  if (!job) return fail(job.error());
  AnonymizeRequest request;
  request.job = std::move(*job);
  return run_request(arguments, std::move(request));
}

int run_apply(const ApplyArguments& arguments) {
  count_interrupts();
  auto applied = read_applied_scheme(arguments);
  if (!applied) return fail(applied.error());
  AnonymizeRequest request;
  request.job = std::move(applied->job);
  request.levels = std::move(applied->levels);
  request.heights = std::move(applied->heights);
  AnonymizeArguments as_anonymize;
  as_anonymize.config = arguments.config;
  as_anonymize.job = arguments.job;
  as_anonymize.report = arguments.report;
  as_anonymize.certificate = arguments.certificate;
  as_anonymize.key_file = arguments.key_file;
  return run_request(as_anonymize, std::move(request));
}

}  // namespace pgveil::app
