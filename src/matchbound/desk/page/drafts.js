// Ticks and a note that were not saved, kept in this browser while another node is shown.

const kept = new Map();
const state = (node) => JSON.stringify([node.conflict, node.mine]);

export function keep(node, records, note) {
  kept.set(node.place, { state: state(node), records, note });
}

export const drop = (place) => kept.delete(place);
export const forget = () => kept.clear(); // they are one person's

// What was kept of this node, unless it was labelled otherwise since then.
export function take(node) {
  const draft = kept.get(node.place);
  kept.delete(node.place);
  return draft?.state === state(node) ? { ...draft, matches: draft.records.map((one) => one.id) } : null;
}
