// One file on its way through the stages: opened, entered, detected, and ready to convert. Each step yields a plain
// value for the next; the converter collects what is reported during conversion.

import { type Processor, ReaderError, type Source, staleCursor } from '../contract/index.ts';
import type { Converter, Reading } from './converter.ts';
import { type Cursor, checkOverflow, readCursor } from './cursor.ts';
import { type Detected, detect } from './detect.ts';
import type { Engine } from './engine.ts';
import { enter } from './enter.ts';
import { LocalConverter, type LocalReading } from './local-converter.ts';
import { asksForRows, located } from './located.ts';
import { Password } from './password.ts';
import { followable, hasGrown } from './prefix.ts';
import { mimeOf, type Registry } from './registry.ts';
import { checkRequest, checkSelects, mergeKept, type ReadRequest, SELECTION_FIELDS } from './request.ts';
import { searchedAs } from './searched-as.ts';
import { withoutSecrets } from './secrets.ts';
import type { Opened } from './source/open.ts';
import { Meter, watched } from './source/watched.ts';

/** A file ready to be converted. */
export interface Session extends Reading {
  readonly converter: Converter;
}

/** True if a request asks for a file without selecting a part. */
export const isFirst = ({ request, cursor }: Session): boolean =>
  cursor === undefined && SELECTION_FIELDS.every((field) => request[field] === undefined);

/** Enters and detects the opened file, and prepares its conversion in this process. @throws {ReaderError} */
export async function startHere(
  engine: Engine,
  opened: Opened,
  request: ReadRequest,
  signal: AbortSignal,
  searched: boolean,
): Promise<Session> {
  const { onProgress } = request;
  const meter = onProgress && new Meter(onProgress, opened.source.size);
  const outer = meter ? watched(opened.source, meter) : opened.source;
  const password = new Password(request.password);
  const found = await enter(opened, outer, engine.registry, engine.limits, signal, password);
  const { listed } = found;
  const asked = {
    ...(request.cursor !== undefined && readCursor(request.cursor, '').cursor.kept),
    ...request,
  };
  const detected = listed
    ? { processor: listed.lister, mimeType: mimeOf(listed.lister), warnings: [] }
    : await detect(found.source, engine.registry, {
        encoded: asked.encoding !== undefined,
        tabular: asksForRows(asked, found),
      });
  const entered = withoutSecrets(found, detected, engine);
  const { cursor, whole } = await continued(request, entered.source, opened);
  return prepared(engine, { opened, entered, detected, signal, meter, searched }, whole, cursor);
}

/** The same file for another request, without opening, entering or detecting it again. @throws {ReaderError} */
export async function again(engine: Engine, reading: LocalReading, request: ReadRequest): Promise<Session> {
  const { cursor, whole } = await continued(request, reading.entered.source, reading.opened);
  return prepared(engine, reading, whole, cursor);
}

function prepared(
  engine: Engine,
  file: Omit<LocalReading, 'request' | 'cursor' | 'processor'>,
  whole: ReadRequest,
  cursor: Cursor | undefined,
): Session {
  const request = located(whole, cursor, file.entered, file.detected, engine.registry);
  const isSelected = SELECTION_FIELDS.some((field) => request[field] !== undefined);
  const processor =
    file.searched && !isSelected
      ? searchedAs(file.detected.processor, engine)
      : pick(engine.registry, file.detected, request, cursor);
  if (!cursor) checkSelects(request, processor.selects, processor.name);
  const reading = { ...file, processor, request, cursor };
  return { ...reading, converter: new LocalConverter(engine, reading) };
}

/** The request with the fields kept by its cursor. @throws {ReaderError} BAD_INPUT, STALE_CURSOR */
export async function continued(
  request: ReadRequest,
  source: Pick<Source, 'size' | 'identity'>,
  opened: Opened,
): Promise<{ readonly cursor: Cursor | undefined; readonly whole: ReadRequest }> {
  if (request.cursor === undefined) return { cursor: undefined, whole: request };
  const { cursor, isCurrent } = readCursor(request.cursor, await source.identity());
  if (!isCurrent && !(await isLonger(cursor, followable(opened, source))))
    throw staleCursor('The cursor belongs to another file, or the file has changed since.');
  const whole = mergeKept(request, cursor.kept);
  checkOverflow(request, cursor);
  checkRequest(whole);
  return { cursor, whole };
}

/** True if the file is the cursor's with data appended. */
async function isLonger({ prefix, position }: Cursor, file: Source | undefined): Promise<boolean> {
  const [at] = position;
  return file !== undefined && prefix !== undefined && typeof at === 'number' && hasGrown(prefix, file, at);
}

/**
 * `lines` of any textual format are read as text; `region` or `detail` of a drawable one shows the drawing. A cursor
 * continues with the processor that made it.
 */
function pick(
  registry: Registry,
  { processor: detected, mimeType }: Detected,
  request: ReadRequest,
  cursor: Cursor | undefined,
): Processor {
  const drawn = request.region !== undefined || request.detail !== undefined;
  const painter = drawn && detected.textual ? registry.byDrawing(mimeType) : undefined;
  const name = cursor
    ? cursor.processor
    : painter
      ? painter.name
      : detected.textual &&
          (request.format === 'text' || (request.lines !== undefined && !detected.selects.includes('lines')))
        ? 'text'
        : detected.name;
  const processor = registry.byProcessorName(name);
  // Processors that may continue: the file's own, and plain text or drawing for a textual file.
  const known =
    name === detected.name ||
    (detected.textual && (processor?.textual || name === registry.byDrawing(mimeType)?.name));
  if (processor && known) return processor;
  throw new ReaderError('BAD_INPUT', 'The cursor names an unknown format.', 'Omit `cursor` to start again.');
}
