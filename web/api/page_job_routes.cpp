#include "web/api/page_job_routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <utility>
#include <vector>

#include "common/ascii.hpp"
#include "common/files/whole_file.hpp"
#include "common/sqlstate.hpp"
#include "console/quote.hpp"
#include "jobs/input/table_input.hpp"
#include "jobs/language/values.hpp"
#include "web/api/json.hpp"
#include "web/api/mistake_position.hpp"
#include "web/api/page_job_json.hpp"
#include "web/api/raw_rows.hpp"
#include "web/api/table_look.hpp"
#include "web/api/table_values.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;
using net::HttpResponse;

constexpr std::size_t kMostNamedFiles = 200;

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> out;
  for (;;) {
    const auto end = path.find('/');
    out.push_back(path.substr(0, end));
    if (end == std::string_view::npos) return out;
    path.remove_prefix(end + 1);
  }
}

HttpResponse answered(const Result<json::object>& made) {
  return made ? json_response(200, *made) : error_response(made.error());
}

// Records the request and how it ended.
template <class Work>
HttpResponse on_record(const PageJobVisit& visit, const std::string& words, const Work& work) {
  if (!visit.begin(words)) return not_on_record();
  const Result<json::object> made = work();
  if (!visit.end(made ? std::string() : made.error().sqlstate)) return not_on_record();
  return answered(made);
}

Result<json::object> nothing(const Result<void>& done) {
  if (!done) return done.error();
  return json::object();
}

Result<json::object> begin_upload(PageJobs& jobs, const PageJobVisit& visit) {
  const auto body = read_body(visit.body, {"name", "bytes"});
  if (!body) return body.error();
  const auto name = text_at(*body, "name");
  const auto bytes = number_at(*body, "bytes");
  if (!name) return name.error();
  if (!bytes) return bytes.error();
  const auto id = jobs.uploads().begin(visit.role, *name, *bytes, std::chrono::steady_clock::now());
  if (!id) return id.error();
  return json::object{{"id", *id}};
}

Result<json::object> append_part(PageJobs& jobs, const PageJobVisit& visit, const std::string& id) {
  const auto body = read_body(visit.body, {"offset", "text"});
  if (!body) return body.error();
  const auto offset = number_at(*body, "offset");
  const auto text = text_at(*body, "text");
  if (!offset) return offset.error();
  if (!text) return text.error();
  const auto received =
      jobs.uploads().append(visit.role, id, *offset, *text, std::chrono::steady_clock::now());
  if (!received) return received.error();
  return json::object{{"received", *received}};
}

Result<json::object> look_at_columns(PageJobs& jobs, const PageJobVisit& visit, const std::string& id) {
  const auto body = read_body(visit.body, {"separator"});
  if (!body) return body.error();
  const auto word = text_at(*body, "separator");
  if (!word) return word.error();
  const auto separator = separator_of(*word);
  if (!separator) return separator.error();
  const auto file = jobs.uploads().whole(visit.role, id, std::chrono::steady_clock::now());
  if (!file) return file.error();
  const TableLook look;
  if (auto taken = look.taken(); !taken) return taken.error();
  const auto text = read_whole((*file)->path(), Uploads::kMostBytes);
  if (!text) return text.error();
  if (!*text)
    return Error{ErrorKind::io, std::string(sqlstate::kIoError), "the upload is gone", "upload it again"};
  const auto table = engine::read_table(**text, *separator);
  if (!table) return table.error();
  if (table->columns.size() > kMostPageJobColumns)
    return Error{ErrorKind::limit, std::string(sqlstate::kProgramLimitExceeded),
                 fmt::format("more than {} columns", kMostPageJobColumns),
                 "leave out those that are not published"};
  return columns_json(*table);
}

Result<void> check_may_read_tables(const PageJobVisit& visit) {
  const auto& config = visit.present->config;
  return check_listed(config, visit.role, config.page.table_jobs, "table_jobs");
}

PageJobAuthor author_of(const PageJobVisit& visit) {
  const bool may = check_may_read_tables(visit).has_value();
  return {visit.present, visit.role, may ? PageJobTables::allowed : PageJobTables::none};
}

// Recorded before the check too, because the check tells what a table is.
HttpResponse look_at_table(const PageJobVisit& visit) {
  if (auto may = check_may_read_tables(visit); !may) return error_response(may.error());
  if (!visit.take_proof())
    return error_response(403, "values of tables need your password again", "give it, and look again");
  const auto texts = read_texts(visit.body, {"database", "table"});
  if (!texts) return error_response(texts.error());
  const auto table = table_named(visit.present->config, (*texts)[0], (*texts)[1]);
  if (!table) return error_response(table.error());
  const auto words = fmt::format("LOOK AT TABLE {}:{}.{}", console::shown_name(table->database),
                                 console::shown_name(table->schema), console::shown_name(table->name));
  return on_record(visit, words, [&] { return values_of(*visit.present, *table); });
}

Result<PageJobText> text_of(std::string_view body_text) {
  const auto body = read_body(body_text, {"yaml", "files"});
  if (!body) return body.error();
  const auto yaml = text_at(*body, "yaml");
  if (!yaml) return yaml.error();
  const json::value& files = body->at("files");
  const auto wrong = [] {
    return Error{ErrorKind::usage, std::string(sqlstate::kInvalidParameterValue),
                 "\"files\" is no object of ids of uploads", "docs/openapi.yaml describes the requests"};
  };
  if (!files.is_object() || files.get_object().size() > kMostNamedFiles) return wrong();
  PageJobText text{*yaml, {}};
  for (const auto& [name, id] : files.get_object()) {
    if (!id.is_string()) return wrong();
    text.files.emplace(std::string(name), std::string(id.get_string()));
  }
  return text;
}

Result<json::object> check(PageJobs& jobs, const PageJobVisit& visit) {
  const auto text = text_of(visit.body);
  if (!text) return text.error();
  const auto checked = jobs.check(author_of(visit), *text);
  json::value error(nullptr);
  if (!checked) {
    error = place_json(checked.error(), kPageJobFile);
    error.as_object()["hint"] = checked.error().hint;
  }
  return json::object{{"error", std::move(error)}};
}

// Only a recorded job may read tables. A refused job reads none, and gets the same errors as from check().
Result<json::object> start(PageJobs& jobs, const PageJobVisit& visit, const PageJobText& text,
                           PageJobTables tables) {
  const auto checked = jobs.check(author_of(visit), text);
  const auto id = checked ? jobs.start({visit.present, visit.role, tables}, text) : checked.error();
  if (!id) {
    Error error = id.error();
    if (error.public_message.starts_with(kPageJobFile))
      error.public_message.erase(0, kPageJobFile.size() + 1);
    return error;
  }
  return json::object{{"id", *id}};
}

HttpResponse run_job(PageJobs& jobs, const PageJobVisit& visit) {
  const auto text = text_of(visit.body);
  const auto words = text ? jobs.tables_in(author_of(visit), *text) : std::string();
  if (!words.empty() && !visit.take_proof())
    return error_response(403, "jobs over tables need your password again", "give it, and run the job");
  const auto tables = words.empty() ? PageJobTables::none : PageJobTables::allowed;
  return on_record(visit, "RUN A JOB OF THE PAGE" + words, [&]() -> Result<json::object> {
    if (!text) return text.error();
    return start(jobs, visit, *text, tables);
  });
}

// What a job over a table found is only for admins who still are on the list.
Result<void> check_may_see(const PageJobVisit& visit, const PageJobRun& run) {
  return run.reads_table ? check_may_read_tables(visit) : Result<void>();
}

Result<json::object> details(PageJobs& jobs, const PageJobVisit& visit, const std::string& id) {
  const auto run = jobs.run(visit.role, id);
  if (!run) return run.error();
  if (auto may = check_may_see(visit, *run); !may) return may.error();
  json::object out = run_json(*run);
  out["yaml"] = run->yaml;
  out["measures"] = nullptr;
  if (run->run.state != JobState::done) return out;
  const auto measures = jobs.measures(visit.role, id);
  if (!measures) return measures.error();
  out["measures"] = measures_json(*measures);
  return out;
}

HttpResponse list_uploads(PageJobs& jobs, const PageJobVisit& visit) {
  json::array out;
  for (const auto& upload : jobs.uploads().of(visit.role)) out.push_back(upload_json(upload));
  return json_response(200, out);
}

// The list is read often, and nobody reads all evaluated transformations of all runs in it.
void leave_out_checked(json::object& run) {
  auto* report = run["report"].if_object();
  auto* search = report != nullptr ? (*report)["search"].if_object() : nullptr;
  if (search != nullptr) search->erase("checked");
}

HttpResponse list_runs(PageJobs& jobs, const PageJobVisit& visit) {
  json::array out;
  for (const auto& run : jobs.runs_of(visit.role)) {
    auto listed = run_json(check_may_see(visit, run) ? run : without_figures(run));
    leave_out_checked(listed);
    out.push_back(std::move(listed));
  }
  return json_response(200, out);
}

HttpResponse download(PageJobs& jobs, const PageJobVisit& visit, const std::string& id) {
  std::optional<std::string> text;
  std::string name;
  auto response =
      on_record(visit, fmt::format("DOWNLOAD RESULT OF JOB {}", id), [&]() -> Result<json::object> {
        const auto run = jobs.run(visit.role, id);
        if (!run) return run.error();
        if (auto may = check_may_see(visit, *run); !may) return may.error();
        auto read = jobs.result(visit.role, id);
        if (!read) return read.error();
        text = std::move(*read);
        name = run->name;  // lower-case letters, digits and _
        return json::object();
      });
  if (!text || response.status != 200) return response;
  return {200,
          {{"Content-Type", "text/csv; charset=utf-8"},
           {"Content-Disposition", fmt::format("attachment; filename=\"{}_anonymized.csv\"", name)},
           {"Cache-Control", "no-store"}},
          std::move(*text)};
}

// Ids go into the audit log, so only well-formed ones are accepted.
bool is_id(std::string_view text) {
  const auto is_part = [](char c) { return is_lower(c) || is_digit(c) || c == '-'; };
  return !text.empty() && text.size() <= 30 && std::ranges::all_of(text, is_part);
}

std::optional<HttpResponse> answer_uploads(PageJobs& jobs, const PageJobVisit& visit,
                                           const std::vector<std::string_view>& parts) {
  if (parts.size() == 1 && visit.method == "GET") return list_uploads(jobs, visit);
  if (parts.size() == 1 && visit.method == "POST")
    return on_record(visit, "UPLOAD A FILE", [&] { return begin_upload(jobs, visit); });
  if (parts.size() < 2 || !is_id(parts[1])) return std::nullopt;
  const std::string id(parts[1]);
  if (parts.size() == 2 && visit.method == "DELETE")
    return on_record(visit, fmt::format("DROP UPLOAD {}", id),
                     [&] { return nothing(jobs.uploads().drop(visit.role, id)); });
  if (parts.size() != 3 || visit.method != "POST") return std::nullopt;
  if (parts[2] == "parts") return answered(append_part(jobs, visit, id));
  if (parts[2] == "columns")
    return on_record(visit, fmt::format("LOOK AT UPLOAD {}", id),
                     [&] { return look_at_columns(jobs, visit, id); });
  return std::nullopt;
}

std::optional<HttpResponse> answer_runs(PageJobs& jobs, const PageJobVisit& visit,
                                        const std::vector<std::string_view>& parts) {
  if (parts.size() == 1 && visit.method == "GET") return list_runs(jobs, visit);
  if (parts.size() == 1 && visit.method == "POST") return run_job(jobs, visit);
  if (parts.size() < 2 || !is_id(parts[1])) return std::nullopt;
  const std::string id(parts[1]);
  if (parts.size() == 2 && visit.method == "GET") return answered(details(jobs, visit, id));
  if (parts.size() == 2 && visit.method == "DELETE")
    return on_record(visit, fmt::format("DROP JOB {}", id),
                     [&] { return nothing(jobs.drop(visit.role, id)); });
  if (parts.size() != 3) return std::nullopt;
  if (parts[2] == "result" && visit.method == "GET") return download(jobs, visit, id);
  if (parts[2] == "cancel" && visit.method == "POST")
    return on_record(visit, fmt::format("CANCEL JOB {}", id),
                     [&] { return nothing(jobs.cancel(visit.role, id)); });
  return std::nullopt;
}

}  // namespace

std::optional<HttpResponse> answer_page_job(PageJobs& jobs, const PageJobVisit& visit) {
  const auto parts = parts_of(visit.path);
  if (parts[0] == "uploads") return answer_uploads(jobs, visit, parts);
  if (parts[0] == "runs") return answer_runs(jobs, visit, parts);
  if (parts.size() == 1 && parts[0] == "check" && visit.method == "POST") return answered(check(jobs, visit));
  if (parts.size() == 1 && parts[0] == "table-columns" && visit.method == "POST") return look_at_table(visit);
  return std::nullopt;
}

}  // namespace pgveil::app
