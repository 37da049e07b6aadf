#pragma once
// The files that `pgveil init` writes into one folder. A file that is there is kept, unless it may be
// replaced; secrets and users always are.
#include <string>
#include <vector>

#include "common/error.hpp"
#include "draft/draft.hpp"

namespace pgveil::app {

enum class ExistingFiles { keep, replace };

class InitFolder {
 public:
  // Whether open() would find nothing in its way. Makes nothing.
  [[nodiscard]] static Result<void> check(const std::string& path, ExistingFiles existing);
  // Makes the folder, with mode 0700. Errors: ErrorKind::usage: there is a configuration, a policy or a
  // setup.sql already (ExistingFiles::keep); ErrorKind::io.
  [[nodiscard]] static Result<InitFolder> open(const std::string& path, ExistingFiles existing);

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] bool has(const std::string& name) const;

  // The password in this file, or a new one, which is written to it. Errors: as read_trusted.
  struct Password {
    std::string text;
    bool is_new = false;
  };
  [[nodiscard]] Result<Password> password(const std::string& name) const;
  [[nodiscard]] Result<void> write(const std::string& name, const std::string& text) const;
  // Adds a user whose password is the one of a file; an existing user is kept unchanged.
  enum class UserState { added, kept };
  [[nodiscard]] Result<UserState> add_user(const std::string& name, const std::string& password) const;

 private:
  explicit InitFolder(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

}  // namespace pgveil::app
