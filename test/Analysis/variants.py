# ===- variants.py - Variants of capped attention and heads -----------------===#
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# Writes one graph per variant with its index.json into a folder: spellings of
# the cap, the mask and the softmax, and faults, whose verdict is known by how
# they are made.
#
# ===-----------------------------------------------------------------------===#
import json
import os
import sys

V = []


def attn(name, verdict, rules, body, args="%m: tensor<2x4x4xi1>", expect="", q="%q", k="%k", post=None, softmax="std", tail=None, funcs="", pv=True):
    pre=f'''func.func @forward(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>, %v: tensor<2x4x8xf32>{", "+args if args else ""}) -> tensor<2x4x{'8' if pv else '4'}xf32> {{
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant dense<0xFF800000> : tensor<2x4x4xf32>
  %big = arith.constant dense<-2.38197633e38> : tensor<2x4x4xf32>
  %c50 = arith.constant dense<50.0> : tensor<2x4x4xf32>
  %r50 = arith.constant dense<0.02> : tensor<2x4x4xf32>
  %c25 = arith.constant dense<0.25> : tensor<2x4x4xf32>
  %log2e = arith.constant dense<1.44269504> : tensor<2x4x4xf32>
  %one = arith.constant dense<1.0> : tensor<2x4x4xf32>
  %two = arith.constant dense<2.0> : tensor<2x4x4xf32>
  %qs8 = arith.constant dense<0.25> : tensor<2x4x8xf32>
  %e = tensor.empty() : tensor<2x4x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
'''
    dot=f'''  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
    ins({q}, {k} : tensor<2x4x8xf32>, tensor<2x4x8xf32>) outs(%i : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
'''
    lines=''
    pre_dot=''
    for l in body.strip().split('\n'):
        l=l.strip()
        if l.startswith('@pre '): pre_dot+='  '+l[5:]+'\n'
        else: lines+='  '+l+'\n'
    sm={'std':'''  %p = linalg.softmax dimension(2) ins(%x : tensor<2x4x4xf32>) outs(%e : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
''','exp2':'''  %re = tensor.empty() : tensor<2x4xf32>
  %nf = arith.constant 0xFF800000 : f32
  %ri = linalg.fill ins(%nf : f32) outs(%re : tensor<2x4xf32>) -> tensor<2x4xf32>
  %rm = linalg.reduce { arith.maximumf } ins(%x : tensor<2x4x4xf32>) outs(%ri : tensor<2x4xf32>) dimensions = [2]
  %rb = linalg.broadcast ins(%rm : tensor<2x4xf32>) outs(%e : tensor<2x4x4xf32>) dimensions = [2]
  %sx = arith.subf %x, %rb : tensor<2x4x4xf32>
  %ex = math.exp2 %sx : tensor<2x4x4xf32>
  %zi = linalg.fill ins(%zero : f32) outs(%re : tensor<2x4xf32>) -> tensor<2x4xf32>
  %sum = linalg.reduce { arith.addf } ins(%ex : tensor<2x4x4xf32>) outs(%zi : tensor<2x4xf32>) dimensions = [2]
  %sb = linalg.broadcast ins(%sum : tensor<2x4xf32>) outs(%e : tensor<2x4x4xf32>) dimensions = [2]
  %p = arith.divf %ex, %sb : tensor<2x4x4xf32>
''','own':''}[softmax]
    if softmax=='exp': sm=sm
    end='''  %oe = tensor.empty() : tensor<2x4x8xf32>
  %oi = linalg.fill ins(%zero : f32) outs(%oe : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x4xf32>, tensor<2x4x8xf32>) outs(%oi : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
''' if pv else ''
    end+= (tail or '')
    end+= '  return %s : tensor<2x4x%sxf32>\n}\n'%(('%o' if not tail else '%out') if pv else '%p','8' if pv else '4')
    V.append((name,verdict,rules,expect,pre+pre_dot+dot+lines+sm+end+funcs))
T='tensor<2x4x4xf32>'
def L(s): return s.replace('#T',T)
cap=L('''%sc = arith.mulf %s, %c25 : #T
%d = arith.divf %sc, %c50 : #T
%t = math.tanh %d : #T
%c = arith.mulf %t, %c50 : #T
''')
mask=L('%x = arith.select %m, %c, %big : tensor<2x4x4xi1>, #T\n')
attn('base','legal',[],cap+mask)
attn('tanh_1m2','legal',[],L('''%sc = arith.mulf %s, %c25 : #T
%d = arith.divf %sc, %c50 : #T
%d2 = arith.addf %d, %d : #T
%ee = math.exp %d2 : #T
%e1 = arith.addf %ee, %one : #T
%r = arith.divf %two, %e1 : #T
%t = arith.subf %one, %r : #T
%c = arith.mulf %t, %c50 : #T
''')+mask)
attn('tanh_e2x','hazard',['SC110'],L('''%sc = arith.mulf %s, %c25 : #T
%d = arith.divf %sc, %c50 : #T
%d2 = arith.mulf %d, %two : #T
%ee = math.exp %d2 : #T
%e1 = arith.addf %ee, %one : #T
%e2 = arith.subf %ee, %one : #T
%t = arith.divf %e2, %e1 : #T
%c = arith.mulf %t, %c50 : #T
''')+mask)
attn('guard','legal',[],L('''%sc = arith.mulf %s, %c25 : #T
%w = arith.select %m, %sc, %ninf : tensor<2x4x4xi1>, #T
%d = arith.divf %w, %c50 : #T
%t = math.tanh %d : #T
%c = arith.mulf %t, %c50 : #T
%g = arith.cmpf oeq, %w, %ninf : #T
%x = arith.select %g, %ninf, %c : tensor<2x4x4xi1>, #T
'''))
attn('guard2','legal',[],L('''%sc = arith.mulf %s, %c25 : #T
%w = arith.select %m, %sc, %ninf : tensor<2x4x4xi1>, #T
%d = arith.divf %w, %c50 : #T
%t = math.tanh %d : #T
%c = arith.mulf %t, %c50 : #T
%g = arith.cmpf oeq, %w, %ninf : #T
%x = arith.select %g, %w, %c : tensor<2x4x4xi1>, #T
'''))
attn('mask_twice','legal',[],L('''%sc = arith.mulf %s, %c25 : #T
%w = arith.select %m, %sc, %ninf : tensor<2x4x4xi1>, #T
%d = arith.divf %w, %c50 : #T
%t = math.tanh %d : #T
%c = arith.mulf %t, %c50 : #T
%x = arith.select %m, %c, %ninf : tensor<2x4x4xi1>, #T
'''))
attn('bias_twice','legal',[],L('''%sc = arith.mulf %s, %c25 : #T
%mb = arith.select %m, %i, %ninf : tensor<2x4x4xi1>, #T
%w = arith.addf %sc, %mb : #T
%d = arith.divf %w, %c50 : #T
%t = math.tanh %d : #T
%c = arith.mulf %t, %c50 : #T
%x = arith.addf %c, %mb : #T
'''))
attn('other_mask_after','illegal',['SC001'],L('''%sc = arith.mulf %s, %c25 : #T
%w = arith.select %m, %sc, %ninf : tensor<2x4x4xi1>, #T
%d = arith.divf %w, %c50 : #T
%t = math.tanh %d : #T
%c = arith.mulf %t, %c50 : #T
%x = arith.select %m2, %c, %ninf : tensor<2x4x4xi1>, #T
'''),args="%m: tensor<2x4x4xi1>, %m2: tensor<2x4x4xi1>")
attn('int_mask','illegal',['SC001'],L('''%sc = arith.mulf %s, %c25 : #T
%mf = arith.uitofp %m : tensor<2x4x4xi1> to #T
%om = arith.subf %one, %mf : #T
%fmin = arith.constant dense<-3.40282347E+38> : #T
%mb = arith.mulf %om, %fmin : #T
%w = arith.addf %sc, %mb : #T
%d = arith.divf %w, %c50 : #T
%t = math.tanh %d : #T
%x = arith.mulf %t, %c50 : #T
'''))
attn('log_mask','illegal',['SC001'],L('''%sc = arith.mulf %s, %c25 : #T
%mf = arith.uitofp %m : tensor<2x4x4xi1> to #T
%mb = math.log %mf : #T
%w = arith.addf %sc, %mb : #T
%d = arith.divf %w, %c50 : #T
%t = math.tanh %d : #T
%x = arith.mulf %t, %c50 : #T
'''))
attn('private_mask_before','illegal',['SC001'],L('''%sc = arith.mulf %s, %c25 : #T
%w = call @_where(%m, %sc, %ninf) : (tensor<2x4x4xi1>, #T, #T) -> #T
%d = arith.divf %w, %c50 : #T
%t = math.tanh %d : #T
%x = arith.mulf %t, %c50 : #T
'''),funcs=L('''func.func private @_where(%m: tensor<2x4x4xi1>, %a: #T, %b: #T) -> #T {
  %r = arith.select %m, %a, %b : tensor<2x4x4xi1>, #T
  return %r : #T
}
'''))
attn('private_cap','legal',[],L('''%sc = arith.mulf %s, %c25 : #T
%c = call @cap(%sc) : (#T) -> #T
''')+mask,funcs=L('''func.func private @cap(%a: #T) -> #T {
  %c50 = arith.constant dense<50.0> : #T
  %d = arith.divf %a, %c50 : #T
  %t = math.tanh %d : #T
  %r = arith.mulf %t, %c50 : #T
  return %r : #T
}
'''))
attn('if_partial','illegal',['SC011'],L('''%sc = arith.mulf %s, %c25 : #T
%c = scf.if %b -> (#T) {
%d = arith.divf %sc, %c50 : #T
%t = math.tanh %d : #T
%c1 = arith.mulf %t, %c50 : #T
scf.yield %c1 : #T
} else {
scf.yield %sc : #T
}
''')+mask,args="%m: tensor<2x4x4xi1>, %b: i1")
attn('exp2_folded','legal',[],L('''%sc = arith.mulf %s, %c25 : #T
%d = arith.divf %sc, %c50 : #T
%t = math.tanh %d : #T
%kc = arith.constant dense<72.1347520> : #T
%c = arith.mulf %t, %kc : #T
''')+mask,softmax='exp2')
attn('exp2_after','legal',[],cap.replace('%c =','%c0 =')+L('%c = arith.mulf %c0, %log2e : #T\n')+mask,softmax='exp2')
attn('exp2_missing','illegal',['SC004'],L('''%sl = arith.mulf %s, %log2e : #T
''')+cap.replace('%s,','%sl,')+mask,softmax='exp2')
attn('exp2_homog','legal',[],L('''%sl = arith.mulf %s, %log2e : #T
%sc = arith.mulf %sl, %c25 : #T
%kc = arith.constant dense<72.1347520> : #T
%d = arith.divf %sc, %kc : #T
%t = math.tanh %d : #T
%c = arith.mulf %t, %kc : #T
''')+mask,softmax='exp2')
attn('max_before','illegal',['SC013'],L('''%sc = arith.mulf %s, %c25 : #T
%re = tensor.empty() : tensor<2x4xf32>
%nf = arith.constant 0xFF800000 : f32
%ri = linalg.fill ins(%nf : f32) outs(%re : tensor<2x4xf32>) -> tensor<2x4xf32>
%rm = linalg.reduce { arith.maximumf } ins(%sc : #T) outs(%ri : tensor<2x4xf32>) dimensions = [2]
%rb = linalg.broadcast ins(%rm : tensor<2x4xf32>) outs(%e : #T) dimensions = [2]
%sx = arith.subf %sc, %rb : #T
%d = arith.divf %sx, %c50 : #T
%t = math.tanh %d : #T
%c = arith.mulf %t, %c50 : #T
''')+mask)
attn('softsign','illegal',['SC012'],L('''%sc = arith.mulf %s, %c25 : #T
%a = math.absf %sc : #T
%d = arith.divf %a, %c50 : #T
%d1 = arith.addf %d, %one : #T
%c = arith.divf %sc, %d1 : #T
''')+mask)
attn('neg_cap','illegal',['SC010'],L('''%sc = arith.mulf %s, %c25 : #T
%kc = arith.constant dense<-50.0> : #T
%d = arith.divf %sc, %kc : #T
%t = math.tanh %d : #T
%c = arith.mulf %t, %kc : #T
''')+mask)
attn('nan_cap','illegal',['SC010'],L('''%sc = arith.mulf %s, %c25 : #T
%kc = arith.constant dense<0x7FC00000> : #T
%d = arith.divf %sc, %kc : #T
%t = math.tanh %d : #T
%c = arith.mulf %t, %kc : #T
''')+mask)
attn('inf_cap','illegal',['SC010'],L('''%sc = arith.mulf %s, %c25 : #T
%kc = arith.constant dense<0x7F800000> : #T
%d = arith.divf %sc, %kc : #T
%t = math.tanh %d : #T
%c = arith.mulf %t, %kc : #T
''')+mask)
attn('mixed','illegal',['SC003'],L('''%sc = arith.mulf %s, %c25 : #T
%kc = arith.constant dense<30.0> : #T
%d = arith.divf %sc, %kc : #T
%t = math.tanh %d : #T
%c = arith.mulf %t, %c50 : #T
''')+mask,expect='scores=50')
attn('mixed_noexp','legal',[],L('''%sc = arith.mulf %s, %c25 : #T
%kc = arith.constant dense<30.0> : #T
%d = arith.divf %sc, %kc : #T
%t = math.tanh %d : #T
%c = arith.mulf %t, %c50 : #T
''')+mask)
attn('cap_on_q','illegal',['SC008'],'''@pre %k8 = arith.constant dense<50.0> : tensor<2x4x8xf32>
@pre %qd = arith.divf %q, %k8 : tensor<2x4x8xf32>
@pre %qt = math.tanh %qd : tensor<2x4x8xf32>
@pre %qc = arith.mulf %qt, %k8 : tensor<2x4x8xf32>
'''+L('%c = arith.mulf %s, %c25 : #T\n')+mask,q='%qc')
attn('cap_on_q_too','legal',[],'''@pre %k8 = arith.constant dense<50.0> : tensor<2x4x8xf32>
@pre %qd = arith.divf %q, %k8 : tensor<2x4x8xf32>
@pre %qt = math.tanh %qd : tensor<2x4x8xf32>
@pre %qc = arith.mulf %qt, %k8 : tensor<2x4x8xf32>
'''+cap+mask,q='%qc')
attn('alibi_after','legal',[],cap.replace('%c =','%c0 =')+L('%c = arith.addf %c0, %al : #T\n')+mask,args='%m: tensor<2x4x4xi1>, %al: tensor<2x4x4xf32>')
attn('stale_max','hazard',['SC112'],cap+L('''%re = tensor.empty() : tensor<2x4xf32>
%nf = arith.constant 0xFF800000 : f32
%ri = linalg.fill ins(%nf : f32) outs(%re : tensor<2x4xf32>) -> tensor<2x4xf32>
%rm = linalg.reduce { arith.maximumf } ins(%sc : #T) outs(%ri : tensor<2x4xf32>) dimensions = [2]
%rb = linalg.broadcast ins(%rm : tensor<2x4xf32>) outs(%e : #T) dimensions = [2]
%x = arith.select %m, %c, %ninf : tensor<2x4x4xi1>, #T
%sx = arith.subf %x, %rb : #T
%ex = math.exp %sx : #T
%zi = linalg.fill ins(%zero : f32) outs(%re : tensor<2x4xf32>) -> tensor<2x4xf32>
%sum = linalg.reduce { arith.addf } ins(%ex : #T) outs(%zi : tensor<2x4xf32>) dimensions = [2]
%sb = linalg.broadcast ins(%sum : tensor<2x4xf32>) outs(%e : #T) dimensions = [2]
%p = arith.divf %ex, %sb : #T
'''),softmax='own')
attn('static_unbounded','illegal',['SC015'],L('''%sc = arith.mulf %s, %c25 : #T
%x = arith.select %m, %sc, %ninf : tensor<2x4x4xi1>, #T
%sx = arith.subf %x, %c50 : #T
%re = tensor.empty() : tensor<2x4xf32>
%ex = math.exp %sx : #T
%zi = linalg.fill ins(%zero : f32) outs(%re : tensor<2x4xf32>) -> tensor<2x4xf32>
%sum = linalg.reduce { arith.addf } ins(%ex : #T) outs(%zi : tensor<2x4xf32>) dimensions = [2]
%sb = linalg.broadcast ins(%sum : tensor<2x4xf32>) outs(%e : #T) dimensions = [2]
%p = arith.divf %ex, %sb : #T
'''),softmax='own')
attn('static_bounded','legal',[],cap+L('''%x = arith.select %m, %c, %ninf : tensor<2x4x4xi1>, #T
%sx = arith.subf %x, %c50 : #T
%re = tensor.empty() : tensor<2x4xf32>
%ex = math.exp %sx : #T
%zi = linalg.fill ins(%zero : f32) outs(%re : tensor<2x4xf32>) -> tensor<2x4xf32>
%sum = linalg.reduce { arith.addf } ins(%ex : #T) outs(%zi : tensor<2x4xf32>) dimensions = [2]
%sb = linalg.broadcast ins(%sum : tensor<2x4xf32>) outs(%e : #T) dimensions = [2]
%p = arith.divf %ex, %sb : #T
'''),softmax='own')
attn('sentinel_100','hazard',['SC114'],cap+L('''%h = arith.constant dense<-100.0> : #T
%x = arith.select %m, %c, %h : tensor<2x4x4xi1>, #T
'''))
attn('sentinel_add100','hazard',['SC114'],cap+L('''%h = arith.constant dense<-100.0> : #T
%mb = arith.select %m, %i, %h : tensor<2x4x4xi1>, #T
%x = arith.addf %c, %mb : #T
'''))
attn('sentinel_1e4','legal',[],cap+L('''%h = arith.constant dense<-10000.0> : #T
%x = arith.select %m, %c, %h : tensor<2x4x4xi1>, #T
'''))
attn('sentinel_uncapped','no-softcap',[],L('''%c = arith.mulf %s, %c25 : #T
%h = arith.constant dense<-100.0> : #T
%x = arith.select %m, %c, %h : tensor<2x4x4xi1>, #T
'''))
attn('double_scores','illegal',['SC009'],cap+L('''%d2 = arith.divf %c, %c50 : #T
%t2 = math.tanh %d2 : #T
%x = arith.mulf %t2, %c50 : #T
'''))
attn('temp_none','illegal',['SC006'],cap+L('''%f = arith.mulf %c, %two : #T
%x = arith.select %m, %f, %big : tensor<2x4x4xi1>, #T
'''),expect='scores=50,temperature=none')
attn('clamp_noexp','no-softcap',[],L('''%sc = arith.mulf %s, %c25 : #T
%lo = arith.constant dense<-50.0> : #T
%a = arith.maximumf %sc, %lo : #T
%c = arith.minimumf %a, %c50 : #T
''')+mask)
attn('expect_none','illegal',['SC007'],cap+mask,expect='none')
attn('clamp_then_cap','legal',[],L('''%lo = arith.constant dense<-1000.0> : #T
%hi = arith.constant dense<1000.0> : #T
%a = arith.maximumf %s, %lo : #T
%s1 = arith.minimumf %a, %hi : #T
''')+cap.replace('%s,','%s1,')+mask)
attn('f16_mask','legal',[],cap+L('''%ch = arith.truncf %c : #T to tensor<2x4x4xf16>
%h = arith.constant dense<-65504.0> : tensor<2x4x4xf16>
%w = arith.select %m, %ch, %h : tensor<2x4x4xi1>, tensor<2x4x4xf16>
%x = arith.extf %w : tensor<2x4x4xf16> to #T
'''))
attn('pad_before','illegal',['SC001'],L('''%sl = tensor.extract_slice %s[0, 0, 0] [2, 4, 3] [1, 1, 1] : #T to tensor<2x4x3xf32>
%nf = arith.constant 0xFF800000 : f32
%pd = tensor.pad %sl low[0, 0, 0] high[0, 0, 1] {
^bb0(%a0: index, %a1: index, %a2: index):
tensor.yield %nf : f32
} : tensor<2x4x3xf32> to #T
''')+cap.replace('%s,','%pd,')+mask)
attn('pv_dropout','legal',[],cap+mask+L('''%p0 = linalg.softmax dimension(2) ins(%x : #T) outs(%e : #T) -> #T
%p1 = arith.mulf %p0, %dm : #T
%p = arith.mulf %p1, %two : #T
'''),softmax='own',args='%m: tensor<2x4x4xi1>, %dm: tensor<2x4x4xf32>')
attn('sym_temp','legal',[],cap+L('''%f = arith.mulf %c, %tt : #T
%x = arith.select %m, %f, %big : tensor<2x4x4xi1>, #T
'''),args='%m: tensor<2x4x4xi1>, %tt: tensor<2x4x4xf32>')
attn('bf16_chain','hazard',['SC111','SC115'],L('''%sb0 = arith.truncf %s : #T to tensor<2x4x4xbf16>
%k25 = arith.constant dense<0.25> : tensor<2x4x4xbf16>
%k50 = arith.constant dense<50.0> : tensor<2x4x4xbf16>
%kr = arith.constant dense<0.02> : tensor<2x4x4xbf16>
%sc = arith.mulf %sb0, %k25 : tensor<2x4x4xbf16>
%d = arith.mulf %sc, %kr : tensor<2x4x4xbf16>
%t = math.tanh %d : tensor<2x4x4xbf16>
%cb = arith.mulf %t, %k50 : tensor<2x4x4xbf16>
%c = arith.extf %cb : tensor<2x4x4xbf16> to #T
''')+mask)
# vocab
def vocab(name,verdict,rules,body,args="",expect="",ret="tensor<3x16xf32>",funcs=""):
    U='tensor<3x16xf32>'
    s=f'''func.func @forward(%h: tensor<3x8xf32>, %w: tensor<8x16xf32>{", "+args if args else ""}) -> {ret} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x16xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<3x16xf32>) -> tensor<3x16xf32>
  %c30 = arith.constant dense<30.0> : {U}
  %one = arith.constant dense<1.0> : {U}
  %ninf = arith.constant dense<0xFF800000> : {U}
  %l = linalg.matmul ins(%h, %w : tensor<3x8xf32>, tensor<8x16xf32>) outs(%i : tensor<3x16xf32>) -> tensor<3x16xf32>
'''+''.join('  '+x.strip()+'\n' for x in body.replace('#U',U).strip().split('\n'))+f'  return %x : {ret}\n}}\n'+funcs.replace('#U',U)
    V.append((name,verdict,rules,expect,s))
vcap='''%d = arith.divf %l, %c30 : #U
%t = math.tanh %d : #U
%c = arith.mulf %t, %c30 : #U
'''
vocab('v_base','legal',[],vcap.replace('%c =','%x ='))
vocab('v_mask_after','legal',[],vcap+'%x = arith.select %m, %c, %ninf : tensor<3x16xi1>, #U',args='%m: tensor<3x16xi1>')
vocab('v_mask_before','illegal',['SC001'],'%lm = arith.select %m, %l, %ninf : tensor<3x16xi1>, #U\n'+vcap.replace('%l,','%lm,').replace('%c =','%x ='),args='%m: tensor<3x16xi1>')
vocab('v_temp_scalar_const','legal',[],'%kc = arith.constant dense<0.5> : #U\n%l2 = arith.mulf %l, %kc : #U\n'+vcap.replace('%l,','%l2,').replace('%c =','%x ='))
vocab('v_bias','legal',[],'%l2 = arith.addf %l, %b : #U\n'+vcap.replace('%l,','%l2,').replace('%c =','%x ='),args='%b: '+'tensor<3x16xf32>')
vocab('v_cap_arg','legal',[],'''%ct = tensor.splat %cap : #U
%d = arith.divf %l, %ct : #U
%t = math.tanh %d : #U
%x = arith.mulf %t, %ct : #U''',args='%cap: f32')
vocab('v_cap_rcp_arg','legal',[],'''%ct = tensor.splat %cap : #U
%r = arith.divf %one, %ct : #U
%d = arith.mulf %l, %r : #U
%t = math.tanh %d : #U
%x = arith.mulf %t, %ct : #U''',args='%cap: f32')
vocab('v_shards','illegal',['SC011'],vcap+'''%l2 = linalg.matmul ins(%h, %w2 : tensor<3x8xf32>, tensor<8x16xf32>) outs(%i : tensor<3x16xf32>) -> tensor<3x16xf32>
%x = tensor.concat dim(1) %c, %l2 : (#U, #U) -> tensor<3x32xf32>''',args='%w2: tensor<8x16xf32>',ret='tensor<3x32xf32>')
vocab('v_shards_ok','legal',[],vcap+'''%l2 = linalg.matmul ins(%h, %w2 : tensor<3x8xf32>, tensor<8x16xf32>) outs(%i : tensor<3x16xf32>) -> tensor<3x16xf32>
%d2 = arith.divf %l2, %c30 : #U
%t2 = math.tanh %d2 : #U
%c2 = arith.mulf %t2, %c30 : #U
%x = tensor.concat dim(1) %c, %c2 : (#U, #U) -> tensor<3x32xf32>''',args='%w2: tensor<8x16xf32>',ret='tensor<3x32xf32>')
vocab('v_pooler','no-softcap',[],'%x = math.tanh %l : #U')
vocab('v_pooler_bias','no-softcap',[],'%l2 = arith.addf %l, %b : #U\n%x = math.tanh %l2 : #U',args='%b: tensor<3x16xf32>')
vocab('v_sigmoid','no-softcap',[],'''%n = arith.negf %l : #U
%ex = math.exp %n : #U
%e1 = arith.addf %ex, %one : #U
%x = arith.divf %one, %e1 : #U''')
vocab('v_silu','no-softcap',[],'''%n = arith.negf %l : #U
%ex = math.exp %n : #U
%e1 = arith.addf %ex, %one : #U
%sg = arith.divf %one, %e1 : #U
%x = arith.mulf %l, %sg : #U''')
vocab('v_gelu2','no-softcap',[],'''%x2 = arith.mulf %l, %l : #U
%x3 = arith.mulf %x2, %l : #U
%kc = arith.constant dense<0.044715> : #U
%k2 = arith.constant dense<0.797884583> : #U
%half = arith.constant dense<0.5> : #U
%kx = arith.mulf %x3, %kc : #U
%in = arith.addf %l, %kx : #U
%sc = arith.mulf %in, %k2 : #U
%t = math.tanh %sc : #U
%hx = arith.mulf %l, %half : #U
%ht = arith.mulf %hx, %t : #U
%x = arith.addf %hx, %ht : #U''')
vocab('v_lost_rescale','illegal',['SC003'],'''%d = arith.divf %l, %c30 : #U
%x = math.tanh %d : #U''',expect='logits=30')
vocab('v_lost_divide','illegal',['SC003'],'''%t = math.tanh %l : #U
%x = arith.mulf %t, %c30 : #U''',expect='logits=30')
vocab('v_missing','illegal',['SC002'],'%x = arith.mulf %l, %one : #U',expect='logits=30')
vocab('v_swiglu_moe','no-softcap',[],'%x = linalg.softmax dimension(1) ins(%l : #U) outs(%e : #U) -> #U')

vocab('v_router', 'other-surface', [], vcap + """%g = linalg.softmax dimension(1) ins(%c : #U) outs(%e : #U) -> #U
%y = linalg.matmul ins(%h, %w2 : tensor<3x8xf32>, tensor<8x16xf32>) outs(%i : #U) -> #U
%x = arith.mulf %g, %y : #U""", args='%w2: tensor<8x16xf32>')
vocab('v_router_uncapped', 'no-softcap', [], """%g = linalg.softmax dimension(1) ins(%l : #U) outs(%e : #U) -> #U
%y = linalg.matmul ins(%h, %w2 : tensor<3x8xf32>, tensor<8x16xf32>) outs(%i : #U) -> #U
%x = arith.mulf %g, %y : #U""", args='%w2: tensor<8x16xf32>')

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
index = []
for name, verdict, rules, expect, text in V:
    with open(os.path.join(folder, name + ".mlir"), "w") as out:
        out.write(text)
    index.append({"file": name + ".mlir", "verdict": verdict, "rules": rules,
                  "surfaces": [], "expect": expect})
with open(os.path.join(folder, "index.json"), "w") as out:
    json.dump(index, out, indent=1)
