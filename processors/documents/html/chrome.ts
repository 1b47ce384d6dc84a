// Detects the furniture of a web page: navigation, page headers and footers, sidebars, notices, links to other pages.
// Judges by element, role, class names, and the share of links in the text.

import { HEADING } from './elements.ts';
import type { HtmlNode } from './node.ts';
import type { Survey } from './survey.ts';

/** Kinds of content left out, as worded in the warning. */
export const FURNITURE = [
  'the rest around the main content',
  'navigation',
  'page header',
  'page footer',
  'sidebars',
  'notices',
  'links to other pages',
  'comments',
] as const;

/** Index into `FURNITURE`. */
export type Furniture = 1 | 2 | 3 | 4 | 5 | 6 | 7;
export const REST = 0;

const NAVIGATION = 1;
const PAGE_HEADER = 2;
const PAGE_FOOTER = 3;
const SIDEBAR = 4;
const NOTICE = 5;
const ELSEWHERE = 6;
const COMMENTS = 7;

const ROLES: ReadonlyMap<string, Furniture> = new Map<string, Furniture>([
  ['navigation', NAVIGATION],
  ['menu', NAVIGATION],
  ['menubar', NAVIGATION],
  ['search', NAVIGATION],
  ['banner', PAGE_HEADER],
  ['contentinfo', PAGE_FOOTER],
  ['complementary', SIDEBAR],
  ['dialog', NOTICE],
  ['alertdialog', NOTICE],
  ['alert', NOTICE],
  ['status', NOTICE],
]);

/** A word in a class or id, and when it counts. */
interface Rule {
  readonly is: Furniture;
  /** Minimum share of links in the text. */
  readonly links?: number;
  /** Maximum share of the page's text inside the element. */
  readonly most: number;
}

const rules = new Map<string, Rule>();
const rule = (words: string, is: Furniture, most: number, links?: number): void => {
  for (const word of words.split(' ')) rules.set(word, { is, most, ...(links !== undefined && { links }) });
};
rule(
  'nav navbar navigation navbox navigations menu menubar submenu topbar navs portlet tabs toc',
  NAVIGATION,
  0.5,
  0.5,
);
rule('tree pagination pager paging prevnext', NAVIGATION, 0.4, 0.5);
rule(
  'breadcrumb breadcrumbs skiplink skiplinks jumplink editsection catlinks interlanguage',
  NAVIGATION,
  0.3,
);
rule('masthead siteheader', PAGE_HEADER, 0.3);
rule('footer sitefooter printfooter colophon copyright', PAGE_FOOTER, 0.35);
rule('sidebar sidebars sidenav rail', SIDEBAR, 0.45);
rule(
  'cookie cookies consent gdpr onetrust cmp modal popup popover overlay lightbox tooltip paywall',
  NOTICE,
  0.3,
);
rule('newsletter subscribe subscription signup optin', NOTICE, 0.2);
rule('advert advertisement advertising ads adsense sponsor sponsored promo promotion upsell', NOTICE, 0.15);
rule('screenreader visuallyhidden noprint', NOTICE, 0.1);
rule('share sharing sharer social socials sharedaddy addthis', ELSEWHERE, 0.15);
rule(
  'related recommended recommendations recommendation recirc trending popular suggested readnext upnext',
  ELSEWHERE,
  0.4,
  0.25,
);
rule('backlinks backlink seealso', ELSEWHERE, 0.3, 0.4);
rule('comments disqus respond discussion', COMMENTS, 0.4);

const NAMED: ReadonlySet<string> = new Set(
  'div section ul ol dl form table p span aside header footer nav'.split(' '),
);

/** Names that mark an element as content, regardless of its other names. */
const CONTENT_NAMES =
  /^(?:article|entry|post|story|content|main|body|markdown|prose|footnotes?|references|endnotes|notes)$/;

/** The kind of furniture `node` is by its element and names; undefined for content. */
export function furnitureOf(
  node: HtmlNode,
  survey: Survey,
  total: number,
  title: HtmlNode | undefined,
): Furniture | undefined {
  const text = survey.textOf(node);
  const share = text / Math.max(1, total);
  const links = text === 0 ? 0 : survey.linkedOf(node) / text;
  const role = node.get('role');
  const byRole = role === undefined ? undefined : ROLES.get(role);
  if (byRole !== undefined && share <= 0.5 && !(byRole === PAGE_HEADER && holdsTitle(node, title)))
    return byRole;
  switch (node.name) {
    case 'nav':
      return share <= 0.6 ? NAVIGATION : undefined;
    case 'aside':
      return share <= 0.4 && (links >= 0.25 || !isWithin(node, ARTICLE)) ? SIDEBAR : undefined;
    case 'footer':
      if (share > 0.4 || isWithin(node, QUOTED) || /note|reference/i.test(namesOf(node))) return undefined;
      return !isWithin(node, ARTICLE) || links >= 0.3 || text <= 160 ? PAGE_FOOTER : undefined;
    case 'header':
      return share <= 0.3 && !isWithin(node, ARTICLE) && !holdsTitle(node, title) ? PAGE_HEADER : undefined;
    case 'button':
      return text <= 40 ? NAVIGATION : undefined;
    case 'ul':
    case 'ol':
    case 'div':
      if (
        links >= 0.7 &&
        share <= 0.5 &&
        isWithin(node, HEADER) &&
        !isWithin(node, ARTICLE) &&
        !holdsTitle(node, title)
      )
        return NAVIGATION;
      return node.attributes ? byName(node, share, links, text, title) : undefined;
    default:
      return NAMED.has(node.name) && node.attributes ? byName(node, share, links, text, title) : undefined;
  }
}

const ARTICLE: ReadonlySet<string> = new Set(['article', 'main']);
const HEADER: ReadonlySet<string> = new Set(['header']);
const QUOTED: ReadonlySet<string> = new Set(['blockquote', 'figure']);

function byName(
  node: HtmlNode,
  share: number,
  links: number,
  text: number,
  title: HtmlNode | undefined,
): Furniture | undefined {
  const names = namesOf(node);
  if (names === '') return undefined;
  const words = names
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  if (/(?:^|\s)(?:sr-only|visually-hidden|screen-reader-text|skip-link|skip-to-content)(?:\s|$)/.test(names))
    return text <= 200 ? NOTICE : undefined;
  let found: Rule | undefined;
  for (const [at, word] of words.entries()) {
    const named = rules.get(word);
    // `has-sidebar`, `no-sidebar`, `with-nav`: describes the page, not this element.
    if (named && !/^(?:has|no|with|without|is)$/.test(words[at - 1] ?? '')) found ??= named;
  }
  if (!found || share > found.most || links < (found.links ?? 0)) return undefined;
  // A short text also named as content (`entry-footer`) is furniture; a long one is content (`post-sponsored`).
  if (share > 0.2 && words.some((word) => CONTENT_NAMES.test(word))) return undefined;
  return holdsTitle(node, title) ? undefined : found.is;
}

function namesOf(node: HtmlNode): string {
  const classes = node.get('class');
  const id = node.get('id');
  if (classes === undefined) return id ?? '';
  return id === undefined ? classes.slice(0, 500) : `${classes.slice(0, 500)} ${id}`;
}

function isWithin(node: HtmlNode, names: ReadonlySet<string>): boolean {
  for (let at = node.parent; at; at = at.parent) if (names.has(at.name)) return true;
  return false;
}

/** True if it contains the page's title. */
export function holdsTitle(node: HtmlNode, title: HtmlNode | undefined): boolean {
  for (let at = title?.parent; at; at = at.parent) if (at === node) return true;
  return false;
}

/** The page's title: its first `h1`, unless that is the site name linking to its front page. */
export function titleHeading(survey: Survey): HtmlNode | undefined {
  let first: HtmlNode | undefined;
  for (const node of survey.tree.nodes) {
    if (node.name !== 'h1' || survey.isSkipped(node)) continue;
    if (survey.textOf(node) > 0 && survey.linkedOf(node) < survey.textOf(node)) return node;
    first ??= node;
  }
  return first;
}

const ELSEWHERE_HEADING =
  /^(?:related|recommended|more (?:from|stories|articles|posts|on|like)|you (?:may|might) also|read (?:next|more)|up next|(?:latest|recent|popular|trending|featured|similar|other) (?:posts|articles|stories|news|reads)|keep reading|share this|follow us|sign up|subscribe|newsletter|comments?$|\d+ comments?|leave a (?:comment|reply)|see also$|links to this page|tags:?$|categories:?$)/i;

/** The element around a heading such as `Related posts` with links to other pages; undefined for other headings. */
export function sectionElsewhere(heading: HtmlNode, survey: Survey, total: number): HtmlNode | undefined {
  if (!HEADING.has(heading.name) || survey.textOf(heading) > 60) return undefined;
  const title = titleOf(heading);
  if (title === '' || !ELSEWHERE_HEADING.test(title)) return undefined;
  let section: HtmlNode | undefined;
  // Ascend until other text precedes the heading, or the element has too much of the page.
  for (let at = heading.parent, from: HtmlNode = heading; at?.parent; from = at, at = at.parent) {
    if (at.name === 'main' || at.name === 'article' || survey.textOf(at) > total * 0.4) break;
    if (textBefore(at, from, survey)) break;
    section = at;
  }
  if (!section) return undefined;
  const text = survey.textOf(section);
  return text > survey.textOf(heading) && survey.linkedOf(section) >= text * 0.3 ? section : undefined;
}

function titleOf(heading: HtmlNode): string {
  let node = heading.first;
  for (let depth = 0; node && depth < 8; depth += 1) {
    if (node.name === '' && node.text.trim() !== '') return node.text.trim();
    node = node.first ?? node.next;
  }
  return '';
}

function textBefore(parent: HtmlNode, child: HtmlNode, survey: Survey): boolean {
  for (let at = parent.first, seen = 0; at && at !== child; at = at.next, seen += 1)
    if (survey.textOf(at) > 0 || seen > 200) return true;
  return false;
}
