" Models of clew. A file .m is Murphi where it has words that only Murphi has; others also use that suffix.
function! s:MaybeMurphi() abort
  for line in getline(1, 400)
    if line =~? '^\s*\(startstate\|ruleset\|rule\)\>' || line =~? '^\s*-- clew:'
      setlocal filetype=murphi
      return
    endif
  endfor
endfunction
autocmd BufRead,BufNewFile *.m call s:MaybeMurphi()
autocmd BufRead,BufNewFile *.murphi setlocal filetype=murphi
autocmd BufRead,BufNewFile *.dve setlocal filetype=dve
autocmd BufRead,BufNewFile *.xta,*.ta setlocal filetype=uppaal
autocmd BufRead,BufNewFile *.pnml setlocal filetype=xml
