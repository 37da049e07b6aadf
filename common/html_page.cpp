#include "common/html_page.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pgveil {
namespace {

// The policy makes a browser refuse to load anything that a mistake here would reference.
constexpr std::string_view kHead =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>";
constexpr std::string_view kStyle =
    "</title>\n<style>\n"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#1d2733}\n"
    "h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}\n"
    "table{border-collapse:collapse}th,td{text-align:left;padding:.25rem .9rem .25rem 0;border-bottom:1px "
    "solid "
    "#d8dee6;vertical-align:top}\n"
    "dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(12rem,1fr));gap:1rem}\n"
    "dl div{border:1px solid #d8dee6;border-radius:6px;padding:.6rem .9rem}dt{color:#5b6775}\n"
    "dd{margin:0}dd.v{font-size:1.35rem}dd.n{font-size:.85rem;color:#5b6775}\n"
    "svg text{font:11px system-ui,sans-serif;fill:#5b6775}rect{fill:#2f6f9f}\n</style>\n</head>\n<body>\n";

constexpr double kChartHeight = 180, kBarWidth = 34, kBarGap = 10, kLabelHeight = 34;

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
    }
  }
  return out;
}

HtmlPage::HtmlPage(std::string_view title) {
  body_ = fmt::format("{}{}{}<h1>{}</h1>\n", kHead, html_text(title), kStyle, html_text(title));
}

void HtmlPage::heading(std::string_view text) {
  body_ += fmt::format("<h2>{}</h2>\n", html_text(text));
}

void HtmlPage::paragraph(std::string_view text) {
  body_ += fmt::format("<p>{}</p>\n", html_text(text));
}

void HtmlPage::figures(const std::vector<Figure>& figures) {
  body_ += "<dl>\n";
  for (const auto& figure : figures) {
    body_ += fmt::format("<div><dt>{}</dt><dd class=\"v\">{}</dd><dd class=\"n\">{}</dd></div>\n",
                         html_text(figure.name), html_text(figure.value), html_text(figure.note));
  }
  body_ += "</dl>\n";
}

void HtmlPage::table(const std::vector<std::string>& columns,
                     const std::vector<std::vector<std::string>>& rows) {
  const auto add = [this](const std::vector<std::string>& cells, std::string_view tag) {
    body_ += "<tr>";
    for (const auto& cell : cells) body_ += fmt::format("<{0}>{1}</{0}>", tag, html_text(cell));
    body_ += "</tr>\n";
  };
  body_ += "<table>\n";
  add(columns, "th");
  for (const auto& row : rows) add(row, "td");
  body_ += "</table>\n";
}

void HtmlPage::bars(std::string_view axis, const std::vector<Bar>& bars) {
  double highest = 0;
  for (const auto& bar : bars) highest = std::max(highest, bar.height);
  const double width = (kBarWidth + kBarGap) * static_cast<double>(bars.size()) + kBarGap;
  body_ += fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"{}\" width=\"{:.0f}\" "
      "height=\"{:.0f}\">\n",
      html_text(axis), std::max(width, 200.0), kChartHeight + kLabelHeight + 16);
  body_ += fmt::format("<text x=\"0\" y=\"11\">{}</text>\n", html_text(axis));
  double left = kBarGap;
  for (const auto& bar : bars) {
    const double height = highest > 0 ? bar.height / highest * (kChartHeight - 20) : 0;
    body_ += fmt::format(
        "<g><title>{}</title><rect x=\"{:.0f}\" y=\"{:.1f}\" width=\"{:.0f}\" height=\"{:.1f}\"/>"
        "<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"middle\">{}</text></g>\n",
        html_text(bar.title), left, 16 + kChartHeight - height, kBarWidth, height, left + kBarWidth / 2,
        kChartHeight + 32, html_text(bar.label));
    left += kBarWidth + kBarGap;
  }
  body_ += "</svg>\n";
}

std::string HtmlPage::finish() && {
  body_ += "</body>\n</html>\n";
  return std::move(body_);
}

}  // namespace pgveil
