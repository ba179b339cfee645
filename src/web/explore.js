"use strict";
/* The explorer (src/explore/explorer.h has its requests). */
(() => {
  const { h, s, clip } = clew;
  let model = null, node = null;

  /* ---- Requests ---- */

  const busy = (on) => document.body.classList.toggle("busy", on);
  const request = async (name, options = {}) => {
    const query = new URLSearchParams(options.arguments || {}).toString();
    busy(true);
    try {
      const response = await fetch(`api/${name}${query ? `?${query}` : ""}`, { method: options.post ? "POST" : "GET", body: options.post ? options.body ?? "" : undefined });
      const data = await response.json();
      if (!response.ok) {
        throw new Error(data.error || response.statusText);
      }
      return data;
    } finally {
      busy(false);
    }
  };
  const say = (text, style = "") => {
    notice.className = `notice ${style}`;
    notice.textContent = text;
    notice.hidden = text === "";
  };
  /* Does something; what goes wrong is told. */
  const attempt = (act) => async (...given) => {
    try {
      await act(...given);
    } catch (error) {
      say(error.message, "bad");
    }
  };

  /* ---- Walking ---- */

  const show = attempt(async (id) => {
    node = await request("node", { arguments: { id } });
    location.replace(`#${id}`);
    draw();
  });
  const step = attempt(async (edge) => {
    say("");
    await show((await request("step", { post: true, arguments: { id: node.id, edge } })).id);
  });
  const undo = () => node && node.parent !== undefined && show(node.parent);
  const begin = attempt(async (initial) => {
    say("");
    await show((await request("start", { post: true, arguments: { initial } })).id);
  });
  const follow = attempt(async (way) => {
    let id = node.id;
    for (const edge of way) {
      id = (await request("step", { post: true, arguments: { id, edge } })).id;
    }
    await show(id);
  });

  /* ---- The columns ---- */

  const notice = h("p", { class: "notice", role: "status", hidden: true });
  const choices = h("div", { class: "choices" });
  const more = h("div", {});
  const filter = h("input", { type: "text", id: "filter", placeholder: "only those with …", "aria-label": "filter transitions", oninput: () => drawChoices() });
  const state = h("div", {});
  const facts = h("div", {});
  const crumbs = h("div", { class: "crumbs" });
  const graphBox = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "states around this one" });
  const chartBox = h("div", {});
  const back = h("button", { type: "button", id: "undo", title: "undo (u)", onclick: undo }, "↶ undo");
  const where = h("span", { class: "muted" });

  const effect = (choice) => choice.error ?? (choice.changes.map(([slot, value]) => `${model.variables[slot]} = ${value ?? "gone"}`).join(", ") || "nothing changes");
  const choiceButton = (choice, i) => h("button", {
    type: "button", class: `choice${choice.error || choice.bad ? " bad" : ""}${choice.node !== undefined ? " taken" : ""}`, "data-edge": choice.edge, disabled: Boolean(choice.error),
    onclick: () => step(choice.edge),
  }, h("span", {}, i < 9 ? h("span", { class: "muted" }, `${i + 1}  `) : null, choice.name, choice.bad ? " ⚠" : "", choice.node !== undefined ? " ✓" : ""), h("span", { class: "effect" }, clip(effect(choice), 160)));
  const drawChoices = () => {
    const text = filter.value.toLowerCase();
    const list = node.choices.filter((choice) => `${choice.name} ${effect(choice)}`.toLowerCase().includes(text));
    choices.replaceChildren(...(list.length ? list.map(choiceButton) : [h("p", { class: "muted" }, node.choices.length ? "None of them fits." : "Nothing can happen here.")]));
    const hidden = node.count - node.choices.length;
    more.replaceChildren(...(hidden > 0 ? [h("button", { type: "button", onclick: attempt(async () => {
      const next = await request("node", { arguments: { id: node.id, from: node.choices.length } });
      node.choices.push(...next.choices);
      drawChoices();
    }) }, `${clew.count(hidden)} more`)] : []));
  };
  const drawState = () => {
    const now = new Map(node.state), before = node.before ? new Map(node.before) : null;
    state.replaceChildren(clew.stateTable("variables", clew.rowsOf(model.variables, now, before)));
    facts.replaceChildren(...[
      ...node.violated.map((title) => h("p", { class: "notice bad" }, `violated: ${title}`)),
      node.stuck && node.violated.length === 0 ? h("p", { class: "notice" }, "Nothing can happen any more.") : null,
      node.clocks ? h("p", { class: "notice mono" }, node.clocks) : null,
    ].filter(Boolean));
  };
  const drawCrumbs = () => {
    crumbs.replaceChildren(...node.way.map((at) => h("button", { type: "button", class: "crumb", "aria-current": at.id === node.id ? "step" : null, onclick: () => show(at.id) },
      h("span", { class: "at" }, at.depth), h("span", {}, at.name))));
    crumbs.scrollTop = crumbs.scrollHeight;
  };
  let shown = "walk";
  const draw = () => {
    where.textContent = `state ${node.id}, ${node.depth} ${node.depth === 1 ? "step" : "steps"} from the start`;
    back.disabled = node.parent === undefined;
    drawChoices();
    drawState();
    drawCrumbs();
    refresh();
  };
  const refresh = attempt(async () => {
    if (node && shown === "graph") {
      await drawGraph();
    } else if (node && shown === "chart") {
      await drawChart();
    }
  });

  /* ---- The graph ---- */

  const depth = h("select", { id: "depth", "aria-label": "how many steps around", onchange: () => refresh() }, [1, 2, 3, 4].map((d) => h("option", { value: d, selected: d === 2 }, `${d} ${d === 1 ? "step" : "steps"}`)));

  /* States in rows by their distance; within a row near those that lead to them. */
  const layout = (graph) => {
    const rows = [];
    graph.nodes.forEach((n, i) => (rows[n.depth] ??= []).push(i));
    const place = new Map();
    rows.forEach((row, d) => {
      if (d > 0) {
        const centre = new Map(row.map((i) => {
          const from = graph.links.filter((l) => l.to === i && graph.nodes[l.from].depth === d - 1).map((l) => place.get(l.from) ?? 0);
          return [i, from.length ? from.reduce((a, b) => a + b, 0) / from.length : 0];
        }));
        row.sort((a, b) => centre.get(a) - centre.get(b) || a - b);
      }
      row.forEach((i, k) => place.set(i, (k + 0.5) / row.length));
    });
    return { rows, place };
  };
  const drawGraph = async () => {
    const graph = await request("graph", { arguments: { id: node.id, depth: depth.value } });
    const { rows, place } = layout(graph);
    const widest = Math.max(...rows.map((row) => row.length));
    const width = Math.max(graphBox.clientWidth - 4 || 420, widest * 46), rowHeight = 92, height = rows.length * rowHeight + 10, radius = 14;
    const at = (i) => [place.get(i) * width, graph.nodes[i].depth * rowHeight + 40];
    const drawing = clew.drawing(width, height, `${graph.nodes.length} states around the current one, ${graph.links.length} transitions`);
    drawing.setAttribute("role", "group");
    const named = graph.links.length <= 14;
    for (const link of graph.links) {
      const [x1, y1] = at(link.from), [x2, y2] = at(link.to);
      let path, tip = null, middle = [(x1 + x2) / 2, (y1 + y2) / 2];
      if (link.from === link.to) {
        path = `M${x1 + radius},${y1 - 4} c 24,-18 24,26 0,10`;
        middle = [x1 + 26, y1 - 14];
      } else {
        const bend = y2 > y1 ? 0 : 34, dx = x2 - x1 + (bend ? -bend : 0), dy = y2 - y1, length = Math.hypot(dx, dy) || 1;
        const ex = x2 - (dx / length) * (radius + 2), ey = y2 - (dy / length) * (radius + 2);
        path = bend ? `M${x1},${y1} Q${(x1 + x2) / 2 + bend},${(y1 + y2) / 2} ${ex},${ey}` : `M${x1},${y1} L${ex},${ey}`;
        const ux = dx / length, uy = dy / length;
        tip = s("polygon", { class: "linktip", points: `${ex},${ey} ${ex - ux * 7 - uy * 3.5},${ey - uy * 7 + ux * 3.5} ${ex - ux * 7 + uy * 3.5},${ey - uy * 7 - ux * 3.5}` });
      }
      drawing.append(s("path", { class: "link", d: path }, s("title", {}, link.name)), tip ?? "");
      if (named) {
        drawing.append(s("text", { class: "halo quiet", x: middle[0], y: middle[1] + (link.to % 2 ? -9 : 9), "text-anchor": "middle" }, clip(link.name, 30)));
      }
    }
    graph.nodes.forEach((n, i) => {
      const [cx, cy] = at(i);
      const text = i === 0 ? "this state" : n.changes.map(([slot, value]) => `${model.variables[slot]} = ${value ?? "gone"}`).join("\n") || "the same values";
      const go = () => i > 0 && follow(n.way);
      const names = ["node", i === 0 ? "here" : "", n.bad ? "bad" : "", n.stuck ? "stuck" : ""].join(" ");
      drawing.append(s("g", { class: names, tabindex: 0, role: "button", "aria-label": `state ${i}: ${text}`, onclick: go, onkeydown: (event) => event.key === "Enter" && go() },
        s("title", {}, text), s("circle", { cx, cy, r: radius, "stroke-dasharray": n.open ? "3 3" : null }), s("text", { x: cx, y: cy + 4, "text-anchor": "middle" }, i === 0 ? "●" : i)));
    });
    graphBox.replaceChildren(drawing);
    graphNote.textContent = graph.whole ? `All ${graph.nodes.length} states that can be reached from here are shown.` : "Dashed states go on; red ones violate a property.";
  };
  const graphNote = h("p", { class: "muted small" });

  const drawChart = async () => {
    const path = new clew.Path(await request("path", { arguments: { id: node.id } }));
    const cursor = clew.cursor(path.length);
    cursor.at = path.length - 1;
    chartBox.replaceChildren(clew.chartView(path, cursor));
    cursor.watch((at) => {
      const target = node.way.find((one) => one.depth === at);
      if (target && at !== path.length - 1) {
        show(target.id);
      }
    });
  };

  /* ---- Looking for states ---- */

  const expression = h("input", { type: "text", id: "expression", spellcheck: "false", autocomplete: "off" });
  const seek = attempt(async () => {
    say("searching …");
    const result = await request("seek", { post: true, body: expression.value, arguments: { id: node.id, seconds: 10 } });
    const seen = `${clew.count(result.states)} states seen`;
    const texts = {
      none: `It is true in no state that can be reached from here (${seen}).`, limit: `Not found: the limit of this search is reached (${seen}).`,
      time: `Not found in ten seconds (${seen}).`, fault: `It cannot be evaluated: ${result.text}`,
    };
    if (result.end === "found") {
      await show(result.id);
      say(result.steps === 0 ? "It is true here." : `Found after ${result.steps} ${result.steps === 1 ? "step" : "steps"} (${seen}).`, "good");
    } else {
      say(texts[result.end], "bad");
    }
  });
  const savedId = h("input", { type: "number", id: "saved-id", min: 0 });
  const goSaved = attempt(async () => {
    say("");
    await show((await request("saved", { post: true, arguments: { id: savedId.value } })).id);
    say(`This is state ${clew.count(Number(savedId.value))} of the saved search.`, "good");
  });
  const savedExpression = h("input", { type: "text", id: "saved-expression", spellcheck: "false", autocomplete: "off" });
  let scanning = false;
  const scan = (fresh) => attempt(async () => {
    scanning = true;
    let body = fresh ? savedExpression.value : "";
    while (scanning) {
      const result = await request("scan", { post: true, body, arguments: { seconds: 1 } });
      body = "";
      if (result.end === "more") {
        say(`${clew.count(result.done)} of ${clew.count(result.states)} saved states looked at …`);
      } else if (result.end === "found") {
        scanning = false;
        savedId.value = result.saved;
        await show(result.id);
        say(`This is state ${clew.count(result.saved)} of the saved search.`, "good");
      } else {
        scanning = false;
        say(`No more of the ${clew.count(result.states)} saved states is like this.`, "bad");
      }
    }
  })();
  const form = (label, id, input, button, act, extra) => h("form", { class: "form", onsubmit: (event) => { event.preventDefault(); act(); } },
    h("label", { for: id }, label), h("div", { class: "row" }, input, h("button", { type: "submit", class: "primary" }, button), extra || []));
  const searchPanel = () => h("div", { class: "form" },
    form("Nearest state, from here on, in which this is true", "expression", expression, "find", seek),
    h("p", { class: "muted small" }, `In the syntax of the model (${model.language}), as after --goal.`),
    model.saved === null ? h("p", { class: "muted small" }, "With --saved DIR the states of a search that --checkpoint keeps can be visited, too.") : [
      h("hr", {}), h("h3", {}, `Saved search: ${clew.count(model.saved)} states`),
      form("State by its number", "saved-id", savedId, "go", goSaved),
      form("State in which this is true", "saved-expression", savedExpression, "find", () => scan(true), [
        h("button", { type: "button", onclick: () => scan(false) }, "next"), h("button", { type: "button", onclick: () => { scanning = false; } }, "stop")]),
    ]);

  /* ---- Files ---- */

  const load = attempt(async (text) => {
    await show((await request("load", { post: true, body: text })).id);
    say("The walk is loaded: go on from any of its steps.", "good");
  });
  const save = attempt(async () => {
    const data = await request("export", { arguments: { id: node.id } });
    const link = h("a", { href: URL.createObjectURL(new Blob([JSON.stringify(data, null, 2)], { type: "application/json" })), download: "walk.json" });
    link.click();
    URL.revokeObjectURL(link.href);
  });
  const forget = attempt(async () => {
    await show((await request("forget", { post: true, arguments: { id: node.id } })).id);
    say("Only the walk to this state is kept.");
  });
  const file = h("input", { type: "file", id: "file", accept: ".json", onchange: async () => file.files[0] && load(await file.files[0].text()) });
  const filePanel = () => h("div", { class: "form" },
    h("label", { for: "file" }, "Load a counterexample or a walk (as --trace saves it)"), file,
    h("div", { class: "row" }, h("button", { type: "button", id: "export", onclick: save }, "save this walk"), h("button", { type: "button", id: "forget", onclick: forget }, "forget the branches")),
    h("p", { class: "muted small" }, "A saved walk can be loaded again, and clew replay prints it."));

  /* ---- The page ---- */

  const start = () => h("div", { class: "form" }, h("label", { for: "starts" }, "Begin again"),
    h("div", { class: "row" }, h("select", { id: "starts" }, model.starts.map((one) => h("option", { value: one.initial }, clip(one.name, 60)))),
      h("button", { type: "button", id: "begin", onclick: () => begin(document.getElementById("starts").value) }, "start")));

  const page = () => {
    const tabs = clew.tabs("more about the walk", [
      { id: "walk", name: "walk", make: () => h("div", { class: "form" }, crumbs, start()), shown: () => { shown = "walk"; } },
      { id: "graph", name: "graph", make: () => h("div", {}, h("div", { class: "row chooser" }, h("label", { for: "depth" }, "around:"), depth), graphBox, graphNote), shown: () => { shown = "graph"; refresh(); } },
      { id: "chart", name: "sequence", make: () => chartBox, shown: () => { shown = "chart"; refresh(); } },
      { id: "search", name: "search", make: searchPanel, shown: () => { shown = "search"; } },
      { id: "files", name: "files", make: filePanel, shown: () => { shown = "files"; } },
    ]);
    document.getElementById("page").append(
      h("header", { class: "top" }, h("span", { class: "brand" }, "clew explore"), h("h1", {}, model.model), back, where, h("span", { class: "gap" }), clew.themeButton()),
      h("main", {}, notice, h("div", { class: "explore" },
        h("section", { class: "panel" }, h("h2", {}, "What can happen"), filter, choices, more),
        h("section", { class: "panel" }, h("h2", {}, "State"), facts, state),
        h("section", { class: "panel" }, h("h2", {}, "Walk"), tabs.box))));
  };
  const keys = { u: undo, d: () => document.getElementById("theme").click() };
  for (let i = 1; i <= 9; i++) {
    keys[i] = () => choices.querySelectorAll(".choice:not(:disabled)")[i - 1]?.click();
  }

  attempt(async () => {
    model = await request("model");
    page();
    clew.keys(keys);
    const wanted = Number(location.hash.slice(1) || "-1"), first = clew.data().first;
    if (model.starts.length === 0) {
      say("The model has no initial state.", "bad");
    } else if (wanted >= 0 && await request("node", { arguments: { id: wanted } }).then(() => true, () => false)) {
      await show(wanted);
    } else if (first !== null) {
      await show(first);
    } else {
      await begin(model.starts[0].initial);
    }
  })();
})();
