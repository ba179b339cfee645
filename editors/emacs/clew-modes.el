;;; clew-modes.el --- modes for the models of clew -*- lexical-binding: t -*-

;; Version: 0.1
;; Package-Requires: ((emacs "26.1"))

;;; Commentary:

;; Major modes for Murphi, DVE and UPPAAL (text form).  With eglot, `clew lsp' serves them:
;;
;;   (require 'clew-modes)
;;   (add-hook 'clew-murphi-mode-hook #'eglot-ensure)
;;
;; `C-c C-c' checks the file and shows the verdict; errors can be visited.

;;; Code:

(require 'compile)

(defgroup clew nil "Models of clew." :group 'languages)

(defcustom clew-program "clew" "The program." :type 'string)

(defun clew-check ()
  "Save and check the model of this buffer."
  (interactive)
  (save-buffer)
  (compile (concat clew-program " check " (shell-quote-argument buffer-file-name))))

(defvar clew-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-c") #'clew-check)
    map)
  "Keys of all modes of clew.")

(defun clew--syntax (dashes)
  "Syntax of comments: /* */ and, if DASHES, two dashes; two slashes otherwise."
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?_ "w" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?* ". 23b" table)
    (if dashes
        (progn
          (modify-syntax-entry ?/ ". 14b" table)
          (modify-syntax-entry ?- ". 12" table))
      (modify-syntax-entry ?/ ". 124b" table)
      (modify-syntax-entry ?* ". 23" table))
    (if dashes
        (modify-syntax-entry ?\n ">" table)
      (modify-syntax-entry ?\n "> b" table))
    table))

(defun clew--keywords (keywords types constants)
  "Rules of font-lock for KEYWORDS, TYPES and CONSTANTS."
  `((,(regexp-opt keywords 'words) . font-lock-keyword-face)
    (,(regexp-opt types 'words) . font-lock-type-face)
    (,(regexp-opt constants 'words) . font-lock-constant-face)
    ("\\_<\\(process\\|function\\|procedure\\)\\s-+\\(\\w+\\)" 2 font-lock-function-name-face)))

(defun clew--setup (comment keywords ignore-case)
  "Settings of a mode: start of a COMMENT, KEYWORDS of font-lock, whether to IGNORE-CASE."
  (setq-local comment-start comment)
  (setq-local comment-end "")
  (setq-local indent-tabs-mode nil)
  (setq-local indent-line-function #'indent-relative)
  (setq-local font-lock-defaults (list keywords nil ignore-case)))

(defconst clew-murphi-keywords
  (clew--keywords
   '("alias" "assert" "assume" "begin" "by" "case" "choose" "clear" "const" "cover" "do" "else"
    "elsif" "end" "endalias" "endchoose" "endexists" "endfor" "endforall" "endfunction" "endif"
    "endprocedure" "endrecord" "endrule" "endruleset" "endstartstate" "endswitch" "endwhile"
    "error" "externfun" "externproc" "for" "function" "if" "invariant" "liveness" "multisetadd"
    "multisetcount" "multisetremove" "multisetremovepred" "of" "procedure" "put" "return"
    "rule" "ruleset" "startstate" "switch" "then" "to" "type" "undefine" "var" "while" "forall"
    "exists" "isundefined" "ismember")
   '("array" "boolean" "enum" "multiset" "record" "scalarset" "union")
   '("true" "false" "undefined"))
  "Font-lock rules of Murphi.")

;;;###autoload
(define-derived-mode clew-murphi-mode prog-mode "Murphi"
  "Major mode for Murphi models."
  :syntax-table (clew--syntax t)
  (use-local-map (make-composed-keymap clew-mode-map (current-local-map)))
  (clew--setup "-- " clew-murphi-keywords t))

(defconst clew-dve-keywords
  (clew--keywords
   '("accept" "assert" "async" "commit" "effect" "guard" "init" "process" "property" "state"
    "sync" "system" "trans" "and" "imply" "not" "or")
   '("byte" "int" "channel" "const")
   '("true" "false"))
  "Font-lock rules of DVE.")

;;;###autoload
(define-derived-mode clew-dve-mode prog-mode "DVE"
  "Major mode for DVE models."
  :syntax-table (clew--syntax nil)
  (use-local-map (make-composed-keymap clew-mode-map (current-local-map)))
  (clew--setup "// " clew-dve-keywords nil))

(defconst clew-uppaal-keywords
  (clew--keywords
   '("assert" "assign" "branchpoint" "commit" "do" "else" "for" "guard" "if" "init" "process"
    "return" "select" "state" "sync" "system" "trans" "while" "priority" "progress"
    "before_update" "after_update" "deadlock" "and" "imply" "not" "or" "xor" "forall" "exists"
    "sum")
   '("bool" "broadcast" "chan" "clock" "const" "int" "meta" "scalar" "struct" "typedef" "urgent"
    "void")
   '("true" "false"))
  "Font-lock rules of UPPAAL.")

;;;###autoload
(define-derived-mode clew-uppaal-mode prog-mode "UPPAAL"
  "Major mode for UPPAAL models."
  :syntax-table (clew--syntax nil)
  (use-local-map (make-composed-keymap clew-mode-map (current-local-map)))
  (clew--setup "// " clew-uppaal-keywords nil))

;;;###autoload
(defun clew-murphi-maybe-mode ()
  "Murphi if the buffer looks like it; other languages also use the suffix .m."
  (if (save-excursion
        (goto-char (point-min))
        (let ((case-fold-search t))
          (re-search-forward "^[ \t]*\\(startstate\\|ruleset\\|rule\\|-- clew:\\)" nil t)))
      (clew-murphi-mode)
    (if (fboundp 'objc-mode) (objc-mode) (fundamental-mode))))

;;;###autoload
(progn
  (add-to-list 'auto-mode-alist '("\\.m\\'" . clew-murphi-maybe-mode))
  (add-to-list 'auto-mode-alist '("\\.dve\\'" . clew-dve-mode))
  (add-to-list 'auto-mode-alist '("\\.xta\\'" . clew-uppaal-mode))
  (add-to-list 'auto-mode-alist '("\\.ta\\'" . clew-uppaal-mode)))

(with-eval-after-load 'eglot
  (defvar eglot-server-programs)
  (dolist (pair '((clew-murphi-mode . "murphi") (clew-dve-mode . "dve") (clew-uppaal-mode . "uppaal")))
    (add-to-list 'eglot-server-programs
                 (cons (list (list (car pair) :language-id (cdr pair))) (list clew-program "lsp")))))

(provide 'clew-modes)
;;; clew-modes.el ends here
