// Writes the vocabularies of `src/tokens` from the ranks js-tiktoken ships: as binary files into `dist/src/tokens`, where
// the published package reads them, and compressed in modules of `src/tokens` (git ignores them), for bundlers.
//
// A file holds, little endian: uint32 count of tokens; a byte for each token in order of rank, its length; the bytes
// of all tokens, one after the other.
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

/** @param {Buffer[]} tokens */
function packed(tokens) {
  const count = Buffer.alloc(4);
  count.writeUInt32LE(tokens.length);
  return Buffer.concat([count, Buffer.from(tokens.map((token) => token.length)), ...tokens]);
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
