// The guidelines: Markdown as text, with headings, lists and paragraphs, and nothing else.

import { made } from "./table.js";

const at = (id) => document.getElementById(id);

export function showGuide(text) {
  at("guidelines").hidden = text === null;
  at("guide-text").replaceChildren(...(text === null ? [made("p", { textContent: "There are no guidelines: start the page with --guidelines FILE." })] : blocks(text)));
}

function blocks(text) {
  return text.split(/\n\s*\n/).map((block) => {
    const lines = block.split("\n").filter((line) => line.trim());
    const heading = /^(#{1,6})\s+(.*)$/.exec(lines[0] ?? "");
    if (heading && lines.length === 1) return made("h3", { dir: "auto", textContent: heading[2] });
    if (lines.length && lines.every((line) => /^\s*([-*+]|\d+\.)\s/.test(line))) {
      return made("ul", {}, ...lines.map((line) => made("li", { dir: "auto" }, ...inline(line.replace(/^\s*([-*+]|\d+\.)\s+/, "")))));
    }
    return made("p", { dir: "auto" }, ...inline(lines.join(" ")));
  });
}

function inline(text) {
  return text.split(/(\*\*[^*]+\*\*|`[^`]+`|\*[^*]+\*)/).map((part) => {
    if (/^\*\*.+\*\*$/.test(part)) return made("strong", { textContent: part.slice(2, -2) });
    if (/^`.+`$/.test(part)) return made("code", { textContent: part.slice(1, -1) });
    if (/^\*.+\*$/.test(part)) return made("em", { textContent: part.slice(1, -1) });
    return part;
  });
}
