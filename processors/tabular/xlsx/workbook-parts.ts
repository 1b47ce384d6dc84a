// Reads the small parts of a workbook: sheet list, relationships, notes and threaded comments.

import { StringDecoder } from 'node:string_decoder';
import type { ProcessContext } from '../../../src/contract/index.ts';
import { gathered, XmlWalk, type ZipEntry, type ZipFile } from '../../../src/package/index.ts';
import type { Comment } from '../book/remarks.ts';
import { MAX_NAME_LENGTH, MAX_PART_BYTES, MAX_SHEETS, type SheetEntry } from './sheet-entry.ts';
import { runText } from './text-run.ts';

export interface Relation {
  readonly type: string;
  /** The part; `''` if it is outside the package. */
  readonly target: string;
  /** The address of a target outside, which is shown and never fetched. */
  readonly address: string | undefined;
}

/** Parts are UTF-8 or UTF-16 (Open Packaging Conventions, annex on XML); a byte order mark indicates UTF-16. */
export async function* utf8Pieces(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let decoder: StringDecoder | undefined;
  let first = true;
  let swap = false;
  let odd: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    let bytes = piece;
    if (first) {
      first = false;
      const mark = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0;
      swap = mark === 0xfeff;
      if (swap || mark === 0xfffe) {
        decoder = new StringDecoder('utf16le');
        bytes = bytes.subarray(2);
      }
    }
    if (!decoder) {
      yield bytes;
      continue;
    }
    if (swap) {
      bytes = Buffer.concat([odd, bytes]);
      const even = bytes.length - (bytes.length % 2);
      odd = bytes.subarray(even);
      bytes = Buffer.from(bytes.subarray(0, even)).swap16();
    }
    yield Buffer.from(decoder.write(bytes), 'utf8');
  }
}

export async function readPart(zip: ZipFile, entry: ZipEntry, context: ProcessContext): Promise<string> {
  const pieces = utf8Pieces(zip.inflate(entry, context.signal));
  return (await gathered(pieces, entry, MAX_PART_BYTES)).toString('utf8');
}

/** The relationships of a part by id, with the last segment of their type. */
export async function relationsOf(
  zip: ZipFile,
  part: string,
  context: ProcessContext,
): Promise<ReadonlyMap<string, Relation>> {
  const cut = part.lastIndexOf('/') + 1;
  const folder = part.slice(0, cut);
  const entry = zip.get(`${folder}_rels/${part.slice(cut)}.rels`);
  const relations = new Map<string, Relation>();
  if (!entry) return relations;
  const walk = new XmlWalk(await readPart(zip, entry, context));
  while (walk.next()) {
    if (walk.kind !== 'open' || walk.name !== 'Relationship') continue;
    const isExternal = walk.attribute('TargetMode')?.toLowerCase() === 'external';
    const target = walk.attribute('Target') ?? '';
    const type = walk.attribute('Type') ?? '';
    relations.set(walk.attribute('Id') ?? '', {
      type: type.slice(type.lastIndexOf('/') + 1),
      target: isExternal ? '' : resolveTarget(folder, target),
      address: isExternal ? target : undefined,
    });
  }
  return relations;
}

function resolveTarget(folder: string, target: string): string {
  const path = target.replaceAll('\\', '/');
  const steps = path.startsWith('/') ? [] : folder.split('/').slice(0, -1);
  for (const step of path.split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}

export function partOf(
  zip: ZipFile,
  relations: ReadonlyMap<string, Relation>,
  type: string,
): string | undefined {
  for (const relation of relations.values())
    if (relation.type === type && zip.get(relation.target)) return relation.target;
  return undefined;
}

export function readBook(
  xml: string,
  zip: ZipFile,
  relations: ReadonlyMap<string, Relation>,
  base: string,
): { readonly sheets: readonly SheetEntry[]; readonly date1904: boolean } {
  const sheets: SheetEntry[] = [];
  let date1904 = false;
  const walk = new XmlWalk(xml);
  while (walk.next()) {
    if (walk.kind !== 'open') continue;
    if (walk.name === 'workbookPr') date1904 = /^(?:1|true|on)$/.test(walk.attribute('date1904') ?? '');
    if (walk.name !== 'sheet' || sheets.length >= MAX_SHEETS) continue;
    const state = walk.attribute('state');
    const relation = relations.get(walk.attribute('id') ?? '');
    const target = relation?.target ?? `${base}worksheets/sheet${sheets.length + 1}.xml`;
    const type = relation?.type ?? 'worksheet';
    sheets.push({
      name: (walk.attribute('name') ?? `Sheet${sheets.length + 1}`).slice(0, MAX_NAME_LENGTH),
      state: state === 'hidden' || state === 'veryHidden' ? state : 'visible',
      kind:
        type === 'chartsheet' || type === 'dialogsheet'
          ? type
          : /macrosheet$/i.test(type)
            ? 'macrosheet'
            : 'worksheet',
      part: zip.get(target)?.name,
    });
  }
  return { sheets, date1904 };
}

export function readNotes(xml: string): Comment[] {
  const authors: string[] = [];
  const comments: Comment[] = [];
  for (const [, author = ''] of xml.matchAll(/<(?:\w+:)?author(?:\s[^<>]*)?>([^<]*)</g))
    authors.push(runText(`<t>${author}</t>`));
  for (const piece of xml.split(/<(?:\w+:)?comment(?=\s)/).slice(1)) {
    const walk = new XmlWalk(`<comment${piece}`);
    if (!walk.next()) continue;
    const cell = walk.attribute('ref') ?? '';
    const author = authors[Number(walk.attribute('authorId') ?? -1)] ?? '';
    comments.push({ cell, author, text: runText(piece.slice(piece.indexOf('>') + 1)).trim() });
  }
  return comments;
}

export function readThreads(xml: string, people: ReadonlyMap<string, string>): Comment[] {
  const comments: Comment[] = [];
  const walk = new XmlWalk(xml);
  let open: { cell: string; author: string; text: string } | undefined;
  let inText = false;
  while (walk.next()) {
    if (walk.kind === 'text') {
      if (open && inText) open.text += walk.text;
    } else if (walk.name === 'text') inText = walk.kind === 'open' && !walk.empty;
    else if (walk.name === 'threadedComment' && walk.kind === 'open')
      open = {
        cell: walk.attribute('ref') ?? '',
        author: people.get(walk.attribute('personId') ?? '') ?? '',
        text: '',
      };
    else if (walk.name === 'threadedComment' && open) {
      comments.push(open);
      open = undefined;
    }
  }
  return comments;
}

export async function* nothing(): AsyncGenerator<Buffer, void, undefined> {}
