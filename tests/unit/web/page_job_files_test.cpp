// What a job that was written on the page may name.
#include "web/api/page_job_files.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "web/api/page_jobs.hpp"

namespace pgveil::app {
namespace {

Job job_of(const std::string& input, const std::string& output, const std::string& more = "") {
  auto job = read_job_text(fmt::format("version: 1\nname: a\ninput: {{{}}}\nattributes:\n"
                                       "  x: {{class: quasi_identifier, hierarchy: {{file: x.csv}}}}\n"
                                       "  y: {{class: quasi_identifier, hierarchy: {{masking: {{}}}}}}\n"
                                       "k: 2\noutput: {{{}}}\n{}",
                                       input, output, more),
                           std::string(kPageJobFile));
  REQUIRE_MESSAGE(job.has_value(), one_line(job.error()));
  return *job;
}

Result<void> fitted(Job job, PageJobTables tables = PageJobTables::none) {
  return fit_to_page_jobs(job, tables, 1'000, 2'000, 4);
}

TEST_CASE("files stand beside the job") {
  CHECK(file_name_in_job("/uploads/people.csv", kPageJobFile) == "people.csv");
  for (const char* path : {"/etc/passwd", "/uploads/", "/uploads/a/b.csv", "/uploadsx/a.csv", "/uploads"})
    CHECK_FALSE(file_name_in_job(path, kPageJobFile));
}

TEST_CASE("a path that leaves the folder is none of its names") {
  for (const char* file : {"/etc/passwd", "../etc/passwd", "a/../../etc/passwd", "../uploads.csv"}) {
    CAPTURE(file);
    Job job = job_of(fmt::format("file: {}", file), "file: out.csv");
    CHECK_FALSE(file_name_in_job(files_in(job).front()->path, kPageJobFile));
  }
  Job inside = job_of("file: a/../people.csv", "file: out.csv");
  CHECK(file_name_in_job(files_in(inside).front()->path, kPageJobFile) == "people.csv");
}

TEST_CASE("all files that a job reads are listed") {
  Job job = job_of("file: people.csv", "file: out.csv", "subset: {file: some.csv}\n");
  std::vector<std::string> names;
  for (const JobFile* file : files_in(job)) names.push_back(file->path);
  CHECK(names == std::vector<std::string>{"/uploads/people.csv", "/uploads/x.csv", "/uploads/some.csv"});
}

TEST_CASE("tables and limits above the page's are not for the page") {
  CHECK(fitted(job_of("file: a.csv", "file: out.csv")).has_value());
  CHECK(fitted(job_of("table: public.people", "file: out.csv")).has_error());
  CHECK(fitted(job_of("file: a.csv", "table: public.out")).has_error());
  CHECK(fitted(job_of("file: a.csv", "file: out.csv, table: public.out")).has_error());
  CHECK(fitted(job_of("file: a.csv", "file: out.csv", "limits: {time: 2s, threads: 4}\n")).has_value());
  CHECK(fitted(job_of("file: a.csv", "file: out.csv", "limits: {time: 3s}\n")).has_error());
  CHECK(fitted(job_of("file: a.csv", "file: out.csv", "limits: {threads: 5}\n")).has_error());
}

TEST_CASE("tables are for whom they are allowed, and none is replaced") {
  const auto allowed = PageJobTables::allowed;
  CHECK(fitted(job_of("table: public.people", "file: out.csv"), allowed).has_value());
  CHECK(fitted(job_of("file: a.csv", "table: public.out"), allowed).has_value());
  CHECK(fitted(job_of("table: public.people", "file: out.csv, table: public.out"), allowed).has_value());
  CHECK(fitted(job_of("file: a.csv", "table: public.out, replace: true"), allowed).has_error());
  CHECK(fitted(job_of("file: a.csv", "table: public.out, types: {x: text}"), allowed).has_error());
  CHECK(
      fitted(job_of("table: public.people", "file: out.csv", "limits: {threads: 5}\n"), allowed).has_error());
  Job job = job_of("file: a.csv", "file: out.csv, replace: true");
  REQUIRE(fit_to_page_jobs(job, allowed, 1'000, 2'000, 4).has_value());
  CHECK_FALSE(job.output.replace);
}

TEST_CASE("a job without a limit of time gets one") {
  Job job = job_of("file: a.csv", "file: out.csv");
  REQUIRE((fit_to_page_jobs(job, PageJobTables::none, 1'000, 2'000, 4)).has_value());
  CHECK(job.limits.time_ms == 1'000);
}

}  // namespace
}  // namespace pgveil::app
