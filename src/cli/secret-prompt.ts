// Asks a person at a terminal for a secret, which the terminal does not show.

import { StringDecoder } from 'node:string_decoder';
import { ReaderError } from '../index.ts';

/** The part of a terminal's input that this needs. */
export type SecretInput = NodeJS.ReadableStream & {
  readonly isTTY?: boolean;
  setRawMode?(mode: boolean): unknown;
};

const MAX_SECRET = 1024;

/**
 * Resolves to the line that was typed. The mode of the terminal is restored in every case.
 * @throws {ReaderError} ABORTED after Ctrl-C, at the end of the input, and if `signal` aborts
 */
export function askSecret(
  input: SecretInput,
  write: (text: string) => void,
  prompt: string,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const decoder = new StringDecoder('utf8');
    let typed: string[] = [];
    const end = (): void => {
      input.off('data', take).off('end', cancel);
      signal.removeEventListener('abort', cancel);
      input.setRawMode?.(false);
      input.pause();
      write('\n');
    };
    const cancel = (): void => {
      end();
      reject(new ReaderError('ABORTED', 'No password was typed.', 'Call again.'));
    };
    const take = (data: string | Buffer): void => {
      for (const character of typeof data === 'string' ? data : decoder.write(data)) {
        if (character === '\r' || character === '\n') {
          end();
          resolve(typed.join(''));
          return;
        }
        if (character === CTRL_C || character === CTRL_D) {
          cancel();
          return;
        }
        if (ERASE.has(character)) typed.pop();
        else if (character === CTRL_U) typed = [];
        else if (typed.length < MAX_SECRET) typed.push(character);
      }
    };
    write(prompt);
    if (signal.aborted) {
      cancel();
      return;
    }
    // The terminal then echoes nothing, and sends Ctrl-C as a character.
    input.setRawMode?.(true);
    signal.addEventListener('abort', cancel, { once: true });
    input.on('data', take).on('end', cancel);
    input.resume();
  });
}

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_U = '\u0015';
const ERASE: ReadonlySet<string> = new Set(['\u007f', '\b']);
