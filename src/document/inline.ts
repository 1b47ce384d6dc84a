// The content of a paragraph, a cell, a heading: text in styles, links, pictures, code, note marks, formulas. One string,
// so that it can be joined, trimmed and kept like text: spans stand between control characters, which the text of a
// document never contains. `cleanText` makes plain text inline content; the writers decide how a span looks.

import { cleanText } from './escape.ts';
import { safeUrl } from './link.ts';
import { isMemberMark } from './member.ts';

/** Inline content: plain text and spans. Never cut inside; lines may be separated by LF. */
export type Inline = string;

/**
 * What a span is. `markdown`: written as it is everywhere, as the marks of tracked changes. `picture`: its content is
 * plain. `display`: a formula on a line of its own.
 */
export type SpanKind = Mark | 'code' | 'link' | 'picture' | 'note' | 'formula' | 'display' | 'markdown';

export type Mark = 'strike' | 'bold' | 'italic' | 'superscript' | 'subscript';

const OPEN = '\u000e';
const CLOSE = '\u000f';
/** Ends the target of a link or picture. */
const TARGET_END = '\u0010';

/** A line break inside a paragraph (CommonMark 6.7); a cell has `<br>` for it. */
export const HARD_BREAK = '  \n';

const KINDS: ReadonlyMap<string, SpanKind> = new Map<string, SpanKind>([
  ['b', 'bold'],
  ['i', 'italic'],
  ['s', 'strike'],
  ['u', 'superscript'],
  ['d', 'subscript'],
  ['c', 'code'],
  ['l', 'link'],
  ['p', 'picture'],
  ['n', 'note'],
  ['f', 'formula'],
  ['e', 'display'],
  ['m', 'markdown'],
]);
const LETTERS: ReadonlyMap<SpanKind, string> = new Map([...KINDS].map(([letter, kind]) => [kind, letter]));

const open = (kind: SpanKind): string => OPEN + (LETTERS.get(kind) ?? '');

/** A span around `content`: inline content in a mark of style or a link, else plain text. */
const span = (kind: SpanKind, content: string): Inline => `${open(kind)}${content}${CLOSE}`;

/** The two ends of a mark of style. */
export const markStart = (mark: Mark): string => open(mark);
export const MARK_END: string = CLOSE;

/** Plain `text` as code on one line. */
export function codeSpan(text: string): Inline {
  const clean = cleanText(text).replace(/\n/g, ' ');
  return clean.trim() === '' ? clean : span('code', clean);
}

/** The place that refers to the note or comment with that mark (`1`, `c2`); `''` for none. */
export const noteMark = (mark: string): Inline => (mark === '' ? '' : span('note', mark));

/** A formula in TeX, in the line or on a line of its own. */
export const formulaSpan = (tex: string, display: boolean = false): Inline =>
  tex === '' ? '' : span(display ? 'display' : 'formula', cleanText(tex));

/** Text with a meaning of its own in every form, which is not escaped: `{++`, `[x]`. */
export const verbatim = (text: string): Inline => (text === '' ? '' : span('markdown', cleanText(text)));

/**
 * A link. `content` is on one line. Without a safe target it is returned unchanged.
 */
export function linkTo(content: Inline, url: string): Inline {
  const target = safeUrl(url);
  const label = content.trim().replace(/\s+/g, ' ');
  if (target === undefined || label === '') return content;
  const before = content.slice(0, content.length - content.trimStart().length);
  const after = content.slice(content.trimEnd().length);
  return before + span('link', target + TARGET_END + label) + after;
}

/**
 * A picture. `alt` is plain text, `name` the picture's address or a member mark; a `data:` address and any other unsafe
 * one is omitted. `''` without both.
 */
export function imageMark(alt: string, name: string): Inline {
  const target = isMemberMark(name) ? name : (safeUrl(name) ?? '');
  const label = cleanText(alt).replace(/\s+/g, ' ').trim();
  return target === '' && label === '' ? '' : span('picture', target + TARGET_END + label);
}

/** True if the content starts with a picture. */
export const startsWithPicture = (content: Inline): boolean => content.startsWith(open('picture'));

/** The TeX of content that is one formula in a line and nothing else. */
export const formulaIn = (content: Inline): string | undefined =>
  content.startsWith(open('formula')) && content.indexOf(CLOSE) === content.length - 1
    ? content.slice(2, -1)
    : undefined;

/** What a walk over inline content meets: plain text, and the ends of spans. */
interface Visitor {
  text(text: string, within: SpanKind | undefined): void;
  /** `target`: of a link or picture. */
  open(kind: SpanKind, target: string): void;
  close(kind: SpanKind): void;
}

const MARKER = new RegExp(`[${OPEN}${CLOSE}]`, 'g');

/** Visits the parts of `content` in order. Linear; spans that are not closed end with the content. */
export function walkInline(content: Inline, visitor: Visitor): void {
  const spans: SpanKind[] = [];
  const text = (from: number, to: number): void => {
    if (to > from) visitor.text(content.slice(from, to).replaceAll(TARGET_END, ''), spans.at(-1));
  };
  let at = 0;
  let hasTargets = true;
  for (const { index } of content.matchAll(MARKER)) {
    if (index < at) continue;
    text(at, index);
    if (content[index] === OPEN) {
      const kind = KINDS.get(content.charAt(index + 1)) ?? 'markdown';
      at = index + 2;
      let target = '';
      if (kind === 'link' || kind === 'picture') {
        const end: number = hasTargets ? content.indexOf(TARGET_END, at) : -1;
        hasTargets = end >= 0;
        target = end < 0 ? '' : content.slice(at, end);
        at = end < 0 ? at : end + 1;
      }
      spans.push(kind);
      visitor.open(kind, target);
    } else {
      at = index + 1;
      const kind = spans.pop();
      if (kind) visitor.close(kind);
    }
  }
  text(at, content.length);
  for (let kind = spans.pop(); kind; kind = spans.pop()) visitor.close(kind);
}

/** True if the content is plain text alone. */
export const isPlain = (content: Inline): boolean =>
  !content.includes(OPEN) && !content.includes(CLOSE) && !content.includes(TARGET_END);

/** True if a part of the content is code. */
export const holdsCode = (content: Inline): boolean => content.includes(open('code'));

const SPAN_ENDS = new RegExp(`${OPEN}.|[${CLOSE}${TARGET_END}]`, 'gs');
/** What `splitInline` looks for: the start of a span with its target, its end, the end of a line. */
const PIECE = new RegExp(`${OPEN}[lp][^${TARGET_END}${CLOSE}]*${TARGET_END}|${OPEN}.|${CLOSE}|\\n`, 'gs');

/** The text of the content for a search: without marks of style, and with spaces for the ends of other spans. */
export function bareText(content: Inline): string {
  let bare = '';
  let at = 0;
  for (const { from, to, isStyle } of spanEnds(content)) {
    bare += content.slice(at, from) + (isStyle ? '' : ' '.repeat(to - from));
    at = to;
  }
  return bare + content.slice(at);
}

/** `text`, made of `bareText(content)` without a change of length, with the spans of `content`. */
export function respanned(text: string, content: Inline): Inline {
  let spanned = '';
  let at = 0;
  let after = 0;
  for (const { from, to, isStyle } of spanEnds(content)) {
    const end = after + from - at;
    spanned += text.slice(after, end) + content.slice(from, to);
    after = isStyle ? end : end + to - from;
    at = to;
  }
  return spanned + text.slice(after);
}

function* spanEnds(
  content: Inline,
): Generator<{ readonly from: number; readonly to: number; readonly isStyle: boolean }> {
  const styles: boolean[] = [];
  for (const { index: from, 0: end } of content.matchAll(SPAN_ENDS)) {
    if (end.startsWith(OPEN)) styles.push(MARKS.has(KINDS.get(end.slice(1)) ?? ''));
    const isStyle = end !== TARGET_END && styles.at(-1) === true;
    if (end === CLOSE) styles.pop();
    yield { from, to: from + end.length, isStyle };
  }
}

/** The text of a span as words. */
export function asWords(text: string, kind: string | undefined): string {
  if (kind === 'note') return `[^${text}]`;
  if (kind === 'formula') return `$${text}$`;
  return kind === 'display' ? `$$${text}$$` : text;
}

/** The words alone: without styles and the targets of links, pictures by what they show, formulas in TeX. */
export function plainText(
  content: Inline,
  { notes = true, pictures = true }: { readonly notes?: boolean; readonly pictures?: boolean } = {},
): string {
  if (isPlain(content)) return content.replaceAll(HARD_BREAK, '\n');
  let plain = '';
  walkInline(content, {
    text: (text, within) => {
      if ((within !== 'note' || notes) && (within !== 'picture' || pictures)) plain += asWords(text, within);
    },
    open: () => undefined,
    close: () => undefined,
  });
  return plain.replaceAll(HARD_BREAK, '\n');
}

/** The content without bold and italic, as a title has it. */
export function withoutEmphasis(content: Inline): Inline {
  const dropped: boolean[] = [];
  return content.replace(SPAN_ENDS, (end) => {
    if (end === TARGET_END) return end;
    if (end === CLOSE) return dropped.pop() === true ? '' : end;
    dropped.push(end === open('bold') || end === open('italic'));
    return dropped.at(-1) === true ? '' : end;
  });
}

/** A heading as its title: on one line, without the marks of notes. */
export const titleOf = (content: Inline): string =>
  plainText(content, { notes: false }).replace(/\s+/g, ' ').trim();

/** The targets of the links in the content. */
export function targetsIn(content: Inline): string[] {
  const targets: string[] = [];
  if (isPlain(content)) return targets;
  walkInline(content, {
    text: () => undefined,
    open: (kind, target) => {
      if (kind === 'link' || kind === 'picture') targets.push(target);
    },
    close: () => undefined,
  });
  return targets;
}

/** The lines of the content; a span over several goes on in each. */
export function splitInline(content: Inline): Inline[] {
  if (!content.includes('\n')) return [content];
  const lines: Inline[] = [];
  const spans: string[] = [];
  let line = '';
  // How many of `spans` are open in this line: those without content in it are left out.
  let begun = 0;
  const put = (text: string): void => {
    line += spans.slice(begun).join('') + text;
    begun = spans.length;
  };
  let at = 0;
  for (const { index, 0: piece } of content.matchAll(PIECE)) {
    if (index > at) put(content.slice(at, index));
    at = index + piece.length;
    if (piece === '\n') {
      lines.push(line.trimEnd() + CLOSE.repeat(begun));
      line = '';
      begun = 0;
    } else if (piece === CLOSE) {
      if (spans.at(-1)?.startsWith(open('picture'))) put('');
      if (begun === spans.length && begun > 0) {
        line += CLOSE;
        begun -= 1;
      }
      spans.pop();
    } else spans.push(piece);
  }
  if (at < content.length) put(content.slice(at));
  lines.push(line + CLOSE.repeat(begun));
  return lines;
}

const MARKS: ReadonlySet<string> = new Set(['bold', 'italic', 'strike', 'superscript', 'subscript']);
export const isMark = (kind: SpanKind): kind is Mark => MARKS.has(kind);
