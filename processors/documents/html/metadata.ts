// A page's metadata: title, author, dates, language. From its head, as search engines read it.

import type { FormatFacts } from '../../../src/contract/index.ts';
import { cleanText } from '../../../src/document/index.ts';
import type { HtmlTree } from './node.ts';

const MAX_VALUE = 500;

/** The first of these names with content wins. */
const FIELDS: Readonly<Record<string, string>> = {
  author: 'author article:author citation_author dc.creator dcterms.creator byl sailthru.author',
  description: 'description og:description dc.description twitter:description',
  site: 'og:site_name application-name',
  published:
    'article:published_time datepublished citation_publication_date dc.date dcterms.created date pubdate',
  documentModified: 'article:modified_time datemodified dcterms.modified last-modified og:updated_time',
  generator: 'generator',
};

/** The facts a page states. */
export function factsOf(tree: HtmlTree): FormatFacts {
  const metas = new Map<string, string>();
  let title = '';
  let language = tree.root.get('lang') ?? tree.root.get('xml:lang');
  for (const node of tree.nodes) {
    if (node.name === 'title' && title === '' && node.parent?.name !== 'svg')
      title = tidy(node.first?.text ?? '');
    else if (node.name === 'meta') {
      const named = ['name', 'property', 'itemprop', 'http-equiv'].map((name) => node.get(name));
      const name = named.find((one) => one !== undefined)?.toLowerCase() ?? '';
      const content = tidy(node.get('content') ?? '');
      if (name === 'content-language') language ??= content;
      if (name !== '' && content !== '' && !metas.has(name)) metas.set(name, content);
    }
  }
  const facts: Record<string, string> = {};
  const named = title === '' ? (metas.get('og:title') ?? metas.get('twitter:title') ?? '') : title;
  if (named !== '') facts['title'] = named;
  for (const [fact, names] of Object.entries(FIELDS)) {
    const value = names
      .split(' ')
      .map((name) => metas.get(name))
      .find((found) => found !== undefined);
    // An author given as a URL is not a name.
    if (value !== undefined && !(fact === 'author' && /^https?:/.test(value))) facts[fact] = value;
  }
  if (language !== undefined && /^[A-Za-z]{2,3}(?:[-_][\w-]{1,20})?$/.test(language))
    facts['language'] = language;
  return facts;
}

function tidy(value: string): string {
  return cleanText(value).replace(/\s+/g, ' ').trim().slice(0, MAX_VALUE);
}
