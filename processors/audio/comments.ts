// Vorbis comments (xiph.org): the tags of Ogg and FLAC files.

import { safeCut } from '../../src/contract/index.ts';
import type { Tags } from './recording.ts';

const MAX_COMMENTS = 500;
const MAX_VALUE = 2000;

/** Names that are shown as facts of their own, and pictures. */
const NOT_OTHER = new Set([
  ...['title', 'artist', 'album', 'date', 'year', 'tracknumber'],
  ...['metadata_block_picture', 'coverart', 'coverartmime'],
]);

/**
 * Parses the tags in `bytes`, which start at the vendor length, up to the first incomplete one. Several tags with the
 * same name are one.
 */
export function readComments(bytes: Uint8Array): Tags {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const found = new Map<string, string>();
  if (bytes.length < 8) return {};
  let at = 4 + view.getUint32(0, true);
  if (at + 4 > bytes.length) return {};
  const count = Math.min(view.getUint32(at, true), MAX_COMMENTS);
  at += 4;
  for (let i = 0; i < count && at + 4 <= bytes.length; i += 1) {
    const length = view.getUint32(at, true);
    at += 4;
    if (at + length > bytes.length) break;
    const text = new TextDecoder().decode(bytes.subarray(at, at + Math.min(length, MAX_VALUE)));
    const [name = '', ...value] = text.split('=');
    const before = found.get(name.toLowerCase());
    found.set(name.toLowerCase(), `${before === undefined ? '' : `${before}; `}${value.join('=')}`);
    at += length;
  }
  return tagsFrom({
    title: found.get('title'),
    artist: found.get('artist'),
    album: found.get('album'),
    year: Number.parseInt(found.get('date') ?? found.get('year') ?? '', 10),
    track: Number.parseInt(found.get('tracknumber') ?? '', 10),
    other: [...found].filter(([name]) => !NOT_OTHER.has(name)),
  });
}

const MAX_TAG_CHARACTERS = 200;
/** Maximum other tags. */
const MAX_OTHER = 20;
const MAX_NAME = 40;
/** These come first. */
const FIRST = ['genre', 'albumartist', 'composer', 'comment', 'description', 'copyright', 'lyrics'];

/** Reduces tags to short single lines, with a mark where one is cut; empty and non-numeric values are dropped. */
export function tagsFrom(raw: {
  readonly title?: string | undefined;
  readonly artist?: string | undefined;
  readonly album?: string | undefined;
  readonly year?: number | null | undefined;
  readonly track?: number | null | undefined;
  readonly other?: readonly (readonly [name: string, value: string | undefined])[] | undefined;
}): Tags {
  const { title, artist, album, year, track } = raw;
  const words = (text: string | undefined): string => {
    const line = (text ?? '').replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
    return line.length > MAX_TAG_CHARACTERS
      ? `${line.slice(0, safeCut(line, MAX_TAG_CHARACTERS))}\u2026`
      : line;
  };
  const other = (raw.other ?? [])
    .map(([name, value]) => [words(name).toLowerCase().slice(0, MAX_NAME), words(value)] as const)
    // The program that encoded the sound says nothing about it.
    .filter(([name, value]) => name !== '' && value !== '' && !/^encod/.test(name));
  const place = ([name]: readonly [string, string]): number => (FIRST.indexOf(name) + 99) % 99;
  const sorted = other.sort((a, b) => place(a) - place(b));
  const left = sorted.slice(MAX_OTHER).map(([name]) => name);
  const shown = Object.fromEntries([
    ...sorted.slice(0, MAX_OTHER),
    ...(left.length > 0 ? [['not shown', words(left.join(', '))]] : []),
  ]);
  const number = (value: number | null | undefined, most: number): value is number =>
    typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value <= most;
  return {
    ...(words(title) !== '' && { title: words(title) }),
    ...(words(artist) !== '' && { artist: words(artist) }),
    ...(words(album) !== '' && { album: words(album) }),
    ...(number(year, 9999) && { year }),
    ...(number(track, 9999) && { track }),
    ...(other.length > 0 && { otherTags: shown }),
  };
}
