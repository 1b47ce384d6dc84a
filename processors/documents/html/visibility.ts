// Decides whether an element is visible by its own attributes; style sheets are not read. Invisible text is a way to
// smuggle instructions past the reader of a page.

import { BLOCK } from './elements.ts';
import type { HtmlNode } from './node.ts';

/** Why an element is left out; `no` if it is shown. */
export type Hiding = 'no' | 'hidden' | 'duplicate';

/** Alternative renderings of a formula. */
const DUPLICATES = / (?:katex-html|mathjax_preview|mwe-math-fallback-image-(?:inline|display)|sr-only-math) /;

/** Why an element with its content is left out. `aria-hidden` is not a reason: the element is visible on screen. */
export function hidingOf(node: HtmlNode): Hiding {
  const { attributes, name } = node;
  if (name === 'mjx-math') return 'duplicate';
  if (name === 'dialog' && node.get('open') === undefined) return 'hidden';
  if (name === 'datalist' || (name === 'template' && node.get('shadowrootmode') === undefined))
    return 'hidden';
  if (!attributes) return 'no';
  const classes = node.get('class');
  if (classes !== undefined && /katex|mathjax|mwe-math/i.test(classes)) {
    if (DUPLICATES.test(node.classes)) return 'duplicate';
    // Visually hidden on purpose: the formula that the picture next to it shows.
    if (/mathml/i.test(classes)) return 'no';
  }
  const hidden = node.get('hidden');
  if (hidden !== undefined && hidden !== 'until-found') return 'hidden';
  const style = node.get('style');
  return style !== undefined && hidesBox(style) ? 'hidden' : 'no';
}

/** A picture without a text, at most 3 px wide or high: it spaces, rules or counts. */
export function isSpacer(node: HtmlNode): boolean {
  if (node.name !== 'img' || (node.get('alt') ?? '').trim() !== '') return false;
  const size = (name: string): number => Number.parseFloat(node.get(name) ?? '') || 0;
  const states = (name: string): boolean => /^\s*\d/.test(node.get(name) ?? '');
  return (states('width') && size('width') <= 3) || (states('height') && size('height') <= 3);
}

/** The text style inherited from parent elements; any element may override it. */
export interface TextStyle {
  readonly background?: string;
  readonly ink?: string;
  readonly tiny?: boolean;
}

/** True for invisible text: too small, or in its background colour. */
export function isUnseen({ background, ink, tiny }: TextStyle): boolean {
  return tiny === true || ink === 'transparent' || (ink !== undefined && ink === background);
}

/** The style of the text in `node`, given its parent's style `inherited`; the same object if nothing changes. */
export function textStyleOf(node: HtmlNode, inherited: TextStyle): TextStyle {
  if (!node.attributes) return inherited;
  const style = node.get('style') ?? '';
  const declared = /color|font|background/i.test(style) ? declarations(style) : NO_DECLARATIONS;
  const background =
    colorOf(declared.get('background-color') ?? declared.get('background') ?? '') ??
    colorOf(node.get('bgcolor') ?? '');
  const color = declared.get('color');
  const stated = node.name === 'font' ? colorOf(node.get('color') ?? '') : undefined;
  const ink = color === undefined ? stated : color === 'transparent' ? color : (colorOf(color) ?? '');
  const size = declared.get('font-size');
  const isTiny = size !== undefined && TINY.test(size);
  const isSized = size === undefined ? declared.has('font') : !/(?:em|%)$/.test(size);
  if (background === undefined && ink === undefined && !isTiny && !isSized) return inherited;
  return {
    ...inherited,
    ...(background !== undefined && { background }),
    ...(ink !== undefined && { ink }),
    ...((isTiny || isSized) && { tiny: isTiny }),
  };
}

const NO_DECLARATIONS: ReadonlyMap<string, string> = new Map();

/** The declarations of a `style` attribute, names in lower case; custom properties are ignored. */
function declarations(style: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const part of style.slice(0, 4000).toLowerCase().split(';')) {
    const colon = part.indexOf(':');
    const name = part.slice(0, Math.max(0, colon)).trim();
    const value = part.slice(colon + 1).replace(/!\s*important/, '');
    if (name !== '' && !name.startsWith('--')) found.set(name, value.trim());
  }
  return found;
}

/** The value of one property of a `style` attribute, in lower case. */
export function styleOf(node: HtmlNode, property: string): string | undefined {
  const style = node.get('style');
  return style?.toLowerCase().includes(property) === true ? declarations(style).get(property) : undefined;
}

/** True for text raised or lowered by its element, its style, or the name of its class. */
export function scriptOf(node: HtmlNode): 'superscript' | 'subscript' | undefined {
  if (node.name === 'sup') return 'superscript';
  if (node.name === 'sub') return 'subscript';
  if (!node.attributes || BLOCK.has(node.name)) return undefined;
  const align = styleOf(node, 'vertical-align') ?? '';
  const { classes } = node;
  if (align === 'super' || / (?:sup|super|superscript) /.test(classes)) return 'superscript';
  return align === 'sub' || / (?:sub|subscript) /.test(classes) ? 'subscript' : undefined;
}

const MAY_HIDE = /display|visib|opacity|indent|left|top|clip|height|width|mso-hide/i;
/** Text this small is unreadable: at most 1 px or pt, less than 0.1 em. */
const TINY = /^(?:0*1(?:\.0*)?|0*\.\d+|0+(?:\.\d+)?)(?:px|pt)$|^0*(?:\.0\d*)?(?:em|rem|%)?$/;
const FAR_AWAY = /^-\d{3,}(?:\.\d+)?(?:px|em|rem|pt|vw|vh|%)?$/;
const NOTHING = /^0*(?:\.0+)?(?:px|pt|em|rem|%)?$/;
const POINT = /^0*1?(?:\.0+)?(?:px|pt)?$/;

function hidesBox(style: string): boolean {
  if (!MAY_HIDE.test(style)) return false;
  const declared = declarations(style);
  const is = (property: string, pattern: RegExp): boolean => {
    const value = declared.get(property);
    return value !== undefined && value !== '' && pattern.test(value);
  };
  if (is('display', /^none$/) || is('visibility', /^(?:hidden|collapse)$/)) return true;
  if (is('opacity', /^0*(?:\.0+)?%?$/) || is('mso-hide', /^all$/)) return true;
  if (
    is('text-indent', FAR_AWAY) ||
    is('clip', /^rect\(\s*(?:0|1px)/) ||
    is('clip-path', /^inset\(\s*(?:50|100)%/)
  )
    return true;
  if (is('position', /^(?:absolute|fixed)$/) && (is('left', FAR_AWAY) || is('top', FAR_AWAY))) return true;
  if (is('overflow', /^hidden$/)) {
    if (is('max-height', NOTHING) || is('max-width', NOTHING) || is('height', NOTHING)) return true;
    if (is('height', POINT) && is('width', POINT)) return true;
  }
  return false;
}

/** A normalised colour for comparison: `#rrggbb` or a name; undefined if invalid. */
function colorOf(value: string): string | undefined {
  const text = value.trim().toLowerCase();
  const hex = /^#([\da-f]{3}|[\da-f]{6})\b/.exec(text)?.[1];
  if (hex !== undefined) return `#${hex.length === 3 ? hex.replace(/./g, '$&$&') : hex}`;
  const rgb = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*(?:[,/]\s*1(?:\.0*)?\s*)?\)/.exec(text);
  if (rgb)
    return `#${rgb
      .slice(1, 4)
      .map((part) => Math.min(255, Number(part)).toString(16).padStart(2, '0'))
      .join('')}`;
  const name = /^[a-z]+/.exec(text)?.[0];
  if (name === 'white') return '#ffffff';
  if (name === 'black') return '#000000';
  return name !== undefined && COLORS.has(name) ? name : undefined;
}

const COLORS: ReadonlySet<string> = new Set(
  'red green blue yellow gray grey silver navy teal maroon olive lime aqua fuchsia purple orange beige ivory pink'.split(
    ' ',
  ),
);
