//===- InputScan.cpp - Limits on untrusted input --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass over the bytes: size, then the depth of brackets outside of strings
// and comments.
//
//===----------------------------------------------------------------------===//

#include "softcap/Support/InputScan.h"

#include "llvm/ADT/Twine.h"

using namespace mlir::softcap;

static constexpr size_t kMaxBytes = size_t(1) << 30;
static constexpr unsigned kMaxDepth = 256;

/// The end of the string or comment that begins at `i`, or `i`.
static size_t skipOpaqueText(llvm::StringRef text, size_t i) {
  if (text[i] == '"') {
    for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
      if (text[i] == '\\')
        ++i;
    return i;
  }
  if (text[i] == '/' && i + 1 < text.size() && text[i + 1] == '/')
    return std::min(text.find('\n', i), text.size() - 1);
  return i;
}

std::optional<InputFault> mlir::softcap::scanInput(llvm::StringRef text) {
  if (text.size() > kMaxBytes)
    return InputFault{"the file is larger than 1 GiB"};
  if (text.starts_with("ML\xefR"))
    return std::nullopt; // bytecode
  unsigned depth = 0, line = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    i = skipOpaqueText(text, i);
    if (i >= text.size())
      break;
    switch (text[i]) {
    case '\n':
      ++line;
      break;
    case '(':
    case '[':
    case '{':
    case '<':
      if (++depth > kMaxDepth)
        return InputFault{("brackets are nested more than " +
                           llvm::Twine(kMaxDepth) + " deep")
                              .str(),
                          line};
      break;
    case '>':
      // An arrow closes nothing.
      if (i > 0 && (text[i - 1] == '-' || text[i - 1] == '='))
        break;
      [[fallthrough]];
    case ')':
    case ']':
    case '}':
      depth -= depth > 0;
      break;
    default:
      break;
    }
  }
  return std::nullopt;
}
