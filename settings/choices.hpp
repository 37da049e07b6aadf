#pragma once
// The words of keys that are a choice, and what each of them stands for (settings/options.cpp).
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "settings/config.hpp"

namespace pgveil::app {

inline constexpr std::array<std::pair<std::string_view, session::ClientAuthentication>, 2> kMethods{
    {{"scram-sha-256", session::ClientAuthentication::scram_sha_256},
     {"trust", session::ClientAuthentication::trust}}};
inline constexpr std::array<std::pair<std::string_view, ClientTls>, 5> kClientTls{
    {{"disable", ClientTls::disable},
     {"allow", ClientTls::allow},
     {"prefer", ClientTls::prefer},
     {"require", ClientTls::require},
     {"verify-ca", ClientTls::verify_ca}}};
inline constexpr std::array<std::pair<std::string_view, BackendTls>, 4> kBackendTls{
    {{"disable", BackendTls::disable},
     {"require", BackendTls::require},
     {"verify-ca", BackendTls::verify_ca},
     {"verify-full", BackendTls::verify_full}}};
inline constexpr std::array<std::pair<std::string_view, net::TlsNegotiation>, 2> kNegotiations{
    {{"postgres", net::TlsNegotiation::postgres}, {"direct", net::TlsNegotiation::direct}}};
inline constexpr std::array<std::pair<std::string_view, std::uint16_t>, 2> kProtocols{
    {{"3.0", std::uint16_t{0}}, {"3.2", wire::kNewestMinor}}};
inline constexpr std::array<std::pair<std::string_view, WantedServer>, 7> kWantedServers{
    {{"any", WantedServer::any},
     {"primary", WantedServer::primary},
     {"standby", WantedServer::standby},
     {"prefer-primary", WantedServer::prefer_primary},
     {"prefer-standby", WantedServer::prefer_standby},
     {"read-write", WantedServer::primary},
     {"read-only", WantedServer::standby}}};
inline constexpr std::array<std::pair<std::string_view, bool>, 2> kChannelBinding{
    {{"prefer", false}, {"require", true}}};
inline constexpr std::array<std::pair<std::string_view, rewriter::MaskChoice>, 4> kMaskForms{
    {{"cheapest", rewriter::MaskChoice::cheapest},
     {"by_column", rewriter::MaskChoice::by_column},
     {"by_row", rewriter::MaskChoice::by_row},
     {"by_bitmap", rewriter::MaskChoice::by_bitmap}}};
inline constexpr std::array<std::pair<std::string_view, rewriter::Estimates>, 3> kEstimates{
    {{"none", rewriter::Estimates::none},
     {"large_tables", rewriter::Estimates::large_tables},
     {"all_tables", rewriter::Estimates::all_tables}}};
inline constexpr std::array<std::pair<std::string_view, log::Level>, 4> kLevels{
    {{"debug", log::Level::debug},
     {"info", log::Level::info},
     {"warning", log::Level::warning},
     {"error", log::Level::error}}};
inline constexpr std::array<std::pair<std::string_view, log::Format>, 2> kFormats{
    {{"text", log::Format::text}, {"json", log::Format::json}}};

}  // namespace pgveil::app
