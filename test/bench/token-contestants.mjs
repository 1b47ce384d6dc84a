// One tokenizer counting in a process of its own: `node token-contestants.mjs NAME DIST ENCODING TEXT...`. Prints one
// line of JSON: `load` in milliseconds (import and first count), `peak` memory in bytes, and for each text its
// `tokens`, the bytes it has, and the milliseconds of processor time of the first count.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { textOf, warmUp } from './token-texts.mjs';

const [name, dist, encoding, ...texts] = process.argv.slice(2);

const CONTESTANTS = {
  async lectern() {
    const { createTokenCounter } = await import(
      pathToFileURL(join(dist, 'modules/src/tokens/index.js')).href
    );
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
  // Needs the packages of test/integrations.
  const { encodingOf } = await import('../integrations/bench/gpt-tokenizer.mjs');
  const { countTokens } = await encodingOf(encoding);
  return (text) => countTokens(text, { disallowedSpecial: new Set() });
}

const started = performance.now();
const count = await CONTESTANTS[name]();
count('x');
const load = performance.now() - started;
const loaded = process.resourceUsage().maxRSS * 1024;

// Other text of the same kinds, so that code is compiled, and remembers nothing of what is measured.
for (let turn = 0; turn < 3; turn++) count(warmUp());
const counts = {};
for (const name of texts) {
  const text = textOf(name);
  const before = process.cpuUsage();
  const tokens = count(text);
  const { user, system } = process.cpuUsage(before);
  counts[name] = { tokens, bytes: Buffer.byteLength(text), milliseconds: (user + system) / 1000 };
}
console.log(JSON.stringify({ load, peak: loaded, counts }));
