// Tools for sound that need a program of the host.

export { createFfmpeg } from './ffmpeg.ts';
