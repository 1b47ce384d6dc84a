// Walks an OpenDocument piece by piece: styles, master pages and body.

import type { Warning } from '../../../src/contract/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import { createPause } from '../turns.ts';
import { words } from '../words.ts';
import { stepsOf, type Trouble } from '../xml-steps.ts';
import type { OdfPackage } from './package.ts';
import { Styles } from './style.ts';

/** Callbacks of a walk over the parts. */
export interface BodyVisitor {
  /** A child of the body or of one of its sections, in order. `styles` are complete by then. */
  element(element: XmlElement, styles: Styles): void | Promise<void>;
  /** A section or index opens or closes around the elements. */
  section?(element: XmlElement, opens: boolean): void;
  /** A master page, before the body, with the styles visible to it. */
  master?(page: XmlElement, styles: Styles): void;
}

/** Walks styles, master pages and body. Returns the warnings about the XML itself. */
export async function walkBody(
  pack: OdfPackage,
  visitor: BodyVisitor,
  signal: AbortSignal,
): Promise<Warning[]> {
  const troubles = new Set<Trouble>();
  const pause = createPause(signal);
  const styles = new Styles();
  const masterStyles = new Styles();
  const tell = (trouble: Trouble): void => {
    troubles.add(trouble);
  };
  for (const xml of [pack.styles ?? '', pack.content]) {
    const path: string[] = [];
    // Master pages use the automatic styles of their own part, the body those of the other.
    const main = xml === pack.content;
    for (const { kind, element } of stepsOf(xml, { containers: CONTAINERS, tell })) {
      await pause();
      if (kind === 'pause') continue;
      const inBody = path.includes('body');
      if (kind === 'open') {
        if (inBody && path.length > path.indexOf('body') + 1) visitor.section?.(element, true);
        path.push(element.name);
      } else if (kind === 'close') {
        path.pop();
        if (inBody && path.length > path.indexOf('body') + 1) visitor.section?.(element, false);
      } else if (inBody) await visitor.element(element, styles);
      else if (path.includes('master-styles')) {
        if (element.name === 'master-page') visitor.master?.(element, masterStyles);
      } else if (path.includes('automatic-styles')) {
        if (main) styles.add(element);
        if (!main || pack.flat) masterStyles.add(element);
      } else if (path.includes('styles') || path.includes('font-face-decls')) {
        styles.add(element);
        masterStyles.add(element);
      }
    }
  }
  return [...troubles].map((trouble) => ({ code: 'SKIPPED_CONTENT', message: TROUBLES[trouble] }));
}

/** Elements that are walked into. */
const CONTAINERS: ReadonlySet<string> = new Set(
  words(
    'document document-content document-styles styles automatic-styles master-styles font-face-decls body text ' +
      'presentation section table-of-content index-body',
  ),
);

const TROUBLES: Readonly<Record<Trouble, string>> = {
  deep: 'Elements nested more than 256 levels deep were left out.',
  cut: 'The XML of the document is truncated; the rest is missing.',
};
