" Vim settings for DVE models of clew: :make checks the model, and the quickfix list has what is wrong.
if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1
setlocal commentstring=//\ %s
setlocal comments=s1:/*,mb:*,ex:*/,://
setlocal makeprg=clew\ check\ --quiet\ %:S
setlocal errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m
let b:undo_ftplugin = "setlocal commentstring< comments< makeprg< errorformat<"
