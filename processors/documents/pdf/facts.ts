// The facts a PDF states, for `metadata`: bounded, one line each, dates as ISO 8601.

import type { FormatFacts, Warning } from '../../../src/contract/index.ts';
import { oneLine, plural, quoted, safeCut } from '../../../src/contract/index.ts';
import type { Pdf } from './open.ts';

const MOST_CHARACTERS = 500;
const MOST_ATTACHMENTS = 100;
/** Maximum attachments named in a warning. */
const NAMED_ATTACHMENTS = 5;

/** Facts that are cheap to read. Never throws on invalid content. */
export async function factsOf(pdf: Pdf, warnings: Warning[]): Promise<FormatFacts> {
  const { document } = pdf;
  const { info, metadata } = await document.getMetadata();
  const raw: Record<string, unknown> = { ...info };
  const mark: unknown = await document.getMarkInfo();
  const facts: Record<string, unknown> = {};
  const text = (name: string, ...values: readonly unknown[]): void => {
    for (const value of values) {
      const plain = plainText(value);
      if (plain !== undefined) {
        facts[name] = plain;
        return;
      }
    }
  };
  text('title', raw['Title'], metadata?.get('dc:title'));
  text('author', raw['Author'], metadata?.get('dc:creator'));
  text('subject', raw['Subject'], metadata?.get('dc:description'));
  text('keywords', raw['Keywords'], metadata?.get('pdf:keywords'));
  text('creator', raw['Creator']);
  text('producer', raw['Producer']);
  text('created', dateOf(raw['CreationDate']));
  text('documentModified', dateOf(raw['ModDate']));
  text('language', raw['Language']);
  text('pdfVersion', raw['PDFFormatVersion']);
  if (typeof mark === 'object' && mark !== null && 'Marked' in mark && mark.Marked === true)
    facts['tagged'] = true;
  if (typeof raw['EncryptFilterName'] === 'string') facts['encrypted'] = true;
  if (raw['IsSignaturesPresent'] === true) facts['signed'] = true;
  let fieldCount = 0;
  if (raw['IsAcroFormPresent'] === true) {
    const fields: unknown = await document.getFieldObjects();
    fieldCount = fields instanceof Map ? fields.size : Object.keys(fields ?? {}).length;
    if (fieldCount > 0) facts['formFields'] = fieldCount;
  }
  if (raw['IsXFAPresent'] === true) {
    facts['xfa'] = true;
    // With regular fields, the pages show the form; without them, only its script creates it.
    if (fieldCount === 0)
      warnings.push({
        code: 'SKIPPED_CONTENT',
        message: 'The document is a dynamic XFA form: its scripted content is not read.',
      });
  }
  if (await hasScript(pdf)) facts['hasJavaScript'] = true;
  return facts;
}

async function hasScript({ document }: Pdf): Promise<boolean> {
  const [actions, fieldActions] = await Promise.all([document.getJSActions(), document.hasJSActions()]);
  return fieldActions === true || (typeof actions === 'object' && actions !== null);
}

/** Names of the attached files, also listed in a warning. pdf.js decompresses all of them, so call this last. */
export async function attachmentsOf({ document }: Pdf, warnings: Warning[]): Promise<FormatFacts> {
  const attached: unknown = await document.getAttachments();
  const files = attached instanceof Map ? [...attached.entries()] : Object.entries(attached ?? {});
  const attachments = files.slice(0, MOST_ATTACHMENTS).map(([key, file]: [unknown, unknown]) => {
    const { filename, content }: { filename?: unknown; content?: unknown } =
      typeof file === 'object' && file !== null ? file : {};
    const path = plainText(filename) ?? plainText(key) ?? 'unnamed';
    const name = path.split(/[\\/]/).at(-1) || 'unnamed';
    return { name, ...(content instanceof Uint8Array && { bytes: content.length }) };
  });
  if (attachments.length === 0) return {};
  const named = attachments.slice(0, NAMED_ATTACHMENTS).map(({ name }) => quoted(name));
  const more = files.length > named.length ? ', ...' : '';
  warnings.push({
    code: 'SKIPPED_CONTENT',
    message: `The document has ${plural(files.length, 'attached file')}, not shown: ${named.join(', ')}${more}.`,
  });
  return { attachments };
}

/** Text on one line of at most 500 characters; undefined if it is empty. */
export function plainText(value: unknown): string | undefined {
  const joined = Array.isArray(value) ? value.filter((item) => typeof item === 'string').join(', ') : value;
  if (typeof joined !== 'string') return undefined;
  const flat = oneLine(joined.slice(0, 4 * MOST_CHARACTERS))
    .replace(/(?<![\u00b7\s])[\u00b7\s]+$/, '')
    .trim();
  if (flat === '') return undefined;
  return flat.slice(0, safeCut(flat, MOST_CHARACTERS));
}

/** `D:20240131120000+01'00'` (ISO 32000-2, 7.9.4) as ISO 8601; undefined if invalid. */
export function dateOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const match =
    /^(?:D:)?(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?(?:([Zz+-])(?:(\d{2})'?(?:(\d{2})'?)?)?)?/.exec(
      value.slice(0, 40),
    );
  if (!match) return undefined;
  const [
    ,
    year = '',
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    sign,
    zoneHour,
    zoneMinute,
  ] = match;
  const zone =
    sign === undefined
      ? ''
      : sign === '+' || sign === '-'
        ? `${sign}${zoneHour ?? '00'}:${zoneMinute ?? '00'}`
        : 'Z';
  const text = `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`;
  return Number.isNaN(Date.parse(text)) ? undefined : text;
}
