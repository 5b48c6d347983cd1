//===- SoftcapBase.td - Softcap dialect definition ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect, its enumerations, and the type constraints its ops share.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_BASE_TD
#define SOFTCAP_BASE_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Softcap_Dialect : Dialect {
  let name = "softcap";
  let cppNamespace = "::mlir::softcap";
  let summary = "Tanh logit soft-capping as part of the model.";
  let description = [{
    A soft cap is `c * tanh(x / c)`. Models such as Gemma 2 and Grok-1 apply it
    to attention scores and to vocabulary logits. It is part of the model: the
    ops of this dialect keep its value, its place (against scale, bias, mask and
    temperature) and the accuracy it must be computed in, down to the lowering.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def Softcap_Accuracy : I32EnumAttr<"Accuracy",
    "How exactly a cap is computed; never changed silently", [
    I32EnumAttrCase<"precise", 0>,  // <= 2 ulp of the compute type, near zero too
    I32EnumAttrCase<"fast", 1>,     // absolute error <= 1.5e-5 in the score
    I32EnumAttrCase<"approx", 2>    // hardware tanh; GPU only, on request
  ]> {
  let cppNamespace = "::mlir::softcap";
  let genSpecializedAttr = 0;
}
def Softcap_AccuracyAttr : EnumAttr<Softcap_Dialect, Softcap_Accuracy, "accuracy">;

def Softcap_MaskedRows : I32EnumAttr<"MaskedRows",
    "Result of a row without a visible key", [
    I32EnumAttrCase<"zero", 0>,  // a zero row, LSE = -inf
    I32EnumAttrCase<"mean", 1>   // the mean of V over all keys (a finfo.min mask)
  ]> {
  let cppNamespace = "::mlir::softcap";
  let genSpecializedAttr = 0;
}
def Softcap_MaskedRowsAttr : EnumAttr<Softcap_Dialect, Softcap_MaskedRows, "masked_rows">;

// Storage types of values; arithmetic is f32, or f64 for f64 storage.
def Softcap_Float : AnyTypeOf<[F16, BF16, F32, F64]>;
def Softcap_FloatLike : Type<
    Or<[Softcap_Float.predicate,
        VectorOfAnyRankOf<[F16, BF16, F32, F64]>.predicate,
        TensorOf<[F16, BF16, F32, F64]>.predicate]>,
    "f16, bf16, f32 or f64 scalar, vector or tensor">;

class Softcap_ShapedOf<list<Type> types, string what> : Type<
    Or<[RankedTensorOf<types>.predicate, MemRefOf<types>.predicate]>,
    "ranked tensor or memref of " # what, "::mlir::ShapedType">;
def Softcap_Tensor : Softcap_ShapedOf<[F16, BF16, F32, F64], "f16, bf16, f32 or f64 values">;
def Softcap_Accumulator : Softcap_ShapedOf<[F32, F64], "f32 or f64 values">;
def Softcap_Mask : Softcap_ShapedOf<[I1], "i1 values">;
def Softcap_Ids : Softcap_ShapedOf<[I32, I64, Index], "i32, i64 or index values">;

#endif // SOFTCAP_BASE_TD
