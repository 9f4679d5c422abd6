// Where two texts differ: pieces of the second, each the same, other, or lacking something.
// Words are compared in any order, parts of one value in theirs; letters only within words that are nearly equal.

import { common, pair } from "./pairs.js";
import { groups, plain, split } from "./words.js";

const MOST = 2_000; // words to compare; of longer texts the rest is shown as it is
const ALIKE = 0.6; // the share of letters in common from which on words are nearly equal
const inLetters = new Intl.Segmenter("und", { granularity: "grapheme" });

export function pieces(first, second) {
  const [left, right] = [groups(first), groups(second)];
  const [theirs, ours] = [left.flat(), right.flat()];
  if (ours.length > MOST || theirs.length > MOST) return [{ text: second, is: first === second ? "same" : "other" }];
  pair(left, right);
  const rest = theirs.filter((word) => !word.paired);
  const found = [];
  let end = 0;
  for (const word of ours) {
    found.push({ text: second.slice(end, word.start), is: "same" });
    found.push(...(word.paired ? [{ text: word.text, is: "same" }] : near(word, rest)));
    end = word.start + word.text.length;
  }
  found.push({ text: second.slice(end), is: "same" });
  // What was replaced is marked by what replaced it.
  rest.splice(0, found.filter((piece) => piece.is === "other").length);
  if (rest.length) found.push({ text: rest.map((word) => word.text).join(" "), is: "lack" });
  return joined(found);
}

// The word beside the most similar one that is left in the other text, letter by letter.
function near(word, rest) {
  let best = { share: 0, place: -1 };
  rest.forEach((other, place) => {
    if (other.key === word.key) return; // the same part in another place: 07-08 and 08-07
    const most = Math.max(spelt(other).letters.length, spelt(word).letters.length);
    const enough = (same) => same / most >= ALIKE && same / most > best.share;
    if (!enough(atMost(other, word))) return; // so that few words are compared by letters
    const same = common(other.codes, word.codes)[0][0];
    if (enough(same)) best = { share: same / most, place };
  });
  if (best.place < 0) return [{ text: word.text, is: "other" }];
  return letters(rest.splice(best.place, 1)[0], word);
}

const codes = new Map(); // a number for each letter without accent and case

function code(letter) {
  const key = plain(letter);
  if (!codes.has(key)) codes.set(key, codes.size);
  return codes.get(key);
}

// The letters of a word, their numbers, and a bit for each number, some of which share one.
function spelt(word) {
  word.letters ??= /\p{M}/u.test(word.text) ? split(inLetters, word.text) : [...word.text];
  word.codes ??= word.letters.map(code);
  word.bits ??= word.codes.reduce((bits, one) => bits | (1 << (one & 31)), 0);
  return word;
}

// No more letters can be the same: those that one word alone has are not.
function atMost(first, second) {
  const [a, b] = [spelt(first), spelt(second)];
  if (a.codes.length * b.codes.length > 2_500) return 0;
  return Math.min(a.codes.length - ones(a.bits & ~b.bits), b.codes.length - ones(b.bits & ~a.bits));
}

function ones(bits) {
  let count = 0;
  for (let rest = bits; rest; rest &= rest - 1) count += 1;
  return count;
}

function letters(first, second) {
  const longest = common(first.codes, second.codes);
  const [a, b] = [first.letters, second.letters];
  const found = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && first.codes[i] === second.codes[j]) {
      found.push({ text: b[j], is: "same" });
      [i, j] = [i + 1, j + 1];
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

function joined(found) {
  const runs = [];
  found.forEach((piece, i) => {
    const last = runs.at(-1);
    // A space between two marked words is marked too: long texts would be thousands of pieces.
    const isGap = last?.is === "other" && found[i + 1]?.is === "other" && !piece.text.trim();
    const is = isGap ? "other" : piece.is;
    if (last && last.is === is) last.text += piece.text;
    else if (piece.text) runs.push({ ...piece });
  });
  return runs.filter((run, i) => run.is !== "lack" || (runs[i - 1]?.is !== "other" && runs[i + 1]?.is !== "other"));
}
