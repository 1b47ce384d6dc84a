// The blocks of a story's root as trees, one at a time. Wrappers that only contain blocks (content controls, custom XML,
// accepted insertions) are transparent at any depth.

import type { XmlElement, XmlWalk } from '../../../src/package/index.ts';
import { words } from '../words.ts';
import { stepsOf } from '../xml-steps.ts';

/** Elements around blocks without meaning for the text. */
const TRANSPARENT: ReadonlySet<string> = new Set(
  words('document body sdt sdtContent customXml smartTag ins moveTo'),
);

/** Empty elements for layout and bookkeeping: half of a document's tags, and irrelevant for Markdown. */
const PASSED_OVER: ReadonlySet<string> = new Set(
  words(
    'proofErr bookmarkStart bookmarkEnd lastRenderedPageBreak noProof lang szCs bCs iCs kern spacing ' +
      'ind jc keepNext keepLines widowControl tcW tblW vAlign gridCol top left bottom right',
  ),
);

/**
 * The blocks in the XML of a part; an `undefined` between them is a place to pause. `deep` is called if elements more
 * than 256 levels deep are left out.
 */
export function* blocksIn(xml: string, deep: () => void): Generator<XmlElement | undefined> {
  const steps = stepsOf(xml, {
    transparent: TRANSPARENT,
    passesOver: (walk) => PASSED_OVER.has(walk.name) || isUsualColor(walk),
    tell: (trouble) => trouble === 'deep' && deep(),
  });
  for (const { kind, element } of steps)
    if (kind === 'element') yield element;
    else if (kind === 'pause') yield undefined;
}

/** Text colour is irrelevant, except white, which may be meant to hide text. */
const isUsualColor = (walk: XmlWalk): boolean => walk.name === 'color' && !/f{6}/i.test(walk.written);
