// Which words of two texts are the same: groups in any order, the parts of a group in theirs.

// Marks each word that has its like in the other text, as `paired`.
export function pair(theirs, ours) {
  const [left, right] = [new Set(theirs), new Set(ours)];
  const take = (a, b, pairs) => {
    for (const [one, other] of pairs) one.paired = other.paired = true;
    return left.delete(a), right.delete(b);
  };
  equal(left, right, take);
  chained(left, right, take);
  for (const [chains, singles] of [[left, right], [right, left]]) loose(chains, singles);
}

const keyOf = (group) => group.map((word) => word.key).join("\n");
const chains = (groups) => [...groups].filter((group) => group.length > 1);

function equal(left, right, take) {
  const known = new Map();
  for (const group of left) known.set(keyOf(group), [...(known.get(keyOf(group)) ?? []), group]);
  for (const group of right) {
    const other = known.get(keyOf(group))?.shift();
    if (other) take(other, group, other.map((word, i) => [word, group[i]]));
  }
}

// Of values that are not equal, those with most parts in common are beside each other.
function chained(left, right, take) {
  const every = chains(left);
  for (const group of chains(right)) {
    const keys = new Set(group.map((word) => word.key));
    let best = { pairs: [] };
    for (const other of every) {
      if (!left.has(other) || !other.some((word) => keys.has(word.key))) continue;
      const pairs = inOrder(other, group);
      if (pairs.length > best.pairs.length) best = { other, pairs };
    }
    if (best.other) take(best.other, group, best.pairs);
  }
}

// What one text joins and the other has as single words: Smith-Jones and Smith Jones.
function loose(joined, others) {
  for (const group of chains(joined)) {
    const keys = new Set(group.map((word) => word.key));
    const singles = [...others].filter((one) => one.length === 1 && keys.has(one[0].key));
    for (const [word, single] of inOrder(group, singles.flat())) {
      word.paired = single.paired = true;
      others.delete(singles.find(([one]) => one === single));
    }
  }
}

// Place by place, or where something came in between, as many as are the same one after the other.
function inOrder(a, b) {
  const isSame = (word, i) => word.key === b[i].key;
  const placed = a.length === b.length ? a.flatMap((word, i) => (isSame(word, i) ? [[word, b[i]]] : [])) : [];
  if (placed.length && placed.length === a.length) return placed;
  const following = longest(a, b);
  return a.length === b.length && placed.length >= following.length - 1 ? placed : following;
}

function longest(a, b) {
  const lengths = common(a.map((word) => word.key), b.map((word) => word.key));
  const found = [];
  for (let [i, j] = [0, 0]; i < a.length && j < b.length; ) {
    if (a[i].key === b[j].key) found.push([a[i++], b[j++]]);
    else if (lengths[i][j + 1] >= lengths[i + 1][j]) j += 1;
    else i += 1;
  }
  return found;
}

// How many at most are the same, in order, from each pair of places on.
export function common(a, b) {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i][j] = a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  return lengths;
}
