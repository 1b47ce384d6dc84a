// Matroska tags (RFC 9559, 5.1.8, and the tag registry): those of the recording, not of its chapters.

import type { Bytes } from '../../../src/contract/index.ts';
import type { SourceBytes } from '../bytes.ts';
import type { tagsFrom } from '../comments.ts';
import { type Element, elements, unsigned, words } from './ebml.ts';

const SEEK = 0x4dbb;
const SEEK_ID = 0x53ab;
const SEEK_POSITION = 0x53ac;
const TAGS = 0x1254c367;
const TAG = 0x7373;
const TARGETS = 0x63c0;
const TARGET_TYPE = 0x68ca;
const SIMPLE_TAG = 0x67c8;
const TAG_NAME = 0x45a3;
const TAG_STRING = 0x4487;

/** Target types: album or film, and track or chapter. */
const ALBUM = 50;
const TRACK = 30;
const MAX_TAGS = 500;

/** Facts of their own, and what programs count. */
const NOT_OTHER =
  /^(?:TITLE|ARTIST|ALBUM|DATE|DATE_RECORDED|DATE_RELEASED|PART_NUMBER|TRACK|BPS|DURATION|NUMBER_OF_.*|_STATISTICS_.*)$/;

export type MatroskaTags = Parameters<typeof tagsFrom>[0];

/** The first tag of a name counts; track tags take precedence over album tags. */
export async function readTags(bytes: SourceBytes, list: Element): Promise<MatroskaTags> {
  const values = new Map<string, string>();
  let count = 0;
  for await (const tag of elements(bytes, list.content, list.end)) {
    if (tag.id !== TAG) continue;
    let target: number | undefined;
    for await (const part of elements(bytes, tag.content, tag.end)) {
      if (part.id === TARGETS)
        for await (const field of elements(bytes, part.content, part.end))
          if (field.id === TARGET_TYPE) target = await unsigned(bytes, field);
      if (part.id !== SIMPLE_TAG || ++count > MAX_TAGS) continue;
      const [name, value] = await nameAndValue(bytes, part);
      for (const key of [`${target ?? ''} ${name}`, name]) if (!values.has(key)) values.set(key, value);
    }
  }
  const get = (...names: readonly string[]): string | undefined =>
    names.map((name) => values.get(name)).find((value) => value !== undefined);
  return {
    title: get(`${TRACK} TITLE`, ' TITLE'),
    artist: get(`${TRACK} ARTIST`, 'ARTIST'),
    album: get(`${ALBUM} TITLE`, 'ALBUM'),
    year: Number.parseInt(get('DATE_RECORDED', 'DATE_RELEASED', 'DATE') ?? '', 10),
    track: Number.parseInt(get(`${TRACK} PART_NUMBER`, ' PART_NUMBER', 'TRACK') ?? '', 10),
    // Names alone; those with a target repeat them.
    other: [...values].filter(([name]) => !name.includes(' ') && !NOT_OTHER.test(name)),
  };
}

async function nameAndValue(bytes: SourceBytes, tag: Element): Promise<[name: string, value: string]> {
  let name = '';
  let value = '';
  for await (const field of elements(bytes, tag.content, tag.end)) {
    if (field.id === TAG_NAME) name = (await words(bytes, field)).toUpperCase();
    if (field.id === TAG_STRING) value = await words(bytes, field);
  }
  return [name, value];
}

/** Position of the tags according to the index (`SeekHead`), in bytes from the start of the segment's content. */
export async function tagsPosition(bytes: SourceBytes, index: Element): Promise<Bytes | undefined> {
  for await (const seek of elements(bytes, index.content, index.end)) {
    if (seek.id !== SEEK) continue;
    let id = 0;
    let position: Bytes | undefined;
    for await (const field of elements(bytes, seek.content, seek.end)) {
      if (field.id === SEEK_ID) id = await unsigned(bytes, field);
      if (field.id === SEEK_POSITION) position = await unsigned(bytes, field);
    }
    if (id === TAGS) return position;
  }
  return undefined;
}
