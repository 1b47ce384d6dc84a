// Finds the main content of a web page: removes furniture, then everything outside the one element with the rest. A
// document without furniture stays whole.

import { plural, type Warning } from '../../../src/contract/index.ts';
import {
  FURNITURE,
  type Furniture,
  furnitureOf,
  holdsTitle,
  REST,
  sectionElsewhere,
  titleHeading,
} from './chrome.ts';
import { HEADING } from './elements.ts';
import type { HtmlNode } from './node.ts';
import { CHROME, KEPT, type Survey } from './survey.ts';

/** If less text than this is left, the page consists of its furniture: a list of links, a menu. */
const LEAST_LEFT = 80;
/** Minimum share of the page's non-link text in the main element. */
const HOLDS_MOST = 0.85;
/** A lower share for `main`, or for one `article` far longer than all others. */
const STATED_HOLDS = 0.5;

/**
 * Marks omitted elements as `CHROME` and returns a warning about them. Returns undefined, with nothing marked, for a
 * document that is not a web page with furniture around a text.
 */
export function leaveOutChrome(survey: Survey): Warning | undefined {
  const { root, nodes } = survey.tree;
  const total = survey.textOf(root);
  if (total === 0) return undefined;
  const title = titleHeading(survey);
  const left = new Map<HtmlNode, Furniture | typeof REST>();
  let strong = false;
  const inside = new Uint8Array(nodes.length);
  for (let at = 1; at < nodes.length; at += 1) {
    const node = nodes[at];
    if (!node || node.name === '') continue;
    if (inside[node.parent?.index ?? 0] === 1 || survey.isSkipped(node)) {
      inside[at] = 1;
      continue;
    }
    const furniture = furnitureOf(node, survey, total, title);
    if (furniture !== undefined) {
      left.set(node, furniture);
      inside[at] = 1;
      if (node.name !== 'button' && survey.textOf(node) > 0) strong = true;
    } else if (HEADING.has(node.name)) {
      const section = sectionElsewhere(node, survey, total);
      if (section && !left.has(section)) {
        left.set(section, 6);
        strong = true;
      }
    }
  }
  for (const node of left.keys()) survey.skip(node, CHROME);
  survey.recount();
  const undo = (): undefined => {
    for (const node of left.keys()) survey.skip(node, KEPT);
    survey.recount();
    return undefined;
  };
  if (survey.textOf(root) - survey.linkedOf(root) < LEAST_LEFT) return undo();
  const main = mainOf(survey, strong);
  if (main) for (const node of around(main, survey, title)) left.set(node, REST);
  const outside = [...left.values()].some((furniture) => furniture === REST);
  if (!strong && !outside) return undo();
  for (const node of left.keys()) survey.skip(node, CHROME);
  survey.recount();
  return warningOf(survey, left);
}

/** The element with the main content; undefined if it is the whole page. */
function mainOf(survey: Survey, strong: boolean): HtmlNode | undefined {
  const { root, nodes } = survey.tree;
  const own = (node: HtmlNode): number => survey.textOf(node) - survey.linkedOf(node);
  const all = own(root);
  let main: HtmlNode | undefined;
  const articles: HtmlNode[] = [];
  for (const node of nodes) {
    if (node.name === 'main' || node.get('role') === 'main') {
      if (!main || survey.textOf(node) > survey.textOf(main)) main = node;
    } else if (node.name === 'article' && survey.textOf(node) > 0) articles.push(node);
  }
  if (main && own(main) < all * STATED_HOLDS) main = undefined;
  const within = main ? own(main) : all;
  const [first, second] = articles.sort((a, b) => survey.textOf(b) - survey.textOf(a));
  if (
    first &&
    own(first) >= within * STATED_HOLDS &&
    (!second || survey.textOf(first) >= 3 * survey.textOf(second) || holds(first, second))
  )
    main = first;
  if (main || !strong) return main;
  // Descend to the deepest element that still has nearly all of it.
  let deepest = root;
  for (let at: HtmlNode | undefined = root; at; ) {
    deepest = at;
    let next: HtmlNode | undefined;
    for (let child = at.first; child; child = child.next)
      if (own(child) >= all * HOLDS_MOST && child.name !== '' && child.name !== 'p') next = child;
    at = next;
  }
  return deepest === root ? undefined : deepest;
}

function holds(outer: HtmlNode, inner: HtmlNode): boolean {
  for (let at = inner.parent; at; at = at.parent) if (at === outer) return true;
  return false;
}

/** Whole elements outside `main`, except titles above it. */
function* around(main: HtmlNode, survey: Survey, title: HtmlNode | undefined): Generator<HtmlNode> {
  for (let at: HtmlNode = main; at.parent; at = at.parent) {
    let before = true;
    for (let sibling = at.parent.first; sibling; sibling = sibling.next) {
      if (sibling === at) before = false;
      else if (sibling.name !== '' || sibling.text.trim() !== '') {
        if (survey.isSkipped(sibling)) continue;
        if (!(before && leadsWithTitle(sibling, title, survey))) yield sibling;
      }
    }
  }
}

/** True for the page's title, or an element with little else. */
function leadsWithTitle(node: HtmlNode, title: HtmlNode | undefined, survey: Survey): boolean {
  if (!title) return false;
  return node === title || (holdsTitle(node, title) && survey.textOf(node) - survey.linkedOf(node) < 600);
}

/** One sentence on what was left out, by kind, with the number of words, and of pictures. */
function warningOf(
  survey: Survey,
  left: ReadonlyMap<HtmlNode, Furniture | typeof REST>,
): Warning | undefined {
  const { nodes } = survey.tree;
  // 0 if shown, else 1 + its kind; inherited from the parent.
  const kinds = new Uint8Array(nodes.length);
  const words = new Map<number, number>();
  let pictures = 0;
  for (let at = 1; at < nodes.length; at += 1) {
    const node = nodes[at];
    if (!node) continue;
    const parent = kinds[node.parent?.index ?? 0] ?? 0;
    const own = left.get(node);
    const reason = survey.skipped[at];
    const kind = parent > 0 ? parent : own === undefined ? 0 : own + 1;
    if (kind === 0 || (reason !== KEPT && reason !== CHROME)) continue;
    kinds[at] = kind;
    if (node.name === 'img') pictures += 1;
    if (node.name === '') words.set(kind, (words.get(kind) ?? 0) + wordsIn(node.text));
  }
  const list = [...words]
    .filter(([, count]) => count > 0)
    .sort((a, b) => b[1] - a[1])
    .map(([kind, count]) => `${FURNITURE[kind - 1] ?? ''} (${plural(count, 'word')})`);
  if (pictures > 0) list.push(plural(pictures, 'picture'));
  if (list.length === 0) return undefined;
  return {
    code: 'SKIPPED_CONTENT',
    message: `Only the main content of the page is shown. Left out: ${list.join(', ')}. Use \`format: "text"\` to see the whole source.`,
  };
}

function wordsIn(text: string): number {
  let words = text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  // Scripts without spaces: about two characters per word.
  const dense =
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu)?.length ?? 0;
  if (dense > 0) words = Math.max(words, Math.ceil(dense / 2));
  return words;
}
