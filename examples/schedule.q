// A deadline is the end of the period. A job is never older than that.
A[] Task(0).ready || Task(0).begun imply Task(0).age <= 5
A[] Task(1).ready || Task(1).begun imply Task(1).age <= 8
A[] Task(2).ready || Task(2).begun imply Task(2).age <= 14
