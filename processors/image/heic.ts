// Decodes HEIC, the photos of iPhones, with libheif in WebAssembly if the caller has installed it. lectern does not bring
// it: its licence is the LGPL, and HEVC is patented in some countries.

import type { RawPicture } from './raw-picture.ts';

/** The parts of `libheif-js` used here. */
interface Libheif {
  readonly HeifDecoder: new () => { decode(bytes: Uint8Array): readonly HeifImage[] };
}

interface HeifImage {
  get_width(): number;
  get_height(): number;
  is_primary?(): boolean | number;
  display(
    target: { data: Uint8ClampedArray; width: number; height: number },
    done: (shown: object | null) => void,
  ): void;
  free?(): void;
}

/** As a variable: a bundler must not look for a package that may not be there. */
const PACKAGE = 'libheif-js/wasm-bundle.js';

/** The primary picture, upright. Undefined without the package, or for more than `maxPixels`. */
export async function decodeHeic(bytes: Uint8Array, maxPixels: number): Promise<RawPicture | undefined> {
  const library = await load();
  if (!library) return undefined;
  const images = new library.HeifDecoder().decode(bytes);
  try {
    const image = images.find((one) => one.is_primary?.()) ?? images[0];
    if (!image) throw new Error('The file has no picture.');
    const [width, height] = [image.get_width(), image.get_height()];
    if (width * height > maxPixels) return undefined;
    const data = new Uint8ClampedArray(width * height * 4);
    await new Promise<void>((resolve, reject) => {
      image.display({ data, width, height }, (shown) =>
        shown ? resolve() : reject(new Error('The picture is damaged.')),
      );
    });
    return { width, height, channels: 4, pixels: new Uint8Array(data.buffer), isCut: false };
  } finally {
    for (const image of images) image.free?.();
  }
}

async function load(): Promise<Libheif | undefined> {
  try {
    const { default: library } = (await import(/* webpackIgnore: true */ /* @vite-ignore */ PACKAGE)) as {
      readonly default: Libheif;
    }; // see its documentation
    return library;
  } catch {
    return undefined; // not installed
  }
}
