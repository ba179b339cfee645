// Nobody is called dead while it works.
A[] not (Machine.working && Watchdog.alarm)
