" Vim syntax file: Murphi, for clew
if exists("b:current_syntax")
  finish
endif
syntax case ignore
syntax keyword murphiKeyword alias assert assume begin by case choose clear
syntax keyword murphiKeyword const cover do else elsif end endalias endchoose
syntax keyword murphiKeyword endexists endfor endforall endfunction endif endprocedure endrecord endrule
syntax keyword murphiKeyword endruleset endstartstate endswitch endwhile error externfun externproc for
syntax keyword murphiKeyword function if invariant liveness multisetadd multisetcount multisetremove multisetremovepred
syntax keyword murphiKeyword of procedure put return rule ruleset startstate switch
syntax keyword murphiKeyword then to type undefine var while
syntax keyword murphiType array boolean enum multiset record scalarset union
syntax keyword murphiOperator forall exists isundefined ismember
syntax keyword murphiConstant true false undefined
syntax keyword murphiTodo TODO FIXME XXX contained
syntax match murphiNumber /\<\(0x\x\+\|\d\+\)\>/
syntax region murphiString start=/"/ skip=/\\"/ end=/"/ oneline
syntax match murphiComment /--.*$/ contains=murphiTodo,@Spell
syntax region murphiComment start=/\/\*/ end=/\*\// contains=murphiTodo,@Spell
highlight default link murphiKeyword Statement
highlight default link murphiType Type
highlight default link murphiOperator Operator
highlight default link murphiConstant Constant
highlight default link murphiTodo Todo
highlight default link murphiNumber Number
highlight default link murphiString String
highlight default link murphiComment Comment
let b:current_syntax = "murphi"
