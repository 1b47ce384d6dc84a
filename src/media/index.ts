// Tools that need a program of the host: sound and the text of pictures. Nothing is loaded before one is used.

import type { MediaTools, OcrLine, SeenPicture } from '../contract/index.ts';

/** Cuts with the `ffmpeg` on the PATH; MISSING_DEPENDENCY if there is none. */
export const MEDIA_TOOLS: MediaTools = {
  cut: async (source, stretch, signal) =>
    (await import('./ffmpeg.ts')).createFfmpeg().cut(source, stretch, signal),
};

/** Reads the text of a picture with the `tesseract` on the PATH; see `tesseract.ts`. */
export const readWithTesseract = async (
  picture: SeenPicture,
  languages: string,
  signal: AbortSignal,
): Promise<OcrLine[]> => (await import('./tesseract.ts')).readWithTesseract(picture, languages, signal);
