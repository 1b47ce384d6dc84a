// Finds the main content of a web page: removes furniture, then everything outside the one element with the rest. A
// document without furniture stays whole.

import { plural, type Warning } from '../../../src/contract/index.ts';
import { type Furniture, furnitureOf, holdsTitle, sectionElsewhere, titleHeading } from './chrome.ts';
import type { HtmlNode } from './node.ts';
import { CHROME, KEPT, type Survey } from './survey.ts';

/** If less text than this is left, the page consists of its furniture: a list of links, a menu. */
const LEAST_LEFT = 80;
/** Minimum share of the page's non-link text in the main element. */
const HOLDS_MOST = 0.85;
/** A lower share for `main`, or for one `article` far longer than all others. */
const STATED_HOLDS = 0.3;

/**
 * Marks omitted elements as `CHROME` and returns a warning about them. Returns undefined, with nothing marked, for a
 * document that is not a web page with furniture around a text.
 */
export function leaveOutChrome(survey: Survey): Warning | undefined {
  const title = titleHeading(survey);
  const left = furnitureIn(survey, title);
  const mark = (reason: number): void => {
    for (const node of left.keys()) survey.skip(node, reason);
    survey.recount();
  };
  mark(CHROME);
  if (ownText(survey.tree.root, survey) < LEAST_LEFT) {
    mark(KEPT);
    return undefined;
  }
  const main = mainOf(survey, left.size > 0);
  if (main)
    for (const node of around(main, survey, title)) left.set(node, 'the rest around the main content');
  mark(CHROME);
  return warningOf(survey, left);
}

/** The outermost elements of furniture. */
function furnitureIn(survey: Survey, title: HtmlNode | undefined): Map<HtmlNode, Furniture> {
  const { root, nodes } = survey.tree;
  const total = survey.textOf(root);
  const left = new Map<HtmlNode, Furniture>();
  const inside = new Uint8Array(nodes.length);
  for (const node of nodes) {
    if (node === root || node.name === '') continue;
    const isInside = inside[node.parent?.index ?? 0] === 1 || survey.isSkipped(node);
    const furniture = isInside ? undefined : furnitureOf(node, survey, total, title);
    if (furniture) left.set(node, furniture);
    if (furniture || isInside) inside[node.index] = 1;
    const section = isInside ? undefined : sectionElsewhere(node, survey, total);
    if (section && !left.has(section)) left.set(section, 'links to other pages');
  }
  return left;
}

const ownText = (node: HtmlNode, survey: Survey): number => survey.textOf(node) - survey.linkedOf(node);

/** The element with the main content; undefined if it is the whole page. */
function mainOf(survey: Survey, hasFurniture: boolean): HtmlNode | undefined {
  const { root, nodes } = survey.tree;
  const all = ownText(root, survey);
  const largest = (some: readonly HtmlNode[]): HtmlNode[] =>
    some.filter((node) => survey.textOf(node) > 0).sort((a, b) => survey.textOf(b) - survey.textOf(a));
  const [stated] = largest(nodes.filter((node) => node.name === 'main' || node.get('role') === 'main'));
  const main = stated && ownText(stated, survey) >= all * STATED_HOLDS ? stated : undefined;
  const [first, second] = largest(nodes.filter(({ name }) => name === 'article'));
  if (
    first &&
    ownText(first, survey) >= ownText(main ?? root, survey) * STATED_HOLDS &&
    (!second || survey.textOf(first) >= 3 * survey.textOf(second))
  )
    return first;
  if (main || !hasFurniture) return main;
  // Descend to the deepest element that still has nearly all of it.
  let deepest = root;
  for (let at: HtmlNode | undefined = root; at; ) {
    deepest = at;
    let next: HtmlNode | undefined;
    for (let child = at.first; child; child = child.next)
      if (ownText(child, survey) >= all * HOLDS_MOST && child.name !== '' && child.name !== 'p') next = child;
    at = next;
  }
  return deepest === root ? undefined : deepest;
}

/** Whole elements outside `main`, except titles above it. */
function* around(main: HtmlNode, survey: Survey, title: HtmlNode | undefined): Generator<HtmlNode> {
  for (let at: HtmlNode = main; at.parent; at = at.parent) {
    let before = true;
    for (let sibling = at.parent.first; sibling; sibling = sibling.next) {
      if (sibling === at) before = false;
      else if (sibling.name !== '' || sibling.text.trim() !== '') {
        if (survey.isSkipped(sibling)) continue;
        if (!(before && (sibling === title || holdsTitle(sibling, title)))) yield sibling;
      }
    }
  }
}

/** One sentence on what was left out, by kind, with the number of words, and of pictures. */
function warningOf(survey: Survey, left: ReadonlyMap<HtmlNode, Furniture>): Warning | undefined {
  // By node, inherited from the parent; undefined if it is shown, or left out for another reason.
  const kinds: (Furniture | undefined)[] = [];
  const words = new Map<Furniture, number>();
  let pictures = 0;
  for (const node of survey.tree.nodes) {
    const kind = (node.parent && kinds[node.parent.index]) ?? left.get(node);
    const reason = survey.skipped[node.index];
    if (!kind || (reason !== KEPT && reason !== CHROME)) continue;
    kinds[node.index] = kind;
    if (node.name === 'img') pictures += 1;
    if (node.name === '') words.set(kind, (words.get(kind) ?? 0) + wordsIn(node.text));
  }
  const list = [...words]
    .filter(([, count]) => count > 0)
    .sort((a, b) => b[1] - a[1])
    .map(([kind, count]) => `${kind} (${plural(count, 'word')})`);
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
