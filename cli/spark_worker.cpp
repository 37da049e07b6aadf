// pgveil spark-worker: the native part of pgveil-spark, which starts it for each partition of a table
// (docs/spark.md).
#include <signal.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/verbs.hpp"
#include "common/sqlstate.hpp"
#include "common/workers.hpp"
#include "jobs/cluster/class_frames.hpp"
#include "jobs/cluster/job_description.hpp"
#include "jobs/cluster/partition_frames.hpp"
#include "jobs/cluster/risk_frames.hpp"

namespace pgveil::app {
namespace {

struct SparkWorkerArguments {
  std::optional<std::string> job;  // none: works on a partition on standard input
  bool resolves_domains = false;
  bool judges_classes = false;
  bool judges_risks = false;
};

Error failed(std::string_view what) {
  return {ErrorKind::io, std::string(sqlstate::kIoError),
          std::string(what) + " failed: " + std::strerror(errno), "the other end has gone"};
}

Result<std::size_t> read_input(char* to, std::size_t size) {
  const std::size_t got = std::fread(to, 1, size, stdin);
  if (got < size && std::ferror(stdin) != 0) return failed("reading standard input");
  return got;
}

Result<void> write_output(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() || std::fflush(stdout) != 0)
    return failed("writing standard output");
  return {};
}

Result<void> describe(const std::string& path, bool resolves_domains) {
  const auto job = read_job_file(path);
  if (!job) return job.error();
  if (resolves_domains) return resolve_domains(*job, read_input, write_output);
  const auto text = describe_job(*job);
  if (!text) return text.error();
  return write_output(*text);
}

Result<void> cut_partition() {
  auto request = read_partition_request(read_input);
  if (!request) return request.error();
  std::vector<const engine::CodeColumn*> quasi_identifiers, sensitive;
  for (const auto& column : request->quasi_identifiers) quasi_identifiers.push_back(&column.codes);
  for (const auto& column : request->sensitive) sensitive.push_back(&column.codes);
  Workers workers(request->options.parallel.threads);
  request->options.parallel.run = [&workers](std::size_t parts, const auto& work) {
    workers.run(parts, work);
  };
  const auto groups = engine::mondrian(request->dimensions, quasi_identifiers, sensitive, request->options);
  if (!groups) return groups.error();
  return write_partition_answer(*request, *groups, write_output);
}

Result<void> judge_classes() {
  const auto request = read_class_request(read_input);
  if (!request) return request.error();
  const auto kept = judged(*request);
  if (!kept) return kept.error();
  return write_class_answer(*kept, write_output);
}

Result<void> judge_risks() {
  const auto request = read_risk_request(read_input);
  if (!request) return request.error();
  return write_risk_answer(classes_to_suppress(*request), write_output);
}

Result<void> work(const SparkWorkerArguments& arguments) {
  if (arguments.job) return describe(*arguments.job, arguments.resolves_domains);
  if (arguments.judges_risks) return judge_risks();
  return arguments.judges_classes ? judge_classes() : cut_partition();
}

int run_spark_worker(const SparkWorkerArguments& arguments) {
  signal(SIGPIPE, SIG_IGN);
  const auto done = work(arguments);
  if (done) return kSuccess;
  const int status = report(done.error());
  // The job's owner reads this on a terminal. For a partition it would end up in the log of a cluster.
  if (arguments.job && done.error().kind == ErrorKind::configuration && !done.error().private_detail.empty())
    std::fprintf(stderr, "  %s\n", done.error().private_detail.c_str());
  return status;
}

}  // namespace

Verb add_spark_worker(CLI::App& parent, std::string&) {
  const auto arguments = std::make_shared<SparkWorkerArguments>();
  auto* verb = parent.add_subcommand("spark-worker", "the native part of pgveil-spark")->group("");
  auto* described = verb->add_option("--job", arguments->job, "print this job as JSON");
  verb->add_flag("--domains", arguments->resolves_domains,
                 "read columns' values, write their order and hierarchies")
      ->needs(described);
  auto* classes = verb->add_flag("--classes", arguments->judges_classes,
                                 "read counted classes, write which keep the models")
                      ->excludes(described);
  verb->add_flag("--risks", arguments->judges_risks,
                 "read the sizes of all classes, write how many to suppress")
      ->excludes(described)
      ->excludes(classes);
  return {verb, [=] { return run_spark_worker(*arguments); }};
}

}  // namespace pgveil::app
