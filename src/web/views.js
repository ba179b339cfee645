"use strict";
/* Views of a path: its states as a table, its participants as a sequence chart and as a timeline, one state as a list.

   A path is {variables, steps: [{name, line, changes, time, clocks}], charts, error, wait, loop_to, …} (src/web/story.h). Views share a
   *cursor*, the step that is looked at: cursor.at, cursor.go(step), cursor.watch(f). */
(() => {
  const { h, s, clip } = clew;
  const SHOWN_ROWS = 400;

  clew.Path = class {
    constructor(data) {
      this.data = data;
      this.variables = data.variables;
      this.steps = data.steps;
      this.cache = new Map();
    }
    get length() {
      return this.steps.length;
    }
    /* The state after `step`: a map from variable to value. Every 64th is kept. */
    state(step) {
      const known = this.cache.get(step);
      if (known) {
        return known;
      }
      let from = step - (step % 64);
      while (from > 0 && !this.cache.has(from)) {
        from -= 64;
      }
      const values = new Map(this.cache.get(from) || []);
      for (let i = this.cache.has(from) ? from + 1 : from; i <= step; i++) {
        for (const [slot, value] of this.steps[i].changes) {
          if (value === null) {
            values.delete(slot);
          } else {
            values.set(slot, value);
          }
        }
        if (i % 64 === 0 && !this.cache.has(i)) {
          this.cache.set(i, new Map(values));
        }
      }
      return values;
    }
    changed(step) {
      return new Set(step === 0 ? [] : this.steps[step].changes.map(([slot]) => slot));
    }
    /* Variables that some step changes, in their order. */
    moving() {
      const found = new Set();
      this.steps.forEach((step, i) => i > 0 && step.changes.forEach(([slot]) => found.add(slot)));
      return [...found].sort((a, b) => a - b);
    }
  };

  clew.cursor = (length) => {
    const watchers = [];
    const cursor = {
      at: 0,
      go(step) {
        const to = Math.max(0, Math.min(length - 1, step));
        if (to !== cursor.at) {
          cursor.at = to;
          watchers.forEach((f) => f(to));
        }
      },
      watch(f) {
        watchers.push(f);
        f(cursor.at);
      },
    };
    return cursor;
  };

  /* Brings a part of a scrolling box into sight, and nothing else of the page. */
  const reveal = (box, top, bottom) => {
    const head = 40;
    if (top < box.scrollTop + head || bottom > box.scrollTop + box.clientHeight) {
      box.scrollTop = Math.max(0, top - box.clientHeight / 3);
    }
  };

  /* ---- One state ---- */

  /* Rows of a state: [name, value, previous or undefined if it did not change]. */
  clew.stateTable = (label, rows) => h("div", { class: "scroll state", tabindex: "0", role: "region", "aria-label": label },
    h("table", { class: "mono" }, h("tbody", {}, rows.map(([name, value, previous]) =>
      h("tr", {}, h("th", { scope: "row" }, name),
        h("td", { class: previous === undefined ? null : "changed" },
          previous !== undefined && previous !== null ? [h("span", { class: "was" }, previous), " "] : null,
          value === null ? "gone" : value))))));

  clew.rowsOf = (variables, state, before) => {
    const rows = [];
    variables.forEach((name, slot) => {
      const value = state.get(slot), was = before?.get(slot);
      if (name !== null && (value !== undefined || was !== undefined)) {
        rows.push([name, value === undefined ? null : value, before && was !== value ? (was === undefined ? null : was) : undefined]);
      }
    });
    return rows;
  };

  /* ---- The table ---- */

  clew.tableView = (path, cursor) => {
    const columns = path.moving();
    const still = path.variables.map((name, i) => i).filter((i) => path.variables[i] !== null && !columns.includes(i) && path.state(0).has(i));
    const body = h("tbody", {});
    const box = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "the states of the path" },
      h("table", { class: "trace" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "#"), h("th", { scope: "col" }, "step"),
          path.data.timed ? h("th", { scope: "col" }, "time") : null,
          columns.map((slot) => h("th", { scope: "col" }, path.variables[slot])))), body));
    let first = -1;
    const rows = new Map();
    const rowOf = (i) => {
      const state = path.state(i), changed = path.changed(i), step = path.steps[i];
      return h("tr", { id: `row-${i}`, onclick: () => cursor.go(i) },
        h("td", { class: "number place" }, i), h("td", { class: "what" }, step.name),
        path.data.timed ? h("td", { class: "number mono" }, step.time ?? "") : null,
        columns.map((slot) => h("td", { class: `mono ${i === 0 ? "" : changed.has(slot) ? "changed" : "same"}` },
          state.has(slot) ? state.get(slot) : "–")));
    };
    const fill = (at) => {
      first = Math.max(0, Math.min(at - SHOWN_ROWS / 2, path.length - SHOWN_ROWS));
      rows.clear();
      body.replaceChildren();
      for (let i = first; i < Math.min(path.length, first + SHOWN_ROWS); i++) {
        rows.set(i, rowOf(i));
        body.append(rows.get(i));
      }
    };
    cursor.watch((at) => {
      if (!rows.has(at)) {
        fill(at);
      }
      body.querySelector(".now")?.classList.remove("now");
      const row = rows.get(at);
      row.classList.add("now");
      reveal(box, row.offsetTop, row.offsetTop + row.offsetHeight);
    });
    const note = [];
    if (path.length > SHOWN_ROWS) {
      note.push(`${SHOWN_ROWS} of ${clew.count(path.length)} states around the current one are shown.`);
    }
    if (still.length > 0) {
      note.push(`${still.length} ${still.length === 1 ? "variable never changes" : "variables never change"} and ${still.length === 1 ? "has" : "have"} no column.`);
    }
    return h("div", {}, box, note.length ? h("p", { class: "muted small" }, note.join(" ")) : null);
  };

  /* ---- The sequence chart ---- */

  const ROW = 50, HEAD = 46, LEFT = 70;

  const tip = (x, y, dx, dy) => {
    const length = Math.hypot(dx, dy) || 1, ux = dx / length, uy = dy / length;
    const at = (along, aside) => `${x - ux * along - uy * aside},${y - uy * along + ux * aside}`;
    return s("polygon", { class: "tip", points: `${x},${y} ${at(8, 4)} ${at(8, -4)}` });
  };

  /* "data, p_2" of "net: what: data, who: p_2"; the whole text is told when somebody points at it. */
  const brief = (text) => text.replace(/^[^:]*: (?=.)/, "").replace(/(^|, )[\w.]+: /g, "$1");

  const drawArrow = (arrow, place) => {
    const isMessage = arrow.to_step !== arrow.from_step;
    const x1 = place.x(arrow.from), y1 = place.y(arrow.from_step) + (isMessage ? 9 : -11);
    const classes = `arrow${arrow.to_step === null ? " lost" : ""}`;
    /* A label begins, or has its middle, at x; but it stays within the drawing. */
    const label = (x, y, anchor) => {
      const text = clip(brief(arrow.text), 40), length = text.length * 7, before = anchor === "middle" ? length / 2 : 0;
      const within = Math.max(4 + before, Math.min(x, place.width - 4 - (length - before)));
      return s("text", { class: "halo", x: within, y, "text-anchor": anchor }, text, s("title", {}, arrow.text));
    };
    if (arrow.to_step === null) {
      const x2 = x1 + 38, y2 = y1 + 18;
      return s("g", {}, s("path", { class: classes, d: `M${x1},${y1} L${x2},${y2}` }), s("circle", { class: "tip", cx: x2, cy: y2, r: 3 }), label(x2 + 6, y2 + 4, "start"));
    }
    const x2 = place.x(arrow.to), y2 = place.y(arrow.to_step) + (isMessage ? -9 : -11);
    if (x1 === x2) {
      const bend = x1 + 40;
      return s("g", {}, s("path", { class: classes, d: `M${x1},${y1} C${bend},${y1} ${bend},${y2} ${x2},${y2}` }), tip(x2, y2, -1, 0),
        label(x1 + 36, (y1 + y2) / 2 + 4, "start"));
    }
    const towards = x2 > x1 ? 1 : -1;
    return s("g", {}, s("path", { class: classes, d: `M${x1},${y1} L${x2 - towards * 3},${y2}` }), tip(x2 - towards * 2, y2, x2 - x1, y2 - y1),
      label((x1 + x2) / 2, (y1 + y2) / 2 - (isMessage ? 6 : 5), "middle"));
  };

  const makeChart = (path, chart, cursor, box) => {
    const steps = chart.steps.length, lines = chart.lines.slice();
    if (chart.steps.some((members) => members.includes(lines.length)) || chart.arrows.some((a) => a.from === lines.length || a.to === lines.length)) {
      lines.push("the rest");
    }
    const shownName = (name) => (/^-?\d+$/.test(name) ? `[${name}]` : name);
    const space = box.clientWidth || 860, ACTIONS = space >= 620 ? 250 : 12; /* where it is narrow, names are told by pointing only */
    const room = space - LEFT - ACTIONS;
    const gap = Math.max(100, Math.min(230, room / lines.length));
    const actions = LEFT + gap * lines.length;
    const width = actions + ACTIONS - 4, height = HEAD + ROW * (steps + 1) + 10;
    const place = { width, x: (line) => LEFT + gap * (line + 0.5), y: (step) => HEAD + ROW * (step + 0.5) };
    const most = Math.floor(gap / 7.5);
    const drawing = clew.drawing(width, height, `sequence chart by ${chart.name}: ${lines.length} lifelines, ${steps} steps`);
    const rows = [];
    for (let i = 0; i <= steps; i++) {
      const step = path.steps[i], y = place.y(i);
      const row = s("g", { class: "step", "data-step": i, onclick: () => cursor.go(i) }, s("title", {}, `${i}  ${step.name}`),
        s("rect", { class: "hit", x: 0, y: y - ROW / 2, width, height: ROW }),
        s("text", { class: "quiet", x: 10, y: y + 4 }, i),
        step.time !== undefined ? s("text", { class: "quiet", x: LEFT - 6, y: y + 4, "text-anchor": "end" }, `@${step.time}`) : null,
        space >= 620 ? s("text", { class: "quiet", x: actions + 8, y: y + 4 }, clip(step.name, 33)) : null);
      rows.push(row);
      drawing.append(row);
    }
    const under = s("g", {}), over = s("g", {});
    drawing.append(under, over);
    lines.forEach((name, line) => {
      under.append(s("line", { class: "life", x1: place.x(line), x2: place.x(line), y1: HEAD - 6, y2: height - 6 }));
      over.append(s("rect", { class: "head", x: place.x(line) - gap / 2 + 8, y: 8, width: gap - 16, height: 28, rx: 6 }),
        s("text", { class: "headtext", x: place.x(line), y: 27, "text-anchor": "middle" }, clip(shownName(name), most), s("title", {}, `${chart.name}: ${name}`)));
    });
    const arrows = chart.arrows.map((arrow) => ({ arrow, node: drawArrow(arrow, place) }));
    arrows.forEach(({ node }) => over.append(node));
    const marks = [];
    for (let i = 0; i <= steps; i++) {
      const members = i === 0 ? chart.lines.map((_, line) => line) : chart.steps[i - 1];
      const changed = path.changed(i), state = path.state(i), mark = s("g", { class: "step", onclick: () => cursor.go(i) });
      for (const line of members) {
        const face = chart.faces[line] ?? null;
        const x = place.x(line), y = place.y(i);
        if (face !== null && (i === 0 || changed.has(face)) && state.has(face)) {
          const text = clip(state.get(face), most - 2), half = Math.max(14, text.length * 3.6 + 8);
          mark.append(s("rect", { class: "pill", x: x - half, y: y - 9, width: 2 * half, height: 19, rx: 9.5 }), s("text", { x, y: y + 4.5, "text-anchor": "middle" }, text));
        } else if (i > 0) {
          mark.append(s("circle", { class: "dot", cx: x, cy: y, r: 4.5 }));
        }
      }
      marks.push(mark);
      over.append(mark);
    }
    const show = (at) => {
      rows.forEach((row, i) => row.classList.toggle("now", i === at));
      marks.forEach((mark, i) => {
        mark.classList.toggle("now", i === at);
        mark.classList.toggle("later", i > at);
      });
      for (const { arrow, node } of arrows) {
        const end = arrow.to_step ?? arrow.from_step;
        node.classList.toggle("later", end > at);
        node.firstChild.classList.toggle("fresh", end === at);
      }
      reveal(box, place.y(at) - ROW / 2, place.y(at) + ROW);
    };
    return { drawing, show };
  };

  /* A drawing in a scrolling box, made anew when another chart is chosen or the box gets another width. */
  const drawnView = (path, cursor, charts, label, id, make) => {
    const box = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label });
    let show = null, chosen = 0, width = -1;
    const draw = () => {
      const made = make(path, charts[chosen], cursor, box);
      width = box.clientWidth;
      box.replaceChildren(made.drawing);
      show = made.show;
      show(cursor.at);
    };
    draw();
    cursor.watch((at) => show(at));
    new ResizeObserver(() => {
      if (box.clientWidth > 0 && Math.abs(box.clientWidth - width) > 30) {
        draw();
      }
    }).observe(box);
    const choose = (i) => {
      chosen = i;
      draw();
    };
    const limit = charts[0].steps.length + 1 < path.length ? h("p", { class: "muted small" }, `The first ${charts[0].steps.length} steps are drawn.`) : null;
    return h("div", {}, charts.length > 1 ? chooser(charts, choose, id) : null, box, limit);
  };

  const NOBODY = "The model has neither processes nor arrays whose elements could be lifelines.";
  clew.chartView = (path, cursor) => {
    const charts = path.data.charts || [];
    return charts.length === 0 ? h("p", { class: "muted" }, NOBODY) : drawnView(path, cursor, charts, "sequence chart", "lifelines-of", makeChart);
  };

  const chooser = (charts, choose, id) => h("div", { class: "row controls chooser" },
    h("label", { for: id }, "lifelines:"), h("select", { id, onchange: (event) => choose(event.target.selectedIndex) },
      charts.map((chart) => h("option", {}, `${chart.name} (${chart.lines.length})`))));

  /* ---- The timeline ---- */

  /* Where each step is. A step has a width of its own, so that several at one moment can be told apart; what is left of the room
     is time that passes, true to scale. */
  const STEP = 30;
  const placesOf = (path, steps, left, room) => {
    const times = path.steps.slice(0, steps + 1).map((step) => (step.time === undefined ? NaN : Number(step.time)));
    const isTimed = times.every((t) => !Number.isNaN(t));
    const moments = isTimed ? times : times.map((_, i) => i);
    const end = isTimed ? Number(path.data.wait ?? moments[steps]) : steps;
    const total = end - moments[0] || 1, inner = Math.max(room, (steps + 1) * STEP + (isTimed ? 160 : 0));
    const x = (i) => left + i * STEP + ((moments[i] - moments[0]) / total) * (inner - (steps + 1) * STEP);
    return { isTimed, moments, end, x, last: left + inner };
  };

  const ticks = (low, high, most) => {
    const raw = (high - low) / most || 1, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((m) => m * power).find((m) => m >= raw);
    const list = [];
    for (let t = Math.ceil(low / step) * step; t <= high + step * 1e-6; t += step) {
      list.push(+t.toPrecision(12));
    }
    return list;
  };

  const makeTimeline = (path, chart, cursor, box) => {
    const lines = chart.lines.map((name, i) => ({ name, face: chart.faces[i] })).filter((line) => line.face !== null);
    const left = 130, bar = 30, top = 34, steps = chart.steps.length;
    const places = placesOf(path, steps, left, (box.clientWidth || 860) - left - 40);
    const width = places.last + 24, height = top + bar * lines.length + 46;
    const drawing = clew.drawing(width, height, `timeline by ${chart.name}`);
    const colours = new Map();
    const colourOf = (value) => {
      if (!colours.has(value)) {
        colours.set(value, `var(--c${colours.size % 8})`);
      }
      return colours.get(value);
    };
    for (let i = 0, free = 0; i <= steps; i++) {
      const x = places.x(i), isNew = i === 0 || places.moments[i] !== places.moments[i - 1];
      drawing.append(s("line", { class: "axis", x1: x, x2: x, y1: top - 6, y2: height - 34 }));
      if (isNew && x >= free) {
        const text = String(places.moments[i]);
        drawing.append(s("text", { class: "quiet", x, y: height - 18, "text-anchor": "middle" }, text));
        free = x + text.length * 8 + 12;
      }
    }
    drawing.append(s("text", { class: "quiet", x: (left + places.last) / 2, y: height - 2, "text-anchor": "middle" }, places.isTimed ? "time" : "step"));
    lines.forEach((line, row) => {
      const y = top + bar * row;
      drawing.append(s("text", { x: left - 10, y: y + bar / 2 + 4, "text-anchor": "end" }, clip(line.name, 17), s("title", {}, line.name)));
      for (let i = 0; i <= steps;) {
        const value = path.state(i).get(line.face), at = i;
        do {
          i++;
        } while (i <= steps && path.state(i).get(line.face) === value);
        const from = places.x(at), to = i <= steps ? places.x(i) : places.last;
        if (value !== undefined) {
          const segment = s("rect", { class: "seg", x: from, y: y + 3, width: to - from, height: bar - 6, rx: 4, onclick: () => cursor.go(at) }, s("title", {}, `${line.name} = ${value}`));
          segment.style.fill = colourOf(value);
          drawing.append(segment, s("text", { x: from + 5, y: y + bar / 2 + 4, "pointer-events": "none" }, clip(value, Math.floor((to - from - 8) / 8))));
        }
      }
    });
    const mark = s("line", { class: "cursor", y1: top - 14, y2: height - 34 });
    const number = s("text", { class: "halo", y: 14, "text-anchor": "middle" });
    drawing.append(mark, number);
    const show = (at) => {
      const x = places.x(Math.min(at, steps));
      mark.setAttribute("x1", x);
      mark.setAttribute("x2", x);
      number.setAttribute("x", Math.min(Math.max(x, 30), places.last - 40));
      number.textContent = places.isTimed ? `step ${at} @ ${path.steps[at].time}` : `step ${at}`;
      if (x < box.scrollLeft + left || x > box.scrollLeft + box.clientWidth - 40) {
        box.scrollLeft = Math.max(0, x - box.clientWidth / 2);
      }
    };
    return { drawing, show };
  };

  clew.timelineView = (path, cursor) => {
    const charts = (path.data.charts || []).filter((chart) => chart.faces.some((face) => face !== null));
    return charts.length === 0 ? h("p", { class: "muted" }, NOBODY) : drawnView(path, cursor, charts, "timeline", "lines-of", makeTimeline);
  };

  /* ---- Plots ---- */

  const frame = (width, height, xs, ys, marks, label) => {
    const left = 58, bottom = 30, top = 10, right = 14;
    const inner = { width: width - left - right, height: height - top - bottom };
    const x = (v) => left + ((v - xs.low) / (xs.high - xs.low || 1)) * inner.width;
    const y = (v) => top + inner.height * (1 - (v - ys.low) / (ys.high - ys.low || 1));
    const drawing = clew.drawing(width, height, label);
    for (const t of ticks(ys.low, ys.high, 5)) {
      drawing.append(s("line", { class: "axis", x1: left, x2: width - right, y1: y(t), y2: y(t) }), s("text", { class: "quiet", x: left - 6, y: y(t) + 4, "text-anchor": "end" }, ys.show(t)));
    }
    for (const t of ticks(xs.low, xs.high, 7).filter((t) => !xs.integers || Number.isInteger(t))) {
      drawing.append(s("text", { class: "quiet", x: x(t), y: height - 10, "text-anchor": "middle" }, xs.show(t)));
    }
    marks(drawing, x, y);
    drawing.setAttribute("width", "100%");
    drawing.removeAttribute("height");
    return drawing;
  };

  clew.barPlot = (title, points, label) => {
    const width = 560, height = 230;
    const xs = { low: points[0][0] - 0.5, high: points[points.length - 1][0] + 0.5, show: (v) => v, integers: true };
    const ys = { low: 0, high: Math.max(1, ...points.map(([, v]) => v)), show: clew.short };
    return h("figure", {}, h("figcaption", {}, title), frame(width, height, xs, ys, (drawing, x, y) => {
      const wide = Math.max(0.6, (x(1) - x(0)) * 0.86);
      for (const [at, value] of points) {
        drawing.append(s("rect", { class: "bar", x: x(at) - wide / 2, y: y(value), width: wide, height: Math.max(0, y(0) - y(value)) }, s("title", {}, `${label} ${at}: ${clew.count(value)}`)));
      }
    }, title));
  };

  /* Series: [{points: [[x, y] …], name}], with an optional limit. */
  clew.linePlot = (title, series, showX, showY, limit) => {
    const all = series.flatMap((one) => one.points);
    const xs = { low: Math.min(...all.map((p) => p[0])), high: Math.max(...all.map((p) => p[0])), show: showX };
    const top = Math.max(1, ...all.map((p) => p[1]));
    const shown = limit !== undefined && limit < top * 3 ? limit : undefined;
    const ys = { low: 0, high: Math.max(top, shown ?? 0), show: showY };
    return h("figure", {}, h("figcaption", {}, title), frame(560, 230, xs, ys, (drawing, x, y) => {
      series.forEach((one, i) => {
        drawing.append(s("path", { class: i === 0 ? "curve" : "curve second", d: one.points.map(([a, b], k) => `${k === 0 ? "M" : "L"}${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" ") }));
        if (series.length > 1) {
          const [a, b] = one.points[one.points.length - 1];
          drawing.append(s("text", { class: "halo", x: x(a) - 4, y: y(b) - 6, "text-anchor": "end" }, one.name));
        }
      });
      if (shown !== undefined) {
        drawing.append(s("line", { class: "limit", x1: x(xs.low), x2: x(xs.high), y1: y(shown), y2: y(shown) }));
      }
    }, title));
  };
})();
