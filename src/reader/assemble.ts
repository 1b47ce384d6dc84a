// Assembles the answer from gathered parts: text with notes, content, truncation, metadata and warnings.

import {
  disguisedLines,
  type FileType,
  hiddenIn,
  type MediaPart,
  type Part,
  type Processor,
  plural,
  type TextPart,
  type Warning,
} from '../contract/index.ts';
import type { Converted } from './converter.ts';
import type { Engine } from './engine.ts';
import type { Gathered } from './gather.ts';
import { type Account, isCut, isPartial, render, type Space, truncationNotes } from './render.ts';
import type { ReadRequest } from './request.ts';
import type { ContentPart, Metadata, ReadSuccess, Truncation } from './result.ts';
import { redactedNote } from './secrets.ts';
import type { Session } from './session.ts';

/** All warnings of an answer, in order. */
export async function warningsOf(
  session: Session,
  { converted, parts }: Gathered,
  { redactor }: Pick<Engine, 'redactor'>,
): Promise<Warning[]> {
  return [
    ...(redactor ? redactedNote(parts) : []),
    ...(await fileWarnings(session, converted, parts.some(hasBoxes))),
    ...invisibleCharacters(parts),
  ];
}

/** Warnings about the file and the request; `boxed`: the answer has boxes. */
export async function fileWarnings(
  { opened, entered, request }: Session,
  converted: Converted,
  boxed: boolean,
): Promise<Warning[]> {
  const empty = entered.source.size === 0;
  // Almost every format reports an empty file as invalid; that warning adds nothing.
  const reported = empty
    ? converted.warnings.filter(({ code }) => code !== 'INVALID_SYNTAX')
    : converted.warnings;
  return [
    ...reported,
    ...ignoredFields(converted.processor, request, boxed),
    ...(empty ? [EMPTY_FILE] : []),
    ...((await opened.changed()) ? [CHANGED] : []),
  ];
}

/** True for text with the places of its blocks. */
export const hasBoxes = (part: Part): boolean => part.kind === 'text' && part.boxes !== undefined;

const EMPTY_FILE: Warning = { code: 'EMPTY_FILE', message: 'The file is empty: 0 bytes.' };
const CHANGED: Warning = {
  code: 'CHANGED_DURING_READ',
  message: 'The file changed while it was read; the answer may mix both versions.',
};

/** Fields that shape an answer but have no effect on this format. */
function ignoredFields(
  processor: Processor,
  { format, numbered, detail, boxes }: ReadRequest,
  boxed: boolean,
): Warning[] {
  const ignored = [
    ...(format !== undefined &&
    !(format === 'text' && processor.textual) &&
    !(format !== 'text' && processor.formats?.includes(format))
      ? [`\`format\` \`${format}\``]
      : []),
    ...(numbered === true && !processor.selects.includes('lines') ? ['`numbered`'] : []),
    ...(detail !== undefined && !processor.selects.includes('region') && !processor.selects.includes('pages')
      ? ['`detail`']
      : []),
    ...(boxes === true && !boxed ? ['`boxes`'] : []),
  ];
  return ignored.map((field) => ({
    code: 'IGNORED_FIELD',
    message: `${field} has no effect on ${processor.name} files.`,
  }));
}

/** The answer, whose text gives `notes` of its warnings; `heading` goes before it and counts against the budget. */
export function assemble(
  session: Session,
  { parts, account: found, converted, outline }: Gathered,
  { warnings, notes }: { readonly warnings: readonly Warning[]; readonly notes: readonly Warning[] },
  space: Space,
  heading: string,
): ReadSuccess {
  const texts = textsOf(parts);
  const account: Account = { ...found, warnings: notes };
  const truncation: Truncation | null = isPartial(account)
    ? {
        shown: account.shown,
        omitted: account.omitted,
        ...(account.cellsCut > 0 && { cellsCut: account.cellsCut }),
        tokens: { shown: space.counter.count(texts.map((part) => part.text).join('')) },
        next: account.next && {
          cursor: account.next.cursor,
          ...(account.next.request && { request: account.next.request }),
          ...(account.next.skip && { skip: account.next.skip }),
        },
      }
    : null;
  const truncated: Warning[] = isCut(account)
    ? [{ code: 'TRUNCATED', message: (truncationNotes(account)[0] ?? '').slice(1, -1) }]
    : [];
  return {
    success: true,
    fileType: fileTypeOf(session, converted),
    processor: converted.processor.name,
    text: heading + (outline ?? '') + render(texts, account, space),
    content: [
      ...(outline === undefined ? [] : [{ kind: 'outline', text: outline, at: [] } as const]),
      ...parts.filter((part) => !isCaption(part)).map(toContent),
    ],
    truncation,
    metadata: metadataOf(session, converted),
    warnings: [...truncated, ...warnings],
  };
}

function textsOf(parts: readonly Part[]): TextPart[] {
  return parts.filter((part): part is TextPart => part.kind === 'text');
}

/** A textual file keeps its type when it is read as plain text. */
export function fileTypeOf({ detected }: Session, { processor }: Converted): FileType {
  return detected.processor.textual && processor.name === 'text'
    ? detected.processor.fileType
    : processor.fileType;
}

/** Text about a picture or a recording, meant for the model and not part of the file. */
function isCaption(part: Part): boolean {
  return part.kind === 'text' && part.text === '' && part.shown.length === 0;
}

function toContent(part: TextPart | MediaPart): ContentPart {
  return part.kind === 'text'
    ? { kind: 'text', text: part.text, at: part.shown, ...(part.boxes && { boxes: part.boxes }) }
    : { kind: 'binary', data: part.data, mimeType: part.mimeType, at: part.shown };
}

/** Facts about the file, from opening it and from its format. */
export function metadataOf({ entered, detected }: Session, { encoding, facts }: Converted): Metadata {
  const { name, bytes, modified } = entered;
  return {
    name,
    bytes,
    ...(modified && { modified: modified.toISOString() }),
    mimeType: detected.mimeType,
    ...(encoding && { encoding }),
    ...facts,
  };
}

/** Characters that do not show, and lines that pass for notes by means of them or of look-alikes. */
function invisibleCharacters(parts: readonly Part[]): Warning[] {
  const text = textsOf(parts)
    .map((part) => part.text)
    .join('');
  const lines = disguisedLines(text);
  const found = [...hiddenIn(text), ...(lines > 0 ? [`${plural(lines, 'line')} disguised as a note`] : [])];
  if (found.length === 0) return [];
  const message = `The text shown contains ${found.join(' and ')}, left unchanged.`;
  return [{ code: 'INVISIBLE_CHARACTERS', message }];
}
