/* Successors by look-up: for each transition, what it does in markings that agree on its places.
 *
 * Edges. The enabled bindings of a transition are numbered by the order of their values; binding k
 * of transition t is edge k * T + t, of T transitions. So an edge means the same in every run,
 * whatever was met before, and numbers stay small.
 *
 * Threads. A table is read without a lock: entries never change once they are in it, and a table
 * that has become too small stays until the model is closed. Everything else is done under the
 * lock. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "lang/cpn/cpn_int.h"

enum { FEW_PLACES = 64, FEW_TRANSITIONS = 128 };
static const uint64_t MOST_ENTRY_BYTES = UINT64_C(1) << 28, STEP_BYTES = 1 << 16;

/* ---- markings ---- */

static void counts_numbers(struct cpn_net *net, const uint64_t *state, uint32_t *numbers) {
  pthread_mutex_lock(&net->lock);
  for (uint32_t i = 0; i < net->places.len; i++) {
    const struct cpn_place *place = &net->places.data[i];
    numbers[i] = place->slot == CLEW_NONE ? place->start : cpn_counts_number(net, i, state);
  }
  pthread_mutex_unlock(&net->lock);
}

void cpn_numbers(struct cpn_net *net, const uint64_t *state, uint32_t *numbers) {
  if (net->unfolded != NULL) {
    counts_numbers(net, state, numbers);
    return;
  }
  for (uint32_t i = 0; i < net->places.len; i++) {
    const struct cpn_place *place = &net->places.data[i];
    numbers[i] = place->slot == CLEW_NONE ? place->start : cpn_get(net, state, place->slot);
  }
}

/* ---- memory ---- */

static uint64_t table_bytes(const struct cpn_net *net) {
  uint64_t bytes = clew_arena_bytes(net->pool.arena) + clew_arena_bytes(net->bag_arena) +
                   clew_arena_bytes(net->binding_arena) + net->entry_bytes + net->row_bytes;
  bytes += (net->pool.capacity + net->binding_capacity) * sizeof(void *);
  for (uint32_t i = 0; i < net->places.len; i++) {
    bytes += net->bags[i].capacity * sizeof(uint32_t) + net->bags[i].list.cap * sizeof(void *);
  }
  return bytes;
}

/* Takes what the tables have grown by. With the lock held. */
static void account(struct cpn_net *net) {
  uint64_t bytes = table_bytes(net);
  if (net->budget == NULL || bytes <= net->taken_bytes) {
    net->is_full = false;
    return;
  }
  uint64_t more = (bytes - net->taken_bytes + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
  net->is_full = !clew_budget_take(net->budget, more);
  net->taken_bytes += net->is_full ? 0 : more;
}

bool cpn_account(struct cpn_net *net) {
  account(net);
  return !net->is_full;
}

void cpn_spend(const struct clew_model *model, struct clew_budget *budget) {
  struct cpn_net *net = cpn_of(model);
  pthread_mutex_lock(&net->lock);
  net->budget = budget;
  net->taken_bytes = 0;
  account(net);
  pthread_mutex_unlock(&net->lock);
}

/* Entries can be made again: they get a share only. */
static bool has_room_for_entries(const struct cpn_net *net) {
  uint64_t most = MOST_ENTRY_BYTES;
  if (net->budget != NULL && net->budget->limit_bytes / 8 < most) {
    most = net->budget->limit_bytes / 8;
  }
  return net->entry_bytes < most;
}

/* ---- computing an entry ---- */

struct gathering {
  struct cpn_net *net;
  uint32_t transition;
  const uint32_t *numbers;
  const atomic_bool *stop;
  struct clew_arena *arena; /* NULL: bindings are kept */
  CLEW_VEC(struct cpn_binding *) found;
};

/* Whether all that the binding takes is there. */
static bool is_enabled(const struct gathering *g, const struct cpn_binding *binding) {
  for (uint32_t i = 0; i < binding->take_count; i++) {
    const struct cpn_move *move = &binding->takes[i];
    const struct cpn_bag *bag = cpn_bag(g->net, move->place, g->numbers[move->place]);
    if (cpn_bag_count(bag, move->token) < move->count) {
      return false;
    }
  }
  return true;
}

static bool gather_one(void *context, const struct cpn_value *const *variables) {
  struct gathering *g = context;
  struct cpn_binding *binding = cpn_binding(g->net, g->transition, variables, g->stop, g->arena);
  if (binding == NULL) {
    return false;
  }
  if (binding->state == CPN_B_OFF || (binding->takes_known && !is_enabled(g, binding))) {
    return true;
  }
  if (!cpn_binding_gives(g->net, binding, g->stop, g->arena)) {
    return false;
  }
  clew_vec_push(&g->found, binding);
  return true;
}

void cpn_sort_bindings(const struct cpn_net *net, struct cpn_binding **list, uint32_t count) {
  for (uint32_t step = 1; step < count; step++) { /* few, and often in order already */
    struct cpn_binding *binding = list[step];
    uint32_t low = 0, high = step;
    if (cpn_binding_compare(net, list[step - 1], binding) <= 0) {
      continue;
    }
    while (low < high) {
      uint32_t middle = low + (high - low) / 2;
      if (cpn_binding_compare(net, list[middle], binding) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    memmove(list + low + 1, list + low, (step - low) * sizeof *list);
    list[low] = binding;
  }
}

static uint64_t hash_key(const uint32_t *key, uint32_t count) {
  uint64_t hash = count;
  for (uint32_t i = 0; i < count; i++) {
    hash = (hash ^ key[i]) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
  }
  return hash;
}

static struct cpn_entry *new_entry(uint32_t count, uint32_t key_count, const uint32_t *key,
                                   uint64_t hash) {
  size_t words = (size_t)key_count + (size_t)count * key_count + count;
  size_t bytes = sizeof(struct cpn_entry) + count * sizeof(void *) + words * sizeof(uint32_t);
  struct cpn_entry *entry = clew_alloc(bytes);
  entry->hash = hash;
  entry->count = count;
  entry->is_kept = false;
  entry->bindings = (const struct cpn_binding **)(void *)(entry + 1);
  entry->key = (uint32_t *)(void *)(entry->bindings + count);
  entry->numbers = entry->key + key_count;
  entry->sites = entry->numbers + (size_t)count * key_count;
  memcpy(entry->key, key, key_count * sizeof *key);
  return entry;
}

void cpn_entry_free(struct cpn_entry *entry) {
  if (entry != NULL && !entry->is_kept) {
    clew_free(entry);
  }
}

struct cpn_entry *cpn_compute(struct cpn_net *net, uint32_t transition, const uint32_t *numbers,
                              const atomic_bool *stop, bool uses_tables) {
  const struct cpn_transition *t = &net->transitions.data[transition];
  struct gathering g = {.net = net, .transition = transition, .numbers = numbers, .stop = stop};
  g.arena = uses_tables ? NULL : net->scratch;
  struct cpn_entry *entry = NULL;
  if (cpn_each_binding(net, t, numbers, stop, gather_one, &g)) {
    cpn_sort_bindings(net, g.found.data, g.found.len);
    uint32_t *key = clew_alloc(((size_t)t->touched_count + 1) * sizeof *key), count = 0;
    for (uint32_t i = 0; i < t->touched_count; i++) {
      key[i] = numbers[t->touched[i]];
    }
    for (uint32_t i = 0; i < g.found.len; i++) {
      if (i == 0 || cpn_binding_compare(net, g.found.data[i - 1], g.found.data[i]) != 0) {
        g.found.data[count++] = g.found.data[i];
      }
    }
    /* Numbers of edges must not wrap: then the state as a whole has no answer. */
    bool is_too_much = count > UINT32_MAX / net->transitions.len;
    count = is_too_much ? 1 : count;
    entry = new_entry(count, t->touched_count, key, hash_key(key, t->touched_count));
    for (uint32_t k = 0; k < count; k++) {
      const struct cpn_binding *binding = g.found.data[k];
      entry->bindings[k] = binding;
      entry->sites[k] = is_too_much                      ? t->first_site + CPN_SITE_HUGE
                        : binding->state == CPN_B_FAULTY ? binding->site
                                                         : CLEW_NONE;
      for (uint32_t i = 0; i < t->touched_count && entry->sites[k] == CLEW_NONE; i++) {
        bool fits = cpn_bag_move(net, t->touched[i], key[i], binding,
                                 &entry->numbers[(size_t)k * t->touched_count + i]);
        assert(fits);
        (void)fits;
      }
    }
    clew_free(key);
  }
  clew_vec_free(&g.found);
  return entry;
}

/* ---- tables ---- */

static struct cpn_entry *find(_Atomic(struct cpn_table *) *from, const uint32_t *key,
                              uint32_t count, uint64_t hash) {
  struct cpn_table *table = atomic_load_explicit(from, memory_order_acquire);
  if (table == NULL) {
    return NULL;
  }
  for (uint32_t at = (uint32_t)hash & (table->capacity - 1);;
       at = (at + 1) & (table->capacity - 1)) {
    struct cpn_entry *entry = atomic_load_explicit(&table->slots[at], memory_order_acquire);
    if (entry == NULL ||
        (entry->hash == hash && memcmp(entry->key, key, count * sizeof *key) == 0)) {
      return entry;
    }
  }
}

static void place_entry(struct cpn_table *table, struct cpn_entry *entry) {
  uint32_t at = (uint32_t)entry->hash & (table->capacity - 1);
  while (atomic_load_explicit(&table->slots[at], memory_order_relaxed) != NULL) {
    at = (at + 1) & (table->capacity - 1);
  }
  atomic_store_explicit(&table->slots[at], entry, memory_order_release);
}

/* With the lock held. */
static void insert(_Atomic(struct cpn_table *) *into, uint32_t *count, struct cpn_entry *entry) {
  struct cpn_table *old = atomic_load_explicit(into, memory_order_relaxed);
  if (old == NULL || (*count + 1) * 2 > old->capacity) {
    uint32_t capacity = old == NULL ? 64 : old->capacity * 2;
    struct cpn_table *table = clew_alloc_zero(1, sizeof *table + capacity * sizeof table->slots[0]);
    table->capacity = capacity;
    table->older = old;
    for (uint32_t i = 0; old != NULL && i < old->capacity; i++) {
      struct cpn_entry *each = atomic_load_explicit(&old->slots[i], memory_order_relaxed);
      if (each != NULL) {
        place_entry(table, each);
      }
    }
    atomic_store_explicit(into, table, memory_order_release);
    old = table;
  }
  entry->is_kept = true;
  (*count)++;
  place_entry(old, entry);
}

static void free_table(struct cpn_table *table) {
  for (uint32_t i = 0; table != NULL && i < table->capacity; i++) {
    clew_free(atomic_load_explicit(&table->slots[i], memory_order_relaxed));
  }
  while (table != NULL) {
    struct cpn_table *older = table->older;
    clew_free(table);
    table = older;
  }
}

void cpn_free_tables(struct cpn_net *net) {
  for (uint32_t i = 0; i < net->transitions.len; i++) {
    free_table(atomic_load(&net->transitions.data[i].table));
  }
  for (uint32_t i = 0; net->label_codes != NULL && i < net->model.label_count; i++) {
    free_table(atomic_load(&net->label_codes[i].table));
  }
}

static uint64_t entry_bytes(const struct cpn_entry *entry, uint32_t key_count) {
  return sizeof *entry + 16 + entry->count * (sizeof(void *) + sizeof(uint32_t)) +
         ((uint64_t)entry->count + 1) * key_count * sizeof(uint32_t) + 2 * sizeof(void *);
}

/* The entry for the marking; NULL: the flag was raised, or (without `must`) the tables are full.
 * One that is not kept is to be freed. */
static struct cpn_entry *look_up_or(struct cpn_net *net, uint32_t transition,
                                    const uint32_t *numbers, const atomic_bool *stop, bool must) {
  struct cpn_transition *t = &net->transitions.data[transition];
  uint32_t few[FEW_PLACES], *key = few;
  if (t->touched_count > FEW_PLACES) {
    key = clew_alloc(t->touched_count * sizeof *key);
  }
  for (uint32_t i = 0; i < t->touched_count; i++) {
    key[i] = numbers[t->touched[i]];
  }
  uint64_t hash = hash_key(key, t->touched_count);
  struct cpn_entry *entry = find(&t->table, key, t->touched_count, hash);
  if (entry == NULL) {
    pthread_mutex_lock(&net->lock);
    entry = find(&t->table, key, t->touched_count, hash);
    if (entry == NULL && net->is_full) {
      account(net); /* others may have given something back */
    }
    if (entry == NULL && (must || !net->is_full)) {
      entry = cpn_compute(net, transition, numbers, stop, true);
      if (entry != NULL && has_room_for_entries(net)) {
        net->entry_bytes += entry_bytes(entry, t->touched_count);
        insert(&t->table, &t->entry_count, entry);
      }
      cpn_scratch_tidy(net);
      account(net);
    }
    pthread_mutex_unlock(&net->lock);
  }
  if (key != few) {
    clew_free(key);
  }
  return entry;
}

static struct cpn_entry *look_up(struct cpn_net *net, uint32_t transition, const uint32_t *numbers,
                                 const atomic_bool *stop) {
  return look_up_or(net, transition, numbers, stop, false);
}

/* States that were met before are rebuilt whatever is left: nothing new comes of it. */
static struct cpn_entry *look_up_again(struct cpn_net *net, uint32_t transition,
                                       const uint32_t *numbers, const atomic_bool *stop) {
  return look_up_or(net, transition, numbers, stop, true);
}

/* Sites behind those of transitions, from the end. */
enum { SITE_STOPPED = 1, SITE_MEMORY, SITE_LAYOUT, SITE_QUESTION_DEEP, SITE_QUESTION };

/* Why there is no entry. */
static uint32_t missing_site(const struct clew_model *model) {
  bool is_stopped = model->stop != NULL && atomic_load_explicit(model->stop, memory_order_relaxed);
  return model->site_count - (is_stopped ? SITE_STOPPED : SITE_MEMORY);
}

/* ---- successors ---- */

/* False: it does not fit into the bits of a state. */
static bool apply(const struct cpn_net *net, const struct cpn_transition *t,
                  const struct cpn_entry *entry, uint32_t k, const uint64_t *state, uint64_t *out) {
  bool fits = true;
  if (out != state) {
    memcpy(out, state, net->model.words * sizeof *out);
  }
  const uint32_t *numbers = entry->numbers + (size_t)k * t->touched_count;
  for (uint32_t i = 0; i < t->touched_count; i++) {
    uint32_t place = t->touched[i];
    fits = (net->unfolded != NULL ? cpn_counts_set(net, place, numbers[i], out)
                                  : cpn_set(net, out, net->places.data[place].slot, numbers[i])) &&
           fits;
  }
  return fits;
}

static void append(const struct cpn_net *net, uint32_t transition, const struct cpn_entry *entry,
                   uint32_t k, const uint64_t *state, struct clew_succs *succs) {
  uint32_t edge = k * net->transitions.len + transition;
  if (entry->sites[k] != CLEW_NONE) {
    succs->add_fault(succs, edge, entry->sites[k]);
    return;
  }
  if (apply(net, &net->transitions.data[transition], entry, k, state, clew_succs_next(succs))) {
    clew_succs_keep(succs, edge);
  } else {
    succs->add_fault(succs, edge, net->model.site_count - SITE_LAYOUT);
  }
}

/* Binding by binding, transition by transition: in increasing order of edges. */
static void append_all(const struct cpn_net *net, struct cpn_entry *const *entries, uint32_t from,
                       const uint64_t *state, struct clew_succs *succs) {
  uint32_t count = net->transitions.len, most = 0;
  for (uint32_t t = 0; t < count; t++) {
    most = entries[t]->count > most ? entries[t]->count : most;
  }
  for (uint32_t k = count > 0 ? from / count : 0; k < most; k++) {
    for (uint32_t t = 0; t < count; t++) {
      uint32_t edge = k * count + t;
      if (k < entries[t]->count && edge >= from) {
        if (clew_succs_pause(succs, edge)) {
          return;
        }
        append(net, t, entries[t], k, state, succs);
      }
    }
  }
}

typedef struct cpn_entry *finder(struct cpn_net *net, uint32_t transition, const uint32_t *numbers,
                                 const atomic_bool *stop);

static void next_by(const struct clew_model *model, const uint64_t *state, struct clew_succs *succs,
                    finder *by) {
  struct cpn_net *net = cpn_of(model);
  uint32_t first = succs->count, first_fault = succs->fault_count, from = succs->resume;
  uint32_t few_numbers[FEW_PLACES], *numbers = few_numbers, count = net->transitions.len, t = 0;
  struct cpn_entry *few[FEW_TRANSITIONS], **entries = few;
  if (net->places.len > FEW_PLACES) {
    numbers = clew_alloc(net->places.len * sizeof *numbers);
  }
  if (count > FEW_TRANSITIONS) {
    entries = clew_alloc(count * sizeof *entries);
  }
  clew_succs_begin_piece(succs);
  succs->resume = 0;
  cpn_numbers(net, state, numbers);
  for (; t < count; t++) {
    entries[t] = by(net, t, numbers, model->stop);
    if (entries[t] == NULL) {
      break;
    }
  }
  if (t == count) {
    append_all(net, entries, from, state, succs);
  } else {
    succs->add_fault(succs, t, missing_site(model));
  }
  while (t-- > 0) {
    cpn_entry_free(entries[t]);
  }
  if (entries != few) {
    clew_free(entries);
  }
  if (numbers != few_numbers) {
    clew_free(numbers);
  }
  clew_succs_note_stuck(succs, model->deadlock, state, first, first_fault, from != 0);
}

static bool fire_by(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                    uint64_t *out, uint32_t *site, finder *by, const atomic_bool *stop) {
  struct cpn_net *net = cpn_of(model);
  uint32_t few[FEW_PLACES], *numbers = few, count = net->transitions.len;
  assert(count > 0);
  uint32_t transition = edge % count, k = edge / count;
  if (net->places.len > FEW_PLACES) {
    numbers = clew_alloc(net->places.len * sizeof *numbers);
  }
  cpn_numbers(net, state, numbers);
  struct cpn_entry *entry = by(net, transition, numbers, stop);
  *site = entry == NULL ? missing_site(model) : k < entry->count ? entry->sites[k] : CLEW_NONE;
  bool fires = entry != NULL && k < entry->count && *site == CLEW_NONE;
  if (fires && !apply(net, &net->transitions.data[transition], entry, k, state, out)) {
    *site = model->site_count - SITE_LAYOUT;
    fires = false;
  }
  cpn_entry_free(entry);
  if (numbers != few) {
    clew_free(numbers);
  }
  return fires;
}

void cpn_next(const struct clew_model *model, const uint64_t *state, struct clew_succs *succs) {
  next_by(model, state, succs, look_up);
}

bool cpn_fire(const struct clew_model *model, const uint64_t *state, uint32_t edge, uint64_t *out,
              uint32_t *site) {
  return fire_by(model, state, edge, out, site, look_up_again, NULL);
}

/* ---- the reference: no entry and no binding is kept, everything is evaluated afresh ---- */

static struct cpn_entry *evaluate(struct cpn_net *net, uint32_t transition, const uint32_t *numbers,
                                  const atomic_bool *stop) {
  pthread_mutex_lock(&net->lock);
  struct cpn_entry *entry = cpn_compute(net, transition, numbers, stop, false);
  cpn_scratch_tidy(net); /* bindings of the entry are gone: nobody looks at them */
  pthread_mutex_unlock(&net->lock);
  return entry;
}

void cpn_plain_next(const struct clew_model *model, const uint64_t *state,
                    struct clew_succs *succs) {
  next_by(model, state, succs, evaluate);
}

bool cpn_plain_fire(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                    uint64_t *out, uint32_t *site) {
  return fire_by(model, state, edge, out, site, evaluate, model->stop);
}

/* ---- for people ---- */

static void tell_binding(const struct cpn_net *net, const struct cpn_binding *binding,
                         bool explains, struct clew_text *out) {
  if (!explains) {
    cpn_binding_print(net, binding, out);
  } else if (binding->why != NULL) {
    clew_text_put(out, binding->why);
  }
}

static void print_binding(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                          bool explains, struct clew_text *out) {
  struct cpn_net *net = cpn_of(model);
  if (net->unfolded != NULL) {
    const struct cpn_binding *binding = cpn_counts_binding(net, state, edge);
    if (binding != NULL) {
      tell_binding(net, binding, explains, out);
    }
    return;
  }
  uint32_t *numbers = clew_alloc(((size_t)net->places.len + 1) * sizeof *numbers);
  uint32_t count = net->transitions.len, k = edge / count;
  cpn_numbers(net, state, numbers);
  struct cpn_entry *entry = look_up_again(net, edge % count, numbers, NULL);
  if (entry != NULL && k < entry->count) {
    tell_binding(net, entry->bindings[k], explains, out);
  }
  cpn_entry_free(entry);
  clew_free(numbers);
}

void cpn_print_values(const struct clew_model *model, const uint64_t *state, uint32_t edge,
                      struct clew_text *out) {
  print_binding(model, state, edge, false, out);
}

void cpn_explain(const struct clew_model *model, const struct clew_occasion *occasion,
                 struct clew_text *out) {
  if (occasion->state != NULL && occasion->edge != CLEW_NONE && !occasion->is_start) {
    print_binding(model, occasion->state, occasion->edge, true, out);
  }
}

/* ---- questions ---- */

/* A marking that a question is about. */
struct asked {
  const struct cpn_net *net;
  const uint64_t *state;
  const uint32_t *numbers; /* by place; NULL: the net is unfolded */
};

static const struct cpn_value *mark_of(void *context, uint32_t mark, int64_t instance,
                                       struct clew_arena *arena) {
  const struct asked *asked = context;
  const struct cpn_net *net = asked->net;
  uint32_t place = cpn_mark_place(net, mark, instance);
  if (place == CLEW_NONE) {
    return NULL;
  }
  const struct cpn_place *facts = &net->places.data[place];
  if (asked->numbers == NULL && facts->slot != CLEW_NONE) {
    return cpn_counts_list(net, place, asked->state, arena);
  }
  const struct cpn_bag *bag =
      cpn_bag(net, place, asked->numbers == NULL ? facts->start : asked->numbers[place]);
  const struct cpn_value *list = net->ml.nil_value;
  for (uint32_t i = bag->count; i-- > 0;) {
    for (uint64_t n = 0; n < bag->tokens[i].count; n++) {
      list = cpn_value_cons(arena, bag->tokens[i].token, list);
    }
  }
  return list;
}

/* 0 or 1; 2: it raises an exception, 3: it was stopped. */
static uint32_t evaluate_label(struct cpn_net *net, const struct cpn_label *label,
                               struct asked *asked, const atomic_bool *stop) {
  struct cpn_eval eval;
  cpn_eval_open(net, &eval, stop);
  eval.ctx.mark = mark_of;
  eval.ctx.state = asked;
  const struct cpn_value *value = cpn_eval(&eval.ctx, label->expr, NULL);
  uint32_t answer = value != NULL ? cpn_is_true(&net->ml, value) != label->is_negated
                    : eval.ctx.failure == CPN_STOPPED ? 3
                    : eval.ctx.failure == CPN_RAISED  ? 2
                                                      : 4;
  cpn_eval_close(&eval);
  return answer;
}

/* By look-up, or evaluated now and kept. */
static uint32_t answer_by_table(struct cpn_net *net, struct cpn_label *label, const uint64_t *state,
                                const atomic_bool *stop) {
  uint32_t *numbers = clew_alloc(((size_t)net->places.len + 1) * sizeof *numbers);
  uint32_t *key = clew_alloc(((size_t)label->place_count + 1) * sizeof *key), answer;
  cpn_numbers(net, state, numbers);
  for (uint32_t i = 0; i < label->place_count; i++) {
    key[i] = numbers[label->places[i]];
  }
  uint64_t hash = hash_key(key, label->place_count);
  const struct cpn_entry *known = find(&label->table, key, label->place_count, hash);
  if (known != NULL) {
    answer = known->sites[0];
  } else {
    struct asked asked = {net, state, numbers};
    pthread_mutex_lock(&net->lock);
    answer = evaluate_label(net, label, &asked, stop);
    if (answer != 3 && has_room_for_entries(net) &&
        find(&label->table, key, label->place_count, hash) == NULL) {
      struct cpn_entry *entry = new_entry(1, label->place_count, key, hash);
      entry->sites[0] = answer;
      net->entry_bytes += entry_bytes(entry, label->place_count);
      insert(&label->table, &label->entry_count, entry);
    }
    cpn_scratch_tidy(net);
    pthread_mutex_unlock(&net->lock);
  }
  clew_free(key);
  clew_free(numbers);
  return answer;
}

/* A table of the markings of an unfolded net would be what was to be avoided. */
static uint32_t answer_afresh(struct cpn_net *net, const struct cpn_label *label,
                              const uint64_t *state, const atomic_bool *stop) {
  struct asked asked = {net, state, NULL};
  pthread_mutex_lock(&net->lock);
  uint32_t answer = evaluate_label(net, label, &asked, stop);
  cpn_scratch_tidy(net);
  pthread_mutex_unlock(&net->lock);
  return answer;
}

bool cpn_truth(const struct clew_model *model, uint32_t number, const uint64_t *state,
               uint32_t *site) {
  struct cpn_net *net = cpn_of(model);
  struct cpn_label *label = &net->label_codes[number];
  uint32_t answer = net->unfolded != NULL ? answer_afresh(net, label, state, model->stop)
                                          : answer_by_table(net, label, state, model->stop);
  if (answer > 1) {
    *site = model->site_count - (answer == 3   ? SITE_STOPPED
                                 : answer == 2 ? SITE_QUESTION
                                               : SITE_QUESTION_DEEP);
  }
  return answer == 1;
}
