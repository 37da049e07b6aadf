#pragma once
// The SQLSTATE codes that pgveil itself answers with. Names are PostgreSQL's condition names.
#include <string_view>

namespace pgveil::sqlstate {

inline constexpr std::string_view kSuccessfulCompletion = "00000";
inline constexpr std::string_view kProtocolViolation = "08P01";
inline constexpr std::string_view kConnectionFailure = "08006";
inline constexpr std::string_view kSqlclientUnableToEstablish = "08001";
inline constexpr std::string_view kFeatureNotSupported = "0A000";
inline constexpr std::string_view kInvalidParameterValue = "22023";
inline constexpr std::string_view kCharacterNotInRepertoire = "22021";
inline constexpr std::string_view kNonstandardUseOfEscapeCharacter = "22P06";
inline constexpr std::string_view kInFailedTransaction = "25P02";
inline constexpr std::string_view kIdleInTransactionTimeout = "25P03";
inline constexpr std::string_view kInvalidSqlStatementName = "26000";
inline constexpr std::string_view kInvalidAuthorization = "28000";
inline constexpr std::string_view kInvalidPassword = "28P01";
inline constexpr std::string_view kInvalidCursorName = "34000";
inline constexpr std::string_view kInvalidCatalogName = "3D000";
inline constexpr std::string_view kSerializationFailure = "40001";
inline constexpr std::string_view kInsufficientPrivilege = "42501";
inline constexpr std::string_view kSyntaxError = "42601";
inline constexpr std::string_view kNameTooLong = "42622";
inline constexpr std::string_view kReservedName = "42939";
inline constexpr std::string_view kUndefinedColumn = "42703";
inline constexpr std::string_view kAmbiguousColumn = "42702";
inline constexpr std::string_view kUndefinedTable = "42P01";
inline constexpr std::string_view kUndefinedObject = "42704";
inline constexpr std::string_view kWrongObjectType = "42809";
inline constexpr std::string_view kDuplicatePreparedStatement = "42P05";
inline constexpr std::string_view kTooManyConnections = "53300";
inline constexpr std::string_view kProgramLimitExceeded = "54000";
inline constexpr std::string_view kStatementTooComplex = "54001";
inline constexpr std::string_view kObjectNotInPrerequisiteState = "55000";
inline constexpr std::string_view kObjectInUse = "55006";
inline constexpr std::string_view kQueryCanceled = "57014";
inline constexpr std::string_view kAdminShutdown = "57P01";
inline constexpr std::string_view kCannotConnectNow = "57P03";
inline constexpr std::string_view kIdleSessionTimeout = "57P05";
inline constexpr std::string_view kIoError = "58030";
inline constexpr std::string_view kInternalError = "XX000";

}  // namespace pgveil::sqlstate
