// Converts HTML to blocks. The entry point of this folder, for page files and for HTML in mail, books and word
// processor files.

import { type FormatFacts, hiddenIn, plural, quoted, type Warning } from '../../../src/contract/index.ts';
import type { Block } from '../../../src/document/index.ts';
import { leaveOutChrome } from './main-content.ts';
import { factsOf } from './metadata.ts';
import type { PageOfMany } from './notes.ts';
import { Survey } from './survey.ts';
import { parseHtml } from './tree.ts';
import { blocksOf } from './walk.ts';

/** Options for converting HTML. */
export interface HtmlOptions {
  readonly signal: AbortSignal;
  /** XHTML: `<div/>` is closed. Default false. */
  readonly xml?: boolean;
  /** Leaves out navigation, sidebars and the like if the document is clearly a web page. Default false. */
  readonly mainContent?: boolean;
  /** The name to show for a picture's address (`cid:...`, a path in a book), `''` for none. Default: the address. */
  readonly picture?: (address: string) => string;
  /** The target to show for a link's address, `''` for its text alone. Default: the address, if it is safe. */
  readonly link?: (address: string) => string;
  /** The document the page is part of: notes may be on another page. Default: none. */
  readonly page?: PageOfMany;
}

/** A converted document. */
export interface HtmlDocument {
  readonly blocks: readonly Block[];
  /** `title`, `author`, `description`, `site`, `published`, `documentModified`, `language`, as far as stated. */
  readonly facts: FormatFacts;
  /** The start of hidden text that was left out; `''` if there is none. */
  readonly hidden: string;
  /** True if the only text is a message for browsers without scripts. */
  readonly needsScripts: boolean;
  /** Hidden text, page furniture left out, a truncated document. */
  readonly warnings: readonly Warning[];
}

/** Converts HTML. Never fails on content, only on cancellation. @throws {ReaderError} ABORTED */
export async function htmlToBlocks(html: string, options: HtmlOptions): Promise<HtmlDocument> {
  const { signal } = options;
  const tree = await parseHtml(html, { signal, ...(options.xml === true && { xml: true }) });
  const survey = new Survey(tree);
  const warnings: Warning[] = [];
  if (tree.cut)
    warnings.push({
      code: 'SKIPPED_CONTENT',
      message: `The document has more than ${tree.nodes.length} elements; the rest is left out.`,
    });
  if (options.mainContent === true) {
    const left = leaveOutChrome(survey);
    if (left !== undefined) warnings.push(left);
  }
  const hidden = survey.hidden();
  if (hidden.characters > 0)
    warnings.push({
      code: 'HIDDEN_TEXT',
      message: `Hidden text is left out: ${plural(hidden.characters, 'character')} in ${plural(hidden.places, 'place')}, starting with ${quoted(hidden.start)}.`,
    });
  const spacers = survey.spacers();
  if (spacers > 0)
    warnings.push({
      code: 'SKIPPED_CONTENT',
      message: `${plural(spacers, 'picture')} of at most 3 pixels and without a text left out.`,
    });
  const unseen = hiddenIn(survey.wordsWithUnseen());
  if (unseen.length > 0)
    warnings.push({
      code: 'INVISIBLE_CHARACTERS',
      message: `Words of the page contain ${unseen.join(' and ')}; they are left out.`,
    });
  const { picture, link, page } = options;
  const blocks = await blocksOf(survey, {
    signal,
    ...(picture && { picture }),
    ...(link && { link }),
    ...(page && { page }),
  });
  return { blocks, facts: factsOf(tree), hidden: hidden.start, needsScripts: needsScripts(survey), warnings };
}

function needsScripts(survey: Survey): boolean {
  let text = 0;
  for (const node of survey.tree.nodes)
    if (node.name === 'noscript' && !survey.isSkipped(node)) text += survey.textOf(node);
  return text > 0 && text === survey.textOf(survey.tree.root);
}
