//===- SoftcapAssembly.cpp - Custom assembly of softcap ops ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The clause syntax shared by softcap.attention and softcap.online_attention,
// and the cap clause of all ops: cap(50.0) or cap(%c : f32).
//
//===----------------------------------------------------------------------===//

#include "SoftcapAssembly.h"

#include "llvm/ADT/StringSet.h"

#include <charconv>

using namespace mlir;
using namespace mlir::softcap;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Prints the shortest decimal that reads back as the same double, always with
/// a point, 50.0; hexadecimal bits for what is not finite.
static void printDouble(OpAsmPrinter &p, const APFloat &value) {
  if (!value.isFinite()) {
    p.printFloat(value);
    return;
  }
  char buffer[32];
  std::to_chars_result end = std::to_chars(std::begin(buffer), std::end(buffer),
                                           value.convertToDouble());
  StringRef digits(buffer, end.ptr - buffer);
  if (digits.contains('.')) {
    p << digits;
    return;
  }
  auto [mantissa, exponent] = digits.split('e');
  p << mantissa << ".0";
  if (!exponent.empty())
    p << "e" << exponent;
}

ParseResult softcap::parseNumber(OpAsmParser &parser, FloatAttr &attr) {
  APFloat number(APFloat::IEEEdouble());
  if (parser.parseFloat(APFloat::IEEEdouble(), number))
    return failure();
  attr = FloatAttr::get(parser.getBuilder().getF64Type(), number);
  return success();
}

void softcap::printNumber(OpAsmPrinter &p, Operation *, FloatAttr attr) {
  printDouble(p, attr.getValue());
}

//===----------------------------------------------------------------------===//
// cap(...)
//===----------------------------------------------------------------------===//

static ParseResult
parseCapBody(OpAsmParser &parser, FloatAttr &cap,
             std::optional<OpAsmParser::UnresolvedOperand> &value, Type &type) {
  OpAsmParser::UnresolvedOperand operand;
  if (parser.parseLParen())
    return failure();
  if (parser.parseOptionalOperand(operand).has_value()) {
    value = operand;
    return failure(parser.parseColonType(type) || parser.parseRParen());
  }
  return failure(parseNumber(parser, cap) || parser.parseRParen());
}

ParseResult
softcap::parseCap(OpAsmParser &parser, FloatAttr &cap,
                  std::optional<OpAsmParser::UnresolvedOperand> &value,
                  Type &type) {
  return failure(parser.parseKeyword("cap") ||
                 parseCapBody(parser, cap, value, type));
}

void softcap::printCap(OpAsmPrinter &p, Operation *, FloatAttr cap, Value value,
                       Type type) {
  p << "cap(";
  if (cap)
    printDouble(p, cap.getValue());
  else if (value)
    p << value << " : " << type;
  p << ")";
}

//===----------------------------------------------------------------------===//
// Attention clauses
//===----------------------------------------------------------------------===//

namespace {
/// Operands and properties gathered while the clauses are read.
template <typename OpTy>
class ClauseParser {
public:
  using Properties = typename OpTy::Properties;

  ClauseParser(OpAsmParser &parser, OperationState &state)
      : parser(parser), state(state),
        props(state.getOrAddProperties<Properties>()) {}

  /// Reads `ins(...) clause* outs(...)` with `fixedOuts` destinations.
  ParseResult parse() {
    if (parser.parseKeyword("ins") || parseGroup({&query, &key, &value}))
      return failure();
    llvm::SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    while (succeeded(parser.parseOptionalKeyword(&keyword))) {
      if (keyword == "outs")
        return parseOuts();
      if (!seen.insert(keyword).second)
        return parser.emitError(loc, "clause '") << keyword << "' given twice";
      if (parseClause(keyword, loc))
        return failure();
      loc = parser.getCurrentLocation();
    }
    return parser.emitError(loc, "expected a clause or 'outs'");
  }

private:
  struct Slot {
    OpAsmParser::UnresolvedOperand operand;
    Type type;
    bool present = false;
  };

  ParseResult parseGroup(ArrayRef<Slot *> slots) {
    if (parser.parseLParen())
      return failure();
    for (auto [i, slot] : llvm::enumerate(slots)) {
      if ((i && parser.parseComma()) || parser.parseOperand(slot->operand))
        return failure();
      slot->present = true;
    }
    if (parser.parseColon())
      return failure();
    for (auto [i, slot] : llvm::enumerate(slots))
      if ((i && parser.parseComma()) || parser.parseType(slot->type))
        return failure();
    return parser.parseRParen();
  }

  ParseResult parseDouble(FloatAttr &attr) {
    return failure(parser.parseLParen() || parseNumber(parser, attr) ||
                   parser.parseRParen());
  }

  ParseResult parseInteger(IntegerAttr &attr) {
    int64_t number;
    if (parser.parseLParen() || parser.parseInteger(number) ||
        parser.parseRParen())
      return failure();
    attr = parser.getBuilder().getI64IntegerAttr(number);
    return success();
  }

  /// offset(3) or offset(%p), the latter an index.
  ParseResult parseOffset() {
    if (parser.parseLParen())
      return failure();
    if (parser.parseOptionalOperand(offset.operand).has_value()) {
      offset.present = true;
      offset.type = parser.getBuilder().getIndexType();
      return parser.parseRParen();
    }
    int64_t number;
    if (parser.parseInteger(number) || parser.parseRParen())
      return failure();
    props.offset = parser.getBuilder().getI64IntegerAttr(number);
    return success();
  }

  template <typename EnumAttr, typename Enum>
  ParseResult parseEnum(EnumAttr &attr,
                        std::optional<Enum> (*symbolize)(StringRef),
                        StringRef what) {
    StringRef name;
    llvm::SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    std::optional<Enum> symbol = symbolize(name);
    if (!symbol)
      return parser.emitError(loc, "unknown ") << what << " '" << name << "'";
    attr = EnumAttr::get(parser.getContext(), *symbol);
    return success();
  }

  ParseResult parseClause(StringRef keyword, llvm::SMLoc loc) {
    if (keyword == "cap") {
      std::optional<OpAsmParser::UnresolvedOperand> operand;
      if (parseCapBody(parser, props.cap, operand, capValue.type))
        return failure();
      if ((capValue.present = operand.has_value()))
        capValue.operand = *operand;
      return success();
    }
    if (keyword == "pre_scale")
      return parseDouble(props.pre_scale);
    if (keyword == "post_scale")
      return parseDouble(props.post_scale);
    if (keyword == "pre_bias")
      return parseGroup({&preBias});
    if (keyword == "post_bias")
      return parseGroup({&postBias});
    if (keyword == "causal") {
      props.causal = parser.getBuilder().getUnitAttr();
      return success();
    }
    if (keyword == "offset")
      return parseOffset();
    if (keyword == "window_left")
      return parseInteger(props.window_left);
    if (keyword == "window_right")
      return parseInteger(props.window_right);
    if (keyword == "mask")
      return parseGroup({&mask});
    if (keyword == "lengths")
      return parseGroup({&lengths});
    if (keyword == "segments")
      return parseGroup({&querySegments, &keySegments});
    if (keyword == "masked_rows")
      return parseEnum<MaskedRowsAttr, MaskedRows>(
          props.masked_rows, symbolizeMaskedRows, "masked_rows");
    if (keyword == "accuracy")
      return parseEnum<AccuracyAttr, Accuracy>(props.accuracy,
                                               symbolizeAccuracy, "accuracy");
    if constexpr (std::is_same_v<OpTy, AttentionOp>)
      if (keyword == "sinks")
        return parseGroup({&sinks});
    return parser.emitError(loc, "unknown clause '") << keyword << "'";
  }

  ParseResult parseOuts() {
    if constexpr (std::is_same_v<OpTy, AttentionOp>) {
      if (parseGroup({&outs[0]}))
        return failure();
      if (succeeded(parser.parseOptionalKeyword("lse")) &&
          parseGroup({&outs[1]}))
        return failure();
    } else if (parseGroup({&outs[0], &outs[1], &outs[2]})) {
      return failure();
    }
    return parser.parseOptionalAttrDict(state.attributes);
  }

public:
  /// Resolves the operands in the order of the op's definition and infers
  /// results.
  ParseResult finish() {
    SmallVector<Slot *> order = {
        &query, &key,     &value,         &capValue,    &preBias, &postBias,
        &mask,  &lengths, &querySegments, &keySegments, &offset};
    if constexpr (std::is_same_v<OpTy, AttentionOp>)
      order.append({&sinks, &outs[0], &outs[1]});
    else
      order.append({&outs[0], &outs[1], &outs[2]});
    for (auto [i, slot] : llvm::enumerate(order)) {
      props.operandSegmentSizes[i] = slot->present;
      if (slot->present &&
          parser.resolveOperand(slot->operand, slot->type, state.operands))
        return failure();
    }
    for (Slot &slot : outs)
      if (slot.present && isa<TensorType>(slot.type))
        state.addTypes(slot.type);
    return success();
  }

private:
  OpAsmParser &parser;
  OperationState &state;
  Properties &props;
  llvm::StringSet<> seen;
  Slot query, key, value, capValue, preBias, postBias, mask, lengths,
      querySegments, keySegments, offset, sinks;
  Slot outs[3];
};

template <typename OpTy>
ParseResult parseAttention(OpAsmParser &parser, OperationState &state) {
  ClauseParser<OpTy> clauses(parser, state);
  return failure(clauses.parse() || clauses.finish());
}

void printGroup(OpAsmPrinter &p, StringRef keyword, ArrayRef<Value> values) {
  if (!values.front())
    return;
  p << " " << keyword << "(";
  llvm::interleaveComma(values, p, [&](Value v) { p << v; });
  p << " : ";
  llvm::interleaveComma(values, p, [&](Value v) { p << v.getType(); });
  p << ")";
}

void printScale(OpAsmPrinter &p, StringRef keyword, const APFloat &scale) {
  if (scale.isExactlyValue(1.0))
    return;
  p << " " << keyword << "(";
  printDouble(p, scale);
  p << ")";
}

void printInteger(OpAsmPrinter &p, StringRef keyword, IntegerAttr attr) {
  if (attr)
    p << " " << keyword << "(" << attr.getInt() << ")";
}

template <typename OpTy>
void printClauses(OpAsmPrinter &p, OpTy op) {
  printGroup(p, "ins", {op.getQuery(), op.getKey(), op.getValue()});
  if (op.getCapAttr() || op.getCapValue()) {
    p << " ";
    printCap(p, op, op.getCapAttr(), op.getCapValue(),
             op.getCapValue() ? op.getCapValue().getType() : Type());
  }
  printScale(p, "pre_scale", op.getPreScale());
  printGroup(p, "pre_bias", {op.getPreBias()});
  printScale(p, "post_scale", op.getPostScale());
  printGroup(p, "post_bias", {op.getPostBias()});
  if (op.getCausal())
    p << " causal";
  printInteger(p, "offset", op.getOffsetAttr());
  if (op.getOffsetValue())
    p << " offset(" << op.getOffsetValue() << ")";
  printInteger(p, "window_left", op.getWindowLeftAttr());
  printInteger(p, "window_right", op.getWindowRightAttr());
  printGroup(p, "mask", {op.getMask()});
  printGroup(p, "lengths", {op.getLengths()});
  printGroup(p, "segments", {op.getQuerySegments(), op.getKeySegments()});
  if constexpr (std::is_same_v<OpTy, AttentionOp>)
    printGroup(p, "sinks", {op.getSinks()});
  if (op.getMaskedRows() != MaskedRows::zero)
    p << " masked_rows " << stringifyMaskedRows(op.getMaskedRows());
  if (op.getAccuracy() != Accuracy::fast)
    p << " accuracy " << stringifyAccuracy(op.getAccuracy());
}

template <typename OpTy>
void printAttributes(OpAsmPrinter &p, OpTy op) {
  SmallVector<StringRef> elided(OpTy::getAttributeNames());
  p.printOptionalAttrDict(op->getAttrs(), elided);
}
} // namespace

ParseResult AttentionOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseAttention<AttentionOp>(parser, state);
}

void AttentionOp::print(OpAsmPrinter &p) {
  printClauses(p, *this);
  printGroup(p, "outs", {getOutput()});
  printGroup(p, "lse", {getLse()});
  printAttributes(p, *this);
}

ParseResult OnlineAttentionOp::parse(OpAsmParser &parser,
                                     OperationState &state) {
  return parseAttention<OnlineAttentionOp>(parser, state);
}

void OnlineAttentionOp::print(OpAsmPrinter &p) {
  printClauses(p, *this);
  printGroup(p, "outs", {getAccumulator(), getMax(), getSum()});
  printAttributes(p, *this);
}
