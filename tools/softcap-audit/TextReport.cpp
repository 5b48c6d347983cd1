//===- TextReport.cpp - Reports for people --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line per surface and finding, in the format of compilers.
//
//===----------------------------------------------------------------------===//

#include "TextReport.h"

#include "llvm/Support/Format.h"

using namespace mlir::softcap;
using llvm::raw_ostream;
using llvm::StringRef;
namespace json = llvm::json;

namespace {
class Printer {
public:
  Printer(const json::Object &report, raw_ostream &os, bool color)
      : report(report), os(os), color(color),
        file(report.getString("file").value_or("")) {}
  void print();

private:
  void position(const json::Object *location);
  void severity(StringRef text);
  void surface(const json::Object &s);
  void finding(const json::Object &f);

  const json::Object &report;
  raw_ostream &os;
  bool color;
  StringRef file;
};
} // namespace

/// `FILE:LINE:COLUMN: `, with the front end's file where there is one.
void Printer::position(const json::Object *location) {
  StringRef name = file;
  if (location)
    if (auto own = location->getString("file"))
      name = *own;
  os << name << ":";
  if (location)
    if (auto line = location->getInteger("line"))
      os << *line << ":" << location->getInteger("column").value_or(1) << ":";
  os << " ";
}

void Printer::severity(StringRef text) {
  auto hue = text == "error"     ? raw_ostream::RED
             : text == "warning" ? raw_ostream::MAGENTA
                                 : raw_ostream::CYAN;
  if (color)
    os.changeColor(hue, /*Bold=*/true);
  os << text << ":";
  if (color)
    os.resetColor();
  os << " ";
}

void Printer::surface(const json::Object &s) {
  os << "  " << *s.getString("kind");
  if (auto layer = s.getInteger("layer"))
    os << " " << *layer;
  os << " in @" << *s.getString("function") << ": ";
  if (auto cap = s.getNumber("cap"))
    os << llvm::format("cap %g", *cap);
  else
    os << (s.getString("cap") ? "symbolic cap" : "no cap");
  os << llvm::format(", scale %g", s.getNumber("operand_scale").value_or(1) *
                                       s.getNumber("pre_scale").value_or(1));
  double post = s.getNumber("post_scale").value_or(1);
  if (post != 1)
    os << llvm::format(", then times %g", post);
  os << ", " << *s.getString("verdict") << " (";
  bool first = true;
  for (const json::Value &step : *s.getArray("order")) {
    os << (first ? "" : ", ") << step.getAsString().value_or("");
    first = false;
  }
  os << ")\n";
}

void Printer::finding(const json::Object &f) {
  position(f.getObject("location"));
  severity(*f.getString("severity"));
  if (auto rule = f.getString("rule"))
    os << *rule << " ";
  os << *f.getString("name") << ": " << *f.getString("message");
  if (f.getBoolean("suppressed").value_or(false))
    os << " [suppressed]";
  os << "\n";
  for (const json::Value &note : *f.getArray("related")) {
    const json::Object &n = *note.getAsObject();
    position(n.getObject("location"));
    severity("note");
    os << *n.getString("message") << "\n";
  }
}

void Printer::print() {
  if (const json::Object *error = report.getObject("error")) {
    position(error->getObject("location"));
    severity("error");
    // One line, whatever the parser says.
    for (char c : error->getString("message").value_or("unreadable"))
      os << (c == '\n' ? ' ' : c);
    os << "\n";
    return;
  }
  for (const json::Value &f : *report.getArray("findings"))
    finding(*f.getAsObject());
  os << file << ": " << *report.getString("verdict") << "\n";
  for (const json::Value &s : *report.getArray("surfaces"))
    surface(*s.getAsObject());
}

void mlir::softcap::printText(const json::Object &report, raw_ostream &os,
                              bool color) {
  Printer(report, os, color).print();
}
