#include "proxy/session/kept_plan.hpp"

#include <functional>
#include <iterator>

#include "common/assert.hpp"
#include "proxy/session/prepare_on_connection.hpp"

namespace pgveil::session::kept_plan {
namespace {

constexpr std::size_t kMostUnfit = 1'000;

std::string key_here(const Conversation& conversation, const KeptForm& form) {
  return form.key + reading_of_constants(*conversation.state.server);
}

bool is_known_unfit(const Conversation& conversation, const KeptForm& form) {
  return !conversation.unfit_forms.empty() &&
         conversation.unfit_forms.contains(std::hash<std::string>{}(key_here(conversation, form)));
}

std::string name_on_connection(Conversation& conversation, const std::string& key, const KeptForm& form,
                               const Part& part, std::size_t mark, const KeptSettings& before) {
  if (const std::string* name = conversation.state.server->statements.find(key)) return *name;
  return prepare_on_connection(conversation, key, form.rewritten->statements.front().sql, form.types,
                               PreparedStatements::Origin::kept,
                               {.step = Step::parse,
                                .protection = part.errors,
                                .mark = mark,
                                .before = before,
                                .shown = Expectation::Shown::not_at_all});
}

}  // namespace

bool may_run(const Conversation& conversation, const LetThrough& judged) {
  return judged.kept != nullptr && conversation.state.server != nullptr &&
         fits_as_kept(conversation, judged.kept->rewritten->statements.front().sql.size()) &&
         conversation.state.server->knows_statements && !conversation.is_unsynced &&
         !conversation.is_changing_settings && conversation.status != wire::TransactionStatus::failed &&
         !is_known_unfit(conversation, *judged.kept);
}

void run(Conversation& conversation, const KeptForm& form, const Part& part, std::size_t mark,
         const KeptSettings& before) {
  conversation.next_use.reset();
  const std::string key = key_here(conversation, form);
  const bool is_new = conversation.state.server->statements.find(key) == nullptr;
  const std::string name = name_on_connection(conversation, key, form, part, mark, before);
  const auto expect = [&](Expectation expectation) {
    expectation.protection = part.errors;
    expectation.mark = mark;
    expectation.before = before;
    conversation.expect(std::move(expectation));
  };
  conversation.state.to_backend(
      wire::Bind{.statement = name, .parameters = {form.values.begin(), form.values.end()}});
  expect(
      {.step = Step::bind, .shown = Expectation::Shown::not_at_all, .uses = {.key = key, .is_new = is_new}});
  conversation.state.to_backend(wire::Describe{.target = wire::Target::portal});
  expect({.step = Step::describe_portal, .origins = part.origins});
  conversation.state.to_backend(wire::Execute{});
  expect({.step = Step::execute});
  conversation.state.to_backend(wire::Sync{});
  expect({.step = Step::sync});
  conversation.is_unsynced = true;
}

// Its Parse is followed by the Bind that uses it, for no statement of the client.
bool is_unfit(const Conversation& conversation, const wire::ErrorResponse& error) {
  if (conversation.expected.size() < 2 || !sqlstate_of(error.diagnostics).starts_with("42")) return false;
  const Expectation& front = conversation.expected.front();
  const Expectation& next = *std::next(conversation.expected.begin());
  return front.step == Step::parse && !front.prepares.empty() && next.step == Step::bind &&
         next.uses.key == front.prepares && next.uses.there.empty();
}

void note_unfit(Conversation& conversation) {
  PGVEIL_ASSERT(!conversation.expected.empty());
  if (conversation.unfit_forms.size() >= kMostUnfit) conversation.unfit_forms.clear();
  conversation.unfit_forms.insert(std::hash<std::string>{}(conversation.expected.front().prepares));
}

void note_all_dropped(Conversation& conversation, Certain certain) {
  BackendState& server = *conversation.state.server;
  if (certain == Certain::yes) return server.statements.forget_all();
  server.knows_statements = false;
  close_all_later(conversation);
}

}  // namespace pgveil::session::kept_plan
