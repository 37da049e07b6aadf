#pragma once
// The texts of Apache Arrow's values (see columnar_file.hpp). For the sources of this folder that include the
// library.
#include <arrow/api.h>
#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "common/error.hpp"

namespace pgveil::app {

// False: the value is NULL. Errors: the value has no text; their messages begin with "has".
using Text = Result<bool>;

[[nodiscard]] std::int64_t ticks_per_second(arrow::TimeUnit::type unit);

// Each of them appends the text of one value to `to`.
// days: since 1970-01-01.
[[nodiscard]] Text add_date(std::int64_t days, std::string& to);
[[nodiscard]] Text add_date_of_milliseconds(std::int64_t milliseconds, std::string& to);
// ticks: since midnight.
[[nodiscard]] Text add_time(std::int64_t ticks, arrow::TimeUnit::type unit, std::string& to);
// ticks: since 1970-01-01 00:00, in UTC if the type has a time zone.
[[nodiscard]] Text add_timestamp(std::int64_t ticks, const arrow::TimestampType& type, std::string& to);
[[nodiscard]] Text add_number(double value, std::string& to);
[[nodiscard]] Text add_number(float value, std::string& to);
template <std::integral Number>
Text add_number(Number value, std::string& to) {
  fmt::format_to(std::back_inserter(to), "{}", value);
  return true;
}
// digits: of a whole number; the point comes `scale` digits from the right.
[[nodiscard]] Text add_decimal(std::string_view digits, std::int32_t scale, std::string& to);
[[nodiscard]] Text add_string(std::string_view value, std::string& to);

// Calls work(text_of): text_of(row, to) appends the text of a row that is not null. False: no value of the
// array's type has a text, and nothing is called.
template <class Work>
bool with_texts(const arrow::Array& array, Work&& work) {
  const auto numbers = [&]<class Array>(const Array& of) {
    work([&](std::int64_t row, std::string& to) { return add_number(of.Value(row), to); });
    return true;
  };
  const auto strings = [&]<class Array>(const Array& of) {
    work([&](std::int64_t row, std::string& to) { return add_string(of.GetView(row), to); });
    return true;
  };
  const auto times = [&]<class Array>(const Array& of) {
    const auto unit = static_cast<const arrow::TimeType&>(*of.type()).unit();
    work([&, unit](std::int64_t row, std::string& to) { return add_time(of.Value(row), unit, to); });
    return true;
  };
  const auto decimals = [&]<class Value, class Array>(Value, const Array& of) {
    const auto scale = static_cast<const arrow::DecimalType&>(*of.type()).scale();
    work([&, scale](std::int64_t row, std::string& to) {
      return add_decimal(Value(of.GetValue(row)).ToIntegerString(), scale, to);
    });
    return true;
  };
  switch (array.type_id()) {
    case arrow::Type::NA: work([](std::int64_t, std::string&) -> Text { return false; }); return true;
    case arrow::Type::BOOL:
      work([&](std::int64_t row, std::string& to) -> Text {
        to += static_cast<const arrow::BooleanArray&>(array).Value(row) ? "true" : "false";
        return true;
      });
      return true;
    case arrow::Type::INT8: return numbers(static_cast<const arrow::Int8Array&>(array));
    case arrow::Type::INT16: return numbers(static_cast<const arrow::Int16Array&>(array));
    case arrow::Type::INT32: return numbers(static_cast<const arrow::Int32Array&>(array));
    case arrow::Type::INT64: return numbers(static_cast<const arrow::Int64Array&>(array));
    case arrow::Type::UINT8: return numbers(static_cast<const arrow::UInt8Array&>(array));
    case arrow::Type::UINT16: return numbers(static_cast<const arrow::UInt16Array&>(array));
    case arrow::Type::UINT32: return numbers(static_cast<const arrow::UInt32Array&>(array));
    case arrow::Type::UINT64: return numbers(static_cast<const arrow::UInt64Array&>(array));
    case arrow::Type::FLOAT: return numbers(static_cast<const arrow::FloatArray&>(array));
    case arrow::Type::DOUBLE: return numbers(static_cast<const arrow::DoubleArray&>(array));
    case arrow::Type::STRING: return strings(static_cast<const arrow::StringArray&>(array));
    case arrow::Type::LARGE_STRING: return strings(static_cast<const arrow::LargeStringArray&>(array));
    case arrow::Type::STRING_VIEW: return strings(static_cast<const arrow::StringViewArray&>(array));
    case arrow::Type::DATE32:
      work([&](std::int64_t row, std::string& to) {
        return add_date(static_cast<const arrow::Date32Array&>(array).Value(row), to);
      });
      return true;
    case arrow::Type::DATE64:
      work([&](std::int64_t row, std::string& to) {
        return add_date_of_milliseconds(static_cast<const arrow::Date64Array&>(array).Value(row), to);
      });
      return true;
    case arrow::Type::TIMESTAMP:
      work([&](std::int64_t row, std::string& to) {
        return add_timestamp(static_cast<const arrow::TimestampArray&>(array).Value(row),
                             static_cast<const arrow::TimestampType&>(*array.type()), to);
      });
      return true;
    case arrow::Type::TIME32: return times(static_cast<const arrow::Time32Array&>(array));
    case arrow::Type::TIME64: return times(static_cast<const arrow::Time64Array&>(array));
    case arrow::Type::DECIMAL32:
      return decimals(arrow::Decimal32(), static_cast<const arrow::Decimal32Array&>(array));
    case arrow::Type::DECIMAL64:
      return decimals(arrow::Decimal64(), static_cast<const arrow::Decimal64Array&>(array));
    case arrow::Type::DECIMAL128:
      return decimals(arrow::Decimal128(), static_cast<const arrow::Decimal128Array&>(array));
    case arrow::Type::DECIMAL256:
      return decimals(arrow::Decimal256(), static_cast<const arrow::Decimal256Array&>(array));
    default: return false;  // nested, binary, or a type of a later release
  }
}

// Whether the values of a type have texts. Those of a dictionary have them if the type of its values has.
[[nodiscard]] bool has_texts(const arrow::DataType& type);

}  // namespace pgveil::app
