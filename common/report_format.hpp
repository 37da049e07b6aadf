#pragma once

namespace pgveil {

// In which form a report is written: for a terminal, for programs, or as a page that shows itself.
enum class ReportFormat { text, json, html };

}  // namespace pgveil
