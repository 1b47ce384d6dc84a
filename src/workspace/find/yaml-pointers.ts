// Where in a YAML document a line is, by its indentation: the pointer of the entry that starts on it or that it goes on.
// Flow collections have the pointer of the entry they are the value of.

import { escapedToken } from './json-pointers.ts';

/** An entry of a mapping, or an item of a sequence, that is open at a line. */
interface Open {
  readonly indent: number;
  readonly key: string | undefined;
  index: number;
}

const SEPARATOR = /^---(?:\s|$)/;
const BLOCK_SCALAR = /^(?:[&!]\S+\s+)*[|>][-+\d]*\s*(?:#.*)?$/;

/** Reads lines in order, as far as it is asked. */
export class YamlPointers {
  readonly #lines: readonly string[];
  readonly #isStream: boolean;
  #open: Open[] = [];
  #document = 0;
  #hasContent = false;
  #next = 0;
  /** Indentation of the entry whose block scalar is open. */
  #scalar: number | undefined;

  constructor(text: string) {
    this.#lines = text.split('\n');
    const first = this.#lines.findIndex((line) => SEPARATOR.test(line));
    const isLed = this.#lines.slice(0, Math.max(0, first)).every(isBlank);
    this.#isStream = this.#lines.filter((line) => SEPARATOR.test(line)).length > (isLed ? 1 : 0);
  }

  /** Of a line, from 1; lines are asked for in ascending order. `''` is the whole document. */
  of(line: number): string {
    for (; this.#next < line; this.#next += 1) this.#read(this.#lines[this.#next] ?? '');
    const tokens = this.#open.map(({ key, index }) => `/${escapedToken(key ?? `${index}`)}`);
    return `${this.#isStream ? `/${this.#document}` : ''}${tokens.join('')}`;
  }

  #read(line: string): void {
    if (SEPARATOR.test(line)) {
      if (this.#hasContent) this.#document += 1;
      this.#hasContent = true;
      this.#open = [];
      this.#scalar = undefined;
      return;
    }
    if (isBlank(line)) return;
    let rest = line.trimStart();
    let indent = line.length - rest.length;
    if (this.#scalar !== undefined && indent > this.#scalar) return;
    this.#scalar = undefined;
    this.#hasContent = true;
    for (let item = /^-(?:\s+|$)/.exec(rest); item; item = /^-(?:\s+|$)/.exec(rest)) {
      this.#close(indent + 1);
      const top = this.#open.at(-1);
      if (top?.key === undefined && top?.indent === indent) top.index += 1;
      else this.#open.push({ indent, key: undefined, index: 0 });
      this.#scalar = BLOCK_SCALAR.test(rest.slice(item[0].length)) ? indent : undefined;
      indent += item[0].length;
      rest = rest.slice(item[0].length);
    }
    const entry = entryIn(rest);
    if (!entry) return;
    this.#close(indent);
    this.#open.push({ indent, key: entry.key, index: 0 });
    this.#scalar = BLOCK_SCALAR.test(entry.value.trim()) ? indent : undefined;
  }

  /** Closes what is indented as far or further. */
  #close(indent: number): void {
    while ((this.#open.at(-1)?.indent ?? -1) >= indent) this.#open.pop();
  }
}

const isBlank = (line: string): boolean => /^\s*(?:#|%|$)/.test(line);

/** The key at the start of a line, and what follows its colon. */
function entryIn(text: string): { readonly key: string; readonly value: string } | undefined {
  const [quoted] = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/.exec(text) ?? [];
  const from = quoted?.length ?? 0;
  const colon = text.slice(from).search(/:(?:\s|$)/);
  if (colon < 0 || (quoted === undefined ? /^[[\]{},#&*!|>%@`]/ : /\S/).test(text.slice(from, from + colon)))
    return undefined;
  const key = quoted === undefined ? text.slice(0, colon).trimEnd() : unquoted(quoted);
  return { key, value: text.slice(from + colon + 1) };
}

function unquoted(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1); // an escape that only YAML has
  }
}
