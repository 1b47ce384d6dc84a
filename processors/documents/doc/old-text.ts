// The text of documents of Word 6 and 95, without their formatting: its structures differ from those of Word 97.

import { ReaderError } from '../../../src/contract/index.ts';
import { type Block, cleanText, isEmpty, paragraphBlock, tableBlock } from '../../../src/document/index.ts';
import { encodingOfFields } from '../../../src/encoding/index.ts';
import type { Section } from '../document.ts';
import { u16, u32 } from '../office97/bytes.ts';
import type { WordFile } from './word-file.ts';

/** Length of the body in the head of these versions. */
const LENGTH = 52;
/** Set by a fast save: the text is in pieces. */
const IN_PIECES = 4;
const MAX_FIELDS = 64;

/** @throws {ReaderError} UNSUPPORTED_FORMAT for a fast-saved document */
export async function oldBlocks({ word, fib }: WordFile): Promise<Section> {
  if ((u16(word, 10) & IN_PIECES) !== 0)
    throw new ReaderError(
      'UNSUPPORTED_FORMAT',
      'The document is a fast save of Word 6 or 95, which lectern cannot read.',
      'Open it in a word processor and save it as .docx.',
    );
  const from = fib.textFrom;
  const to = Math.min(word.length, fib.textTo, from + u32(word, LENGTH));
  const bytes = word.subarray(from, Math.max(from, to));
  // In the code page of the system that wrote it.
  const encoding = await encodingOfFields([bytes], { implied: 'windows-1252' });
  const guess = encoding.warning('Texts of the document');
  const shown = withoutCodes(encoding.decode(bytes));
  const blocks: Block[] = [];
  let rows: string[][] = [];
  const endTable = (): void => {
    if (rows.length > 0) blocks.push(tableBlock(rows));
    rows = [];
  };
  for (const line of shown.split(/[\r\f]/)) {
    // Each cell ends in a mark, and each row in one more.
    const parts = line.split('\u0007\u0007');
    const after = parts.pop() ?? '';
    for (const row of parts) rows.push(row.split('\u0007').map((cell) => cleanText(clean(cell).trim())));
    const rest = clean(after.replaceAll('\u0007', ' ')).trim();
    if (rest === '') continue;
    endTable();
    blocks.push(paragraphBlock(cleanText(rest)));
  }
  endTable();
  return {
    blocks: blocks.filter((block) => !isEmpty(block)),
    warnings: [
      ...(guess ? [guess] : []),
      {
        code: 'SKIPPED_CONTENT',
        message:
          'The document is of Word 6 or 95: only its text is read, without headings, lists and emphasis.',
      },
    ],
  };
}

/** Without the codes of fields, which may contain fields. */
function withoutCodes(text: string): string {
  let shown = '';
  let codes: boolean[] = [];
  for (const piece of text.split(/(?=\p{Cc})/u)) {
    const sign = piece.charCodeAt(0);
    if (sign === 0x13) codes.push(true);
    else if (sign === 0x14) codes = [...codes.slice(0, -1), false];
    else if (sign === 0x15) codes.pop();
    // Damaged text opens fields that never end.
    if (codes.length > MAX_FIELDS) codes = [];
    if (!codes.includes(true)) shown += piece;
  }
  return shown;
}

function clean(text: string): string {
  return text
    .replaceAll('\u000b', '\n')
    .replaceAll('\u001e', '-')
    .replace(/(?![\n\t])\p{Cc}/gu, '');
}
