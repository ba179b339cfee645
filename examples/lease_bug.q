// Two clients never work at the same time.
A[] not (Client(0).working && Client(1).working)
