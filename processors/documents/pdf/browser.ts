// What pdf.js wants of a browser, standing still: classes that keep nothing and draw nothing, so that text, lines and places
// of pictures are read without a canvas, and without decoding the pictures that a page only shows.

/** A matrix that keeps its six numbers and never computes: pdf.js makes some while it is imported and while it reads. */
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

  translate(): this {
    return this;
  }
  scale(): this {
    return this;
  }
  translateSelf(): this {
    return this;
  }
  scaleSelf(): this {
    return this;
  }
  multiplySelf(): this {
    return this;
  }
  preMultiplySelf(): this {
    return this;
  }
  invertSelf(): this {
    return this;
  }
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

/** A font face that is ready at once: fonts are read for their metrics and names, never drawn. */
export class StillFace {
  readonly loaded: Promise<void> = Promise.resolve();
  load(): Promise<void> {
    return this.loaded;
  }
}

export const STILL_DOCUMENT = { fonts: { add(): void {}, delete(): void {} } };

/** Canvases of one thread draw into the same bytes: nobody looks at them. */
let scratch = new Uint8ClampedArray(0);
/** Larger pictures are not unpacked; pdf.js then knows their place all the same. */
const MOST_PIXELS = 64 * 1024 * 1024;

/** A canvas that takes any picture and gives none. */
export class StillCanvas {
  getContext(): Record<string, (width: number, height: number) => unknown> {
    return {
      fillRect: () => undefined,
      putImageData: () => undefined,
      getImageData: () => ({ data: [0, 0, 0, 255] }),
      createImageData: (width, height) => {
        if (!(width * height <= MOST_PIXELS)) throw new RangeError('The picture has too many pixels.');
        const bytes = width * height * 4;
        if (scratch.length < bytes) scratch = new Uint8ClampedArray(bytes);
        return { data: scratch.subarray(0, bytes) };
      },
    };
  }

  transferToImageBitmap(): ArrayBuffer {
    return new ArrayBuffer(0);
  }
}

/** Decodes no JPEG: its place is known without. */
export class StillDecoder {
  static isTypeSupported(): Promise<boolean> {
    return Promise.resolve(true);
  }
  decode(): Promise<{ readonly image: ArrayBuffer }> {
    return Promise.resolve({ image: new ArrayBuffer(0) });
  }
  close(): void {}
}

/** Hands the bytes of a JPEG on as they are, in place of its pixels. */
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
