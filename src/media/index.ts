// Sound tools that need a program of the host. Nothing is loaded before sound is cut.

import type { MediaTools } from '../contract/index.ts';

/** Cuts with the `ffmpeg` on the PATH; MISSING_DEPENDENCY if there is none. */
export const MEDIA_TOOLS: MediaTools = {
  cut: async (source, stretch, signal) =>
    (await import('./ffmpeg.ts')).createFfmpeg().cut(source, stretch, signal),
};
