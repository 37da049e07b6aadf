#pragma once
// Tells the service manager how far the service is, in the way of systemd's Type=notify.
#include <string_view>

namespace pgveil::app {

// state: lines such as "READY=1" and "STATUS=serving". Does nothing without a service manager that listens
// (NOTIFY_SOCKET). A failure is ignored, because the manager notices what it does not hear.
void tell_service_manager(std::string_view state);

}  // namespace pgveil::app
