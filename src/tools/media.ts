// Splits an answer for a host: its text, the media the model accepts, and a note about each part it does not.

import { named, OWN, plural } from '../contract/index.ts';
import type { ToolAnswer } from './tool.ts';

/** Picture types accepted in tool results by Anthropic, OpenAI and Gemini (their API references, November 2026). */
export const PICTURES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** A picture or recording in a JSON-safe form. */
export interface HostMedia {
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  /** Name of the file. */
  readonly name: string;
}

/** What a host builds its message from. */
export interface HostAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly media: readonly HostMedia[];
}

/** Options about the model behind an adapter. */
export interface MediaOptions {
  /**
   * MIME types the model accepts in tool results: `image/png`, `audio/*`. Default: PNG, JPEG, GIF and WebP. Other parts
   * are described in text, since a provider would reject them in this and every later turn.
   */
  readonly accepts?: readonly string[];
}

/** Splits `answer`; parts rejected by `takes` are named in the text. */
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

/** Whether a type is in `accepts`, where `audio/*` matches all audio types. */
export function accepting(accepts: readonly string[] = PICTURES): (mimeType: string) => boolean {
  return (mimeType) =>
    accepts.some((type) =>
      type.endsWith('/*') ? mimeType.startsWith(type.slice(0, -1)) : type === mimeType,
    );
}

function notGiven({ name, mimeType, data }: { name: string; mimeType: string; data: Uint8Array }): string {
  return `\n${OWN.note}${named(name)} (${mimeType}, ${plural(data.length, 'byte')}) is not included: the model does not accept this type from a tool.]\n`;
}

function base64(data: Uint8Array): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
}

/** `data:image/png;base64,...`. */
export function dataUrl({ data, mimeType }: HostMedia): string {
  return `data:${mimeType};base64,${data}`;
}
