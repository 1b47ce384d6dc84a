// Footnotes of a page: identifies note marks, note texts, and links back to the marks.

import { BLOCK } from './elements.ts';
import type { HtmlNode } from './node.ts';
import type { Survey } from './survey.ts';

/** The notes of one document. */
export interface Notes {
  /** Links and superscripts that are marks, with their label. */
  readonly marks: ReadonlyMap<HtmlNode, string>;
  /** Blocks that are notes, with their label. */
  readonly notes: ReadonlyMap<HtmlNode, string>;
  /** Links back to the mark. */
  readonly back: ReadonlySet<HtmlNode>;
}

const NOTE_ID = /^(?:fn|foot-?note|end-?note|note)[-_:]?\w{0,8}$/i;
const LABEL = /^[[(]?\s*(?:note |fn\.? ?)?(\d{1,4}|[a-z]{1,2}|[ivx]{1,6}|[*†‡§¶]{1,3})\s*[\])]?$/i;
const MARK_NAMES =
  /\b(?:noteref|footnote-?(?:ref|link|anchor|mark)|fn-?ref|reference|citation|sup-?fn|see-footnote)\b/i;
const BACK_NAMES = /back-?(?:link|ref)|reversefootnote|footnote-?(?:back|return)|doc-backlink/i;
const BACK_TEXT = /^[\s[\]()^↑↩↵⤴⏎⬑←]*(?:back|return|\d{1,4}|[a-z]{1,2})?[\s[\]()^↑↩↵⤴⏎⬑←.]*$/i;
/** Text inspected to distinguish a mark from a link. */
const MOST = 24;

/** The notes in `survey`. Cost: one pass over the links. */
export function notesOf(survey: Survey): Notes {
  const marks = new Map<HtmlNode, string>();
  const notes = new Map<HtmlNode, string>();
  const back = new Set<HtmlNode>();
  const labels = new Set<string>();
  const { nodes } = survey.tree;
  const add = (mark: HtmlNode, note: HtmlNode, text: string): void => {
    let label = notes.get(note);
    if (label === undefined) {
      label = /^\w+$/.test(text) ? text : `${notes.size + 1}`;
      if (labels.has(label)) label = `${label}-${notes.size + 1}`;
      labels.add(label);
      notes.set(note, label);
    }
    marks.set(mark, label);
  };
  for (const node of nodes) {
    if (survey.isSkipped(node)) continue;
    if (node.name === 'a') {
      const target = targetOf(node, survey);
      if (!target || target.index < node.index || survey.textOf(node) > MOST) continue;
      const text = LABEL.exec(shortText(node))?.[1];
      if (text === undefined || !looksLikeMark(node)) continue;
      const note = noteAround(target, node);
      if (note) add(node, note, text);
    } else if (node.name === 'sup' && node.first?.name === '' && !node.first.next) {
      const text = /^\s*(\d{1,4})\s*$/.exec(node.first.text)?.[1];
      const target = text === undefined ? undefined : noteNamed(text, survey);
      const note = target && target.index > node.index ? noteAround(target, node) : undefined;
      if (text !== undefined && note) add(node, note, text);
    }
  }
  if (notes.size > 0) findBack(survey, notes, marks, back);
  return { marks, notes, back };
}

function findBack(
  survey: Survey,
  notes: ReadonlyMap<HtmlNode, string>,
  marks: ReadonlyMap<HtmlNode, string>,
  back: Set<HtmlNode>,
): void {
  for (const note of notes.keys())
    for (let at = note.index + 1; at < survey.tree.nodes.length; at += 1) {
      const node = survey.tree.nodes[at];
      if (!node || !within(node, note)) break;
      if (node.name === 'a' && !marks.has(node)) {
        const target = targetOf(node, survey);
        const named = BACK_NAMES.test(
          `${node.get('class') ?? ''} ${node.get('role') ?? ''} ${node.get('rel') ?? ''}`,
        );
        if (
          named ||
          (target &&
            target.index < note.index &&
            BACK_TEXT.test(shortText(node).replace(/[\ufe0e\ufe0f]/g, '')))
        )
          back.add(node);
      } else if (/mw-cite-backlink/.test(node.get('class') ?? '')) back.add(node);
    }
}

/** Notes are shallow, so the search upwards is bounded. */
function within(node: HtmlNode, top: HtmlNode): boolean {
  let at: HtmlNode | undefined = node;
  for (let up = 0; at && up < 32; up += 1) {
    if (at === top) return true;
    at = at.parent;
  }
  return false;
}

function targetOf(link: HtmlNode, survey: Survey): HtmlNode | undefined {
  const href = link.get('href');
  const hash = href?.indexOf('#') ?? -1;
  if (href === undefined || hash < 0 || hash === href.length - 1) return undefined;
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

/** True for superscript, a name typical of marks, or brackets. */
function looksLikeMark(link: HtmlNode): boolean {
  const names = `${link.get('class') ?? ''} ${link.get('role') ?? ''} ${link.get('rel') ?? ''} ${link.get('epub:type') ?? ''}`;
  if (MARK_NAMES.test(names) || link.get('data-footnote-ref') !== undefined) return true;
  if (/^\s*[[(]/.test(shortText(link))) return true;
  if (link.first?.name === 'sup') return true;
  for (let at = link.parent, up = 0; at && up < 3; at = at.parent, up += 1)
    if (at.name === 'sup') return true;
  return false;
}

/**
 * The block around a note's anchor; undefined if it is not a note: it contains the mark itself, or is a whole section.
 */
function noteAround(target: HtmlNode, mark: HtmlNode): HtmlNode | undefined {
  let node: HtmlNode | undefined = target;
  while (node && !BLOCK.has(node.name)) node = node.parent;
  if (node === target && node.name === 'article' && NOTE_ID.test(node.get('id') ?? '')) return node;
  if (!node || !['li', 'p', 'div', 'aside', 'dd', 'section'].includes(node.name)) return undefined;
  if (node.name === 'section' && !/note/i.test(`${node.get('epub:type') ?? ''} ${node.get('role') ?? ''}`))
    return undefined;
  return node.index < mark.index ? undefined : node;
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
