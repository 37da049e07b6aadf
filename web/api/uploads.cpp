#include "web/api/uploads.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/files/whole_file.hpp"

namespace pgveil::app {
namespace {

Result<void> check_announced(const std::string& name, std::uint64_t bytes) {
  if (name.empty() || name.size() > Uploads::kMostNameBytes)
    return error_of_kind(ErrorKind::usage, "the file has no name, or one that is too long", "rename it");
  if (bytes == 0) return error_of_kind(ErrorKind::usage, "the file is empty", "choose another");
  if (bytes <= Uploads::kMostBytes) return {};
  return error_of_kind(ErrorKind::limit,
                       fmt::format("the file has more than {} MiB", Uploads::kMostBytes >> 20),
                       "larger ones are for pgveil anonymize, which has no such limit");
}

}  // namespace

UploadedFile::~UploadedFile() {
  ::unlink(path_.c_str());
}

Result<void> UploadedFile::append(std::string_view bytes) {
  if (!write_all(file_.get(), bytes)) return io_error("write", path_, errno);
  return {};
}

Result<std::string> Uploads::begin(const std::string& owner, const std::string& name, std::uint64_t bytes,
                                   Time now) {
  if (auto fits = check_announced(name, bytes); !fits) return fits.error();
  const std::lock_guard lock(mutex_);
  std::uint64_t in_all = bytes;
  for (const auto& [number, entry] : entries_) in_all += entry.info.bytes;
  if (entries_.size() >= kMostFiles || in_all > kMostBytesInAll)
    return error_of_kind(ErrorKind::limit, "there is no more room for uploads",
                         "remove some, or wait an hour");
  const std::uint64_t number = ++last_;
  const std::string id = fmt::format("u{}", number);
  const std::string path = fmt::format("{}/{}.csv", folder_, id);
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.is_open()) return io_error("create", path, errno);
  auto made = std::make_shared<UploadedFile>(path, std::move(file));
  entries_.emplace(number, Entry{owner, {id, name, bytes, 0}, std::move(made), now});
  return id;
}

// Another role's upload looks like one that does not exist.
Result<Uploads::Entry*> Uploads::find(const std::string& owner, const std::string& id) {
  const auto found = std::ranges::find_if(
      entries_, [&](const auto& it) { return it.second.info.id == id && it.second.owner == owner; });
  if (found != entries_.end()) return &found->second;
  return error_of_kind(ErrorKind::unknown_object, "there is no such upload",
                       "it was removed, or rested for an hour: upload the file again");
}

Result<std::uint64_t> Uploads::append(const std::string& owner, const std::string& id, std::uint64_t offset,
                                      std::string_view bytes, Time now) {
  const std::lock_guard lock(mutex_);
  const auto entry = find(owner, id);
  if (!entry) return entry.error();
  UploadInfo& info = (*entry)->info;
  if (offset != info.received || bytes.size() > info.bytes - info.received)
    return error_of_kind(ErrorKind::usage, "this part does not follow what is there",
                         "upload the file again");
  if (auto written = (*entry)->file->append(bytes); !written) {
    const Error error = written.error();
    std::erase_if(entries_, [&](const auto& it) { return it.second.info.id == id; });
    return error;
  }
  info.received += bytes.size();
  (*entry)->used = now;
  return info.received;
}

Result<std::shared_ptr<const UploadedFile>> Uploads::whole(const std::string& owner, const std::string& id,
                                                           Time now) {
  const std::lock_guard lock(mutex_);
  const auto entry = find(owner, id);
  if (!entry) return entry.error();
  if ((*entry)->info.received != (*entry)->info.bytes)
    return error_of_kind(ErrorKind::usage, "the upload is not complete",
                         "wait for it, or upload the file again");
  (*entry)->used = now;
  return std::shared_ptr<const UploadedFile>((*entry)->file);
}

Result<void> Uploads::drop(const std::string& owner, const std::string& id) {
  const std::lock_guard lock(mutex_);
  if (const auto entry = find(owner, id); !entry) return entry.error();
  std::erase_if(entries_, [&](const auto& it) { return it.second.info.id == id; });
  return {};
}

std::vector<UploadInfo> Uploads::of(const std::string& owner) const {
  const std::lock_guard lock(mutex_);
  std::vector<UploadInfo> out;
  for (const auto& [number, entry] : entries_) {
    if (entry.owner == owner) out.push_back(entry.info);
  }
  return out;
}

void Uploads::forget_old(Time now) {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const auto& it) { return now - it.second.used >= kKept; });
}

}  // namespace pgveil::app
