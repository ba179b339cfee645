"use strict";
/* The report of a search (src/report/html.c has its data). */
(() => {
  const { h } = clew;
  const data = clew.data();

  const top = (sections) => h("header", { class: "top" }, h("span", { class: "brand" }, "clew"), h("h1", {}, data.model),
    h("nav", { "aria-label": "sections" }, sections.map(([id, name]) => h("a", { href: `#${id}` }, name))), h("span", { class: "gap" }), clew.themeButton());

  const verdict = () => h("section", { class: `panel verdict ${data.verdict.style}`, "aria-label": "verdict" },
    h("span", { class: "word" }, data.verdict.word), h("p", { class: "text" }, data.verdict.text), h("code", { class: "command" }, data.command));

  /* ---- The counterexample ---- */

  const endOf = (trace) => {
    const why = trace.because ? `${trace.error ? "" : "Because "}${trace.because}` : "";
    return [ending(trace), why].filter(Boolean).join(" – ") || null;
  };
  const ending = (trace) => {
    if (trace.error) {
      return `${trace.error.name ? `${trace.error.name}: ` : ""}${trace.error.text}`;
    }
    if (trace.loop_to !== undefined) {
      return `Steps ${trace.loop_to + 1} to ${trace.steps.length - 1} can be repeated for ever.`;
    }
    if (trace.rests) {
      return "Nothing else has to happen from here on.";
    }
    return trace.wait !== undefined ? `Time passes until ${trace.wait}.` : null;
  };

  const stepper = (path, cursor, root) => {
    const last = path.length - 1;
    const name = h("p", { class: "name" }), place = h("p", { class: "muted small" }), clocks = h("p", { class: "mono small" }), end = h("p", {});
    const action = h("div", { class: "action", "aria-live": "polite" }, place, name, clocks, end);
    const slider = h("input", { type: "range", min: 0, max: last, step: 1, value: 0, "aria-label": "step", oninput: () => cursor.go(Number(slider.value)) });
    const state = h("div", {});
    let timer = null;
    const speed = h("select", { id: "speed", "aria-label": "speed" }, [["slow", 1600], ["normal", 800], ["fast", 300]].map(([label, ms]) => h("option", { value: ms, selected: ms === 800 }, label)));
    const stop = () => {
      clearTimeout(timer);
      timer = null;
      root.classList.remove("playing");
      play.textContent = "▶ play";
    };
    const tick = () => {
      if (cursor.at === last) {
        stop();
        return;
      }
      cursor.go(cursor.at + 1);
      timer = setTimeout(tick, Number(speed.value));
    };
    const toggle = () => {
      if (timer !== null) {
        stop();
        return;
      }
      if (cursor.at === last) {
        cursor.go(0);
      }
      root.classList.add("playing");
      play.textContent = "❚❚ pause";
      timer = setTimeout(tick, Number(speed.value));
    };
    const move = (to) => () => {
      stop();
      cursor.go(to());
    };
    const play = h("button", { type: "button", id: "play", class: "primary", onclick: toggle }, "▶ play");
    const go = { first: move(() => 0), back: move(() => cursor.at - 1), next: move(() => cursor.at + 1), last: move(() => last) };
    const button = (id, label, sign) => h("button", { type: "button", id, class: "icon", "aria-label": label, title: label, onclick: go[id] }, sign);
    cursor.watch((at) => {
      const step = path.steps[at];
      name.textContent = step.name;
      place.textContent = `step ${at} of ${last}${step.time !== undefined ? `, time ${step.time}` : ""}${step.line ? `, line ${step.line}` : ""}`;
      clocks.textContent = step.clocks ?? "";
      end.textContent = at === last ? endOf(path.data) ?? "" : "";
      action.classList.toggle("bad", at === last);
      slider.value = at;
      const before = at > 0 ? path.state(at - 1) : null;
      state.replaceChildren(clew.stateTable("variables", clew.rowsOf(path.variables, path.state(at), before)));
      const changed = state.querySelector(".changed"), box = state.firstChild;
      if (changed) {
        box.scrollTop = Math.max(0, changed.offsetTop - 60);
      }
    });
    clew.keys({ ArrowLeft: go.back, ArrowRight: go.next, Home: go.first, End: go.last, " ": toggle, d: () => document.getElementById("theme").click() });
    return h("div", { class: "stepper" },
      h("div", { class: "row controls" }, button("first", "first step", "|◀"), button("back", "previous step", "◀"), play, button("next", "next step", "▶"), button("last", "last step", "▶|"),
        speed),
      h("div", { class: "row controls" }, slider), action, state,
      h("p", { class: "muted small noprint" }, "Keys: ← → one step, Home and End, space plays, d light or dark."));
  };

  const counterexample = (trace) => {
    const title = data.verdict.style === "bad" ? "Counterexample" : "The path";
    const section = h("section", { class: "panel", id: "path" }, h("h2", {}, title));
    if (trace.steps.length === 0) {
      section.append(h("p", {}, endOf(trace) ?? "The model fails before it has a state."));
      return section;
    }
    const path = new clew.Path(trace), cursor = clew.cursor(path.length);
    const charts = { id: "chart", name: "sequence", make: () => clew.chartView(path, cursor) };
    const table = { id: "table", name: "table", make: () => clew.tableView(path, cursor) };
    const timeline = { id: "timeline", name: trace.timed ? "time" : "timeline", make: () => clew.timelineView(path, cursor) };
    const hasCharts = (trace.charts || []).length > 0;
    const views = hasCharts ? [charts, table, timeline] : [table];
    section.append(h("div", { class: "path" }, stepper(path, cursor, section), h("div", {}, clew.tabs("views of the path", views).box)));
    if (trace.left_out > 0) {
      section.append(h("p", { class: "muted small" }, `${clew.count(trace.left_out)} more steps are not part of this page; the file of --trace has all of them.`));
    }
    return section;
  };

  /* ---- Properties and figures ---- */

  const properties = () => h("section", { class: "panel", id: "properties" }, h("h2", {}, "Properties"),
    h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "answer"), h("th", { scope: "col" }, "property"), h("th", { scope: "col", class: "number" }, "line"))),
      h("tbody", {}, data.properties.map((property) => h("tr", {}, h("td", {}, h("span", { class: `mark ${property.style}` }, property.word)), h("td", {}, property.title), h("td", { class: "number" }, property.line ?? ""))))));

  const plots = () => {
    const list = [];
    if (data.levels.length > 1) {
      list.push(clew.barPlot("States in each breadth-first level", data.levels.map((size, i) => [i, size]), "level"));
    }
    if (data.locality && data.locality.length > 0) {
      list.push(clew.barPlot("Transitions by how many levels they lead forward (1) or back", data.locality, "levels"));
    }
    if (data.history.length > 2) {
      const seconds = (t) => `${+t.toPrecision(3)} s`;
      list.push(clew.linePlot("States over time", [{ name: "visited", points: data.history.map((m) => [m[0], m[1]]) }, { name: "waiting", points: data.history.map((m) => [m[0], m[2]]) }], seconds, clew.short));
      list.push(clew.linePlot(`Memory over time${data.budget ? ` (budget ${clew.bytes(data.budget)})` : ""}`, [{ name: "memory", points: data.history.map((m) => [m[0], m[3]]) }], seconds, clew.bytes, data.budget));
    }
    return list;
  };

  const CARDS = ["states", "transitions", "levels", "zones", "deadlocks", "elapsed_s", "peak_rss_bytes", "bytes_per_state", "disk_bytes_peak", "threads"];
  const figures = () => {
    const named = new Map(data.figures.map((figure) => [figure.name, figure]));
    const card = (name) => {
      const figure = named.get(name);
      return figure && !(name === "disk_bytes_peak" && figure.value === "0 B") ? h("div", { class: "card", title: figure.help }, h("div", { class: "value" }, figure.value), h("div", { class: "muted small" }, name.replace(/_(s|bytes)$/, "").replaceAll("_", " "))) : null;
    };
    const rows = [...data.figures.map((f) => [f.name, f.value, f.help]), ...data.store.map((f) => [`store: ${f.name}`, f.value, ""])];
    return h("section", { class: "panel", id: "search" }, h("h2", {}, "The search"), h("div", { class: "cards" }, CARDS.map(card)), h("div", { class: "plots" }, plots()),
      data.conversions.map((c) => h("p", { class: "muted small" }, `The search went on with the store ${c.to} after ${clew.count(c.states)} states.`)),
      h("details", {}, h("summary", {}, "all figures"), h("table", {}, h("tbody", {}, rows.map(([name, value, help]) => h("tr", {}, h("th", { scope: "row", class: "mono" }, name), h("td", { class: "number" }, value), h("td", { class: "muted small" }, help)))))));
  };

  const sections = [["properties", "Properties"], ["search", "The search"]];
  if (data.trace) {
    sections.unshift(["path", data.verdict.style === "bad" ? "Counterexample" : "Path"]);
  }
  document.getElementById("page").append(top(sections),
    h("main", {}, verdict(), data.trace ? counterexample(data.trace) : null, properties(), figures()),
    h("footer", {}, `clew ${data.version}, ${data.language} model ${data.model}`));
  window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
})();
