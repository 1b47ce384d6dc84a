// From gathered parts to the answer callers see: text with its notes, content, truncation, metadata, warnings.

import type { Budget, FileType, MediaPart, Part, TextPart, Warning } from '../contract/index.ts';
import type { Gathered } from './gather.ts';
import { type Account, render, truncationNotes } from './render.ts';
import type { ContentPart, FileExtractionResult, Metadata, Truncation } from './result.ts';
import type { Session } from './session.ts';

/** Fields that shape an answer and say nothing to this format: it is shown all the same, and they are named. */
export function warnOfIgnored({ processor, request, warnings }: Session): void {
  const { format, numbered, detail } = request;
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
  ];
  for (const field of ignored)
    warnings.push({
      code: 'IGNORED_FIELD',
      message: `${field} has no effect on ${processor.name} files.`,
    });
}

/** The answer; `heading` stands before its text, inside the budget. */
export function assemble(
  session: Session,
  { parts, account: found }: Gathered,
  budget: Budget,
  heading: string,
): FileExtractionResult {
  const texts = parts.filter((part): part is TextPart => part.kind === 'text');
  invisible(texts, session.warnings);
  const account: Account = { ...found, warnings: session.warnings };
  const partial = account.omitted.length > 0 || account.cellsCut > 0 || account.next !== null;
  const text = heading + render(texts, account, budget);
  const shownTokens = partial ? budget.count(texts.map((part) => part.text).join('')) : 0;
  const truncation: Truncation | null = partial
    ? {
        shown: account.shown,
        omitted: account.omitted,
        ...(account.cellsCut > 0 && { cellsCut: account.cellsCut }),
        tokens: { shown: shownTokens, total: null },
        next: account.next && {
          cursor: account.next.cursor,
          ...(account.next.request && { request: account.next.request }),
        },
      }
    : null;
  if (partial)
    session.warnings.unshift({
      code: 'TRUNCATED',
      message: (truncationNotes(account)[0] ?? '').slice(1, -1),
    });
  const { processor } = session;
  return {
    success: true,
    fileType: fileTypeOf(session),
    processor: processor.name,
    text,
    content: parts.filter((part) => !isCaption(part)).map(toContent),
    truncation,
    metadata: metadataOf(session),
    warnings: session.warnings,
  };
}

/** A textual file keeps its type when it is read as plain text. */
export function fileTypeOf({ processor, detected }: Session): FileType {
  return detected.processor.textual && processor.name === 'text'
    ? detected.processor.fileType
    : processor.fileType;
}

/** Words about a picture or a recording: for the model's eyes, no content of the file. */
function isCaption(part: Part): boolean {
  return part.kind === 'text' && part.text === '' && part.shown.length === 0;
}

function toContent(part: TextPart | MediaPart): ContentPart {
  return part.kind === 'text'
    ? { kind: 'text', text: part.text, at: part.shown }
    : { kind: 'binary', data: part.data, mimeType: part.mimeType, at: part.shown };
}

/** What is known of the file, from its opening and from its format. */
export function metadataOf(session: Session): Metadata {
  const { entered, detected } = session;
  const { name, bytes, modified } = entered;
  return {
    name,
    bytes,
    ...(modified && { modified: modified.toISOString() }),
    mimeType: detected.mimeType,
    ...(session.encoding && { encoding: session.encoding }),
    ...session.facts,
  };
}

/** Characters that change what a person or a model thinks it reads without showing themselves (Trojan Source, tags). */
const HIDDEN = /[\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu;
const ESCAPES = new RegExp(String.fromCharCode(27), 'g');

function invisible(parts: readonly TextPart[], warnings: Warning[]): void {
  let hidden = 0;
  let escapes = 0;
  for (const { text } of parts) {
    hidden += text.match(HIDDEN)?.length ?? 0;
    escapes += text.match(ESCAPES)?.length ?? 0;
  }
  const found = [
    ...(hidden > 0 ? [`${hidden} invisible direction or tag characters`] : []),
    ...(escapes > 0 ? [`${escapes} terminal escape sequences`] : []),
  ];
  if (found.length > 0)
    warnings.push({
      code: 'INVISIBLE_CHARACTERS',
      message: `The text shown holds ${found.join(' and ')}; they are kept as they are.`,
    });
}
