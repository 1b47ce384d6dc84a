// One tokenizer counting in a process of its own: `node token-contestants.mjs NAME DIST ENCODING TEXT...`. Prints one
// line of JSON: `load` in milliseconds (import and first count), `peak` memory in bytes, and for each text its
// `tokens`, the bytes it has, and the milliseconds of one count: the best of several for short ones.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { textOf } from './token-texts.mjs';

const [name, dist, encoding, ...texts] = process.argv.slice(2);

const CONTESTANTS = {
  async lectern() {
    const { createTokenCounter } = await import(pathToFileURL(join(dist, 'src/tokens/index.js')).href);
    return createTokenCounter(encoding).count;
  },

  async 'js-tiktoken'() {
    const { Tiktoken } = await import('js-tiktoken/lite');
    const { default: ranks } = await import(`js-tiktoken/ranks/${encoding}`);
    const tokenizer = new Tiktoken(ranks);
    return (text) => tokenizer.encode(text, [], []).length;
  },

  async 'gpt-tokenizer'() {
    return gptTokenizer();
  },

  /** No pre-token longer than 256 units: any run of one class of characters is cut there. Not proven exact. */
  async 'cut + gpt-tokenizer'() {
    const count = await gptTokenizer();
    const runs = /\s{256}|[0-9]{256}|[\p{L}\p{M}]{256}|[^\s\p{L}\p{M}0-9]{256}/gu;
    return (text) => {
      let tokens = 0;
      let from = 0;
      for (const run of text.matchAll(runs)) {
        const to = run.index + run[0].length;
        tokens += count(text.slice(from, to));
        from = to;
      }
      return tokens + count(text.slice(from));
    };
  },
};

async function gptTokenizer() {
  const { countTokens } = await import(`gpt-tokenizer/encoding/${encoding}`);
  return (text) => countTokens(text, { disallowedSpecial: new Set() });
}

const started = performance.now();
const count = await CONTESTANTS[name]();
count('x');
const load = performance.now() - started;
const loaded = process.resourceUsage().maxRSS * 1024;

const counts = {};
for (const name of texts) {
  const text = textOf(name);
  let tokens = 0;
  let best = Number.POSITIVE_INFINITY;
  for (let spent = 0, turn = 0; turn < 5 && spent < 3000; turn++) {
    const begun = performance.now();
    tokens = count(text);
    const milliseconds = performance.now() - begun;
    best = Math.min(best, milliseconds);
    spent += milliseconds;
  }
  counts[name] = { tokens, bytes: Buffer.byteLength(text), milliseconds: best };
}
console.log(JSON.stringify({ load, peak: loaded, counts }));
