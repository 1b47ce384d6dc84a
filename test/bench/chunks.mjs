#!/usr/bin/env node
// Chunks of files beside pieces of N tokens of the same text, and beside those of LangChain's splitter for Markdown where
// `test/integrations` is installed. Run after a build:
//   node test/bench/chunks.mjs FILE... [--max-tokens 512]
//
//   mid-sentence  pieces that end inside a paragraph, and not at the end of a sentence
//   no header     pieces that begin with the row of a table without its header
//   no heading    pieces that do not say the heading above them
//   tokens        least, median, 90th percentile and most, of all pieces but the last
//   seconds       to the first piece, and to the last, from an empty cache

import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { createReader, createTokenCounter } from '../../dist/src/index.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'max-tokens': { type: 'string', default: '512' } },
});
const maxTokens = Number(values['max-tokens']);
const counter = createTokenCounter();
const require = createRequire(new URL('../integrations/package.json', import.meta.url));

/** What LangChain makes of the same text; undefined where it is not installed. */
async function langchain(text) {
  let splitters;
  try {
    splitters = await import(require.resolve('@langchain/textsplitters'));
  } catch {
    return undefined;
  }
  const splitter = new splitters.MarkdownTextSplitter({
    chunkSize: maxTokens,
    chunkOverlap: 0,
    lengthFunction: (piece) => counter.count(piece),
  });
  let from = 0;
  return (await splitter.splitText(text)).map((piece) => {
    const at = Math.max(from, text.indexOf(piece, from));
    from = at + piece.length;
    return { text: piece, tokens: counter.count(piece), headings: [], at, end: from };
  });
}

async function chunksIn(file) {
  const reader = createReader({ cache: false });
  const chunks = [];
  const start = performance.now();
  let first = 0;
  for await (const chunk of reader.chunks(file, { maxTokens })) {
    first ||= performance.now() - start;
    chunks.push(chunk);
  }
  return { chunks, first, last: performance.now() - start };
}

async function textOf(file) {
  let text = '';
  let isCsv = false;
  for await (const part of createReader({ cache: false }).stream(file)) {
    if (part.kind !== 'text') continue;
    text += part.text;
    isCsv ||= part.shown[0]?.unit === 'row';
  }
  // Chunks name their pages instead.
  return { text: text.replace(/^<!-- page \d+ -->\n\n?/gm, ''), isCsv };
}

/** The text in pieces of `maxTokens`, with the offset each ends at. */
function plain(text) {
  const pieces = [];
  for (let at = 0; at < text.length; ) {
    const end = at + counter.prefix(text.slice(at, at + maxTokens * 40), maxTokens);
    pieces.push({
      text: text.slice(at, end),
      tokens: counter.count(text.slice(at, end)),
      headings: [],
      at,
      end,
    });
    at = end;
  }
  return pieces;
}

/** Where chunks are in the text. */
function placed(chunks, text) {
  let from = 0;
  return chunks.map((chunk) => {
    const own = chunk.text.slice(...chunk.own);
    const at = text.indexOf(own, from);
    if (at < 0) throw new Error(`Not in the text: ${own.slice(0, 80)}`);
    from = at + own.length;
    return { ...chunk, at, end: from };
  });
}

const MARKER = /^\s*(?:[-*+] |\d+[.)] |\||#{1,6} |```|>|\[\^|\$\$|<!--|!\[)/;
/** The offsets of what is in fences. */
const fencesOf = (text) =>
  [...text.matchAll(/^```[\s\S]*?^```/gm)].map(({ 0: code, index }) => [index, index + code.length]);

function isMidSentence(text, at, fences) {
  if (fences.some(([from, to]) => at > from && at < to)) return false;
  const before = text.slice(Math.max(0, at - 400), at);
  const after = text.slice(at, at + 400);
  if (after.trim() === '' || /\n\s*$/.test(before + (/^\s*/.exec(after)?.[0] ?? '')) === false) {
    // On one line: fine behind a sentence.
    return after.trim() !== '' && !/[.!?…:;。！？]["'”’)\]*_]*\s*$/.test(before) && !/\|\s*$/.test(before);
  }
  const gap = (/\s*$/.exec(before)?.[0] ?? '') + (/^\s*/.exec(after)?.[0] ?? '');
  if (/\n\s*\n/.test(gap) || MARKER.test(after.trimStart())) return false;
  const lastLine = before.trimEnd().split('\n').at(-1) ?? '';
  return !/[.!?…:;。！？]["'”’)\]*_`]*$|[|>]$| {2}$/.test(lastLine) && !MARKER.test(lastLine);
}

function isBareRow({ text, at }, { text: whole, isCsv, header }) {
  if (isCsv) return at > 0 && !text.startsWith(header);
  const [first = '', second = ''] = text.trimStart().split('\n');
  return /^\|/.test(first) && !/^[|\s:-]+$/.test(second) && whole.slice(0, at).includes('|');
}

function headingsOf(text, fences) {
  return [...text.matchAll(/^#{1,6} \S/gm)]
    .map(({ index }) => index)
    .filter((at) => !fences.some(([from, to]) => at > from && at < to));
}

function figures(name, pieces, whole, isProse) {
  const { text } = whole;
  const fences = fencesOf(text);
  const headings = isProse ? headingsOf(text, fences) : [];
  const [first = Number.POSITIVE_INFINITY] = headings;
  const sizes = pieces
    .map(({ tokens }) => tokens)
    .slice(0, Math.max(1, pieces.length - 1))
    .sort((a, b) => a - b);
  const share = (part) => sizes[Math.min(sizes.length - 1, Math.floor(sizes.length * part))] ?? 0;
  const count = (bad) => String(pieces.filter(bad).length);
  return [
    name,
    String(pieces.length),
    isProse ? count(({ end }) => isMidSentence(text, end, fences)) : '-',
    count((piece) => isBareRow(piece, whole)),
    isProse ? count(({ headings: own, at }) => own.length === 0 && at > first) : '-',
    `${share(0)} ${share(0.5)} ${share(0.9)} ${share(1)}`,
  ];
}

const COLUMNS = ['', 'pieces', 'mid-sentence', 'no header', 'no heading', 'tokens', 'seconds'];
const write = (cells) => {
  const [name = '', ...rest] = cells;
  process.stdout.write(
    `${name.padEnd(24)}${rest.map((cell) => cell.padStart(16)).join('')}\n`.replace(/ +\n/, '\n'),
  );
};

for (const file of positionals) {
  const { text, isCsv } = await textOf(file);
  const whole = { text, isCsv, header: text.slice(0, text.indexOf('\n') + 1) };
  const { chunks, first, last } = await chunksIn(file);
  const isProse = !isCsv && !/\.(?:json|jsonl|ya?ml|toml|xml|[cm]?[jt]s|py|go|rs|c|h|java|rb)$/.test(file);
  process.stdout.write(`${file}, ${counter.count(text)} tokens\n`);
  write(COLUMNS);
  const seconds = `${(first / 1000).toFixed(2)} ${(last / 1000).toFixed(2)}`;
  write([...figures('chunks', placed(chunks, text), whole, isProse), seconds]);
  write(figures(`every ${maxTokens} tokens`, plain(text), whole, isProse));
  const rival = isProse && (await langchain(text));
  if (rival) write(figures('LangChain', rival, whole, isProse));
  process.stdout.write('\n');
}
