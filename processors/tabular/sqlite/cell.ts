// Values of an SQLite table as the text of cells.

import type { Cell } from '../../../src/table/index.ts';
import { blobText } from '../blob-text.ts';
import type { TableColumn } from './create-table.ts';
import type { TextEncoding } from './pages.ts';
import { NULL, type Value } from './record.ts';
import type { SqlWord } from './sql-words.ts';

/** What could not be shown faithfully. */
export interface CellFindings {
  invalidText: number;
  lost: number;
}

/** Shows values of one database. */
export class CellWriter {
  readonly findings: CellFindings = { invalidText: 0, lost: 0 };
  readonly #strict: InstanceType<typeof TextDecoder>;
  readonly #lossy: InstanceType<typeof TextDecoder>;

  constructor(encoding: TextEncoding) {
    this.#strict = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
    this.#lossy = new TextDecoder(encoding, { ignoreBOM: true });
  }

  /** The cell of `value`. `isReal`: of a column that stores whole numbers as integers to save space. */
  cell(value: Value, isReal = false): Cell {
    switch (value.kind) {
      case 'null':
        return null;
      case 'integer':
        return isReal ? realText(Number(value.value)) : String(value.value);
      case 'real':
        return realText(value.value);
      case 'blob':
        return blobText(value.bytes, value.length);
      case 'text':
        return this.#decoded(value.bytes, value.length);
      case 'lost':
        this.findings.lost += 1;
        return '(not read)';
    }
  }

  #decoded(bytes: Uint8Array, length: number): string {
    const isCut = bytes.length < length;
    try {
      // A cut may divide a character.
      return this.#strict.decode(bytes, { stream: isCut });
    } catch {
      this.findings.invalidText += 1;
      return this.#lossy.decode(bytes);
    } finally {
      if (isCut) this.#reset();
    }
  }

  /** Forgets the part of a character at a cut. */
  #reset(): void {
    try {
      this.#strict.decode();
    } catch {
      // The part that was kept back is not a whole character.
    }
  }
}

/** As SQLite prints it: `1.0`, `0.1`, `1.0e+300`. */
function realText(value: number): Cell {
  if (Number.isNaN(value)) return null;
  if (!Number.isFinite(value)) return value > 0 ? 'Inf' : '-Inf';
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** True for a column of REAL affinity (Datatypes in SQLite, 3.1). */
export function isRealColumn({ type }: TableColumn): boolean {
  const name = type.toUpperCase();
  return !/INT|CHAR|CLOB|TEXT|BLOB/.test(name) && /REAL|FLOA|DOUB/.test(name);
}

/** The value of a column in rows that were written before it was added. */
export function fallbackOf({ fallback, type }: TableColumn, encoding: TextEncoding): Value {
  if (!fallback) return NULL;
  const isText = /CHAR|CLOB|TEXT/i.test(type) && !/INT/i.test(type);
  if (fallback.kind === 'blob') {
    const bytes = Buffer.from(fallback.text.slice(2, -1), 'hex');
    return { kind: 'blob', bytes: bytes.subarray(0, 16), length: bytes.length };
  }
  if (fallback.kind === 'number' && !isText) return numberOf(fallback.text);
  if (/^(?:TRUE|FALSE)$/.test(fallback.keyword))
    return { kind: 'integer', value: fallback.keyword === 'TRUE' ? 1n : 0n };
  return textOf(fallback, encoding);
}

function numberOf(text: string): Value {
  if (/^-?\d+$/.test(text)) return { kind: 'integer', value: BigInt(text) };
  if (/^-?0x/i.test(text)) {
    const value = BigInt.asIntN(64, BigInt(text.replace('-', '')));
    return { kind: 'integer', value: text.startsWith('-') ? -value : value };
  }
  return { kind: 'real', value: Number(text) };
}

function textOf({ text }: SqlWord, encoding: TextEncoding): Value {
  const bytes = Buffer.from(text, encoding === 'utf-8' ? 'utf8' : 'utf16le');
  if (encoding === 'utf-16be') bytes.swap16();
  return { kind: 'text', bytes, length: bytes.length };
}
