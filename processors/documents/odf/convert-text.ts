// Converts OpenDocument texts to blocks as one flow. Headers and footers appear once each.

import type { Warning } from '../../../src/contract/index.ts';
import { type Block, GridRoom, HARD_BREAK, paragraphBlock } from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import type { Converter, Section } from '../document.ts';
import type { TrackedChanges } from '../docx/document.ts';
import { Changes } from './changes.ts';
import { walkBody } from './document.ts';
import { Embedded } from './embedded.ts';
import { type OdfPackage, odfFacts, openOdf } from './package.ts';
import { Remarks } from './remarks.ts';
import type { Styles } from './style.ts';
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
  const remarks = new Remarks();
  const changes = new Changes(handling, remarks);
  const embedded = new Embedded(pack, signal);
  const room = new GridRoom();
  const margins = new Margins({ remarks, changes, embedded, room });
  let walk: TextWalk | undefined;
  let hidden = 0;
  const warnings: Warning[] = await walkBody(
    pack,
    {
      master: (page, styles) => margins.add(page, styles),
      section: (element, opens) => {
        if (hidden > 0) hidden += opens ? 1 : -1;
        else if (opens && isHiddenSection(element)) hidden = 1;
      },
      element: async (element, styles) => {
        if (hidden > 0) {
          remarks.hide(element.text());
          return;
        }
        walk ??= new TextWalk({ styles, remarks, changes, embedded, room });
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
  if (room.isSpent) remarks.lose('table cells, of which there are too many');
  warnings.push(...remarks.warnings());
  return { blocks, ...(warnings.length > 0 && { warnings }) };
}

const MAX_MARGINS = 100;

/** Printed headers and footers of the master pages, without duplicates; others are hidden text. */
class Margins {
  readonly headers: Block[] = [];
  readonly footers: Block[] = [];
  readonly #context: Omit<TextContext, 'styles'>;
  readonly #known = new Set<string>();

  constructor(context: Omit<TextContext, 'styles'>) {
    this.#context = context;
  }

  add(page: XmlElement, styles: Styles): void {
    for (const element of page.elements()) {
      const kind = /^(header|footer)(?:-left|-first)?$/.exec(element.name)?.[1];
      if (kind === undefined) continue;
      const walk = new TextWalk({ ...this.#context, styles });
      const text = walk.lines(element).join(HARD_BREAK);
      if (text.trim() === '' || this.#known.has(text)) continue;
      const { remarks } = this.#context;
      if (element.get('display') === 'false') {
        remarks.hide(element.text());
        continue;
      }
      if (this.#known.size >= MAX_MARGINS) {
        remarks.lose(`headers and footers after the first ${MAX_MARGINS}`);
        continue;
      }
      this.#known.add(text);
      (kind === 'header' ? this.headers : this.footers).push(paragraphBlock(`Page ${kind}: ${text}`));
    }
  }
}
