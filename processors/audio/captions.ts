// Captions for recordings: kind, tags and clips.

import {
  type MimeType,
  type Part,
  type ProcessContext,
  plural,
  type Source,
} from '../../src/contract/index.ts';
import { type Clip, CONTAINER_NAMES, type Recording } from './recording.ts';

export const round = (value: number, digits: number): number => Number(value.toFixed(digits));

/** Writes the captions of a recording within the budget. */
export class Captions {
  readonly #context: ProcessContext;
  readonly #recording: Recording;
  readonly #size: number;
  #said = '';
  #clips: Clip[] = [];

  constructor(context: ProcessContext, recording: Recording, source: Source) {
    this.#context = context;
    this.#recording = recording;
    this.#size = source.size;
  }

  /** The line about the file, as detailed as fits. */
  *opening(ending: string): Generator<Part> {
    const { seconds, codec, sampleRate, channels, video, tags, container } = this.#recording;
    const layer3 = container === 'mp3' && codec?.endsWith('Layer III');
    const kind = `${layer3 ? 'MP3' : CONTAINER_NAMES[container]} ${video ? 'video' : 'recording'}`;
    const length = seconds === undefined ? '' : `, ${round(seconds, 1)} s`;
    const size = video?.width && video.height ? `, ${video.width} x ${video.height} pixels` : '';
    const sound = [
      video?.codec,
      codec,
      sampleRate === undefined ? undefined : `${sampleRate} Hz`,
      channels === undefined ? undefined : plural(channels, 'channel'),
      plural(this.#size, 'byte'),
    ].filter((word) => word !== undefined);
    const { title, artist, album, year, track, otherTags = {} } = tags ?? {};
    const listed = (facts: Readonly<Record<string, string | number | undefined>>): string =>
      Object.entries(facts)
        .map(([name, value]) => (value === undefined ? '' : ` ${name}: ${value}.`))
        .join('');
    const named = listed({ Title: title, Artist: artist });
    const more = listed({ Album: album, Year: year, Track: track });
    const other = Object.entries(otherTags).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
    const others = other.length === 0 ? '' : ` Other tags: ${other.join(', ')}.`;
    const names = other.length === 0 ? '' : ` Other tags: ${Object.keys(otherTags).join(', ')}.`;
    const last = ending === '' ? '' : ` ${ending}`;
    const full = `${kind}${length}${size}, ${sound.join(', ')}.`;
    yield* this.#say([
      `${full}${named}${more}${others}${last}`,
      `${full}${named}${more}${names}${last}`,
      `${full}${named}${last}`,
      `${full}${last}`,
      `${kind}${length}.`,
      `${kind}.`,
    ]);
  }

  add(clip: Clip): void {
    this.#clips.push(clip);
  }

  /** A line about the clips that follow, also stored in `metadata`. */
  *clips(): Generator<Part> {
    const given = this.#clips.map(({ data, mimeType, from, to, plays = to - from }) => ({
      mimeType,
      from: round(from, 3),
      to: round(to, 3),
      duration: round(plays, 3),
      bytes: data.length,
    }));
    this.#context.describe({ samples: given });
    const list = given.map(({ from, to, mimeType }) => `${from}-${to} s as ${typeOf(mimeType)}`).join(', ');
    yield* this.#say([`Given: ${list}.`]);
  }

  *#say(forms: readonly string[]): Generator<Part> {
    const { budget } = this.#context;
    for (const form of forms) {
      const line = `${form}\n`;
      if (!budget.fits(this.#said + line, budget.tokensBesideNotes, budget.charactersBesideNotes)) continue;
      this.#said += line;
      yield { kind: 'text', text: '', view: line, shown: [] };
      return;
    }
  }
}

/** `WAV` for `audio/wav`. */
const typeOf = (mimeType: MimeType): string => {
  const type = (mimeType.split('/')[1] ?? '').replace(/^x-/, '');
  return type === 'mpeg'
    ? 'MPEG audio'
    : type === 'basic'
      ? 'AU'
      : type === 'ogg'
        ? 'Ogg'
        : type.toUpperCase();
};
