// An answer parted for a host: its text, the media the host's models take, and a word about each that they do not.

import { named, OWN, plural, ReaderError } from '../contract/index.ts';
import type { ToolAnswer } from './tool.ts';

/** Pictures that Anthropic, OpenAI and Gemini all take in what a tool gives back (their API references, November 2026). */
export const PICTURES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** A picture or recording as hosts write it: JSON-safe. */
export interface HostMedia {
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  /** Of the file. */
  readonly name: string;
}

/** What a host makes its message of. */
export interface HostAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly media: readonly HostMedia[];
}

/** What an adapter may be told of the model behind it. */
export interface MediaOptions {
  /**
   * MIME types that the model takes in what a tool gives back: `image/png`, `audio/*`. Default: PNG, JPEG, GIF and WebP. A
   * part of another type is told in words, since a provider would refuse it now and in every later turn.
   */
  readonly accepts?: readonly string[];
}

/** Parts `answer`; what `takes` refuses is named in the text. */
export function hostAnswer(answer: ToolAnswer, takes: (mimeType: string) => boolean): HostAnswer {
  let text = '';
  const media: HostMedia[] = [];
  for (const part of answer.parts) {
    if (part.kind === 'text') text += part.text;
    else if (takes(part.mimeType))
      media.push({ data: base64(part.data), mimeType: part.mimeType, name: part.name });
    else text += notGiven(part);
  }
  return { isError: answer.isError, text, media };
}

/** Whether a type is one of `accepts`, where `audio/*` stands for all of a kind. */
export function accepting(accepts: readonly string[] = PICTURES): (mimeType: string) => boolean {
  return (mimeType) =>
    accepts.some((type) =>
      type.endsWith('/*') ? mimeType.startsWith(type.slice(0, -1)) : type === mimeType,
    );
}

function notGiven({ name, mimeType, data }: { name: string; mimeType: string; data: Uint8Array }): string {
  return `\n${OWN.note}${named(name)} (${mimeType}, ${plural(data.length, 'byte')}) is not given here: the model does not take that kind from a tool.]\n`;
}

function base64(data: Uint8Array): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
}

/** `data:image/png;base64,...`. */
export function dataUrl({ data, mimeType }: HostMedia): string {
  return `data:${mimeType};base64,${data}`;
}

/** A package that only its host's users have. @throws {ReaderError} MISSING_DEPENDENCY */
export async function peer<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw new ReaderError(
      'MISSING_DEPENDENCY',
      `The package \`${name}\` is not installed.`,
      `Install it: \`npm install ${name}\`.`,
      error,
    );
  }
}
