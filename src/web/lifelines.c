/* Charts: what the lifelines of a path do to each other. */
#include "web/lifelines.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "web/lifelines_int.h"

/* ---- Who takes part ---- */

static uint32_t add_line(uint32_t *out, uint32_t count, uint32_t line) {
  for (uint32_t i = 0; i < count; i++) {
    if (out[i] == line) {
      return count;
    }
  }
  out[count] = line;
  return count + 1;
}

static uint32_t line_named(const struct clew_cast *cast, const char *name) {
  for (uint32_t i = 0; i < cast->lines.len; i++) {
    if (strcmp(cast->lines.data[i], name) == 0) {
      return i;
    }
  }
  return CLEW_NONE;
}

/* Whether the step changes what belongs to the line; CLEW_NONE: what belongs to nobody. */
static bool changes_line(const struct clew_cast *cast, const struct clew_walk *walk, uint32_t step,
                         uint32_t line) {
  const struct clew_model *model = walk->model;
  const uint64_t *after = walk->states + (size_t)step * model->words;
  const uint64_t *before = after - model->words;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    /* Elements of multisets, which nobody owns, are messages. */
    bool is_message = model->slots[i].presence != CLEW_NONE || model->slots[i].hidden;
    if (cast->line_of[i] == line && (line != CLEW_NONE || !is_message) &&
        clew_slot_get(&model->slots[i], before) != clew_slot_get(&model->slots[i], after)) {
      return true;
    }
  }
  return false;
}

uint32_t clew_cast_of_step(const struct clew_cast *cast, const struct clew_walk *walk,
                           uint32_t step, const struct clew_edge_words *words, uint32_t *out) {
  assert(step >= 1 && step < walk->count);
  uint32_t count = 0;
  for (uint32_t i = 0; cast->is_processes && i < words->actors.len; i++) {
    uint32_t line = line_named(cast, words->actors.data[i]);
    count = line != CLEW_NONE ? add_line(out, count, line) : count;
  }
  if (cast->is_processes) {
    return count;
  }
  /* The one that a parameter names acts; others are acted on. A parameter may also be a number of
   * something else: it counts if the step changes what it names, or if nothing else tells. */
  uint32_t named[CLEW_CAST_MOST_LINES], named_count = 0;
  for (uint32_t i = 0; i < words->values.len; i++) {
    uint32_t line = line_named(cast, words->values.data[i]);
    named_count = line != CLEW_NONE ? add_line(named, named_count, line) : named_count;
  }
  for (uint32_t i = 0; i < named_count; i++) {
    if (changes_line(cast, walk, step, named[i])) {
      count = add_line(out, count, named[i]);
    }
  }
  if (count == 0 && changes_line(cast, walk, step, CLEW_NONE)) {
    count = add_line(out, count, cast->lines.len); /* the rest of the model acts, on others maybe */
  }
  for (uint32_t line = 0; line < cast->lines.len; line++) {
    if (changes_line(cast, walk, step, line)) {
      count = add_line(out, count, line);
    }
  }
  if ((count == 0 || out[0] == cast->lines.len) && named_count == 1 && count <= 1) {
    out[0] = named[0]; /* nothing else tells */
    count = 1;
  }
  return count;
}

/* ---- Arrows ---- */

/* A message on its way. */
struct flight {
  char *text; /* owned */
  uint32_t step, line;
};
struct drawing {
  const struct clew_cast *cast;
  struct clew_json_writer *w;
  CLEW_VEC(struct flight) flights;
};

static void write_arrow(struct clew_json_writer *w, uint32_t from_step, uint32_t from,
                        uint32_t to_step, uint32_t to, const char *text) {
  clew_json_object_open(w);
  clew_json_key_u64(w, "from_step", from_step);
  clew_json_key_u64(w, "from", from);
  clew_json_key(w, "to_step");
  if (to_step == CLEW_NONE) {
    clew_json_string(w, NULL);
  } else {
    clew_json_u64(w, to_step);
    clew_json_key_u64(w, "to", to);
  }
  clew_json_key(w, "text");
  clew_json_string(w, text);
  clew_json_object_close(w);
}

static void send(struct drawing *drawing, uint32_t step, uint32_t line, const char *text) {
  clew_vec_push(&drawing->flights,
                ((struct flight){.text = clew_strdup(text), .step = step, .line = line}));
}

/* The oldest message of this text arrives; one that was there from the start has no sender. */
static void receive(struct drawing *drawing, uint32_t step, uint32_t line, const char *text) {
  for (uint32_t i = 0; i < drawing->flights.len; i++) {
    struct flight *flight = &drawing->flights.data[i];
    if (strcmp(flight->text, text) == 0) {
      write_arrow(drawing->w, flight->step, flight->line, step, line, text);
      clew_free(flight->text);
      memmove(flight, flight + 1, (drawing->flights.len - i - 1) * sizeof *flight);
      drawing->flights.len--;
      return;
    }
  }
}

/* By channel: "c!" alone puts something there, "c?" takes it, and with several processes one of
 * them tells the others. */
static void draw_channel(struct drawing *drawing, uint32_t step, const uint32_t *lines,
                         uint32_t count, const char *channel) {
  size_t length = strcspn(channel, "!?");
  if (count == 1 && channel[length] != '\0') {
    char *name = clew_strndup(channel, length);
    if (channel[length] == '!') {
      send(drawing, step, lines[0], name);
    } else {
      receive(drawing, step, lines[0], name);
    }
    clew_free(name);
  }
  for (uint32_t i = 1; i < count; i++) {
    write_arrow(drawing->w, step, lines[0], step, lines[i], channel);
  }
}

static void draw_step(struct drawing *drawing, const struct clew_walk *walk,
                      const struct clew_elements *elements, uint32_t step,
                      const struct clew_edge_words *words) {
  const struct clew_model *model = walk->model;
  uint32_t lines[CLEW_CAST_MOST_LINES + 1], rest = drawing->cast->lines.len;
  uint32_t count = clew_cast_of_step(drawing->cast, walk, step, words, lines);
  if (words->channel != NULL && drawing->cast->is_processes) {
    draw_channel(drawing, step, lines, count, words->channel);
  }
  struct clew_messages messages;
  const uint64_t *after = walk->states + (size_t)step * model->words;
  clew_messages_between(model, elements, after - model->words, after, &messages);
  uint32_t actor = count > 0 ? lines[0] : rest;
  for (uint32_t i = 0; i < messages.go.len; i++) {
    receive(drawing, step, actor, messages.go.data[i]);
  }
  for (uint32_t i = 0; i < messages.come.len; i++) {
    send(drawing, step, actor, messages.come.data[i]);
  }
  bool is_talk = messages.go.len > 0 || messages.come.len > 0;
  for (uint32_t i = 1; !drawing->cast->is_processes && !is_talk && i < count; i++) {
    write_arrow(drawing->w, step, lines[0], step, lines[i], "");
  }
  clew_messages_free(&messages);
}

static void write_members(const struct clew_cast *cast, const struct clew_walk *walk, uint32_t step,
                          const struct clew_edge_words *words, struct clew_json_writer *w) {
  uint32_t lines[CLEW_CAST_MOST_LINES + 1];
  uint32_t count = clew_cast_of_step(cast, walk, step, words, lines);
  clew_json_array_open(w);
  for (uint32_t i = 0; i < count; i++) {
    clew_json_u64(w, lines[i]);
  }
  if (count == 0) {
    clew_json_u64(w, cast->lines.len);
  }
  clew_json_array_close(w);
}

static void write_lines(const struct clew_cast *cast, struct clew_json_writer *w) {
  clew_json_key(w, "lines");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < cast->lines.len; i++) {
    clew_json_string(w, cast->lines.data[i]);
  }
  clew_json_array_close(w);
  clew_json_key(w, "faces");
  clew_json_array_open(w);
  for (uint32_t i = 0; i < cast->lines.len; i++) {
    if (cast->face[i] == CLEW_NONE) {
      clew_json_string(w, NULL);
    } else {
      clew_json_u64(w, cast->face[i]);
    }
  }
  clew_json_array_close(w);
}

static void write_chart(const struct clew_cast *cast, const struct clew_walk *walk,
                        const struct clew_elements *elements, const struct clew_edge_words *words,
                        uint32_t steps, struct clew_json_writer *w) {
  clew_json_object_open(w);
  clew_json_key(w, "name");
  clew_json_string(w, cast->name);
  write_lines(cast, w);
  clew_json_key(w, "steps");
  clew_json_array_open(w);
  for (uint32_t i = 1; i <= steps; i++) {
    write_members(cast, walk, i, &words[i - 1], w);
  }
  clew_json_array_close(w);
  clew_json_key(w, "arrows");
  clew_json_array_open(w);
  struct drawing drawing = {.cast = cast, .w = w};
  for (uint32_t i = 1; i <= steps; i++) {
    draw_step(&drawing, walk, elements, i, &words[i - 1]);
  }
  for (uint32_t i = 0; i < drawing.flights.len; i++) {
    struct flight *flight = &drawing.flights.data[i];
    write_arrow(w, flight->step, flight->line, CLEW_NONE, CLEW_NONE, flight->text);
    clew_free(flight->text);
  }
  clew_vec_free(&drawing.flights);
  clew_json_array_close(w);
  clew_json_object_close(w);
}

void clew_casts_write(const struct clew_casts *casts, const struct clew_walk *walk,
                      uint32_t most_steps, struct clew_json_writer *w) {
  assert(walk->count >= 1);
  uint32_t steps = walk->count - 1 < most_steps ? walk->count - 1 : most_steps;
  struct clew_edge_words *words = clew_alloc_zero((size_t)steps + 1, sizeof *words);
  struct clew_text name = {0};
  for (uint32_t i = 0; i < steps; i++) {
    clew_text_clear(&name);
    walk->model->print_edge(walk->model, walk->edges[i], &name);
    clew_edge_words_read(clew_text_str(&name), &words[i]);
  }
  struct clew_elements elements;
  clew_elements_find(walk->model, &elements);
  clew_json_array_open(w);
  for (uint32_t i = 0; i < casts->list.len; i++) {
    write_chart(&casts->list.data[i], walk, &elements, words, steps, w);
  }
  clew_json_array_close(w);
  clew_elements_free(&elements);
  for (uint32_t i = 0; i < steps; i++) {
    clew_edge_words_free(&words[i]);
  }
  clew_free(words);
  clew_text_free(&name);
}
