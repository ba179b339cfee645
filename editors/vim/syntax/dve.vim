" Vim syntax file: DVE, for clew
if exists("b:current_syntax")
  finish
endif
syntax case match
syntax keyword dveKeyword accept assert async commit effect guard init process
syntax keyword dveKeyword property state sync system trans
syntax keyword dveType byte int channel const
syntax keyword dveOperator and imply not or
syntax keyword dveConstant true false
syntax keyword dveTodo TODO FIXME XXX contained
syntax match dveNumber /\<\(0x\x\+\|\d\+\)\>/
syntax region dveString start=/"/ skip=/\\"/ end=/"/ oneline
syntax match dveComment /\/\/.*$/ contains=dveTodo,@Spell
syntax region dveComment start=/\/\*/ end=/\*\// contains=dveTodo,@Spell
highlight default link dveKeyword Statement
highlight default link dveType Type
highlight default link dveOperator Operator
highlight default link dveConstant Constant
highlight default link dveTodo Todo
highlight default link dveNumber Number
highlight default link dveString String
highlight default link dveComment Comment
let b:current_syntax = "dve"
