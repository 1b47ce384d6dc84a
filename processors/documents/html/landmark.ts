// The names of the parts of a page, by its landmarks (HTML-AAM, WAI-ARIA 1.2, 5.3.4): what its outline has besides headings.

import { safeCut } from '../../../src/contract/index.ts';
import { cleanText } from '../../../src/document/index.ts';
import { titleOf } from './chrome.ts';
import { HEADING } from './elements.ts';
import type { HtmlNode } from './node.ts';
import type { Survey } from './survey.ts';

/** Elements and roles. */
const LANDMARKS: ReadonlySet<string> = new Set(
  'nav main aside header footer form section article navigation complementary banner contentinfo region search'.split(
    ' ',
  ),
);
const MAX_NAME = 80;

/** Such as `form: Berth request`; undefined without a name, or with a heading for a name. */
export function landmarkOf(node: HtmlNode, survey: Survey): string | undefined {
  const kind = node.get('role') ?? node.name;
  if (!LANDMARKS.has(kind)) return undefined;
  const [id = ''] = (node.get('aria-labelledby') ?? '').trim().split(' ', 1);
  const label = survey.targets.get(id);
  if (label && HEADING.has(label.name)) return undefined;
  const stated = label ? titleOf(label) : (node.get('aria-label') ?? node.get('title') ?? '');
  const line = stated.replace(/\s+/g, ' ').trim();
  const name = cleanText(line.slice(0, safeCut(line, MAX_NAME)));
  return name === '' ? undefined : `${kind}: ${name}`;
}
