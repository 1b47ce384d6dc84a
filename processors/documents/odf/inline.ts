// The content of an OpenDocument paragraph (ODF 1.3 part 3, 6 and 7) as styled runs: spans, fields, links, notes,
// comments, pictures and formulas. Floating content is passed to the caller.

import { cleanText, imageMark, isMemberMark, type Run } from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import type { LeftOut } from '../left-out.ts';
import { words } from '../words.ts';
import { type Changes, INSERTED, INSERTED_END } from './changes.ts';
import type { Embedded } from './embedded.ts';
import type { Remarks } from './remarks.ts';
import type { Styles, TextLook } from './style.ts';

/** The context of a paragraph's walk. */
export interface InlineContext {
  readonly styles: Styles;
  readonly left: LeftOut;
  readonly remarks: Remarks;
  readonly embedded: Embedded;
  readonly changes: Changes;
  /** Receives a text box, table or chart anchored in the paragraph; `first` if no text precedes it. */
  float(frame: XmlElement, first: boolean): void;
  /** The text of a note or deletion as lines of inline content. */
  noteLines(body: XmlElement): string[];
}

/** Maximum spaces of one `text:s`. */
const MAX_SPACES = 256;

/** Elements inside a paragraph that are not part of its text. */
const SILENT: ReadonlySet<string> = new Set(
  words(
    'binary-data event-listeners forms note-citation number office-event-listeners script ' +
      'soft-page-break tracked-changes',
  ),
);

/** Shapes with paragraphs of their own. */
const SHAPES: ReadonlySet<string> = new Set(
  words(
    'caption circle connector custom-shape ellipse g line measure path polygon polyline rect ' +
      'regular-polygon',
  ),
);

/** True for a drawn shape, as opposed to a frame. */
export function isShape(element: XmlElement): boolean {
  return SHAPES.has(element.name);
}

/** The runs of a paragraph or heading; empty without content. */
export function runsOf(paragraph: XmlElement, context: InlineContext): Run[] {
  const walk = new InlineWalk(context, context.styles.look('paragraph', styleName(paragraph)));
  walk.paragraph(paragraph);
  return walk.finish();
}

/** Name of a text or paragraph style, including conditional ones. */
export function styleName(element: XmlElement): string | undefined {
  return element.get('text:style-name') ?? element.get('style-name');
}

type Read = (walk: InlineWalk, element: XmlElement, look: TextLook, href: string | undefined) => unknown;

function spacesOf(element: XmlElement): string {
  const count = Number(element.get('c') ?? 1);
  return ' '.repeat(Number.isFinite(count) ? Math.min(MAX_SPACES, Math.max(0, Math.trunc(count))) : 1);
}

/** Markdown has no equivalent of an anchor target. */
function targetOf(link: XmlElement): string | undefined {
  const target = link.get('href');
  return target?.startsWith('#') ? undefined : target;
}

const nameOf = (element: XmlElement): string => element.get('office:name') ?? element.get('name') ?? '';

const isDisplayed = (element: XmlElement): boolean =>
  (element.get('text:display') ?? element.get('display')) !== 'none';

class InlineWalk {
  readonly #runs: Run[] = [];
  readonly #context: InlineContext;
  readonly #base: TextLook;
  #afterSpace = true;

  constructor(context: InlineContext, base: TextLook) {
    this.#context = context;
    this.#base = base;
  }

  paragraph(paragraph: XmlElement): void {
    const { changes } = this.#context;
    this.#context.remarks.words.add(' ');
    if (changes.inserting) this.#raw(INSERTED, undefined);
    this.children(paragraph, {}, undefined);
    if (!changes.inserting) return;
    // Nothing was inserted in this paragraph.
    if (this.#runs.at(-1)?.text === INSERTED) this.#runs.pop();
    else this.#raw(INSERTED_END, undefined);
  }

  /** The runs, without emphasis that the paragraph style applies to all of them. */
  finish(): Run[] {
    const runs = this.#runs;
    const words = runs.filter((run) => run.raw !== true && run.text.trim() !== '');
    const bold = this.#base.bold === true && words.every((run) => run.bold === true);
    const italic = this.#base.italic === true && words.every((run) => run.italic === true);
    if (!bold && !italic) return runs;
    return runs.map((run) => ({
      ...run,
      bold: run.bold === true && !bold,
      italic: run.italic === true && !italic,
    }));
  }

  children(parent: XmlElement, look: TextLook, href: string | undefined): void {
    for (const node of parent.children)
      if (typeof node === 'string') this.#text(node, look, href);
      else this.#element(node, look, href);
  }

  #text(raw: string, look: TextLook, href: string | undefined): void {
    // White space collapses as in ODF 1.3 part 3, 6.1.2, across elements as well.
    let text = raw.replace(/[ \t\r\n]+/g, ' ');
    if (this.#afterSpace && text.startsWith(' ')) text = text.slice(1);
    if (text === '') return;
    this.#afterSpace = text.endsWith(' ');
    this.#push(text, look, href);
  }

  #push(raw: string, look: TextLook, href: string | undefined, afterSpace: boolean = this.#afterSpace): void {
    this.#afterSpace = afterSpace;
    const text = raw.replaceAll('\u00ad', '');
    const { bold, italic, strike, mono, superscript, subscript, hidden } = { ...this.#base, ...look };
    if (hidden === true) {
      this.#context.left.hide(text, ' ');
      return;
    }
    this.#context.remarks.words.add(text);
    this.#runs.push({
      text,
      ...(bold === true && { bold }),
      ...(italic === true && { italic }),
      ...(strike === true && { strike }),
      ...(mono === true && this.#base.mono !== true && { code: true }),
      ...(superscript === true && { superscript }),
      ...(subscript === true && { subscript }),
      ...(href !== undefined && { href }),
    });
  }

  #raw(text: string, href: string | undefined): void {
    if (text === '') return;
    this.#afterSpace = false;
    this.#runs.push({ text, raw: true, ...(href !== undefined && { href }) });
  }

  #element(element: XmlElement, look: TextLook, href: string | undefined): void {
    const read = InlineWalk.#elements.get(element.name);
    if (read) read(this, element, look, href);
    else if (isShape(element)) this.#float(element);
    else if (!SILENT.has(element.name)) this.children(element, look, href);
  }

  static readonly #elements: ReadonlyMap<string, Read> = new Map<string, Read>([
    ['span', (walk, element, look, href) => walk.children(element, walk.#spanLook(element, look), href)],
    ['s', (walk, element, look, href) => walk.#push(spacesOf(element), look, href, false)],
    ['tab', (walk, _, look, href) => walk.#push('\t', look, href, true)],
    ['tab-stop', (walk, _, look, href) => walk.#push('\t', look, href, true)],
    ['line-break', (walk, _, look, href) => walk.#push('\n', look, href, true)],
    ['a', (walk, element, look, href) => walk.children(element, look, targetOf(element) ?? href)],
    ['note', (walk, element) => walk.#note(element.child('note-body'))],
    [
      'change',
      (walk, element) => walk.#raw(walk.#changes.deletion(element, walk.#context.noteLines), undefined),
    ],
    ['change-start', (walk, element) => walk.#raw(walk.#changes.start(element), undefined)],
    ['change-end', (walk, element) => walk.#raw(walk.#changes.end(element), undefined)],
    ['ruby-text', (walk, element, look, href) => walk.#reading(element, look, href)],
    ['annotation', (walk, element) => walk.#raw(walk.#context.remarks.comment(element), undefined)],
    ['annotation-end', (walk, element) => walk.#context.remarks.words.end(nameOf(element))],
    ['hidden-text', (walk, element, look, href) => walk.#hidden(element, look, href)],
    ['hidden-paragraph', () => undefined],
    ...words('variable-set user-field-input sequence expression').map((name): [string, Read] => [
      name,
      (walk, element, look, href) => isDisplayed(element) && walk.children(element, look, href),
    ]),
    ['frame', (walk, element, _, href) => walk.#frame(element, href)],
    ['control', (walk, element, _, href) => walk.#raw(walk.#context.embedded.control(element), href)],
    ['math', (walk, element, _, href) => walk.#raw(walk.#context.embedded.math(element), href)],
  ]);

  get #changes(): Changes {
    return this.#context.changes;
  }

  #spanLook(span: XmlElement, look: TextLook): TextLook {
    return { ...look, ...this.#context.styles.look('text', styleName(span)) };
  }

  #note(body: XmlElement | undefined): void {
    if (body) this.#raw(this.#context.remarks.note(this.#context.noteLines(body)), undefined);
  }

  #reading(ruby: XmlElement, look: TextLook, href: string | undefined): void {
    if (ruby.text().trim() === '') return;
    this.#push('(', look, href);
    this.children(ruby, look, href);
    this.#push(')', look, href);
  }

  #hidden(element: XmlElement, look: TextLook, href: string | undefined): void {
    if (element.get('is-hidden') === 'false') this.#text(element.text(), look, href);
    else this.#context.left.hide(element.get('string-value') ?? element.text(), ' ');
  }

  #float(frame: XmlElement): void {
    this.#context.float(frame, !this.#runs.some((run) => run.text.trim() !== ''));
  }

  #frame(frame: XmlElement, href: string | undefined): void {
    const formula = this.#context.embedded.formula(frame);
    if (formula !== undefined) this.#raw(formula, href);
    else if (
      frame.child('text-box') ||
      frame.child('table') ||
      frame.child('object') ||
      frame.child('object-ole')
    )
      this.#float(frame);
    else this.#raw(pictureOf(frame, this.#context.embedded), href);
  }
}

/** `![alt](name)` for a frame with a picture; `''` for a frame without one. */
export function pictureOf(frame: XmlElement, embedded: Embedded): string {
  const plugin = frame.child('plugin');
  const alt = alternative(frame);
  if (plugin) {
    const href = plugin.get('href') ?? '';
    const target = embedded.target(href);
    const name = isMemberMark(target) ? target : cleanText(fileName(href) || alt || 'unnamed');
    const kind = (plugin.get('mime-type') ?? '').startsWith('audio') ? 'audio' : 'video';
    return `(${kind}: ${name})`;
  }
  const image = frame.child('image');
  return image ? imageMark(alt, embedded.target(image.get('href') ?? '')) : '';
}

/** Alternative text of a frame's content. */
export function alternative(frame: XmlElement): string {
  return (frame.child('desc') ?? frame.child('title'))?.text().trim() ?? '';
}

function fileName(href: string): string {
  const path = href.split(/[?#]/, 1)[0] ?? '';
  return path.slice(path.lastIndexOf('/') + 1);
}
