// Names that other schemas may give a meaning, too. Whether they can depends on which types of values a
// statement has, so the names are settled when all of it is resolved.
#include <fmt/format.h>

#include <algorithm>

#include "rewriter/lists/extensions.hpp"
#include "rewriter/lists/function_access.hpp"
#include "rewriter/resolve/resolver.hpp"
#include "rewriter/resolve/stop.hpp"

namespace pgveil::rewriter {
namespace {

std::string path_text(std::span<const std::string> schemas) {
  return schema_list_text({schemas.begin(), schemas.end()});
}

}  // namespace

// A view's text is not the client's: what is wrong in it is reported where the statement names the view.
void Resolver::note_use(CandidateUse use) {
  if (!views_.empty()) {
    use.form = fmt::format("view \"{}\": {}", views_.front()->name, use.form);
    use.location = view_location_;
  }
  uses_.push_back(std::move(use));
}

void Resolver::note_values(std::uint32_t type_oid) {
  const auto& parts = snapshot_.catalog().parts_of_types;
  if (const auto at = parts.find(type_oid); at != parts.end())
    values_.insert(at->second.begin(), at->second.end());
}

void Resolver::note_results(std::span<const Candidate> candidates) {
  for (const Candidate& candidate : candidates) {
    if (candidate.is_safe) values_.insert(candidate.returns.begin(), candidate.returns.end());
  }
}

void Resolver::refuse_candidate(const Candidate& candidate, Reason reason, std::string_view use,
                                HasOwn has_own, int location) {
  const RunFunction& runs = candidate.runs;
  const std::string entry = runs.extension.empty() ? fmt::format("{}.{}", runs.schema, runs.name)
                                                   : fmt::format("extension:{}", runs.extension);
  const std::string vouch = is_never_opened(runs.extension)
                                ? std::string()
                                : fmt::format("; the data owner can name {} in open_functions", entry);
  if (has_own == HasOwn::no)
    refuse(reason, fmt::format("{} is not on the list", use),
           fmt::format("allowed are PostgreSQL's own that read no other data, and those of reviewed "
                       "extensions{}",
                       vouch),
           location);
  refuse(reason, fmt::format("{} could mean {}, which is not on the list", use, candidate.object),
         fmt::format("write the schema pg_catalog if PostgreSQL's own is meant{}", vouch), location);
}

// A name with a schema that is not pg_catalog: every candidate of this schema must be safe.
void Resolver::of_schema(std::span<const Candidate> candidates, const CallShape& shape, Reason reason,
                         std::string_view schema, std::string_view use, int location) {
  bool is_any = false;
  for (const Candidate& candidate : candidates) {
    if (candidate.schema != schema || !fits(candidate, shape)) continue;
    if (!candidate.is_safe) refuse_candidate(candidate, reason, use, HasOwn::no, location);
    is_any = true;
  }
  if (!is_any) {
    refuse(reason, fmt::format("{} is not on the list", use),
           "allowed are PostgreSQL's own, those of reviewed extensions, and those that "
           "open_functions names",
           location);
  }
  note_results(candidates);
}

// A call without a schema of one argument may also be a cast to the type of that name.
void Resolver::must_be_castable(std::string_view name, int location) {
  for (const std::string& schema : snapshot_.catalog().search_path) {
    const auto at = snapshot_.catalog().types_elsewhere.find(std::pair(schema, std::string(name)));
    if (at != snapshot_.catalog().types_elsewhere.end() && !at->second.is_castable) {
      refuse(Reason::type_not_listed,
             fmt::format("{}() could be a cast to type {}.{}, which is not on the list", name, schema, name),
             {}, location);
    }
  }
}

void Resolver::settle_names() {
  for (const CandidateUse& use : uses_) attempt([&] { settle(use); });
}

// What the use may mean. has_values: whether the statement has the values that the candidate needs.
Choice Resolver::choice_of(const CandidateUse& use, std::span<const Candidate> candidates) const {
  const Catalog& catalog = snapshot_.catalog();
  const auto has_values = [&](const Candidate& candidate) {
    return !candidate.needs_value ||
           std::ranges::any_of(candidate.needs, [&](std::uint32_t oid) { return values_.contains(oid); });
  };
  const auto fits_use = [&](const Candidate& it) { return fits(it, use.shape); };
  const auto is_possible = [&](const Candidate& it) { return fits_use(it) && has_values(it); };
  // Without one of pg_catalog, a constant without a type may choose any of them.
  if (!use.has_own) return choose(candidates, catalog.search_path, use.path, use.shape, fits_use);
  const Choice choice = choose(candidates, catalog.search_path, use.path, use.shape, is_possible);
  if (choice.kind == Choice::Kind::servers && use.is_function)
    return choose(candidates, catalog.search_path, use.path, use.shape, fits_use);
  if (choice.kind != Choice::Kind::ours || use.sent != Sent::as_written) return choice;
  const Choice servers = choose(candidates, catalog.search_path, catalog.search_path, use.shape, is_possible);
  return servers.kind == Choice::Kind::servers ? Choice{Choice::Kind::path, servers.candidate} : servers;
}

void Resolver::settle(const CandidateUse& use) {
  const Catalog& catalog = snapshot_.catalog();
  const auto candidates = Catalog::candidates_of(
      use.is_function ? catalog.functions_elsewhere : catalog.operators_elsewhere, use.name);
  const Choice choice = choice_of(use, candidates);
  const Reason reason = use.is_function ? Reason::function_not_listed : Reason::operator_not_listed;
  switch (choice.kind) {
    case Choice::Kind::unsafe:
      refuse_candidate(*choice.candidate, reason, use.form, use.has_own ? HasOwn::yes : HasOwn::no,
                       use.location);
    case Choice::Kind::path:
      refuse(
          reason,
          fmt::format("{} could mean {}, which search_path {} does not find as {} does", use.form,
                      choice.candidate->object, path_text(use.path), path_text(catalog.search_path)),
          fmt::format("write it with its schema, or SET search_path TO {}", path_text(catalog.search_path)),
          use.location);
    case Choice::Kind::servers:
      if (use.sent == Sent::as_ours)
        refuse_candidate(*choice.candidate, reason, use.form, HasOwn::yes, use.location);
      if (use.is_function && use.shape.count.value_or(1) == 1) must_be_castable(use.name, use.location);
      return;
    case Choice::Kind::ours: break;
  }
  if (!use.has_own) {
    refuse(reason, fmt::format("{} is not on the list", use.form),
           "allowed are PostgreSQL's own that read no other data, and those of reviewed "
           "extensions that the search_path finds",
           use.location);
  }
  if (use.sent != Sent::either || candidates.empty()) return;
  Node* const qualified[] = {build_.string("pg_catalog"), build_.string(use.name)};
  *use.names = build_.list(qualified);
  *use.count = 2;
}

}  // namespace pgveil::rewriter
