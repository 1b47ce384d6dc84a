// List numbering of a Word document (ECMA-376 part 1, 17.9): computes the label of each list paragraph. Counts like
// Word: lists of one definition share counters, a list may restart, and a level restarts below a higher one.

import type { XmlElement } from '../../../src/package/index.ts';
import { formatNumber } from './number-format.ts';
import { isOn, type Styles } from './styles.ts';

/** The label of a list paragraph. */
export interface Label {
  /** 0-based. */
  readonly level: number;
  /** `1.`, `2.3`, `(a)`; empty for a bullet and for a level without a label. */
  readonly text: string;
  readonly bullet: boolean;
  /** Id of the list. */
  readonly list: string;
}

/** One level of a list. */
export interface Level {
  readonly start: number;
  readonly format: string;
  readonly text: string;
  /** The level (1-based) whose advance restarts this one; 0 for none, undefined for every higher level. */
  readonly restart: number | undefined;
  readonly legal: boolean;
  /** Paragraphs of this style are at this level unless they state another. */
  readonly style: string | undefined;
}

interface Definition {
  readonly id: string;
  readonly levels: ReadonlyMap<number, Level>;
  /** The numbering style whose levels replace this definition's. */
  readonly styleLink: string | undefined;
}

/** What a list changes in its definition: start values and whole levels, by level. */
export interface List {
  readonly definition: string;
  readonly starts: ReadonlyMap<number, number>;
  readonly levels: ReadonlyMap<number, Level>;
}

const LEVELS = 9;
const MAX_LISTS = 50_000;
const MAX_STYLE_LINKS = 8;
const MAX_NUMBER = 1_000_000_000;
const MAX_LABEL = 60;

/** The numbering definitions; `counting` creates counters for one story (the body, a header). */
export class Numbering {
  readonly #definitions = new Map<string, Definition>();
  readonly #lists = new Map<string, List>();
  readonly #styles: Styles;

  /** `root` is the root element of the numbering part. */
  constructor(root: XmlElement | undefined, styles: Styles) {
    this.#styles = styles;
    for (const element of root?.elements('abstractNum') ?? []) {
      const id = element.get('abstractNumId');
      if (id === undefined || this.#definitions.size >= MAX_LISTS) continue;
      this.#definitions.set(id, {
        id,
        levels: levelsOf(element),
        styleLink: element.child('numStyleLink')?.get('val'),
      });
    }
    for (const element of root?.elements('num') ?? []) {
      const id = element.get('numId');
      const definition = element.child('abstractNumId')?.get('val');
      if (id === undefined || definition === undefined || this.#lists.size >= MAX_LISTS) continue;
      const starts = new Map<number, number>();
      const levels = new Map<number, Level>();
      for (const override of element.elements('lvlOverride')) {
        const level = levelNumber(override.get('ilvl'));
        const start = override.child('startOverride')?.get('val');
        if (start !== undefined) starts.set(level, count(start, 1));
        const own = override.child('lvl');
        if (own) levels.set(level, readLevel(own));
      }
      this.#lists.set(id, { definition, starts, levels });
    }
  }

  /** True if a paragraph of that list has a label. */
  has(numId: string): boolean {
    return this.#lists.has(numId);
  }

  /** New counters, at their start values. */
  counting(): Counting {
    return new Counting((numId) => this.#resolve(numId));
  }

  /** A list with the definition its levels come from, following numbering styles. */
  #resolve(numId: string): ResolvedList | undefined {
    const list = this.#lists.get(numId);
    if (!list) return undefined;
    let definition = this.#definitions.get(list.definition);
    for (let step = 0; step < MAX_STYLE_LINKS && definition?.styleLink !== undefined; step += 1) {
      if (definition.levels.size > 0) break;
      const linked = this.#styles.numbering(definition.styleLink);
      const next = linked === undefined ? undefined : this.#lists.get(linked);
      const target = next && this.#definitions.get(next.definition);
      if (!target || target === definition) break;
      definition = target;
    }
    return definition && { key: definition.id, list, levels: definition.levels };
  }
}

/** A list and the levels it counts in; lists with the same `key` share their counters. */
export interface ResolvedList {
  readonly key: string;
  readonly list: List;
  readonly levels: ReadonlyMap<number, Level>;
}

/** The list counters of one story. */
export class Counting {
  readonly #resolve: (numId: string) => ResolvedList | undefined;
  readonly #resolved = new Map<string, ResolvedList | undefined>();
  readonly #counters = new Map<string, (number | undefined)[]>();
  readonly #started = new Set<string>();

  constructor(resolve: (numId: string) => ResolvedList | undefined) {
    this.#resolve = resolve;
  }

  /**
   * The label of the next paragraph of list `numId`, which it counts; undefined if the list does not exist. Without
   * `ilvl` the level is that of the paragraph's `style`, else the first.
   */
  next(numId: string, ilvl: string | undefined, style: string | undefined): Label | undefined {
    if (!this.#resolved.has(numId)) this.#resolved.set(numId, this.#resolve(numId));
    const resolved = this.#resolved.get(numId);
    if (!resolved) return undefined;
    const { list, levels, key } = resolved;
    const level = ilvl === undefined ? (levelOfStyle(levels, style) ?? 0) : levelNumber(ilvl);
    const at = (index: number): Level => list.levels.get(index) ?? levels.get(index) ?? DEFAULT_LEVEL;
    let counters = this.#counters.get(key);
    if (!counters) {
      counters = [];
      this.#counters.set(key, counters);
    }
    const override = list.starts.get(level);
    const first = `${numId} ${level}`;
    if (override !== undefined && !this.#started.has(first)) counters[level] = override;
    else counters[level] = Math.min(MAX_NUMBER, (counters[level] ?? at(level).start - 1) + 1);
    this.#started.add(first);
    for (let higher = 0; higher < level; higher += 1) counters[higher] ??= at(higher).start;
    for (let lower = level + 1; lower < LEVELS; lower += 1) {
      const { restart } = at(lower);
      if (restart === undefined || (restart > 0 && level < restart)) counters[lower] = undefined;
    }
    const own = at(level);
    if (own.format === 'bullet') return { level, text: '', bullet: true, list: numId };
    if (own.format === 'none' && !own.text.includes('%'))
      return { level, text: clean(own.text), bullet: false, list: numId };
    const numbers = counters;
    const text = own.text.replace(/%([1-9])/g, (_, digit: string) => {
      const index = Number(digit) - 1;
      return formatNumber(numbers[index] ?? at(index).start, own.legal ? 'decimal' : at(index).format);
    });
    return { level, text: clean(text), bullet: false, list: numId };
  }
}

const DEFAULT_LEVEL: Level = {
  start: 1,
  format: 'decimal',
  text: '',
  restart: undefined,
  legal: false,
  style: undefined,
};

function clean(label: string): string {
  return label
    .replace(/[\p{Cc}\p{Co}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_LABEL);
}

function levelsOf(element: XmlElement): Map<number, Level> {
  const levels = new Map<number, Level>();
  for (const level of element.elements('lvl')) levels.set(levelNumber(level.get('ilvl')), readLevel(level));
  return levels;
}

function readLevel(element: XmlElement): Level {
  const restart = element.child('lvlRestart')?.get('val');
  const legal = element.child('isLgl');
  // A custom format is in an AlternateContent, next to a fallback.
  const format = element.child('numFmt') ?? element.at('AlternateContent', 'Fallback', 'numFmt');
  return {
    start: count(element.child('start')?.get('val'), 1),
    format: format?.get('val') ?? 'decimal',
    text: (element.child('lvlText')?.get('val') ?? '').slice(0, 200),
    restart: restart === undefined ? undefined : count(restart, 0),
    legal: legal !== undefined && isOn(legal.get('val')),
    style: element.child('pStyle')?.get('val'),
  };
}

function levelOfStyle(levels: ReadonlyMap<number, Level>, style: string | undefined): number | undefined {
  if (style !== undefined) for (const [number, level] of levels) if (level.style === style) return number;
  return undefined;
}

function levelNumber(text: string | undefined): number {
  return Math.min(LEVELS - 1, count(text, 0));
}

function count(text: string | undefined, otherwise: number): number {
  const value = Number(text ?? Number.NaN);
  return Number.isInteger(value) && value >= 0 && value <= MAX_NUMBER ? value : otherwise;
}
