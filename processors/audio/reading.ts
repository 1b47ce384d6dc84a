// One response about a recording: its facts, a caption, and the recording itself or its head and tail within the
// limits. The engine words what was left out.

import {
  type Extent,
  type Limits,
  type Next,
  type Part,
  PositionReader,
  type ProcessContext,
  quoted,
  ReaderError,
  type SoundContainer,
  type Source,
  throwIfAborted,
} from '../../src/contract/index.ts';
import { Captions, round } from './captions.ts';
import { openRecording } from './open.ts';
import { type Clip, CONTAINER_NAMES, type Recording } from './recording.ts';
import { FOR_BOTH, VIDEO_ALONE } from './signature.ts';

export async function* process(source: Source, context: ProcessContext): AsyncGenerator<Part> {
  const { budget, selection } = context;
  const recording = await openRecording(source, context.signal);
  describe(recording, context);
  warnOfName(source, recording, context);
  if (budget.tokens < 1 || budget.characters < 1) return;
  const seconds = recording.held ?? recording.seconds;
  const of = seconds === undefined ? undefined : Math.max(1, Math.ceil(seconds - 1e-6));
  const captions = new Captions(context, recording, source);
  if (recording.video) {
    yield* metadataOnly('Video content is not shown, only its metadata.', of, captions, context);
    return;
  }
  if (selection.all || fits(source, seconds, context.limits)) {
    if (!selection.all) yield* captions.opening('Included unchanged.');
    const shown: Extent[] = of === undefined ? [] : [{ unit: 'second', from: 1, to: of, of }];
    yield { kind: 'binary', data: await source.bytes(), mimeType: recording.mimeType, shown };
    return;
  }
  if (seconds === undefined || of === undefined) {
    const message = `The duration is unknown and the recording has more than ${context.limits.maxAudioBytes} bytes: it is not included.`;
    yield* metadataOnly(message, of, captions, context);
    return;
  }
  context.whole({ unit: 'second', of });
  yield* sample(new Cutter(source, recording, context), { seconds, of }, captions, context);
}

function fits(source: Source, seconds: number | undefined, limits: Limits): boolean {
  return source.size <= limits.maxAudioBytes && (seconds === undefined || seconds <= limits.maxAudioSeconds);
}

/** Metadata, with the reason why the recording is not included. */
function* metadataOnly(
  message: string,
  of: number | undefined,
  captions: Captions,
  { whole, warn }: ProcessContext,
): Generator<Part> {
  if (of !== undefined) whole({ unit: 'second', of });
  warn({ code: 'SKIPPED_CONTENT', message });
  yield* captions.opening('');
}

interface Span {
  readonly seconds: number;
  /** Duration in seconds, rounded up. */
  readonly of: number;
}

/** Head and tail, or the next clip of a walk through the gap between them. */
async function* sample(
  cutter: Cutter,
  { seconds, of }: Span,
  captions: Captions,
  context: ProcessContext,
): AsyncGenerator<Part> {
  const { limits, selection, warn } = context;
  const head = Math.max(1, Math.min(limits.audioHeadSeconds, of));
  const tail = Math.min(limits.audioTailSeconds, of - head);
  const fields = new PositionReader(
    selection.resume ?? [],
    'The cursor points past the end of this recording.',
  );
  const from = fields.countOr(0, of - 1);
  const stop = fields.countOr(of - tail, of);
  fields.check(stop > from);
  try {
    const first = await cutter.cut(from, Math.min(from + head, stop), seconds);
    yield* captions.opening('');
    const next: Next | undefined = first.until < stop ? { position: [first.until, stop] } : undefined;
    const extentsOf = (clip: Clip, begin: number, end: number): Extent[] => {
      captions.add(clip);
      return [{ unit: 'second', from: begin + 1, to: end, of }];
    };
    const { data, mimeType } = first.clip;
    const shown = extentsOf(first.clip, from, first.until);
    if (selection.resume || tail === 0) {
      yield* captions.clips();
      yield { kind: 'binary', data, mimeType, shown, ...(next && { next }) };
      return;
    }
    const last = await cutter.cut(of - tail, of, seconds);
    const end = extentsOf(last.clip, of - tail, last.until);
    const follows = next ?? (last.until < of ? { position: [last.until, of] } : undefined);
    yield* captions.clips();
    yield { kind: 'binary', data, mimeType, shown };
    yield {
      kind: 'binary',
      data: last.clip.data,
      mimeType: last.clip.mimeType,
      shown: end,
      ...(follows && { next: follows }),
    };
  } catch (error) {
    if (!(error instanceof CannotCut)) throw error;
    warn({ code: 'SKIPPED_CONTENT', message: error.message });
    yield* captions.opening('');
  }
}

/** No clip can be made, for the reason in the message; metadata still can. */
class CannotCut extends Error {}

const BY_TOOL: ReadonlySet<string> = new Set<SoundContainer>([
  'mp4',
  'matroska',
  'ogg',
  'flac',
  'asf',
  'mp3',
  'aac',
  'wav',
  'aiff',
  'ape',
  'wavpack',
  'dsf',
  'caf',
  'amr',
]);

const isSoundContainer = (container: string): container is SoundContainer => BY_TOOL.has(container);

/** Cuts clips within the byte limit: natively if the container allows it, else with a host tool. */
class Cutter {
  readonly #source: Source;
  readonly #recording: Recording;
  readonly #context: ProcessContext;

  constructor(source: Source, recording: Recording, context: ProcessContext) {
    this.#source = source;
    this.#recording = recording;
    this.#context = context;
  }

  /** Cuts `[from, to)` in whole seconds, or as much of its start as the limit allows; `until` is the end reached. */
  async cut(from: number, to: number, seconds: number): Promise<{ clip: Clip; until: number }> {
    const { maxAudioBytes } = this.#context.limits;
    const rate = this.#recording.cut ? (this.#recording.bytesPerSecond ?? 0) : 0;
    let until = rate > 0 ? Math.min(to, from + Math.floor(maxAudioBytes / rate)) : to;
    for (; until > from; until = from + Math.floor((until - from) / 2)) {
      throwIfAborted(this.#context.signal);
      const clip = await this.#clip(from, Math.min(until, seconds));
      if (clip.data.length <= maxAudioBytes) return { clip, until };
    }
    throw new CannotCut(
      `One second of the recording takes more than ${maxAudioBytes} bytes (limit \`maxAudioBytes\`): no sample is included.`,
    );
  }

  async #clip(from: number, to: number): Promise<Clip> {
    const { cut, container } = this.#recording;
    if (cut) return cut(from, to);
    const { media, limits, signal } = this.#context;
    const why = `A recording in ${CONTAINER_NAMES[container]} cannot be cut`;
    if (!media || !isSoundContainer(container)) throw new CannotCut(`${why}: no sample is included.`);
    try {
      const stretch = { container, from, to, maxBytes: limits.maxAudioBytes };
      const { data, mimeType, seconds } = await media.cut(this.#source, stretch, signal);
      return { data, mimeType, from, to: from + seconds };
    } catch (error) {
      if (!(error instanceof ReaderError) || error.code === 'ABORTED') throw error;
      throw new CannotCut(`${why}: no sample is included. ${error.message}`);
    }
  }
}

function describe(recording: Recording, { describe: tell, warn }: ProcessContext): void {
  const { seconds, held, codec, sampleRate, channels, bitsPerSample, video, tags, container } = recording;
  const bitrate = bitrateOf(recording);
  tell({
    mimeType: recording.mimeType,
    container,
    ...(seconds !== undefined && { duration: round(seconds, 3) }),
    ...(codec !== undefined && { codec }),
    ...(sampleRate !== undefined && { sampleRate }),
    ...(channels !== undefined && { channels }),
    ...(bitsPerSample !== undefined && { bitsPerSample }),
    ...(bitrate !== undefined && { bitrate }),
    ...(video && {
      ...(video.width !== undefined && { width: video.width, height: video.height }),
      ...(video.codec !== undefined && { videoCodec: video.codec }),
    }),
    ...tags,
  });
  const { promised = seconds, guess } = recording;
  if (guess) warn(guess);
  if (held !== undefined && promised !== undefined)
    warn({
      code: 'SKIPPED_CONTENT',
      message: `The file is truncated: its header states ${round(promised, 1)} s, but it contains about ${round(held, 1)} s.`,
    });
}

/** The containers each extension implies. */
const ENDINGS: Readonly<Record<string, readonly Recording['container'][]>> = {
  '.mp3': ['mp3'],
  '.wav': ['wav'],
  '.aif': ['aiff'],
  '.aiff': ['aiff'],
  '.flac': ['flac'],
  '.ogg': ['ogg'],
  '.oga': ['ogg'],
  '.opus': ['ogg'],
  '.m4a': ['mp4'],
  '.mp4': ['mp4'],
  '.mov': ['mp4'],
  '.aac': ['aac', 'mp4'],
  '.wma': ['asf'],
  '.wmv': ['asf'],
  '.webm': ['matroska'],
  '.mkv': ['matroska'],
  '.avi': ['avi'],
  '.flv': ['flv'],
};

const VIDEO_ENDINGS: ReadonlySet<string> = new Set(['.mp4', '.mov', '.wmv', '.webm', '.mkv', '.avi', '.flv']);

function warnOfName(source: Source, { container }: Recording, { warn }: ProcessContext): void {
  const promised = ENDINGS[source.extension];
  // Impossible extensions were already rejected before this point.
  const reported = VIDEO_ENDINGS.has(source.extension)
    ? !FOR_BOTH.has(container) && !VIDEO_ALONE.has(container)
    : VIDEO_ALONE.has(container);
  if (promised && !reported && !promised.includes(container))
    warn({
      code: 'FORMAT_MISMATCH',
      message: `The extension is ${quoted(source.extension)}, but the content is ${CONTAINER_NAMES[container]}; read as ${CONTAINER_NAMES[container]}.`,
    });
}

/** Bits per second of audio. */
function bitrateOf({ soundBytes, seconds, held }: Recording): number | undefined {
  const length = held ?? seconds;
  return soundBytes && length ? Math.round((soundBytes * 8) / length) : undefined;
}
