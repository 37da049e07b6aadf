#pragma once
// One message of every kind, with every field away from its default, and the edge values a field may take.
#include <vector>

#include "proxy/wire/backend.hpp"
#include "proxy/wire/frontend.hpp"

namespace pgveil::wire::samples {

inline std::vector<FrontendMessage> frontend() {
  return {Bind{.portal = "p",
               .statement = "s",
               .parameter_formats = {0, 1},
               .parameters = {"text", std::nullopt, "", std::string("\0\x01", 2)},
               .result_formats = {1}},
          Bind{},
          Close{.target = Target::portal, .name = "p"},
          CopyData{{std::string("a\0b", 3)}},
          CopyDone{},
          CopyFail{"no more"},
          Describe{.target = Target::statement, .name = "s"},
          Execute{.portal = "p", .row_limit = 10},
          Execute{.portal = "", .row_limit = -1},
          Flush{},
          FunctionCall{.function_oid = 4'000'000'000,
                       .argument_formats = {1},
                       .arguments = {"x", std::nullopt},
                       .result_format = 1},
          Parse{.statement = "s", .sql = "SELECT $1", .parameter_types = {25, 0xffffffff}},
          Query{"SELECT 'é'"},
          Sync{},
          Terminate{}};
}

inline std::vector<BackendMessage> backend() {
  return {AuthenticationOk{},
          AuthenticationKerberosV5{},
          AuthenticationCleartextPassword{},
          AuthenticationMd5Password{{1, 2, 3, 255}},
          AuthenticationScmCredential{},
          AuthenticationGss{},
          AuthenticationGssContinue{{"token"}},
          AuthenticationSspi{},
          AuthenticationSasl{{{"SCRAM-SHA-256-PLUS", "SCRAM-SHA-256"}}},
          AuthenticationSaslContinue{{"r=nonce"}},
          AuthenticationSaslFinal{{"v=proof"}},
          BackendKeyData{.pid = 1, .secret = {"\xde\xad\xbe\xef"}},
          BackendKeyData{.pid = 1, .secret = {std::string(256, '\xff')}},
          BindComplete{},
          CloseComplete{},
          CommandComplete{"SELECT 1"},
          CopyInResponse{.format = 1, .column_formats = {1, 1}},
          CopyOutResponse{.format = 0, .column_formats = {0}},
          CopyBothResponse{.format = -1, .column_formats = {}},
          CopyData{{"row\n"}},
          CopyDone{},
          DataRow{{"a", std::nullopt, ""}},
          EmptyQueryResponse{},
          ErrorResponse{{{{'S', "ERROR"}, {'C', "42601"}, {'M', "no"}}}},
          FunctionCallResponse{std::nullopt},
          FunctionCallResponse{"1"},
          NegotiateProtocolVersion{.newest = 3 << 16, .unknown_options = {{"_pq_.a", "_pq_.b"}}},
          NoData{},
          NoticeResponse{{{{'M', "hello"}}}},
          NotificationResponse{.pid = 7, .channel = "c", .payload = "p"},
          ParameterDescription{{25, 23}},
          ParameterStatus{.name = "TimeZone", .value = "UTC"},
          ParseComplete{},
          PortalSuspended{},
          ReadyForQuery{TransactionStatus::failed},
          RowDescription{{{.name = "city",
                           .table_oid = 16384,
                           .column_number = 3,
                           .type_oid = 25,
                           .type_size = -1,
                           .type_modifier = -1,
                           .format = 1},
                          {}}}};
}

}  // namespace pgveil::wire::samples
