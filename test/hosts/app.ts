// The application that is bundled and run: it reads files and prints what it read. And what it must print.

import { fileURLToPath } from 'node:url';

/** A table, a Word document, PDF documents with text and with scanned pages, a photograph. */
export const FILES: readonly string[] = [
  'tabular/orders.csv',
  'documents/survey.docx',
  'documents/gauges.pdf',
  'documents/scan.pdf',
  'image/photo.jpg',
].map((name) => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url)));

/** Reads the files that it is given; of pictures, which bytes. */
export const READ: string = `
import { createHash } from 'node:crypto';
import { createReader, createTokenCounter } from 'lectern';

const reader = createReader({ cache: false });

export async function read(paths) {
  const said = [createTokenCounter('o200k_base').count('One counter needs no reader.')];
  for (const path of paths) {
    const answer = await reader.read(path, { maxTokens: 1000 });
    if (!answer.success) throw new Error(answer.error.message, { cause: answer.error.cause });
    for (const part of answer.content)
      said.push(part.kind === 'binary' ? createHash('sha256').update(part.data).digest('hex') : part.text);
  }
  return said;
}
`;

export const APP: string = `${READ}
read(process.argv.slice(2)).then((said) => process.stdout.write(JSON.stringify(said)));
`;
