// What a story of a Word document shows from other parts of its package: charts, SmartArt and imported text. Read before
// the story, so that the story itself is read in one go.

import type { Block, ConvertContext } from '../document.ts';
import { escapeText, paragraphBlock } from '../markdown/index.ts';
import { chartBlocks } from '../ooxml/chart.ts';
import { diagramBlocks } from '../ooxml/diagram.ts';
import type { OoxmlPackage, Relationship } from '../ooxml/package.ts';
import type { Attachments } from './document.ts';

const MAX_ATTACHMENTS = 1000;
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** By relationship id, for the part whose `relations` these are. A damaged one is left out with a warning. */
export async function readAttachments(
  pack: OoxmlPackage,
  relations: ReadonlyMap<string, Relationship>,
  context: ConvertContext,
): Promise<Attachments> {
  const found = new Map<string, readonly Block[]>();
  for (const { id, type, target, external } of relations.values()) {
    if (external || found.size >= MAX_ATTACHMENTS) continue;
    if (type === 'chart' || type === 'chartEx' || type === 'diagramData') {
      const root = await pack.tryXml(target);
      if (root) found.set(id, type === 'diagramData' ? diagramBlocks(root) : chartBlocks(root));
      else if (pack.has(target))
        context.warn({
          code: 'SKIPPED_CONTENT',
          message: `A ${type === 'diagramData' ? 'diagram' : 'chart'} of the document is damaged and was left out.`,
        });
    } else if (type === 'aFChunk' && /\.txt$/i.test(target)) {
      const entry = pack.zip.get(target);
      if (!entry || entry.size > MAX_TEXT_BYTES) continue;
      const bytes = await pack.zip.bytes(entry, MAX_TEXT_BYTES, context.signal);
      const text = new TextDecoder().decode(bytes);
      found.set(
        id,
        text
          .split(/(?:\r?\n){2,}/)
          .map((paragraph) => paragraphBlock(escapeText(paragraph)))
          .filter((block) => block !== ''),
      );
    }
  }
  return found;
}
