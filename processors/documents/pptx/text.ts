// The text of a shape (DrawingML, ECMA-376 part 1, 21.1.2): its paragraphs as runs, and which of them are list items.

import {
  type Block,
  BlockWriter,
  listItem,
  paragraphBlock,
  type Run,
  writeRuns,
} from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import { formatNumber } from '../docx/number-format.ts';
import { equationText } from '../ooxml/equation.ts';
import type { Relationship } from '../ooxml/package.ts';

/** One paragraph of a shape. */
export interface Paragraph {
  readonly runs: readonly Run[];
  /** 0-based. */
  readonly level: number;
  /** `-`, or its number as shown (`2.`, `b)`, `(iv)`); undefined if it is not a list item. */
  readonly marker: string | undefined;
}

/** The relationships of the part with the text. */
export type Relations = ReadonlyMap<string, Relationship>;

/** The target of a link, undefined if it is not external. */
export function linkIn(relations: Relations, id: string | undefined): string | undefined {
  const relation = relations.get(id ?? '');
  return relation?.external && relation.type === 'hyperlink' ? relation.target : undefined;
}

/**
 * Paragraphs of a `txBody` (or `text` element of a diagram), without empty ones. `styles` are its inherited styles,
 * nearest first.
 */
export function paragraphsOf(
  body: XmlElement,
  styles: readonly XmlElement[],
  relations: Relations,
  link?: string,
): Paragraph[] {
  const own = body.child('lstStyle');
  const chain = own ? [own, ...styles] : styles;
  const numbers = new Numbering();
  const paragraphs: Paragraph[] = [];
  for (const element of body.elements('p')) {
    const properties = element.child('pPr');
    const level = levelOf(properties);
    const runs = runsOf(element, relations, link);
    if (!runs.some((run) => run.text.trim() !== '')) continue;
    const bullet = bulletOf(properties, chain, level);
    const marker =
      bullet === undefined || bullet.name === 'buNone'
        ? numbers.none(level)
        : bullet.name === 'buAutoNum'
          ? numbers.next(level, bullet.get('type') ?? '', Number(bullet.get('startAt') ?? 1))
          : numbers.bullet(level);
    paragraphs.push({ runs, level, marker });
  }
  return paragraphs;
}

function levelOf(properties: XmlElement | undefined): number {
  const level = Number(properties?.get('lvl') ?? 0);
  return Number.isInteger(level) && level > 0 ? Math.min(level, 8) : 0;
}

/** The nearest setting of list markers for this level (`buNone`, `buChar`, `buAutoNum`, `buBlip`). */
function bulletOf(
  properties: XmlElement | undefined,
  styles: readonly XmlElement[],
  level: number,
): XmlElement | undefined {
  const own = properties && bulletIn(properties);
  if (own) return own;
  for (const style of styles) {
    const at = style.child(`lvl${level + 1}pPr`);
    const found = at && bulletIn(at);
    if (found) return found;
  }
  return undefined;
}

function bulletIn(properties: XmlElement): XmlElement | undefined {
  for (const node of properties.children)
    if (typeof node !== 'string' && /^bu(?:None|Char|AutoNum|Blip)$/.test(node.name)) return node;
  return undefined;
}

/** Counts the numbered paragraphs of one shape: a level continues until a paragraph on it or above is not numbered. */
export class Numbering {
  readonly #counts: { scheme: string; count: number }[] = [];

  /** `scheme` as in `numberIn`. */
  next(level: number, scheme: string, stated: number): string {
    const start = Number.isInteger(stated) && stated >= 0 && stated <= 32_767 ? stated : 1;
    const key = `${scheme} ${start}`;
    const before = this.#counts[level];
    this.#counts.length = Math.min(this.#counts.length, level + 1);
    const count = before?.scheme === key ? before.count + 1 : start;
    this.#counts[level] = { scheme: key, count };
    return numberIn(scheme, count);
  }

  bullet(level: number): string {
    this.#counts.length = Math.min(this.#counts.length, level);
    return '-';
  }

  none(level: number): undefined {
    this.#counts.length = Math.min(this.#counts.length, level);
    return undefined;
  }
}

/** `count` in a numbering scheme (ECMA-376 part 1, 20.1.10.61): `alphaLcParenR` gives `b)`. */
function numberIn(scheme: string, count: number): string {
  const [, word = '', upper] = /^(alpha|roman)(Uc)?/.exec(scheme) ?? [];
  const size = upper === undefined ? 'lower' : 'upper';
  const format = word === 'alpha' ? `${size}Letter` : word === 'roman' ? `${size}Roman` : 'decimal';
  const number = formatNumber(count, format);
  if (scheme.endsWith('ParenBoth')) return `(${number})`;
  return scheme.endsWith('ParenR') ? `${number})` : `${number}.`;
}

const MAX_RUN_DEPTH = 8;

function runsOf(paragraph: XmlElement, relations: Relations, link: string | undefined, depth = 0): Run[] {
  const runs: Run[] = [];
  for (const node of paragraph.children) {
    if (typeof node === 'string') continue;
    switch (node.name) {
      case 'r':
      case 'fld': {
        const text = node.child('t')?.text() ?? '';
        if (text !== '') runs.push(styledRun(unescaped(text), node.child('rPr'), relations, link));
        break;
      }
      case 'br':
        runs.push({ text: '\n' });
        break;
      case 'm':
        for (const math of node.elements()) {
          const text = equationText(math);
          if (text !== '') runs.push({ text, raw: true });
        }
        break;
      case 'AlternateContent': {
        if (depth >= MAX_RUN_DEPTH) break;
        const choices = [...node.elements('Choice'), ...node.elements('Fallback')];
        for (const choice of choices) {
          const found = runsOf(choice, relations, link, depth + 1);
          if (found.length === 0) continue;
          for (const run of found) runs.push(run);
          break;
        }
        break;
      }
    }
  }
  return runs;
}

function styledRun(
  text: string,
  properties: XmlElement | undefined,
  relations: Relations,
  link: string | undefined,
): Run {
  const id = properties?.child('hlinkClick')?.get('id');
  const href = linkIn(relations, id) ?? link;
  const strike = properties?.get('strike');
  const baseline = Number(properties?.get('baseline')?.replace('%', '') ?? 0);
  return {
    text,
    ...(isOn(properties?.get('b')) && { bold: true }),
    ...(isOn(properties?.get('i')) && { italic: true }),
    ...(strike !== undefined && strike !== 'noStrike' && { strike: true }),
    ...(baseline > 0 && { superscript: true }),
    ...(baseline < 0 && { subscript: true }),
    ...(href !== undefined && { href }),
  };
}

export const isOn = (value: string | undefined): boolean => value === '1' || value === 'true';

/**
 * Control characters XML cannot represent are written `_x000B_` (ECMA-376 part 1, 22.4.2.4); a vertical tab is a line
 * break.
 */
function unescaped(text: string): string {
  return text.replace(/_x00(0[0-9A-Fa-f]|1[0-9A-Fa-f])_|\v/g, (_, hex: string | undefined) =>
    hex === undefined || /^0[aAbBdD]$/.test(hex) ? '\n' : '',
  );
}

/** The paragraphs' text on one line, without marks: a title. */
export function plainText(paragraphs: readonly Paragraph[]): string {
  return paragraphs
    .map(({ runs }) => writeRuns(runs, { plain: true }))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Removes emphasis that applies to all text: it is a style of the shape. */
function unstressed(paragraphs: readonly Paragraph[]): readonly Paragraph[] {
  const texts = paragraphs.flatMap(({ runs }) =>
    runs.filter((run) => run.raw !== true && run.text.trim() !== ''),
  );
  if (texts.length === 0) return paragraphs;
  const bold = texts.every((run) => run.bold === true);
  const italic = texts.every((run) => run.italic === true);
  if (!bold && !italic) return paragraphs;
  return paragraphs.map((paragraph) => ({
    ...paragraph,
    runs: paragraph.runs.map((run) => ({
      ...run,
      bold: run.bold === true && !bold,
      italic: run.italic === true && !italic,
    })),
  }));
}

/** Paragraphs as blocks; adjacent items form one list. */
export function textBlocks(paragraphs: readonly Paragraph[]): Block[] {
  const writer = new BlockWriter();
  for (const { runs, level, marker } of unstressed(paragraphs)) {
    const text = writeRuns(runs);
    if (marker === undefined) writer.add(paragraphBlock(text));
    else writer.item(listItem(level, marker, text));
  }
  return writer.take();
}

/** Paragraphs as the text of one cell: one line each, items with their marker. */
export function cellText(paragraphs: readonly Paragraph[]): string {
  return unstressed(paragraphs)
    .map(({ runs, marker }) => `${marker === undefined ? '' : `${marker} `}${writeRuns(runs).trim()}`)
    .join('\n');
}
