#pragma once
// In which form a report is written: for a terminal, for programs, or as a page that shows itself.

namespace pgveil {

enum class ReportFormat { text, json, html };

}  // namespace pgveil
