// Puts a JSON value together again from a first view and what a walk gives after it.

import { expect } from 'vitest';
import type { Extent, TextPart, Unit } from '../../../../src/contract/index.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const MARK = /^(?:…|⋯|‥|…\d+)$/;

/** The view without its marks; containers that were not entered are empty. */
function stripped(value: Json): Json {
  if (typeof value === 'string') return value.replace(/(?:…\d*|⋯|‥)\+\d+ characters?$/, '');
  if (Array.isArray(value)) return value.filter((item) => !isMark(item)).map(stripped);
  if (value === null || typeof value !== 'object') return value;
  if (isMark(value)) return isMark(value) === 'array' ? [] : {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !MARK.test(key))
      .map(([key, inner]) => [key, stripped(inner)]),
  );
}

function isMark(value: Json): 'array' | 'object' | 'more' | false {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  const [entry] = entries;
  if (entries.length !== 1 || !entry || !MARK.test(entry[0]) || typeof entry[1] !== 'string') return false;
  if (entry[1].startsWith('array of ')) return 'array';
  if (entry[1].startsWith('object of ')) return 'object';
  if (/^\d+ keys?$/.test(entry[1])) return 'object';
  return /^\d+ (?:more )?items?$/.test(entry[1]) ? 'more' : false;
}

/** Like `stripped`, but told apart by the mark which container it was. */
function build(value: Json): Json {
  if (Array.isArray(value)) {
    const kept = value.filter((item) => isMark(item) !== 'more');
    return kept.map(build);
  }
  const mark = isMark(value);
  if (mark === 'array') return [];
  if (mark) return {};
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key, inner]) => !(MARK.test(key) && typeof inner === 'string'))
        .map(([key, inner]) => [key, build(inner)]),
    );
  return stripped(value);
}

function tokens(name: string): string[] {
  return name === ''
    ? []
    : name
        .slice(1)
        .split('/')
        .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function child(parent: Json | undefined, token: string): Json | undefined {
  if (Array.isArray(parent)) return parent[Number(token)];
  if (parent === null || typeof parent !== 'object') return undefined;
  return Object.hasOwn(parent, token) ? parent[token] : undefined;
}

export function put(parent: Json, token: string, value: Json): void {
  if (Array.isArray(parent)) parent[Number(token)] = value;
  else if (parent !== null && typeof parent === 'object')
    Object.defineProperty(parent, token, { value, enumerable: true, writable: true, configurable: true });
}

/** Puts pieces in the places their extents name. `kinds` knows which places are arrays. */
export class Assembly {
  readonly #holder: Json[] = [];
  readonly #kinds: Map<string, Unit>;
  /** Bytes of members and values that fit no page. */
  #raw = '';

  constructor(parts: readonly TextPart[]) {
    this.#kinds = new Map(
      parts
        .flatMap((part) => part.shown)
        .filter(({ unit }) => unit === 'item' || unit === 'key')
        .map(({ name = '', unit }) => [name, unit]),
    );
  }

  get value(): Json {
    return this.#holder[0] ?? null;
  }

  /** A view of an array, one item a line. */
  lines(text: string): void {
    this.#holder[0] = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => build(JSON.parse(line) as Json));
  }

  /** Puts a part in its place; bytes once they are all there. */
  add({ text, view, shown: [extent] }: TextPart): void {
    if (view === undefined) this.#holder[0] = build(JSON.parse(text) as Json);
    else if (extent?.unit === 'row') {
      const lines = text.split('\n').filter((line) => line !== '');
      this.piece(
        { ...extent, unit: 'item' },
        lines.map((line) => JSON.parse(line) as Json),
      );
    } else if (extent?.unit === 'byte') this.#bytes(extent, text);
    else if (extent) this.piece(extent, JSON.parse(text) as Json);
  }

  #bytes(extent: Extent, text: string): void {
    this.#raw = extent.from === 1 ? text : this.#raw + text;
    if (extent.to !== extent.of) return;
    const name = extent.name ?? '';
    const row = /^row (\d+)$/.exec(name);
    const member = /^(?:(.*), )?key \d+$/s.exec(name);
    if (row)
      this.piece({ unit: 'item', name: '', from: Number(row[1]), to: Number(row[1]) }, [
        JSON.parse(this.#raw) as Json,
      ]);
    else if (member)
      this.piece({ ...extent, unit: 'key', name: member[1] ?? '' }, JSON.parse(`{${this.#raw}}`) as Json);
    else this.piece({ ...extent, unit: 'value' }, JSON.parse(this.#raw) as Json);
  }

  piece(extent: Omit<Extent, 'unit'> & { unit: string }, value: Json): void {
    const name = extent.name ?? '';
    const path = tokens(name);
    let parent: Json = this.#holder;
    let token = '0';
    for (const [level, next] of path.entries()) {
      let inner = child(parent, token);
      if (inner === undefined || inner === null || typeof inner !== 'object') {
        const kind = this.#kinds.get(
          name
            .split('/')
            .slice(0, level + 1)
            .join('/'),
        );
        expect(kind).toBeDefined();
        inner = kind === 'item' ? [] : {};
        put(parent, token, inner);
      }
      parent = inner;
      token = next;
    }
    const place = child(parent, token);
    if (extent.unit === 'value') put(parent, token, value);
    else if (extent.unit === 'character') {
      expect(typeof value).toBe('string');
      const before = typeof place === 'string' ? place : '';
      expect(before.length).toBe(extent.from - 1);
      put(parent, token, before + String(value));
    } else if (extent.unit === 'item') {
      if (!Array.isArray(value)) throw new Error('an item piece is an array');
      expect(value.length).toBe(extent.to - extent.from + 1);
      const list = Array.isArray(place) ? place : [];
      expect(list.length).toBe(extent.from - 1);
      put(parent, token, [...list, ...value]);
    } else {
      expect(extent.unit).toBe('key');
      const object = place !== undefined && place !== null && typeof place === 'object' ? place : {};
      put(parent, token, object);
      if (value === null || typeof value !== 'object' || Array.isArray(value))
        throw new Error('a key piece is an object');
      for (const [key, inner] of Object.entries(value)) put(object, key, inner);
    }
  }
}
