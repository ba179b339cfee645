/* Measures: joining ranges. */
#include "model/measure.h"

void clew_measured_join(struct clew_measured *to, const struct clew_measured *from) {
  if (!from->any) {
    return;
  }
  if (!to->any) {
    *to = *from;
    return;
  }
  if (from->most > to->most || (from->most == to->most && !from->most_open)) {
    to->most = from->most;
    to->most_open = from->most_open;
  }
  if (from->least < to->least || (from->least == to->least && !from->least_open)) {
    to->least = from->least;
    to->least_open = from->least_open;
  }
  to->is_endless = to->is_endless || from->is_endless;
  to->is_cut = to->is_cut || from->is_cut;
}
