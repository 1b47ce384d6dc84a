// Inline content as data, for JSON and for what is read from it: plain text, or runs of text with their marks and targets.

import { plural } from '../contract/index.ts';
import {
  asWords,
  HARD_BREAK,
  type Inline,
  isMark,
  isPlain,
  type Mark,
  type SpanKind,
  walkInline,
} from './inline.ts';

/** A stretch of text as data; what is absent does not apply. */
export interface InlineRun {
  text: string;
  kind?: Exclude<SpanKind, Mark | 'link' | 'markdown' | 'display'>;
  marks?: Mark[];
  /** Of a link. */
  href?: string;
  /** Of a picture. */
  source?: string;
}

/** The words of what `runsOf` returned, after it was JSON. */
export const wordsOfData = (data: unknown): string =>
  Array.isArray(data) ? data.map(wordsOfRun).join('') : String(data);

function wordsOfRun(run: unknown): string {
  if (typeof run !== 'object' || run === null || !('text' in run) || typeof run.text !== 'string') return '';
  return asWords(run.text, 'kind' in run && typeof run.kind === 'string' ? run.kind : undefined);
}

/** Where the links and pictures of such data lead, unless its words say so. */
export function targetsOfData(data: unknown): string[] {
  if (!Array.isArray(data)) return [];
  const words = wordsOfData(data);
  const targets = new Set(data.flatMap(targetsOfRun));
  targets.delete(words);
  return [...targets];
}

function targetsOfRun(run: unknown): string[] {
  if (typeof run !== 'object' || run === null) return [];
  const targets = ['href' in run && run.href, 'source' in run && run.source];
  return targets.filter((target) => typeof target === 'string');
}

/** The same of content that is not data yet. */
export const unseenTargets = (content: Inline): string[] => targetsOfData(runsOf(content, (text) => text));

/** Says that a table as plain values lacks the targets of its links and pictures. */
export const targetsLeftOut = (count: number): string =>
  `${plural(count, 'target')} of links and pictures in the table left out; \`format\` "markdown" shows them.`;

/** The content as data: plain text if it is nothing else, else its runs in order. */
export function runsOf(content: Inline, named: (text: string) => string): string | InlineRun[] {
  if (isPlain(content)) return named(content.replaceAll(HARD_BREAK, '\n'));
  const runs: InlineRun[] = [];
  const marks: Mark[] = [];
  /** The targets of the open links; text has the innermost. */
  const links: string[] = [];
  let picture: InlineRun | undefined;
  const add = (run: InlineRun): void => {
    const href = links.at(-1);
    runs.push({
      ...run,
      ...(marks.length > 0 && { marks: [...marks] }),
      ...(href !== undefined && { href: named(href) }),
    });
  };
  walkInline(content, {
    text: (text, within) => {
      if (picture) picture = { ...picture, text };
      else if (within === 'code' || within === 'note' || within === 'formula') add({ text, kind: within });
      else if (within === 'display') add({ text, kind: 'formula' });
      else add({ text: named(text.replaceAll(HARD_BREAK, '\n')) });
    },
    open: (kind, target) => {
      if (kind === 'link') links.push(target);
      else if (kind === 'picture')
        picture = { text: '', kind, ...(target !== '' && { source: named(target) }) };
      else if (isMark(kind)) marks.push(kind);
    },
    close: (kind) => {
      if (kind === 'link') links.pop();
      else if (picture && kind === 'picture') {
        add(picture);
        picture = undefined;
      } else if (isMark(kind)) marks.pop();
    },
  });
  return runs;
}
