// Converts Rich Text Format to blocks: headers, body, footers, notes, comments.

import { isAscii, isUtf8 } from 'node:buffer';
import { ReaderError, throwIfAborted, wellFormed } from '../../../src/contract/index.ts';
import {
  type Block,
  commentBlock,
  linesBlock,
  linesOf,
  markdownOf,
  noteBlock,
  paragraphBlock,
  wellFormedBlock,
} from '../../../src/document/index.ts';
import { encodingOfFields, type FieldEncoding } from '../../../src/encoding/index.ts';
import type { Converter } from '../document.ts';
import type { TrackedChanges } from '../left-out.ts';
import { Flow } from './flow.ts';
import { type RtfContent, RtfReader } from './reader.ts';

/** A converter of RTF to one flow with this handling of tracked changes. */
export const createRtfConverter = (changes: TrackedChanges = 'accept'): Converter => ({
  async open(source, context) {
    const bytes = await source.bytes();
    const start = bytes.subarray(0, 1024).findIndex((byte, i) => byte === 0x7b && bytes[i + 1] === 0x5c);
    if (start < 0 || bytes[start + 2] !== 0x72 || bytes[start + 3] !== 0x74)
      throw new ReaderError(
        'CORRUPT_FILE',
        'The file does not start with the RTF signature (`{\\rtf1`).',
        'Open the file in the program that made it and save it again.',
      );
    const { default: iconv } = await import('iconv-lite');
    // RTF is ASCII; some writers put UTF-8 into it, even if they state a code page.
    const isUnicode = !isAscii(bytes) && isUtf8(bytes);
    const undeclared: Uint8Array[] = [];
    let encoding: FieldEncoding | undefined;
    const decode = (piece: Uint8Array, charset: string | undefined): string => {
      if (isAscii(piece) && charset === undefined) return Buffer.from(piece).toString('latin1');
      if (charset === undefined || (isUnicode && isUtf8(piece))) {
        if (encoding) return encoding.decode(piece);
        undeclared.push(piece);
      }
      return iconv.decode(
        Buffer.from(piece),
        iconv.encodingExists(charset ?? '') ? (charset ?? '') : 'cp1252',
      );
    };
    const read = (): Promise<RtfContent> =>
      new RtfReader(bytes.subarray(start), decode, () => new Flow(), changes).read(async () => {
        await new Promise((resolve) => setImmediate(resolve));
        throwIfAborted(context.signal);
      });
    let content = await read();
    if (undeclared.length > 0) {
      encoding = await encodingOfFields(undeclared, { implied: 'windows-1252' });
      if (encoding.name !== 'windows-1252') content = await read();
      const guess = encoding.warning('Texts of the document');
      if (guess) context.warn(guess);
    }
    if (content.cutOff)
      context.warn({
        code: 'SKIPPED_CONTENT',
        message: 'The file is truncated inside a group; the rest is missing.',
      });
    for (const warning of content.left.warnings()) context.warn(warning);
    const blocks = blocksOf(content);
    return {
      facts: factsOf(content.info, content.pictures),
      section: async () => ({ blocks }),
    };
  },
});

function blocksOf({ body, headers, footers, notes, comments }: RtfContent): Block[] {
  return [
    ...once('header', headers),
    ...body.blocks(),
    ...once('footer', footers),
    ...notes.map(({ flow }, i) => noteBlock(`${i + 1}`, flow.blocks().flatMap(linesOf))),
    ...comments.map(({ flow, author }, i) =>
      commentBlock(`c${i + 1}`, { author }, flow.blocks().flatMap(linesOf)),
    ),
  ].map(wellFormedBlock);
}

/** Page headers or footers, without duplicates. */
function once(kind: 'header' | 'footer', flows: readonly Flow[]): Block[] {
  const texts = new Map(flows.map((flow) => [flow.blocks().map(markdownOf).join('\n'), flow.blocks()]));
  return [...texts.values()].flatMap(([first, ...rest]) => {
    if (first === undefined) return [];
    return first.kind === 'paragraph'
      ? [paragraphBlock(`Page ${kind}: ${first.text}`), ...rest]
      : [linesBlock(`Page ${kind}:`), first, ...rest];
  });
}

function factsOf(info: ReadonlyMap<string, string>, pictures: number): Record<string, unknown> {
  const facts: Record<string, unknown> = {};
  const names = {
    title: 'title',
    author: 'author',
    subject: 'subject',
    keywords: 'keywords',
    company: 'company',
  };
  for (const [key, name] of Object.entries(names)) {
    const value = info.get(key);
    if (value !== undefined && value !== '') facts[name] = wellFormed(value).slice(0, 500);
  }
  if (pictures > 0) facts['pictures'] = pictures;
  return facts;
}
