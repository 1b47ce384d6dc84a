// Renders the cells of a parsed notebook (nbformat 2 to 4.5) as text: the source, then outputs as text, with pictures
// replaced by a line that names them. Does no I/O and applies no budget.

import { safeCut, withoutEnd } from '../../../src/contract/index.ts';

/** Maximum lines and characters of one output in a view; a walk returns all of it. */
const MAX_OUTPUT_LINES = 30;
const MAX_OUTPUT_CHARACTERS = 2000;

/** One cell as text. */
export interface CellText {
  readonly text: string;
  /** Outputs that were cut, in lines. */
  readonly cuts: readonly { readonly output: number; readonly shown: number; readonly of: number }[];
}

export interface Notebook {
  readonly cells: readonly unknown[];
  /** Language of the code cells, if stated. */
  readonly language: string;
  readonly kernel: string;
  /** For example `4.5`. */
  readonly version: string;
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  // The cast is safe: any object may be indexed by key.
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {};
}

function field(value: unknown, ...path: readonly string[]): unknown {
  let at = value;
  for (const key of path) {
    const fields = fieldsOf(at);
    at = Object.hasOwn(fields, key) ? fields[key] : undefined;
  }
  return at;
}

function name(value: unknown): string {
  return typeof value === 'string' ? value.replace(/\s+/g, ' ').slice(0, 100) : '';
}

/** Text of a multi-line field: a string or an array of strings. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.filter((piece) => typeof piece === 'string').join('');
  return '';
}

/** The notebook in a parsed JSON value; undefined if it is not a notebook. */
export function notebookIn(value: unknown): Notebook | undefined {
  const direct = field(value, 'cells');
  const sheets = field(value, 'worksheets');
  const cells = Array.isArray(direct)
    ? direct
    : Array.isArray(sheets)
      ? sheets.flatMap((sheet) => {
          const inner = field(sheet, 'cells');
          return Array.isArray(inner) ? inner : [];
        })
      : undefined;
  const major = field(value, 'nbformat');
  if (!cells || (typeof major !== 'number' && !Array.isArray(sheets) && cells.length > 0)) return undefined;
  const minor = field(value, 'nbformat_minor');
  return {
    cells,
    language:
      name(field(value, 'metadata', 'language_info', 'name')) ||
      name(field(value, 'metadata', 'kernelspec', 'language')) ||
      name(
        field(
          cells.find((cell) => field(cell, 'cell_type') === 'code'),
          'language',
        ),
      ),
    kernel:
      name(field(value, 'metadata', 'kernelspec', 'display_name')) ||
      name(field(value, 'metadata', 'kernelspec', 'name')),
    version: typeof major === 'number' ? `${major}${typeof minor === 'number' ? `.${minor}` : ''}` : '',
  };
}

/** `code`, `markdown`, ...; `cell` if no type is stated. */
export const kindOf = (cell: unknown): string => name(field(cell, 'cell_type')) || 'cell';

/** The source of a cell, without its outputs. */
export const sourceOf = (cell: unknown): string => textOf(field(cell, 'source') ?? field(cell, 'input'));

/** JSON Pointers of the sources of the cells, in the order of `cells`; undefined for a cell without one. */
export function sourcePointers(value: unknown): readonly (string | undefined)[] {
  const inOne = (cells: unknown, prefix: string): readonly (string | undefined)[] =>
    Array.isArray(cells)
      ? cells.map((cell, at) => {
          const key = ['source', 'input'].find((name) => (field(cell, name) ?? undefined) !== undefined);
          return key && `${prefix}/${at}/${key}`;
        })
      : [];
  const sheets = field(value, 'worksheets');
  if (Array.isArray(field(value, 'cells')) || !Array.isArray(sheets))
    return inOne(field(value, 'cells'), '/cells');
  return sheets.flatMap((sheet, at) => inOne(field(sheet, 'cells'), `/worksheets/${at}/cells`));
}

/** Cell `number` (1-based) as text ending with a blank line; `whole` keeps all lines of its outputs. */
export function cellText(cell: unknown, number: number, language: string, whole: boolean): CellText {
  const type = kindOf(cell);
  const run = field(cell, 'execution_count') ?? field(cell, 'prompt_number');
  const heading = `[${number}] ${type}${typeof run === 'number' ? `, run ${run}` : ''}`;
  const source = sourceOf(cell);
  const blocks = [heading];
  if (type === 'code') blocks.push(fenced(source, language));
  else if (type === 'heading') {
    const level = field(cell, 'level');
    blocks.push(
      `${'#'.repeat(typeof level === 'number' ? Math.max(1, Math.min(6, Math.floor(level))) : 1)} ${source}`,
    );
  } else if (source !== '') blocks.push(source.replace(/\n$/, ''));
  for (const [file, bundle] of Object.entries(fieldsOf(field(cell, 'attachments'))))
    for (const [mime, data] of Object.entries(fieldsOf(bundle)))
      blocks.push(stub(mime, data, `attachment ${name(file)}`));
  const outputs = field(cell, 'outputs');
  const cuts: { output: number; shown: number; of: number }[] = [];
  if (Array.isArray(outputs))
    outputs.forEach((output, index) => {
      const { label, text, plain } = outputText(output, index);
      if (!plain) {
        if (text !== '') blocks.push(`${label}: ${text}`);
        return;
      }
      const lines = clean(text).replace(/\n$/, '').split('\n');
      const kept = whole ? lines : keep(lines);
      const rest = lines.length - kept.length;
      if (rest > 0 || kept.at(-1) !== lines[kept.length - 1]) {
        cuts.push({ output: index + 1, shown: kept.length - (rest > 0 ? 0 : 1), of: lines.length });
        const more = rest > 0 ? `${rest} more line${rest === 1 ? '' : 's'}` : 'more of this line';
        blocks.push(`${label}:\n${fenced(kept.join('\n'), '')}\n(… ${more} of this output)`);
      } else blocks.push(`${label}:\n${fenced(kept.join('\n'), '')}`);
    });
  return { text: `${blocks.join('\n\n')}\n\n`, cuts };
}

function keep(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let characters = 0;
  for (const line of lines) {
    if (kept.length >= MAX_OUTPUT_LINES || characters >= MAX_OUTPUT_CHARACTERS) break;
    kept.push(line.slice(0, safeCut(line, MAX_OUTPUT_CHARACTERS - characters)));
    characters += line.length + 1;
  }
  return kept;
}

interface OutputText {
  readonly label: string;
  readonly text: string;
  /** True for text to show unchanged; otherwise a line that describes the content. */
  readonly plain: boolean;
}

function outputText(output: unknown, index: number): OutputText {
  const type = name(field(output, 'output_type'));
  if (type === 'stream') {
    const stream = name(field(output, 'name') ?? field(output, 'stream')) || 'stdout';
    return { label: `Output ${index + 1}, ${stream}`, text: textOf(field(output, 'text')), plain: true };
  }
  if (type === 'error' || type === 'pyerr') {
    const traceback = field(output, 'traceback');
    const lines = Array.isArray(traceback)
      ? traceback.filter((line) => typeof line === 'string').join('\n')
      : '';
    const said = `${name(field(output, 'ename'))}: ${textOf(field(output, 'evalue'))}`;
    return { label: `Output ${index + 1}, error`, text: lines === '' ? said : lines, plain: true };
  }
  const data = bundleOf(output);
  const label = `Output ${index + 1}`;
  const readable = ['text/plain', 'text/markdown', 'text/latex'].find((mime) => textOf(data[mime]) !== '');
  const rest = Object.entries(data).filter(([mime]) => mime !== readable);
  const stubs = rest.map(([mime, value]) => stub(mime, value, '')).join(' ');
  if (readable === undefined) return { label, text: stubs, plain: false };
  const text = textOf(data[readable]);
  return stubs === '' ? { label, text, plain: true } : { label: `${label}, ${stubs}`, text, plain: true };
}

/** Format 4 keys data by MIME type; 2 and 3 use short names next to the other fields. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  text: 'text/plain',
  html: 'text/html',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpeg: 'image/jpeg',
  latex: 'text/latex',
  json: 'application/json',
  javascript: 'application/javascript',
};

function bundleOf(output: unknown): Fields {
  const data = field(output, 'data');
  if (data !== undefined) return fieldsOf(data);
  const bundle: Record<string, unknown> = {};
  for (const [short, mime] of Object.entries(SHORT_NAMES)) {
    const value = field(output, short);
    if (value !== undefined) bundle[mime] = value;
  }
  return bundle;
}

function stub(mime: string, value: unknown, what: string): string {
  const text = typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : textOf(value);
  const isBase64 = /^(?:image|audio|video|application\/pdf)/.test(mime) && !mime.includes('svg');
  const characters = isBase64 ? withoutEnd(text.replace(/\s/g, ''), '=').length : text.length;
  const size = isBase64 ? `${Math.floor((characters * 3) / 4)} bytes` : `${characters} characters`;
  return `(${what === '' ? '' : `${what}, `}${name(mime)}, ${size}, not shown)`;
}

const ESCAPE = String.fromCharCode(27);
const BELL = String.fromCharCode(7);
/** ECMA-48 control sequences, and operating system commands such as window titles. */
const CONTROL_SEQUENCES = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?|[@-Z\\\\-_])`,
  'g',
);

/** Removes colours; of overwritten lines keeps what a terminal would finally show. */
function clean(text: string): string {
  const plain = text.includes(ESCAPE) ? text.replace(CONTROL_SEQUENCES, '') : text;
  if (!plain.includes('\r')) return plain;
  return plain
    .split('\n')
    .map((line) => {
      const ended = line.endsWith('\r') ? line.slice(0, -1) : line;
      return ended.slice(ended.lastIndexOf('\r') + 1);
    })
    .join('\n');
}

/** A code block whose fence is longer than any run of backticks in the text. */
function fenced(text: string, language: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${/^[\w+#.-]*$/.test(language) ? language : ''}\n${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${fence}`;
}
