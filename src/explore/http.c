/* Finding libmicrohttpd and its functions. The number in its name is that of its interface, which
 * is the one that server.c was compiled for. */
#ifdef CLEW_HAVE_MICROHTTPD

#include "explore/http_int.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const char NAME[] = "libmicrohttpd.so.12";

/* ISO C has no conversion from a pointer to data to one to a function; POSIX says that both look
 * the same. */
static bool find(void *library, const char *name, void *function) {
  void *symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

const struct clew_http *clew_http_load(const char **why) {
  static struct clew_http http;
  static bool loaded;
  const char *other = getenv("CLEW_MICROHTTPD");
  void *library = loaded ? NULL : dlopen(other != NULL ? other : NAME, RTLD_NOW | RTLD_LOCAL);
  if (library != NULL) {
    loaded = true;
#define FIND(name) loaded = find(library, "MHD_" #name, &http.name) && loaded;
    CLEW_HTTP_FUNCTIONS(FIND)
#undef FIND
    if (!loaded) {
      dlclose(library);
    }
  }
  *why = loaded ? NULL
                : "clew explore needs the library libmicrohttpd, which is not installed (Debian: "
                  "libmicrohttpd12)";
  assert(!loaded || http.start_daemon != NULL);
  return loaded ? &http : NULL;
}

#else
typedef int clew_http_is_not_there; /* a file is never empty */
#endif
