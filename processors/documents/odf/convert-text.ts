// Converts OpenDocument texts to blocks as one flow. Headers and footers appear once each.

import type { Warning } from '../../../src/contract/index.ts';
import type { Block } from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import type { Converter, Section } from '../document.ts';
import { LeftOut, type TrackedChanges } from '../left-out.ts';
import { PageMargins } from '../page-margins.ts';
import { Changes } from './changes.ts';
import { walkBody } from './document.ts';
import { Embedded } from './embedded.ts';
import { type OdfPackage, odfFacts, openOdf } from './package.ts';
import { Remarks } from './remarks.ts';
import { isHiddenSection, type TextContext, TextWalk } from './text-walk.ts';

/** A converter for ODT and its variants with this handling of tracked changes. */
export function createOdtConverter(changes: TrackedChanges = 'accept'): Converter {
  return {
    async open(source, context) {
      const pack = await openOdf(source, context, 'text');
      return { facts: odfFacts(pack.meta), section: () => convert(pack, changes, context.signal) };
    },
  };
}

async function convert(pack: OdfPackage, handling: TrackedChanges, signal: AbortSignal): Promise<Section> {
  const left = new LeftOut();
  const remarks = new Remarks(left);
  const changes = new Changes(handling, left, remarks);
  const embedded = new Embedded(pack, signal);
  const margins = new PageMargins();
  let walk: TextWalk | undefined;
  let hidden = 0;
  const warnings: Warning[] = await walkBody(
    pack,
    {
      master: (page, styles) => addMargins(page, { styles, left, remarks, changes, embedded }, margins),
      section: (element, opens) => {
        if (hidden > 0) hidden += opens ? 1 : -1;
        else if (opens && isHiddenSection(element)) hidden = 1;
      },
      element: async (element, styles) => {
        if (hidden > 0) {
          left.hide(element.text(), ' ');
          return;
        }
        walk ??= new TextWalk({ styles, left, remarks, changes, embedded });
        await embedded.load(element);
        walk.add(element);
        embedded.clear();
      },
    },
    signal,
  );
  walk?.addUnplaced();
  const blocks: Block[] = [
    ...margins.headers,
    ...(walk?.take() ?? []),
    ...margins.footers,
    ...remarks.blocks(),
  ];
  warnings.push(...left.warnings());
  return { blocks, ...(warnings.length > 0 && { warnings }) };
}

const MAX_MARGINS = 100;

/** The headers and footers of a master page; those that are not printed are hidden text. */
function addMargins(page: XmlElement, context: TextContext, margins: PageMargins): void {
  const { left } = context;
  for (const element of page.elements()) {
    const kind = /^(header|footer)(?:-left|-first)?$/.exec(element.name)?.[1];
    if (kind !== 'header' && kind !== 'footer') continue;
    const lines = new TextWalk(context).lines(element);
    if (margins.has(kind, lines)) continue;
    if (element.get('display') === 'false') left.hide(element.text(), ' ');
    else if (margins.count < MAX_MARGINS) margins.add(kind, lines);
    else left.lose(`headers and footers after the first ${MAX_MARGINS}`);
  }
}
