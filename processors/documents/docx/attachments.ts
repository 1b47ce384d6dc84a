// Content that a story of a Word document shows from other package parts: charts, SmartArt and imported text. Read
// before the story, so that the story can be read in one pass.

import { type Block, cleanText, isEmpty, paragraphBlock } from '../../../src/document/index.ts';
import { decodeStandard } from '../../../src/encoding/index.ts';
import type { ConvertContext } from '../document.ts';
import { chartBlocks } from '../ooxml/chart.ts';
import { diagramBlocks } from '../ooxml/diagram.ts';
import type { OoxmlPackage, Relationship } from '../ooxml/package.ts';
import { decodeXml } from '../xml-parts.ts';
import type { Attachments } from './document.ts';

const MAX_ATTACHMENTS = 1000;
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** Keyed by relationship id, for the part with these `relations`. A damaged one is left out with a warning. */
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
    } else if (type === 'aFChunk' && /\.(?:txt|html?|xhtml)$/i.test(target)) {
      const entry = pack.zip.get(target);
      if (!entry || entry.size > MAX_TEXT_BYTES) continue;
      const bytes = await pack.zip.bytes(entry, MAX_TEXT_BYTES, context.signal);
      found.set(id, /\.txt$/i.test(target) ? paragraphs(bytes) : await page(bytes, context));
    }
  }
  return found;
}

function paragraphs(bytes: Uint8Array): Block[] {
  return decodeXml(bytes)
    .split(/\r?\n[ \t]*\r?\n/)
    .map((paragraph) => paragraphBlock(cleanText(paragraph)))
    .filter((block) => !isEmpty(block));
}

async function page(bytes: Buffer, context: ConvertContext): Promise<readonly Block[]> {
  const declared = /<meta[^>]{1,200}?charset=["']?([\w-]{1,40})/i.exec(
    bytes.toString('latin1', 0, 2048),
  )?.[1];
  const html = decodeStandard(bytes, declared ?? '') ?? decodeXml(bytes);
  const { htmlToBlocks } = await import('../html/blocks.ts');
  const { blocks, warnings } = await htmlToBlocks(html, { signal: context.signal });
  for (const warning of warnings) context.warn(warning);
  return blocks;
}
