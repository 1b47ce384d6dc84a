// Writes the vocabularies of `src/tokens` from the ranks js-tiktoken ships: as binary files into `dist/src/tokens`, where
// the published package reads them, and compressed in modules of `src/tokens` (git ignores them), for bundlers.
//
// A file is a hash table that needs no work to load. It holds, in numbers of three bytes, little endian, but for lengths of
// one byte: the base 2 logarithm of the number of buckets (one byte); where each bucket starts, and where the last ends;
// for each token of a bucket its length, its rank and its bytes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';

const SOURCES = new URL('../src/tokens/', import.meta.url);
const FILES = new URL('../dist/src/tokens/', import.meta.url);

/** @param {string} lines each `prefix offset token token ...`: base64 tokens of the ranks offset, offset + 1, ... */
function tokensOf(lines) {
  const tokens = [];
  for (const line of lines.split('\n')) {
    if (line === '') continue;
    const [, offset, ...encoded] = line.split(' ');
    if (Number(offset) !== tokens.length)
      throw new Error(`Ranks start at ${offset}, expected ${tokens.length}.`);
    for (const token of encoded) tokens.push(Buffer.from(token, 'base64'));
  }
  return tokens;
}

/** `hashOf` of `src/tokens/vocabulary.ts`. @param {Buffer} token */
function hashOf(token) {
  let hash = 0x811c9dc5;
  for (const byte of token) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** @param {Buffer[]} tokens */
function packed(tokens) {
  const bits = Math.floor(Math.log2(tokens.length));
  const buckets = Array.from({ length: 2 ** bits }, () => []);
  for (const [rank, token] of tokens.entries()) {
    const entry = Buffer.alloc(4);
    entry.writeUInt8(token.length);
    entry.writeUIntLE(rank, 1, 3);
    buckets[hashOf(token) % buckets.length].push(entry, token);
  }
  const head = Buffer.alloc(1 + 3 * (buckets.length + 1), bits);
  const bodies = buckets.map((entries) => Buffer.concat(entries));
  let start = head.length;
  for (const [bucket, { length }] of [...bodies, Buffer.alloc(0)].entries()) {
    head.writeUIntLE(start, 1 + 3 * bucket, 3);
    start += length;
  }
  return Buffer.concat([head, ...bodies]);
}

/** @param {Buffer[]} tokens */
function check(tokens) {
  const distinct = new Set(tokens.map((token) => token.toString('latin1')));
  if (distinct.size !== tokens.length) throw new Error('A token has two ranks.');
  for (let byte = 0; byte < 256; byte++)
    if (!distinct.has(String.fromCharCode(byte))) throw new Error(`No token for the byte ${byte}.`);
  // The counter knows this length, to tell by it alone that a text is too long.
  if (tokens.some((token) => token.length > 128)) throw new Error('A token is longer than 128 bytes.');
}

mkdirSync(FILES, { recursive: true });
for (const encoding of ['cl100k_base', 'o200k_base']) {
  const { default: ranks } = await import(`js-tiktoken/ranks/${encoding}`);
  const tokens = tokensOf(ranks.bpe_ranks);
  check(tokens);
  const table = packed(tokens);
  const compressed = brotliCompressSync(table, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 22 },
  });
  writeFileSync(new URL(`${encoding}.generated.bin`, FILES), table);
  writeFileSync(
    new URL(`${encoding}.generated.ts`, SOURCES),
    `// Made by .config/build-ranks.mjs.\n\nexport const PACKED: string =\n  '${compressed.toString('base64')}';\n`,
  );
}
