/* A crew: a fixed number of threads that do the same job together, again and again. The caller is
 * member 0; the others sleep between jobs and are started when the first job needs them, so a crew
 * that has nothing to do costs nothing.
 *
 *   clew_crew_work(crew, 3, job, context);   // job(context, 0), job(context, 1), job(context, 2)
 *
 * returns when all of them have returned. Every member sees what was written before the call, and
 * the caller sees what members wrote after it. There is one job at a time: a job that starts
 * another one does all parts of that itself, one after the other. */
#ifndef CLEW_BASE_CREW_H
#define CLEW_BASE_CREW_H

#include <stdint.h>

/* Of the stack of each member but the caller, whose stack should have as much. Memory is used only
 * as far as something is put there. */
enum { CLEW_CREW_STACK_BYTES = 64 << 20 };

struct clew_crew;

typedef void clew_crew_job(void *context, uint32_t member);

/* `size` members, the caller among them; at least 1. Opening never fails: when the system refuses a
 * thread, the caller does its part, after its own. */
struct clew_crew *clew_crew_open(uint32_t size);
void clew_crew_close(struct clew_crew *crew); /* NULL is fine */
/* 1 for NULL. */
uint32_t clew_crew_size(const struct clew_crew *crew);
/* Starts the first `members` members now. How many there are: fewer if the system refuses. A job
 * whose parts wait for each other must be given to no more than these. */
uint32_t clew_crew_muster(struct clew_crew *crew, uint32_t members);
/* Runs the job on the first `members` members, at most the size. `crew` may be NULL: then the
 * caller does all parts, one after the other. */
void clew_crew_work(struct clew_crew *crew, uint32_t members, clew_crew_job *job, void *context);
/* Processors that this process may use: by affinity and by the limit of its control group; at
 * least 1. */
uint32_t clew_crew_processors(void);
/* Those that the machine, or the control group, has: launchers give each process some of them. */
uint32_t clew_crew_online(void);

#endif
