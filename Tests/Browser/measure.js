// Run inside a page by look.py: finds text that cannot be read. Pages have no script of their own.
window.looked = (() => {
  const shown = (element) => element.checkVisibility ? element.checkVisibility() : true;
  const name = (element) => {
    const text = (element.textContent || "").trim().replace(/\s+/g, " ").slice(0, 50);
    return `<${element.tagName.toLowerCase()}> "${element.getAttribute("aria-label") || text}"`;
  };
  const isFolded = (element) => {
    const fold = element.closest("details:not([open])");
    return fold && !element.closest("summary");
  };
  // Off the screen on purpose: the skip link and the heads of tables shown as cards.
  const isAside = (element) => element.closest(".skip, thead") && element.getBoundingClientRect().width <= 1
    || element.closest(".skip");

  const texts = () => {
    const walker = document.createTreeWalker(document.body || document.documentElement, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      if (!walker.currentNode.data.trim() || !shown(element) || isFolded(element)) continue;
      if (["STYLE", "TITLE", "DESC"].includes(element.tagName.toUpperCase())) continue;
      if (element.closest("thead") && getComputedStyle(element.closest("thead")).position === "absolute") continue;
      if (isAside(element)) continue;
      const range = document.createRange();
      range.selectNodeContents(walker.currentNode);
      for (const box of range.getClientRects()) found.push({ element, box });
    }
    return found;
  };

  const wide = () => {
    const problems = [];
    const root = document.documentElement;
    // A picture is shown inside a page, which scales it.
    if (document.body && root.scrollWidth > root.clientWidth) {
      problems.push(`the page is ${root.scrollWidth} px wide on ${root.clientWidth}`);
    }
    for (const element of document.querySelectorAll("body *")) {
      if (!shown(element) || isFolded(element) || isAside(element) || element.closest("svg, thead")) continue;
      if (element.scrollWidth <= element.clientWidth + 1 || element.clientWidth === 0) continue;
      const scrolls = getComputedStyle(element).overflowX !== "visible";
      if (!scrolls) problems.push(`${name(element)}: its content is wider than itself`);
      else if (element.tabIndex < 0 || !element.getAttribute("aria-label")) {
        problems.push(`${name(element)} scrolls and cannot be reached by keyboard`);
      } else if (innerWidth < 500) problems.push(`${name(element)} scrolls sideways on a narrow screen`);
    }
    return problems;
  };

  const overlapping = (found) => {
    const problems = [];
    const sorted = found.filter((entry) => entry.box.width > 1 && !entry.element.closest(".scroll"))
      .sort((a, b) => a.box.top - b.box.top);
    for (let i = 0; i < sorted.length; i++) {
      for (let j = i + 1; j < sorted.length && sorted[j].box.top < sorted[i].box.bottom - 1; j++) {
        const [a, b] = [sorted[i], sorted[j]];
        const over = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        // Lines of one paragraph share a little of their leading.
        const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        const most = a.element.closest("svg") ? 3 : 5;
        if (over > 1 && down > most) problems.push(`${name(a.element)} lies over ${name(b.element)}`);
      }
    }
    return problems;
  };

  const outside = (found) => {
    const problems = [];
    for (const { element, box } of found) {
      const svg = element.closest("svg");
      const frame = svg ? svg.getBoundingClientRect() : { left: 0, right: document.documentElement.clientWidth };
      const scroll = element.closest(".scroll");
      if (scroll && scroll.scrollWidth > scroll.clientWidth) continue;
      if (box.left < frame.left - 1 || box.right > frame.right + 1) problems.push(`${name(element)} is cut at a side`);
      if (svg && (box.top < frame.top - 1 || box.bottom > frame.bottom + 1)) {
        problems.push(`${name(element)} is cut at the top or bottom`);
      }
      if (svg && box.height < 10) problems.push(`${name(element)} is only ${box.height.toFixed(1)} px high`);
    }
    return problems;
  };

  // A column squeezed until its words stand letter by letter.
  const squeezed = (found) => {
    const lines = new Map();
    for (const { element } of found) lines.set(element, (lines.get(element) || 0) + 1);
    return [...lines].filter(([element, count]) => {
      const own = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join("").trim();
      return count > 2 && own.length / count < 4;
    }).map(([element]) => `${name(element)} is broken letter by letter`);
  };

  const channels = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.03928 ? c / 3294.6 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0.5) return colour;
    }
    return [255, 255, 255];
  };
  const contrast = (found) => {
    const problems = [];
    if (!document.body) return problems;
    for (const element of new Set(found.map((entry) => entry.element))) {
      const style = getComputedStyle(element);
      const ink = channels(element.closest("svg") ? style.fill : style.color);
      const [a, b] = [luminance(ink), luminance(ground(element))];
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < 4.5) problems.push(`${name(element)}: contrast ${ratio.toFixed(1)}`);
    }
    return problems;
  };

  const structure = () => {
    const problems = [];
    if (!document.body) return problems;
    let level = 0;
    for (const heading of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
      const own = Number(heading.tagName[1]);
      if (own > level + 1) problems.push(`${name(heading)}: a heading of level ${own} after one of ${level}`);
      level = own;
    }
    if (document.querySelectorAll("h1").length !== 1) problems.push("not one h1");
    if (document.scripts.length) problems.push("it has a script");
    for (const cell of document.querySelectorAll("th:not([scope])")) problems.push(`${name(cell)} has no scope`);
    for (const picture of document.querySelectorAll("svg")) {
      if (!picture.querySelector("title") || !picture.querySelector("desc")) problems.push("an svg without title or desc");
    }
    const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
    for (const id of new Set(ids.filter((id, at) => ids.indexOf(id) !== at))) problems.push(`the id ${id} is there twice`);
    if (!document.documentElement.lang) problems.push("the page names no language");
    return problems;
  };

  const stops = () => [...document.querySelectorAll("a[href], summary, [tabindex='0']")]
    .filter((element) => !isFolded(element) && (shown(element) || element.matches(".skip")));
  return {
    problems: () => {
      const found = texts();
      return [...new Set([...wide(), ...overlapping(found), ...outside(found), ...squeezed(found), ...contrast(found), ...structure()])];
    },
    focusable: () => stops().map(name),
    focused: () => {
      const element = document.activeElement;
      if (!element || element === document.body) return [null, true];
      const style = getComputedStyle(element);
      return [name(element), style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1];
    },
    drawn: () => (performance.getEntriesByName("first-contentful-paint")[0] || {}).startTime || 0,
  };
})();
undefined;
