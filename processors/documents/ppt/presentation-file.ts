// An opened presentation of PowerPoint 97-2003: its slides in order, and what they refer to: notes, masters, links.

import { cannotDecrypt, ReaderError } from '../../../src/contract/index.ts';
import type { CompoundFile } from '../../../src/package/index.ts';
import { i32, u32, utf16 } from '../office97/bytes.ts';
import { type ArtRecord, childOf, recordsIn } from '../office97/records.ts';
import { openStreams } from '../office97/streams.ts';
import { PersistDirectory } from './persist.ts';
import { RECORD } from './record-types.ts';

/** A slide, and its texts that stand in the list of slides rather than in its shapes. */
export interface ListedSlide {
  readonly record: ArtRecord | undefined;
  /** Each text as its records. */
  readonly texts: readonly (readonly ArtRecord[])[];
}

const MAX_SLIDES = 20_000;
const MAX_ENTRIES = 100_000;
const MAX_LENGTH = 2000;
/** Instances of the list of slides ([MS-PPT] 2.4.14). */
const SLIDES = 0;
const MASTERS = 1;
const NOTES = 2;
/** The token of an encrypted file ([MS-PPT] 2.3.2). */
const ENCRYPTED = 0xf3d1c4df;

export class PresentationFile {
  readonly compound: CompoundFile;
  /** The stream with all records. */
  readonly bytes: Buffer;
  readonly slides: readonly ListedSlide[];
  /** In master units, 576 per inch. */
  readonly size: { readonly width: number; readonly height: number };
  /** True if slides were searched for, because the list of slides is damaged. */
  readonly isSearched: boolean;
  readonly document: ArtRecord | undefined;
  readonly hasMacros: boolean;
  /** Number of pictures, each stored once. */
  readonly pictures: number;
  readonly #links = new Map<number, string>();
  readonly #objects = new Map<number, string>();
  /** Notes pages by slide id, and by the number of their slide. */
  readonly #notes = new Map<number, ArtRecord>();
  readonly #notesOf = new Map<number, ArtRecord>();
  readonly #masters = new Map<number, ArtRecord>();

  /** @throws {ReaderError} CORRUPT_FILE, ENCRYPTED_FILE; NotThisFormat */
  constructor(bytes: Uint8Array) {
    const { compound, stream } = openStreams(bytes, 'PowerPoint Document', 'a PowerPoint presentation');
    this.compound = compound;
    this.bytes = stream('PowerPoint Document');
    const user = stream('Current User');
    this.pictures = [...recordsIn(stream('Pictures'))].filter(({ type }) => isPicture(type)).length;
    const persist = new PersistDirectory(this.bytes, u32(user, 16));
    if (persist.isEncrypted || u32(user, 12) === ENCRYPTED)
      throw cannotDecrypt('The presentation is protected with a password.');
    const document = persist.get(persist.document);
    this.document = document?.type === RECORD.document ? document : this.#first(RECORD.document);
    this.hasMacros = this.document !== undefined && hasMacros(this.bytes, this.document);
    const head = this.document && childOf(this.bytes, this.document, RECORD.documentHead);
    const width = head ? i32(this.bytes, head.from) : 0;
    const height = head ? i32(this.bytes, head.from + 4) : 0;
    this.size = width > 0 && height > 0 ? { width, height } : { width: 5760, height: 4320 };
    const slides = this.document ? this.#lists(this.document, persist) : [];
    this.isSearched = !slides.some(({ record }) => record !== undefined);
    this.slides = this.isSearched ? this.#searched() : slides;
    this.#assignNotes();
    if (!this.document && this.slides.length === 0)
      throw new ReaderError(
        'CORRUPT_FILE',
        'The presentation has no readable slides.',
        'Open the file in the program that made it and save it again.',
      );
    if (this.document) this.#readLinks(this.document);
  }

  /** The target of a link. */
  link(id: number): string | undefined {
    return this.#links.get(id);
  }

  /** The program of an embedded object. */
  object(id: number): string | undefined {
    return this.#objects.get(id);
  }

  /** The notes of slide `number`; a notes page belongs to one slide. */
  notes(number: number): ArtRecord | undefined {
    return this.#notesOf.get(number);
  }

  /** The master with that slide id. */
  master(id: number): ArtRecord | undefined {
    return this.#masters.get(id);
  }

  #lists(document: ArtRecord, persist: PersistDirectory): ListedSlide[] {
    const slides: ListedSlide[] = [];
    const used = new Set<number>();
    // Objects do not overlap, so that they are not longer than the stream together.
    let room = this.bytes.length;
    for (const list of recordsIn(this.bytes, document.from, document.to)) {
      if (list.type !== RECORD.slideList) continue;
      let texts: ArtRecord[][] = [];
      for (const record of recordsIn(this.bytes, list.from, list.to)) {
        if (record.type !== RECORD.slidePersist) {
          if (record.type === RECORD.textHead) texts.push([]);
          texts.at(-1)?.push(record);
          continue;
        }
        const stated = persist.get(u32(this.bytes, record.from));
        const isNew = stated !== undefined && !used.has(stated.from) && stated.to - stated.from <= room;
        // An object that several entries refer to is shown once.
        const found = isNew ? stated : undefined;
        if (found) {
          used.add(found.from);
          room -= found.to - found.from;
        }
        const id = u32(this.bytes, record.from + 12);
        if (list.instance === NOTES && found?.type === RECORD.notes) this.#notes.set(id, found);
        else if (list.instance === MASTERS && found) this.#masters.set(id, found);
        if (list.instance !== SLIDES || slides.length >= MAX_SLIDES) continue;
        texts = [];
        slides.push({ record: found?.type === RECORD.slide ? found : undefined, texts });
      }
    }
    return slides;
  }

  #assignNotes(): void {
    for (const [index, { record }] of this.slides.entries()) {
      const head = record && childOf(this.bytes, record, RECORD.slideHead);
      const id = head ? u32(this.bytes, head.from + 16) : 0;
      const notes = this.#notes.get(id);
      if (notes) this.#notesOf.set(index + 1, notes);
      this.#notes.delete(id);
    }
  }

  #first(type: number): ArtRecord | undefined {
    for (const record of recordsIn(this.bytes)) if (record.type === type) return record;
    return undefined;
  }

  #searched(): ListedSlide[] {
    const slides: ListedSlide[] = [];
    for (const record of recordsIn(this.bytes))
      if (record.type === RECORD.slide && slides.length < MAX_SLIDES) slides.push({ record, texts: [] });
    return slides;
  }

  /** [MS-PPT] 2.10.1, ExObjListContainer. */
  #readLinks(document: ArtRecord): void {
    const list = childOf(this.bytes, document, RECORD.links);
    if (!list) return;
    for (const record of recordsIn(this.bytes, list.from, list.to)) {
      if (this.#links.size + this.#objects.size >= MAX_ENTRIES) break;
      if (record.type === RECORD.link) {
        const head = childOf(this.bytes, record, RECORD.linkHead);
        // 1 is the target, 3 a place in it; a target inside the presentation has no address.
        const target = stringOf(this.bytes, record, 1);
        if (head && target !== '' && !target.startsWith('#'))
          this.#links.set(u32(this.bytes, head.from), target);
      } else if (record.type === RECORD.embeddedObject) {
        const head = childOf(this.bytes, record, RECORD.objectHead);
        const program = stringOf(this.bytes, record, 2) || stringOf(this.bytes, record, 1);
        if (head && program !== '') this.#objects.set(u32(this.bytes, head.from + 8), program);
      }
    }
  }
}

/** True for the record of a picture in one of its formats ([MS-ODRAW] 2.2.23). */
const isPicture = (type: number): boolean => type >= 0xf01a && type <= 0xf117;

/** The string with that instance inside a container. */
export function stringOf(bytes: Buffer, parent: ArtRecord, instance: number): string {
  for (const record of recordsIn(bytes, parent.from, parent.to))
    if (record.type === RECORD.string && record.instance === instance)
      return utf16(bytes, record.from, Math.min(MAX_LENGTH, (record.to - record.from) >> 1));
  return '';
}

/** True if the list of document information refers to a macro project ([MS-PPT] 2.4.10, VBAInfoContainer). */
function hasMacros(bytes: Buffer, document: ArtRecord): boolean {
  const information = childOf(bytes, document, 0x07d0);
  const macros = information && childOf(bytes, information, 0x03ff);
  const head = macros && childOf(bytes, macros, 0x0400);
  return head !== undefined && u32(bytes, head.from + 4) !== 0;
}
