// Minimal stand-ins for the browser classes pdf.js expects. They store and draw nothing, so that text, lines and
// picture positions can be read without a canvas and without decoding pictures.

import { inflateSync } from 'node:zlib';

/** A matrix that stores its six numbers and never computes; pdf.js creates some on import and while reading. */
export class StillMatrix {
  a = 1;
  b = 0;
  c = 0;
  d = 1;
  e = 0;
  f = 0;

  constructor(values: readonly number[] = []) {
    const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = values;
    Object.assign(this, { a, b, c, d, e, f });
  }

  readonly translate = (): this => this;
  readonly scale: () => this = this.translate;
  readonly translateSelf: () => this = this.translate;
  readonly scaleSelf: () => this = this.translate;
  readonly multiplySelf: () => this = this.translate;
  readonly preMultiplySelf: () => this = this.translate;
  readonly invertSelf: () => this = this.translate;
}

export class StillPath {
  addPath(): void {}
  moveTo(): void {}
  lineTo(): void {}
  bezierCurveTo(): void {}
  quadraticCurveTo(): void {}
  closePath(): void {}
  rect(): void {}
}

export class StillImage {}

/** A font face that is ready immediately: fonts are read for metrics and names, never drawn. */
export class StillFace {
  readonly loaded: Promise<void> = Promise.resolve();
  load(): Promise<void> {
    return this.loaded;
  }
}

export const STILL_DOCUMENT = { fonts: { add(): void {}, delete(): void {} } };

/** Enough for the blocks of a JPEG component of a thumbnail. */
const MOST_SHORTS = 65_536;

/**
 * An `Int16Array` that rejects large sizes. In text extraction only pdf.js's JPEG decoder allocates large ones: it
 * fails at once, and the picture's position is known without decoding.
 */
export const SmallShorts: Int16ArrayConstructor = new Proxy(Int16Array, {
  construct(target, args: readonly unknown[]): Int16Array {
    const [first] = args;
    if (typeof first === 'number' && first > MOST_SHORTS) throw new RangeError('not decoded for layout');
    return Reflect.construct(target, args);
  },
});

interface OperatorMessage {
  readonly chunk: { readonly fnArray: readonly unknown[]; readonly argsArray: readonly unknown[] };
}

function hasOperators(message: unknown): message is OperatorMessage {
  const chunk = message instanceof Object && 'chunk' in message ? message.chunk : undefined;
  return chunk instanceof Object && 'fnArray' in chunk && 'argsArray' in chunk;
}

const cloned = structuredClone;

/**
 * A `structuredClone` for the messages that pdf.js sends inside one thread. The operators of a page are passed on without
 * a copy, which takes a tenth of the time of a page: their sender keeps and empties only the two lists.
 */
export function clonedMessage(message: unknown, options?: Parameters<typeof structuredClone>[1]): unknown {
  if (!hasOperators(message)) return cloned(message, options);
  const { chunk } = message;
  return { ...message, chunk: { ...chunk, fnArray: [...chunk.fnArray], argsArray: [...chunk.argsArray] } };
}

/** Passes on the bytes of a JPEG in place of its pixels. */
export class PassingDecoder {
  readonly #image: ArrayBuffer;

  constructor({ data }: { readonly data: Uint8Array }) {
    this.#image = new Uint8Array(data).buffer;
  }
  static isTypeSupported(): Promise<boolean> {
    return Promise.resolve(true);
  }
  decode(): Promise<{ readonly image: ArrayBuffer }> {
    return Promise.resolve({ image: this.#image });
  }
  close(): void {}
}

/** pdf.js looks at its prototype, and uses it only to write files; the real one takes 30 ms to load. */
export class StillResponse {
  bytes(): Promise<never> {
    return Promise.reject(new TypeError('not supported'));
  }
}

/** Longer streams are left to pdf.js's own decoder, which decompresses them gradually until its time is up. */
const MOST_INFLATED = 256 * 1024 * 1024;

/**
 * A `DecompressionStream` for `deflate` that processes everything at once, as pdf.js uses it; a real one costs a
 * millisecond per stream. Truncated streams fail, and pdf.js then decompresses what it can.
 */
export class QuickInflate {
  readonly readable: AsyncIterable<Uint8Array>;
  readonly writable: { getWriter(): QuickWriter };

  constructor(format: string) {
    if (format !== 'deflate') throw new TypeError('not supported');
    let resolve: (bytes: Uint8Array) => void = () => undefined;
    const written = new Promise<Uint8Array>((settle) => {
      resolve = settle;
    });
    this.readable = (async function* () {
      yield inflateSync(await written, { maxOutputLength: MOST_INFLATED });
    })();
    const ready = Promise.resolve();
    this.writable = {
      getWriter: () => ({
        ready,
        write: (bytes) => {
          resolve(bytes);
          return ready;
        },
        close: () => ready,
      }),
    };
  }
}

interface QuickWriter {
  readonly ready: Promise<void>;
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}
