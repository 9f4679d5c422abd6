// A text as groups of words. Words with spaces between them are groups of one, and may stand in any order;
// the parts of one value (a number, a date, an address, words joined by punctuation) are one group, in order.

// Letters and digits, and signs without which a value is another: 5 €, a@b, <5; -5; C++; the point of 1.5.
const NAMED = /[\p{L}\p{M}\p{N}]+|[\p{So}\p{Sc}%‰@<>≤≥±]/u;
const MINUS = /(?<![^\s\p{Sc}(])[-−–](?=\p{Sc}?\.?\p{N})/u;
const AFTER = /(?<=[\p{L}\p{N}])[-−–+#*]+(?=[\s,;:.!?)\]/]|$)/u;
const POINT = /(?<=(?<![^\s\p{Sc}(\-−–+])\p{N}*)[.,](?=\p{N}+(?![\p{N}.,:/-]*\p{N}))/u;
const WORD = new RegExp([MINUS, AFTER, POINT, NAMED].map((one) => one.source).join("|"), "gu");
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const ACCENTED = /(?<=[\p{Script=Latin}\p{Script=Greek}]\p{Mn}*)\p{Mn}/gu; // elsewhere marks are letters
const inWords = new Intl.Segmenter("und", { granularity: "word" });

export const split = (segmenter, text) => [...segmenter.segment(text)].map((one) => one.segment);
export const plain = (text) => text.normalize("NFKD").replace(ACCENTED, "").toLowerCase();

export function groups(text) {
  const found = [];
  let [end, wasNumber] = [0, false];
  for (const word of words(text)) {
    const between = text.slice(end, word.start);
    const isNumber = !/\p{L}/u.test(word.text) && /[\p{N}\p{Sc}%.-]/u.test(word.key);
    const isJoined = !/\s/u.test(between) || (wasNumber && isNumber); // 312 555 1234 is one number
    if (found.length && isJoined) found.at(-1).push(word);
    else found.push([word]);
    [end, wasNumber] = [word.start + word.text.length, isNumber];
  }
  return found;
}

function words(text) {
  return [...text.matchAll(WORD)].flatMap((run) => {
    let start = run.index;
    const parts = UNSPACED.test(run[0]) ? split(inWords, run[0]) : [run[0]];
    return parts.map((part) => {
      const word = { text: part, start, key: keyOf(part) };
      start += part.length;
      return word;
    });
  });
}

function keyOf(part) {
  if (part === ",") return "."; // as some write the point
  return /^[−–]+$/u.test(part) ? "-".repeat(part.length) : plain(part);
}
