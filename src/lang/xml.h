/* XML files as trees, for front ends whose models are in XML.
 *
 * Elements, attributes and text are kept; comments, processing instructions and prefixes of names
 * are not. Document types are skipped and never fetched; files that declare entities are refused.
 */
#ifndef CLEW_LANG_XML_H
#define CLEW_LANG_XML_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

struct clew_xml {
  const char *name;              /* without its prefix */
  const char *const *attributes; /* name, value, name, value, …, NULL */
  const char *text; /* all text directly inside, without blanks around it; never NULL */
  uint32_t offset;  /* of its first byte in the file */
  struct clew_xml *first, *next; /* child; sibling */
};

/* The root of the file, in the arena; NULL, and a message, if it is not well formed. Elements for
 * which `skips` says so are left out with all that is in them; NULL: none is. */
typedef bool clew_xml_skips(const char *name, const char *const *attributes);
struct clew_xml *clew_xml_read(const struct clew_source *source, struct clew_arena *arena,
                               clew_xml_skips *skips, struct clew_diag_sink *diags);

/* NULL: there is none. */
const char *clew_xml_attribute(const struct clew_xml *element, const char *name);
/* The first child of this name, or NULL. */
struct clew_xml *clew_xml_child(const struct clew_xml *element, const char *name);
bool clew_xml_is(const struct clew_xml *element, const char *name);

#endif
