// Footnotes of a page: identifies note marks, note texts, and links back to the marks.

import { BLOCK } from './elements.ts';
import type { HtmlNode } from './node.ts';
import type { Survey } from './survey.ts';
import { scriptOf } from './visibility.ts';

/** The notes of one document. */
export interface Notes {
  /** Links and superscripts that are marks, with their label. */
  readonly marks: ReadonlyMap<HtmlNode, string>;
  /** Blocks that are notes, with their label. */
  readonly notes: ReadonlyMap<HtmlNode, string>;
  /** Links back to the mark. */
  readonly back: ReadonlySet<HtmlNode>;
}

/** Labels of notes, which are unique in a document of several pages. */
export class NoteLabels {
  readonly #taken = new Set<string>();
  /** By page, then by the id of the note. */
  readonly #pages = new Map<string, Map<string, string>>();
  readonly #read = new Set<string>();
  /** Pages with a note that a later page turned out to refer to. */
  readonly late: Set<string> = new Set();

  /** The label of the note at `id` of `page`, from the text of its mark. */
  of(page: string, id: string, text: string): string {
    const onPage = this.#pages.get(page) ?? new Map<string, string>();
    this.#pages.set(page, onPage);
    const known = onPage.get(id);
    if (known !== undefined) return known;
    let label = /^\w+$/.test(text) ? text : `${this.#taken.size + 1}`;
    if (this.#taken.has(label)) label = `${label}-${this.#taken.size + 1}`;
    this.#taken.add(label);
    onPage.set(id, label);
    if (this.#read.has(page)) this.late.add(page);
    return label;
  }

  /** The labels of notes on `page`, by id. */
  on(page: string): ReadonlyMap<string, string> {
    return this.#pages.get(page) ?? NO_LABELS;
  }

  /** From now on, a new label on `page` is late. */
  read(page: string): void {
    this.#read.add(page);
  }
}

const NO_LABELS: ReadonlyMap<string, string> = new Map();

/** A page of a document with several, such as a book. */
export interface PageOfMany {
  readonly path: string;
  readonly labels: NoteLabels;
  /** The page and the id an address leads to; undefined outside the document. */
  resolve(address: string): { readonly path: string; readonly id: string } | undefined;
}

const NOTE_ID = /^(?:fn|foot-?note|end-?note|note)[-_:]?\w{0,8}$/i;
const LABEL = /^[[(]?\s*(?:note |fn\.? ?)?(\d{1,4}|[a-z]{1,2}|[ivx]{1,6}|[*†‡§¶]{1,3})\s*[\])]?$/i;
const MARK_NAMES =
  /\b(?:noteref|(?:foot|end)-?note(?:-?(?:ref|reference|link|anchor|mark|call))?|fn(?:-?ref)?|reference|citation|sup-?fn|see-footnote)\b/i;
const BACK_TEXT = /^[\s[\]()^↑↩↵⤴⏎⬑←]*(?:(?:back|return|\d{1,4}|[a-z]{1,2}|\.)[\s[\]()^↑↩↵⤴⏎⬑←.]*)?$/i;
/** Text inspected to distinguish a mark from a link. */
const MOST = 24;
/** Nodes inspected before a link. */
const MOST_BEFORE = 64;

/** The notes in `survey`, and the marks of notes on other pages. Cost: one pass over the links. */
export function notesOf(survey: Survey, page: PageOfMany = singlePage()): Notes {
  const marks = new Map<HtmlNode, string>();
  const notes = new Map<HtmlNode, string>();
  const back = new Set<HtmlNode>();
  const { nodes } = survey.tree;
  const add = (mark: HtmlNode, note: HtmlNode, id: string, text: string): void => {
    const label = notes.get(note) ?? page.labels.of(page.path, id, text);
    notes.set(note, label);
    marks.set(mark, label);
  };
  for (const [id, label] of page.labels.on(page.path)) {
    const target = survey.targets.get(id);
    const note = target && noteAround(target);
    if (note && !notes.has(note)) notes.set(note, label);
  }
  for (const node of nodes) {
    if (survey.isSkipped(node)) continue;
    if (node.name === 'a') {
      if (survey.textOf(node) > MOST) continue;
      const { target, elsewhere } = targetOf(node, survey, page);
      if (!elsewhere && (!target || target.index < node.index)) continue;
      const text = LABEL.exec(shortText(node))?.[1];
      if (text === undefined || !looksLikeMark(node, survey)) continue;
      const note = target && noteAround(target, node);
      if (target && note) add(node, note, idOf(target), text);
      else if (elsewhere && elsewhere.id !== '' && (isStated(node) || !startsBlock(node, survey)))
        marks.set(node, page.labels.of(elsewhere.path, elsewhere.id, text));
    } else if (node.name === 'sup' && node.first?.name === '' && !node.first.next) {
      const text = /^\s*(\d{1,4})\s*$/.exec(node.first.text)?.[1];
      const target = text === undefined ? undefined : noteNamed(text, survey);
      const note = target && target.index > node.index ? noteAround(target, node) : undefined;
      if (text !== undefined && target && note) add(node, note, idOf(target), text);
    }
  }
  if (notes.size > 0) findBack(survey, notes, marks, back, page);
  return { marks, notes, back };
}

function findBack(
  survey: Survey,
  notes: ReadonlyMap<HtmlNode, string>,
  marks: ReadonlyMap<HtmlNode, string>,
  back: Set<HtmlNode>,
  page: PageOfMany,
): void {
  for (const note of notes.keys())
    for (let at = note.index + 1; at < survey.tree.nodes.length; at += 1) {
      const node = survey.tree.nodes[at];
      // Notes are shallow, so the search upwards is bounded.
      if (!node?.around((outer) => outer === note, 32)) break;
      if (node.name === 'a' && !marks.has(node)) {
        const { target, elsewhere } = targetOf(node, survey, page);
        const isBefore = target ? target.index < note.index : elsewhere !== undefined;
        if (isBefore && BACK_TEXT.test(shortText(node).replace(/[\ufe0e\ufe0f]/g, ''))) back.add(node);
      } else if (/mw-cite-backlink/.test(node.get('class') ?? '')) back.add(node);
    }
}

interface Target {
  readonly target?: HtmlNode | undefined;
  /** Its place on another page of the document. */
  readonly elsewhere?: ReturnType<PageOfMany['resolve']>;
}

function targetOf(link: HtmlNode, survey: Survey, page: PageOfMany): Target {
  const href = link.get('href') ?? '';
  const place = page.resolve(href);
  if (!place) return { target: targetOnPage(href, survey) };
  return place.path === page.path ? { target: survey.targets.get(place.id) } : { elsewhere: place };
}

function targetOnPage(href: string, survey: Survey): HtmlNode | undefined {
  const hash = href.indexOf('#');
  if (hash < 0 || hash === href.length - 1) return undefined;
  const id = href.slice(hash + 1);
  // A saved page refers to itself by its full URL.
  if (hash > 0 && !/note|fn|ref|cite/i.test(id)) return undefined;
  const direct = survey.targets.get(id);
  if (direct || !id.includes('%')) return direct;
  try {
    return survey.targets.get(decodeURIComponent(id));
  } catch {
    return undefined;
  }
}

function noteNamed(number: string, survey: Survey): HtmlNode | undefined {
  for (const name of ['fn', 'fn:', 'fn-', 'footnote-', 'footnote', 'note-', 'cite_note-']) {
    const target = survey.targets.get(`${name}${number}`);
    if (target) return target;
  }
  return undefined;
}

/** The only page of a document. */
function singlePage(): PageOfMany {
  return { path: '', labels: new NoteLabels(), resolve: () => undefined };
}

const idOf = (target: HtmlNode): string => target.get('id') ?? target.get('name') ?? '';

/** True for superscript, a name typical of marks, brackets, or a link at the end of a word. */
function looksLikeMark(link: HtmlNode, survey: Survey): boolean {
  const names = `${link.get('class') ?? ''} ${link.get('role') ?? ''} ${link.get('rel') ?? ''} ${link.get('epub:type') ?? ''}`;
  if (MARK_NAMES.test(names)) return true;
  if (/^\s*[[(]/.test(shortText(link))) return true;
  const isRaised = (at: HtmlNode): boolean => scriptOf(at) === 'superscript';
  if ((link.first && isRaised(link.first)) || isRaised(link) || link.around(isRaised, 3)) return true;
  return endsWord(link, survey);
}

/** True for a link that states that it is a mark (EPUB 3 Structural Semantics, DPUB-ARIA). */
const isStated = (link: HtmlNode): boolean =>
  / (?:doc-)?noteref /.test(` ${link.get('epub:type') ?? ''} ${link.get('role') ?? ''} `);

/** True if no text precedes `node` in its block: a mark follows what it is about, the number of a note starts it. */
function startsBlock(node: HtmlNode, survey: Survey): boolean {
  for (let at = node.index - 1; at > 0 && node.index - at < MOST_BEFORE; at -= 1) {
    const before = survey.tree.nodes[at];
    if (!before || BLOCK.has(before.name)) return true;
    if (/[\p{L}\p{N}]/u.test(before.text)) return false;
  }
  return true;
}

/** True directly after text and not before a letter or number: what a link joins unless it is marked. */
function endsWord(link: HtmlNode, survey: Survey): boolean {
  const before = survey.tree.nodes[link.index - 1];
  return (
    before?.name === '' &&
    (before.parent === link.parent || !BLOCK.has(before.parent?.name ?? '')) &&
    /\S$/.test(before.text.slice(-2)) &&
    !(link.next?.name === '' && /^[\p{L}\p{N}]/u.test(link.next.text.slice(0, 2)))
  );
}

/**
 * The block around a note's anchor; undefined if it is not a note: it contains the mark itself, or is a whole section.
 */
function noteAround(target: HtmlNode, mark?: HtmlNode): HtmlNode | undefined {
  let node: HtmlNode | undefined = target;
  while (node && !BLOCK.has(node.name)) node = node.parent;
  if (node === target && node.name === 'article' && NOTE_ID.test(node.get('id') ?? '')) return node;
  if (!node || !['li', 'p', 'div', 'aside', 'dd', 'section'].includes(node.name)) return undefined;
  if (node.name === 'section' && !/note/i.test(`${node.get('epub:type') ?? ''} ${node.get('role') ?? ''}`))
    return undefined;
  return mark && node.index < mark.index ? undefined : node;
}

function shortText(top: HtmlNode): string {
  let text = '';
  const stack: HtmlNode[] = top.first ? [top.first] : [];
  for (let seen = 0; stack.length > 0 && seen < 16 && text.length <= MOST; seen += 1) {
    const node = stack.pop();
    if (!node) break;
    if (node.name === '') text += node.text;
    if (node.next) stack.push(node.next);
    if (node.first) stack.push(node.first);
  }
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MOST + 1);
}
