#pragma once
// A report as one HTML file that needs nothing else: no script, font or picture from elsewhere. Charts are
// inline SVG.
#include <string>
#include <string_view>
#include <vector>

namespace pgveil {

// Escapes for text and for attributes in double quotes.
[[nodiscard]] std::string html_text(std::string_view text);

struct Bar {
  std::string label;  // below it
  double height = 0;  // 0 or more
  std::string title;  // shown when pointed at
};

struct Figure {
  std::string name;
  std::string value;
  std::string note;
};

// Built from the top to the bottom. Every text is escaped here.
class HtmlPage {
 public:
  explicit HtmlPage(std::string_view title);
  void heading(std::string_view text);
  void paragraph(std::string_view text);
  void figures(const std::vector<Figure>& figures);
  void table(const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows);
  // axis: what the height of a bar means.
  void bars(std::string_view axis, const std::vector<Bar>& bars);
  [[nodiscard]] std::string finish() &&;

 private:
  std::string body_;
};

}  // namespace pgveil
