// Text of a page taken verbatim: code in `pre`, and the text of links, pictures and form fields.

import { cleanText, imageMark } from '../../../src/document/index.ts';
import { BLOCK } from './elements.ts';
import type { HtmlNode } from './node.ts';
import { NO_TEXT, type Survey } from './survey.ts';
import { isGutter } from './table.ts';

/** Code and its declared language. */
export interface Code {
  readonly text: string;
  readonly language: string;
}

/** The text of a `pre`: line breaks and blocks end lines, columns of line numbers are dropped. */
export function codeOf(pre: HtmlNode, survey: Survey): Code {
  const parts: string[] = [];
  let atStart = true;
  const add = (text: string): void => {
    if (text === '') return;
    parts.push(text);
    atStart = text.endsWith('\n');
  };
  for (const { node, entering } of steps(pre, survey)) {
    if (node.name === '') add(node.text.replace(/\r\n?/g, '\n'));
    else if (node.name === 'br') {
      if (entering) add('\n');
    } else if (BLOCK.has(node.name) && node.name !== 'td' && !atStart) add('\n');
  }
  // The first line break after the tag is not shown (HTML 13.1.2.5).
  const text = parts.join('').replace(/^\n/, '').replaceAll('\u00a0', ' ').trimEnd();
  return { text, language: languageOf(pre) };
}

interface Step {
  readonly node: HtmlNode;
  readonly entering: boolean;
}

function* steps(top: HtmlNode, survey: Survey): Generator<Step> {
  let node = top.first;
  while (node) {
    const skipped = survey.isSkipped(node) || isGutter(node);
    if (!skipped) {
      yield { node, entering: true };
      if (node.first) {
        node = node.first;
        continue;
      }
      if (node.name !== '') yield { node, entering: false };
    }
    while (node && node !== top && !node.next) {
      node = node.parent;
      if (node && node !== top) yield { node, entering: false };
    }
    if (!node || node === top) return;
    node = node.next;
  }
}

/** The language from `class="language-x"` and similar, on the `pre`, the `code` in it, or its wrapper. */
function languageOf(pre: HtmlNode): string {
  const candidates: HtmlNode[] = [];
  for (let child = pre.first, seen = 0; child && seen < 8; child = child.next, seen += 1)
    if (child.name === 'code') candidates.push(child);
  candidates.push(pre);
  for (let at = pre.parent, up = 0; at && up < 3; at = at.parent, up += 1) candidates.push(at);
  for (const node of candidates) {
    const stated = node.get('data-lang') ?? node.get('data-language');
    if (stated !== undefined && /^[\w+#.-]{1,30}$/.test(stated)) return stated;
    const named = /(?:^|\s)(?:language|lang|highlight-source|brush:|sourceCode)[-:\s]*([\w+#.-]{1,30})/.exec(
      node.get('class') ?? '',
    );
    if (named?.[1] !== undefined && !/^(?:none|plaintext|plain)$/.test(named[1])) return named[1];
  }
  return '';
}

/** The text in `top` on one line, at most `most` characters. */
export function plainText(top: HtmlNode, survey: Survey, most: number): string {
  const parts: string[] = [];
  let length = 0;
  for (const { node } of steps(top, survey)) {
    if (node.name === '') {
      parts.push(node.text);
      length += node.text.length;
    } else parts.push(BLOCK.has(node.name) || node.name === 'tspan' || node.name === 'text' ? ' ' : '');
    if (length > most) break;
  }
  return parts.join('').replace(/\s+/g, ' ').trim().slice(0, most);
}

/** The source of a picture; lazily loaded pictures state it in another attribute. Empty for inline data. */
export function pictureName(image: HtmlNode): string {
  const candidates = [
    image.get('src'),
    image.get('data-src'),
    image.get('data-lazy-src'),
    image.get('data-original'),
    (image.get('srcset') ?? image.get('data-srcset'))?.trim().split(/\s+/, 1)[0],
  ];
  for (const name of candidates)
    if (name !== undefined && name.trim() !== '' && !/^\s*(?:data|about|blob):/i.test(name)) return name;
  return '';
}

/** A drawing by its name and its words. Empty without any. */
export function drawingMark(svg: HtmlNode, survey: Survey): string {
  const label = svg.get('aria-label') ?? svg.get('title') ?? '';
  const words = survey.skipped[svg.index] === NO_TEXT ? '' : plainText(svg, survey, Number.POSITIVE_INFINITY);
  const text = label !== '' && !words.includes(label) ? `${label} ${words}` : words;
  return text.trim() === '' ? '' : imageMark(text.trim(), '');
}

/** The value of a form field, in a few words. */
export function fieldText(node: HtmlNode, survey: Survey): string {
  const type = (node.get('type') ?? 'text').toLowerCase();
  const checked = node.get('checked') !== undefined;
  if (node.name === 'select') {
    const options: string[] = [];
    let chosen = '';
    for (const { node: option, entering } of steps(node, survey)) {
      if (!entering || option.name !== 'option') continue;
      const text = plainText(option, survey, Number.POSITIVE_INFINITY);
      if (text !== '') options.push(text);
      if (option.get('selected') !== undefined) chosen = text;
    }
    const list = options.join(' / ');
    return chosen === '' ? list : `${chosen} (of ${list})`;
  }
  if (node.name === 'textarea') return plainText(node, survey, Number.POSITIVE_INFINITY);
  switch (type) {
    case 'checkbox':
      return checked ? '[x]' : '[ ]';
    case 'radio':
      return checked ? '(x)' : '( )';
    case 'image':
      return node.get('alt') ?? '';
    case 'hidden':
    case 'password':
    case 'file':
      return '';
    default:
      return node.get('value') ?? '';
  }
}

/** The text of a link that is only its address, which Markdown renderers link automatically. */
export function ownAddress(link: HtmlNode, href: string): string | undefined {
  const text = link.first?.name === '' && !link.first.next ? link.first.text.trim() : '';
  const same =
    (/^https?:\/\//i.test(text) && text === href) || (text.includes('@') && `mailto:${text}` === href);
  return same && !/[\s<>|]/.test(text) ? cleanText(text) : undefined;
}

/** `#`, `¶` and similar: an anchor link without words. */
export function isSign(node: HtmlNode): boolean {
  const text = node.first?.name === '' && !node.first.next ? node.first.text.trim() : '';
  return text === '#' || text === '¶' || text === '§' || text === '🔗';
}
