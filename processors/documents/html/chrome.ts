// Detects the furniture of a web page: navigation, page footers, sidebars, notices, links to other pages. Judges by
// element, role, class names, and the shares of the page's text and of links. Each rule is one without which the pages
// of Readability's and Defuddle's tests are read worse.

import { HEADING } from './elements.ts';
import type { HtmlNode } from './node.ts';
import type { Survey } from './survey.ts';

/** Kinds of content left out, as worded in the warning. */
export type Furniture =
  | 'the rest around the main content'
  | 'navigation'
  | 'page footer'
  | 'sidebars'
  | 'notices'
  | 'links to other pages'
  | 'comments';

const ROLES: ReadonlyMap<string | undefined, Furniture> = new Map<string, Furniture>([
  ['navigation', 'navigation'],
  ['menu', 'navigation'],
  ['complementary', 'sidebars'],
]);

const words = (is: Furniture, list: string): [string, Furniture][] =>
  list.split(' ').map((word) => [word, is]);

/** What a word in a class or id says. */
const NAMES: ReadonlyMap<string, Furniture> = new Map([
  ...words('navigation', 'breadcrumb breadcrumbs catlinks editsection'),
  ...words('page footer', 'footer printfooter copyright'),
  ...words('sidebars', 'sidebar rail'),
  ...words('notices', 'modal popover overlay lightbox tooltip subscription advert advertising sponsor promo'),
  ...words('links to other pages', 'share social sharedaddy addthis'),
  ...words('comments', 'comments respond'),
]);
/** The same for words that count only for links. */
const LINK_NAMES: ReadonlyMap<string, Furniture> = new Map([
  ...words('navigation', 'nav navs navigation portlet tabs topbar'),
  ...words('links to other pages', 'related popular'),
]);

/** A larger part of the page is content, regardless of its names. */
const MOST = 0.4;
/** The least share of links in the text of a list of links. */
const LINKED = 0.5;

/** The kind of furniture `node` is by its element and names; undefined for content. */
export function furnitureOf(
  node: HtmlNode,
  survey: Survey,
  total: number,
  title: HtmlNode | undefined,
): Furniture | undefined {
  const text = survey.textOf(node);
  if (text > total * MOST) return undefined;
  const byRole = ROLES.get(node.get('role'));
  if (byRole) return byRole;
  const links = survey.linkedOf(node) / Math.max(1, text);
  switch (node.name) {
    case 'nav':
      return 'navigation';
    case 'button':
      return text <= 40 ? 'navigation' : undefined;
    case 'aside':
      return links >= LINKED || !node.around(({ name }) => name === 'article' || name === 'main')
        ? 'sidebars'
        : undefined;
    case 'footer':
      return 'page footer';
    default: {
      const named = node.attributes ? byName(node, links) : undefined;
      return named && holdsTitle(node, title) ? undefined : named;
    }
  }
}

function byName(node: HtmlNode, links: number): Furniture | undefined {
  const names = `${(node.get('class') ?? '').slice(0, 500)} ${node.get('id') ?? ''}`;
  for (const word of names
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)) {
    const furniture = NAMES.get(word) ?? (links >= LINKED ? LINK_NAMES.get(word) : undefined);
    if (furniture) return furniture;
  }
  return undefined;
}

/** True if it contains the page's title. */
export const holdsTitle = (node: HtmlNode, title: HtmlNode | undefined): boolean =>
  title?.around((at) => at === node) !== undefined;

/** The page's title: its first `h1`, unless that is the site name linking to its front page. */
export function titleHeading(survey: Survey): HtmlNode | undefined {
  let first: HtmlNode | undefined;
  for (const node of survey.tree.nodes) {
    if (node.name !== 'h1' || survey.isSkipped(node)) continue;
    if (survey.linkedOf(node) < survey.textOf(node)) return node;
    first ??= node;
  }
  return first;
}

const ELSEWHERE_HEADING = /^(?:related|more (?:from|stories|articles|posts|on|like)|comments?$)/i;

/** The element around a heading such as `Related posts`; undefined for other headings. */
export function sectionElsewhere(heading: HtmlNode, survey: Survey, total: number): HtmlNode | undefined {
  if (!HEADING.has(heading.name) || !ELSEWHERE_HEADING.test(titleOf(heading))) return undefined;
  let section: HtmlNode | undefined;
  // Ascend until other text precedes the heading, or the element has too much of the page.
  for (let at = heading.parent, from: HtmlNode = heading; at?.parent; from = at, at = at.parent) {
    if (survey.textOf(at) > total * MOST || textBefore(at, from, survey)) break;
    section = at;
  }
  return section;
}

function textBefore(parent: HtmlNode, child: HtmlNode, survey: Survey): boolean {
  for (let at = parent.first, seen = 0; at && at !== child; at = at.next, seen += 1)
    if (survey.textOf(at) > 0 || seen > 200) return true;
  return false;
}
/** The first text in an element. */
export function titleOf(heading: HtmlNode): string {
  let node = heading.first;
  for (let depth = 0; node && depth < 8; depth += 1) {
    if (node.name === '' && node.text.trim() !== '') return node.text.trim();
    node = node.first ?? node.next;
  }
  return '';
}
