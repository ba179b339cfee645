" Vim syntax file: UPPAAL, for clew
if exists("b:current_syntax")
  finish
endif
syntax case match
syntax keyword uppaalKeyword assert assign branchpoint commit do else for guard
syntax keyword uppaalKeyword if init process return select state sync system
syntax keyword uppaalKeyword trans while priority progress before_update after_update deadlock
syntax keyword uppaalType bool broadcast chan clock const int meta scalar
syntax keyword uppaalType struct typedef urgent void
syntax keyword uppaalOperator and imply not or xor forall exists sum
syntax keyword uppaalConstant true false
syntax keyword uppaalTodo TODO FIXME XXX contained
syntax match uppaalNumber /\<\(0x\x\+\|\d\+\)\>/
syntax region uppaalString start=/"/ skip=/\\"/ end=/"/ oneline
syntax match uppaalComment /\/\/.*$/ contains=uppaalTodo,@Spell
syntax region uppaalComment start=/\/\*/ end=/\*\// contains=uppaalTodo,@Spell
highlight default link uppaalKeyword Statement
highlight default link uppaalType Type
highlight default link uppaalOperator Operator
highlight default link uppaalConstant Constant
highlight default link uppaalTodo Todo
highlight default link uppaalNumber Number
highlight default link uppaalString String
highlight default link uppaalComment Comment
let b:current_syntax = "uppaal"
