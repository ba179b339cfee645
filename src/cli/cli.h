/* The program as a function. */
#ifndef CLEW_CLI_CLI_H
#define CLEW_CLI_CLI_H

/* Parses the command line, executes the command, returns the exit code. */
int clew_main(int argc, char **argv);

#endif
