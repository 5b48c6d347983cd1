// RUN: %softcap-opt %s --pass-pipeline='builtin.module(softcap-verify-lowering{buffers=true loops=true casts=true})' --split-input-file --verify-diagnostics

func.func @scores_of_all_keys(%n: index) {
  // expected-note @below {{of this attention}}
  scf.forall (%i) in (%n) {
    // expected-error @below {{a buffer of 'memref<1x1x128x96xf32>' holds the scores of all 128 queries and 96 keys; a fused attention needs tiles only}}
    %scores = memref.alloc() : memref<1x1x128x96xf32>
    memref.dealloc %scores : memref<1x1x128x96xf32>
  } {softcap.attention_extents = [128, 96]}
  return
}

// -----

// As many queries as keys: one dimension of that size is no score matrix.
func.func @square(%n: index) {
  // expected-note @below {{of this attention}}
  scf.forall (%i) in (%n) {
    %tile = memref.alloc() : memref<1x128x16xf32>
    // expected-error @below {{holds the scores of all 128 queries and 128 keys}}
    %scores = memref.alloca() : memref<128x128xf32>
    memref.dealloc %tile : memref<1x128x16xf32>
  } {softcap.attention_extents = [128, 128]}
  return
}

// -----

func.func @libm(%n: index, %x: f32) {
  // expected-note @below {{the loop}}
  scf.forall (%i) in (%n) {
    // expected-error @below {{'math.tanh' is left in an attention loop, where it would be a call for each score}}
    %y = math.tanh %x : f32
  } {softcap.attention_extents = [8, 8]}
  return
}

// -----

func.func private @expf(f32) -> f32
func.func @call(%n: index, %x: f32) {
  // expected-note @below {{the loop}}
  scf.forall (%i) in (%n) {
    // expected-error @below {{'func.call' is left in an attention loop}}
    %y = func.call @expf(%x) : (f32) -> f32
  } {softcap.attention_extents = [8, 8]}
  return
}

// -----

func.func @cast(%x: index) -> i64 {
  // expected-error @below {{is left after the lowering: 'index' to 'i64' has no conversion in this pipeline}}
  %y = builtin.unrealized_conversion_cast %x : index to i64
  return %y : i64
}

// -----

// Outside of attention loops libm is allowed, and so are square roots inside.
func.func @allowed(%n: index, %x: f32) -> f32 {
  scf.forall (%i) in (%n) {
    %y = math.sqrt %x : f32
    %tile = memref.alloc() : memref<64x96xf32>
    memref.dealloc %tile : memref<64x96xf32>
  } {softcap.attention_extents = [128, 96]}
  %y = math.tanh %x : f32
  return %y : f32
}
