#pragma once
// What a client is told beside an answer (NoticeResponse), as a value. Its texts hold names, words of the
// data owner, and whole per cents that a reader could count too (docs/attack-model.md, "What readers
// are told"); never a value of a row.
#include <memory>
#include <string>
#include <vector>

namespace pgveil::rewriter {

struct Notice {
  std::string message;
  std::string hint = {};  // empty: none
  bool operator==(const Notice&) const = default;
};

// Of one statement.
struct Notices {
  // One for each masked table that it reads. A session is told each once, before the first answer that reads
  // the table. The Notice is the snapshot's, so the same table's differ from one version to the next.
  struct OfTable {
    std::string policy;  // whose reader the client is
    std::shared_ptr<const Notice> notice;
  };
  std::vector<OfTable> tables;
  // About conditions that hold for no row. They are told each time the text is judged.
  std::vector<Notice> conditions;
};

// What a statement does to what the client wants to be told.
enum class NoticeSwitch {
  untouched,
  on,
  off,
  reset,  // as when the session began
};
struct NoticeSwitches {
  NoticeSwitch own = NoticeSwitch::untouched;    // pgveil.notices
  NoticeSwitch level = NoticeSwitch::untouched;  // client_min_messages: off above notice
  bool operator==(const NoticeSwitches&) const = default;
};

}  // namespace pgveil::rewriter
