// Where two texts differ: pieces of the second, each the same, other, or lacking something.

const LONGEST = 150; // characters to compare one by one; longer texts are compared by words
const ALIKE = 0.5; // the share in common from which on it helps to see which parts differ

export function pieces(first, second) {
  const plain = (text) => text.trim().toLowerCase();
  if (plain(first) === plain(second)) return [{ text: second, is: "same" }];
  const byLetter = Math.max(first.length, second.length) <= LONGEST;
  const [a, b] = [first, second].map((text) => (byLetter ? [...text] : text.split(/(\s+)/)));
  if (a.length * b.length > 250_000) return [{ text: second, is: "other" }];
  const found = walked(a, b);
  const alike = found.filter((piece) => piece.is === "same").length / Math.max(a.length, b.length);
  return alike < ALIKE ? [{ text: second, is: "other" }] : joined(found);
}

function walked(a, b) {
  const same = (x, y) => x.toLowerCase() === y.toLowerCase();
  const longest = common(a, b, same);
  const found = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && same(a[i], b[j])) {
      found.push({ text: b[j], is: "same" });
      i += 1;
      j += 1;
    } else if (j < b.length && (i === a.length || longest[i][j + 1] >= longest[i + 1][j])) {
      found.push({ text: b[j], is: "other" });
      j += 1;
    } else {
      found.push({ text: a[i], is: "lack" });
      i += 1;
    }
  }
  return found;
}

function common(a, b, same) {
  const longest = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i][j] = same(a[i], b[j])
        ? longest[i + 1][j + 1] + 1
        : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  return longest;
}

function joined(found) {
  const runs = [];
  for (const piece of found) {
    const last = runs.at(-1);
    if (last && last.is === piece.is) last.text += piece.text;
    else runs.push({ ...piece });
  }
  // What was replaced is marked by what replaced it.
  return runs.filter((run, i) => run.is !== "lack" || (runs[i - 1]?.is !== "other" && runs[i + 1]?.is !== "other"));
}
