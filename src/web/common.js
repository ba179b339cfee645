"use strict";
/* Shared by the pages of clew. Everything that comes from a model becomes a text node or the value of an attribute that
   holds text: no markup is ever made of it. */
const clew = {};

(() => {
  const SVG = "http://www.w3.org/2000/svg";

  const fill = (node, attributes, children) => {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) {
        continue;
      }
      if (name.startsWith("on")) {
        node.addEventListener(name.slice(2), value);
      } else {
        node.setAttribute(name, value === true ? "" : String(value));
      }
    }
    for (const child of children.flat()) {
      if (child !== null && child !== undefined && child !== false) {
        node.append(child instanceof Node ? child : document.createTextNode(String(child)));
      }
    }
    return node;
  };
  /* An element: h("p", {class: "muted", onclick: f}, "text", child, …). */
  clew.h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  clew.s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
  clew.drawing = (width, height, label, ...children) =>
    clew.s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, ...children);
  clew.clip = (text, most) => (text.length > most ? text.slice(0, Math.max(1, most - 1)) + "…" : text);

  clew.count = (n) => n.toLocaleString("en-US");
  clew.bytes = (n) => {
    const units = ["B", "kB", "MB", "GB", "TB"];
    let unit = 0;
    while (n >= 1024 && unit + 1 < units.length) {
      n /= 1024;
      unit++;
    }
    return `${n >= 10 || unit === 0 ? Math.round(n) : n.toFixed(1)} ${units[unit]}`;
  };
  clew.short = (n) => {
    for (const [size, unit] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
      if (n >= size) {
        return `${+(n / size).toPrecision(3)}${unit}`;
      }
    }
    return String(+n.toPrecision(3));
  };

  /* Light or dark: as the system says until the reader says otherwise. */
  const remembered = () => {
    try {
      return localStorage.getItem("clew-theme");
    } catch {
      return null;
    }
  };
  const isDark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  clew.themeButton = () => {
    const chosen = remembered();
    if (chosen === "light" || chosen === "dark") {
      document.documentElement.dataset.theme = chosen;
    }
    return clew.h("button", {
      type: "button", title: "light or dark (d)", id: "theme", onclick: () => {
        const theme = isDark() ? "light" : "dark";
        document.documentElement.dataset.theme = theme;
        try {
          localStorage.setItem("clew-theme", theme);
        } catch { /* a page from a file may not be allowed to */ }
      },
    }, "◐ theme");
  };

  /* Keys work wherever nobody is typing. `keys` maps names of keys to functions. */
  clew.keys = (keys) => document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "range";
    const pressing = event.target.tagName === "BUTTON" && (event.key === " " || event.key === "Enter");
    const act = keys[event.key];
    if (act && !typing && !pressing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      act();
    }
  });

  /* Tabs: [{name, make: () => node}]. A panel is made when it is first shown, or printed. */
  clew.tabs = (label, list) => {
    const bar = clew.h("div", { class: "tabs", role: "tablist", "aria-label": label });
    const box = clew.h("div", {}, bar);
    const panels = list.map(() => null);
    const buttons = [];
    const panelOf = (i) => {
      if (panels[i] === null) {
        panels[i] = clew.h("div", { role: "tabpanel", id: `panel-${list[i].id}`, "aria-labelledby": `tab-${list[i].id}`, tabindex: "-1", hidden: true },
          list[i].make());
        box.append(panels[i]);
      }
      return panels[i];
    };
    const show = (i, focus) => {
      panelOf(i);
      panels.forEach((panel, k) => {
        if (panel) {
          panel.hidden = k !== i;
        }
      });
      buttons.forEach((button, k) => {
        button.setAttribute("aria-selected", String(k === i));
        button.tabIndex = k === i ? 0 : -1;
      });
      if (focus) {
        buttons[i].focus();
      }
      list[i].shown?.();
    };
    list.forEach((entry, i) => {
      const button = clew.h("button", {
        type: "button", role: "tab", id: `tab-${entry.id}`, "aria-controls": `panel-${entry.id}`,
        onclick: () => show(i, false),
        onkeydown: (event) => {
          const to = { ArrowLeft: i - 1, ArrowRight: i + 1 }[event.key];
          if (to !== undefined) {
            event.preventDefault();
            event.stopPropagation();
            show((to + list.length) % list.length, true);
          }
        },
      }, entry.name);
      buttons.push(button);
      bar.append(button);
    });
    list.forEach((entry, i) => panelOf(i));
    show(0, false);
    return { box, show };
  };

  clew.data = () => JSON.parse(document.getElementById("data").textContent);
})();
