// The elements of a paragraph: marks of style, links, pictures, formulas, fields of forms.

import {
  cleanText,
  equationBlock,
  formulaSpan,
  imageMark,
  linkTo,
  noteMark,
  safeUrl,
  verbatim,
} from '../../../src/document/index.ts';
import { type Formula, formulaOf, isDisplayed, tidyTex } from './mathml.ts';
import type { HtmlNode } from './node.ts';
import type { Enter, PageWalk } from './page-walk.ts';
import type { Flag } from './page-writer.ts';
import { HOLDS_PICTURE } from './survey.ts';
import { drawingMark, fieldText, isSign, ownAddress, pictureName, plainText } from './verbatim.ts';
import { scriptOf } from './visibility.ts';

const styled = (flag: Flag, names: string): [string, Enter][] =>
  names.split(' ').map((name) => [name, (node, walk) => walk.style(node, flag)]);

/** Texts before and after the content of an element. */
const between =
  (before: string, after: string): Enter =>
  (node, walk) => {
    walk.out.text(before);
    return walk.after(node, () => walk.out.text(after));
  };

const spaced: Enter = (node, walk) => {
  walk.out.space();
  return walk.after(node, () => walk.out.space());
};

/** An element that is written without its children. */
const whole =
  (write: (node: HtmlNode, walk: PageWalk) => void): Enter =>
  (node, walk) => {
    write(node, walk);
    return false;
  };

export const INLINES: readonly (readonly [name: string, Enter])[] = [
  ...styled('bold', 'b strong'),
  ...styled('italic', 'i em dfn var'),
  ...styled('strike', 's strike del'),
  ...styled('code', 'code kbd samp tt'),
  ...styled('subscript', 'sub'),
  ['sup', (node, walk) => !writeMark(node, walk) && walk.style(node, 'superscript')],
  ['a', enterLink],
  ['br', whole((_, { out }) => out.lineBreak())],
  ['img', whole(writePicture)],
  ['svg', whole(writeDrawing)],
  ['math', whole((node, { out }) => writeFormula(formulaOf(node), isDisplayed(node), out))],
  ['script', whole(writeTexScript)],
  ['area', whole(writeArea)],
  ['input', whole(writeField)],
  ['select', whole(writeField)],
  ['textarea', whole(writeField)],
  ['noscript', spaced],
  ['canvas', spaced],
  ['button', spaced],
  ['q', between('“', '”')],
  ['rt', between('(', ')')],
  ['abbr', enterAbbreviation],
];

/** Writes the mark of a note in place of `node`; false if `node` is not one. */
function writeMark(node: HtmlNode, { notes, out }: PageWalk): boolean {
  const label = notes.marks.get(node);
  if (label !== undefined) out.raw(noteMark(label));
  return label !== undefined;
}

function enterLink(node: HtmlNode, walk: PageWalk): boolean {
  const { out, survey, options } = walk;
  if (writeMark(node, walk)) return false;
  const address = node.get('href');
  if (address === undefined) return true;
  const href = options.link ? options.link(address) : address;
  const inHeading = out.place.heading > 0;
  // A heading that links to itself, or to its table of contents entry.
  if (safeUrl(href) === undefined || (href.startsWith('#') && inHeading && !isSign(node))) return true;
  // An anchor link next to a heading.
  const text = plainText(node, survey, 80);
  if (href.includes('#') && (isSign(node) || (inHeading && !/[\p{L}\p{N}]/u.test(text)))) return false;
  const own = ownAddress(node, href);
  if (own !== undefined) {
    out.raw(own);
    return false;
  }
  // A picture that links to a larger version of itself.
  if (text === '' && /\.(?:png|jpe?g|gif|webp|svg|avif)(?:[?#]|$)|\/File:/i.test(href)) return true;
  const script = scriptOf(node);
  if (script) walk.style(node, script);
  const before = out.href;
  if (out.place.runs.at(-1)?.href !== undefined) out.space();
  out.href = href;
  walk.after(node, () => {
    out.href = before;
  });
  // A drawing or an icon, named for programs that read aloud.
  if (text === '' && !survey.holdsAny(node, HOLDS_PICTURE))
    out.text(node.get('aria-label') ?? node.get('title') ?? '');
  return true;
}

function writePicture(node: HtmlNode, { out, options }: PageWalk): void {
  const alt = node.get('alt') ?? '';
  if (/(?:^|\s)latex(?:\s|$)/.test(node.get('class') ?? '') && alt !== '') {
    writeFormula({ tex: tidyTex(alt), display: false }, false, out);
    return;
  }
  const address = pictureName(node);
  out.raw(imageMark(alt, options.picture ? options.picture(address) : address));
}

/** In a link, the words of a drawing are left out if there are others. */
function writeDrawing(node: HtmlNode, { out, survey }: PageWalk): void {
  if (out.href === undefined) out.raw(drawingMark(node, survey));
  else {
    const link = node.around(({ name }) => name === 'a');
    if (link && survey.textOf(link) === survey.textOf(node))
      out.text(plainText(node, survey, Number.POSITIVE_INFINITY));
  }
}

function writeTexScript(node: HtmlNode, { out }: PageWalk): void {
  const tex = tidyTex(node.first?.text ?? '');
  const display = /mode\s*=\s*display/.test(node.get('type') ?? '');
  if (tex !== '') writeFormula({ tex, display }, false, out);
}

function writeFormula(formula: Formula | undefined, displayed: boolean, out: PageWalk['out']): void {
  if (!formula) return;
  const { place } = out;
  if ((formula.display || displayed) && !place.inCell && place.heading === 0)
    out.block(equationBlock(formula.tex));
  else out.raw(formulaSpan(formula.tex));
}

/** A link in a picture. */
function writeArea(node: HtmlNode, { out, options }: PageWalk): void {
  const address = node.get('href') ?? '';
  const href = options.link ? options.link(address) : address;
  const label = cleanText(node.get('alt') ?? node.get('title') ?? '').trim();
  out.space();
  if (safeUrl(href) !== undefined) out.raw(linkTo(cleanText(label) || 'Area', href));
  else if (label !== '') out.text(label);
  out.space();
}

function writeField(node: HtmlNode, { out, survey }: PageWalk): void {
  const text = fieldText(node, survey);
  const isBox = text === '[ ]' || text === '[x]';
  if (isBox && out.place.startsItem) {
    out.place.prefix = `${verbatim(text)} `;
    return;
  }
  out.space();
  if (isBox) out.raw(verbatim(text));
  else out.text(text);
  out.space();
}

/** The meaning of an abbreviation, at its first occurrence. */
function enterAbbreviation(node: HtmlNode, walk: PageWalk): boolean {
  const title = cleanText(node.get('title') ?? '').trim();
  const short = plainText(node, walk.survey, 80);
  if (title === '' || title === short || title.length > 200 || walk.explained.has(short)) return true;
  walk.explained.add(short);
  return walk.after(node, () => walk.out.text(` (${title})`));
}
