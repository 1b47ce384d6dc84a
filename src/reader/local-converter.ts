// Runs the processor of a file in this process: collects what it reports, reads a file that it cannot parse as text, and
// keeps its text well-formed and without secrets.

import {
  type Budget,
  type Bytes,
  type Encoding,
  type FormatFacts,
  type Inside,
  type Limits,
  MAX_LEVEL,
  NotThisFormat,
  type OutlineLine,
  type Part,
  type ProcessContext,
  type Processor,
  plural,
  ReaderError,
  type Source,
  type TextPart,
  type TextSource,
  throwIfAborted,
  UNPAIRED_SURROGATES,
  type Warning,
  type Whole,
  wellFormed,
} from '../contract/index.ts';
import { MEDIA_TOOLS } from '../media/index.ts';
import { conversionOf, unlessTaken } from './conversion.ts';
import type { Converted, Converter, Reading } from './converter.ts';
import { decode } from './decoding/decode.ts';
import { type Detected, detect } from './detect.ts';
import type { Engine } from './engine.ts';
import { type Entered, enterFile, MAX_DEPTH } from './enter.ts';
import { asReaderError } from './failure.ts';
import { refuseLostPart, toSelection } from './request.ts';
import { searchedAs } from './searched-as.ts';
import { redactedFacts, withoutSecrets } from './secrets.ts';
import type { Meter } from './source/watched.ts';
import { type Window, windowOf, windowParts } from './window.ts';

/** A file and what is asked of it, in the process that reads it. */
export interface LocalReading extends Reading {
  readonly entered: Entered;
  readonly detected: Detected;
  /** The requested processor. */
  readonly processor: Processor;
  /** Where the caller wants to see progress. */
  readonly meter: Meter | undefined;
  /** All text is read to be searched: that of text files unchanged, and that of the files inside. */
  readonly searched: boolean;
}

const MAX_WARNINGS = 50;

/** Runs the processor in this process. */
export class LocalConverter implements Converter {
  readonly reading: LocalReading;
  readonly #engine: Engine;
  readonly #wholes = new Map<string, Whole>();
  #warnings: Warning[];
  /** Warnings past the limit. */
  #unsaid = 0;
  #processor: Processor;
  #facts: FormatFacts;
  #text: Promise<TextSource> | undefined;
  #encoding: Encoding | undefined;
  #textSize: Bytes | undefined;
  /** The stretch of the file that is read; null for all of it. */
  #window: Window | null | undefined;
  /** Warnings from decoding the text, which happens once. */
  #textWarnings: readonly Warning[] = [];

  constructor(engine: Engine, reading: LocalReading) {
    this.#engine = engine;
    this.reading = reading;
    this.#processor = reading.processor;
    this.#facts = reading.entered.facts;
    this.#warnings = [...reading.entered.warnings, ...reading.detected.warnings];
  }

  async *parts(budget: Budget): AsyncGenerator<Part> {
    const { searched, processor } = this.reading;
    if (!searched || !processor.lists) yield* this.#parts(budget);
    if (searched) yield* this.#partsInside(budget);
  }

  /** Of the files inside, each with its path. Where one cannot be read, an empty part says why. */
  async *#partsInside(budget: Budget): AsyncGenerator<Part> {
    const { entered, processor, signal } = this.reading;
    if (!processor.files || entered.depth >= MAX_DEPTH) return;
    let { maxInflatedBytes } = entered.limits;
    for await (const file of processor.files(entered.source, this.#context(budget, undefined))) {
      throwIfAborted(signal);
      if (!file.path.startsWith(entered.listed?.folder ?? '')) continue;
      try {
        if (maxInflatedBytes === 0) throw inflatedAll(entered.limits);
        const entry = await file.open();
        const at = { ...entered, limits: { ...entered.limits, maxInflatedBytes } };
        const inner = await enterFile(at, file.path, entry, this.#engine.registry, signal);
        ({ maxInflatedBytes } = inner.limits);
        for await (const part of this.#convertedInside(inner, budget))
          yield { ...part, inside: insideOf(file.path, part.inside) };
      } catch (error) {
        throwIfAborted(signal);
        const { code, message } = asReaderError(error);
        yield { kind: 'text', text: '', shown: [], inside: { path: file.path, failure: { code, message } } };
      }
    }
  }

  async *#convertedInside(entered: Entered, budget: Budget): AsyncGenerator<TextPart> {
    const detected = await detect(entered.source, this.#engine.registry, {});
    const processor = searchedAs(detected.processor, this.#engine);
    const reading = {
      ...this.reading,
      entered: withoutSecrets(entered, detected, this.#engine),
      detected,
      processor,
      request: { all: true },
      cursor: undefined,
    };
    for await (const part of new LocalConverter(this.#engine, { ...reading, meter: undefined }).parts(budget))
      if (part.kind === 'text') yield part;
  }

  async *#parts(budget: Budget): AsyncGenerator<Part> {
    const { entered, detected, processor } = this.reading;
    this.#processor = processor;
    this.#facts = entered.facts;
    this.#wholes.clear();
    this.#unsaid = 0;
    this.#warnings = [...entered.warnings, ...detected.warnings, ...this.#textWarnings];
    const window = await this.#windowed();
    if (window) {
      this.#wholes.set('byte', { unit: 'byte', of: window.of });
      const { from, to, of } = window;
      if (to - from < of)
        this.#add({
          code: 'SKIPPED_CONTENT',
          message: `Only bytes ${from + 1}-${to} of ${of} were read; counts are for this part.`,
        });
    }
    const parts = this.#processed(budget, window);
    for await (const part of window ? windowParts(parts, window, entered.limits) : parts) {
      this.reading.meter?.part(part, this.#facts);
      yield part.kind === 'text' ? this.#safePart(part) : part;
    }
  }

  async #windowed(): Promise<Window | undefined> {
    if (this.#window === undefined) {
      const { entered, request, cursor, processor } = this.reading;
      const selection = toSelection(request, processor.fileType);
      const position = cursor && cursor.walk !== 'outline' ? cursor.position : undefined;
      this.#window = (await windowOf(entered.source, processor, selection, position, entered.limits)) ?? null;
    }
    return this.#window ?? undefined;
  }

  async *lines(budget: Budget, brief = false): AsyncGenerator<OutlineLine> {
    const window = await this.#windowed();
    const context = this.#context(budget, window, { outline: true, brief });
    const lines = this.#processor.outline?.(window?.source ?? this.reading.entered.source, context);
    for await (const { text, level, ...line } of lines ?? [])
      yield {
        ...this.#safeLine(line),
        text: this.#safe(text),
        ...(level !== undefined && { level: Math.min(level, MAX_LEVEL) }),
      };
  }

  converted(): Converted {
    const { redactor } = this.#engine;
    const safe = ({ code, message }: Warning): Warning => ({
      code,
      message: redactor?.text(message) ?? message,
    });
    return {
      processor: this.#processor,
      warnings: redactor ? this.#warnings.map(safe) : [...this.#warnings],
      wholes: [...this.#wholes.values()],
      facts: redactor ? redactedFacts(this.#facts, redactor) : this.#facts,
      ...(this.#encoding && { encoding: this.#encoding }),
      ...(this.#textSize !== undefined && { textSize: this.#textSize }),
    };
  }

  progressed(): void {
    // No timeout for reads in this process.
  }

  async end(): Promise<void> {
    // Nothing to release.
  }

  /** A textual file that its processor cannot parse is read again as plain text, with a warning. */
  async *#processed(budget: Budget, window: Window | undefined): AsyncGenerator<Part> {
    const { entered, request } = this.reading;
    const source = window?.source ?? entered.source;
    const first = this.#processor;
    // An empty file of a binary format has no content, but is not damaged.
    if (source.size === 0 && !first.textual) return;
    try {
      yield* first.process(source, this.#context(budget, window));
      return;
    } catch (error) {
      const text = this.#engine.registry.byProcessorName('text');
      if (!(error instanceof NotThisFormat) || !text || first === text || !first.textual) throw error;
      refuseLostPart(request, text.selects, error.warning);
      this.#add(error.warning);
      this.#processor = text;
      this.#wholes.clear();
      this.#facts = entered.facts;
    }
    yield* this.#processor.process(source, this.#context(budget, window));
  }

  #context(
    budget: Budget,
    window: Window | undefined,
    { outline = false, brief = false }: { readonly outline?: boolean; readonly brief?: boolean } = {},
  ): ProcessContext {
    const { entered, request, cursor, signal } = this.reading;
    // An answer without content leaves an empty position: its cursor repeats the same request.
    // An outline is part of most answers, and must not cost the recognition of every page.
    const { ocr, describer } = outline ? {} : this.#engine;
    const { redactor } = this.#engine;
    const position = window?.resume ?? cursor?.position ?? [];
    const resumes = cursor && cursor.walk !== 'outline' && position.length > 0;
    return {
      selection: {
        ...toSelection(request, this.#processor.fileType),
        ...(entered.listed && { folder: entered.listed.folder }),
        ...(this.reading.searched && { searched: true }),
        ...(resumes && { resume: position }),
        outline,
        brief,
      },
      limits: entered.limits,
      budget,
      signal,
      media: MEDIA_TOOLS,
      ...(ocr && { ocr }),
      ...(describer && { describer }),
      ...(redactor && { redact: (texts) => redactor.texts(texts) }),
      text: (source) => {
        this.#text ??= this.#decoded(source);
        return this.#text;
      },
      conversion: async (source, version) => {
        // The same bytes in another encoding, or with recognized text, are another document.
        const read = ocr ? `${version} ${JSON.stringify(ocr.name)}` : version;
        const keyed = request.encoding === undefined ? read : `${read} ${request.encoding}`;
        const conversion = await conversionOf(this.#engine, source, this.#processor.name, keyed, signal);
        return unlessTaken(conversion, entered.password);
      },
      password: () => entered.password.take(),
      warn: (warning) => {
        if (this.#warnings.length < MAX_WARNINGS) this.#add(warning);
        else this.#countUnsaid();
      },
      describe: (facts) => {
        this.#facts = { ...this.#facts, ...facts };
      },
      whole: (whole) => {
        this.#wholes.set(`${whole.unit}\u0000${whole.name ?? ''}`, whole);
      },
    };
  }

  #countUnsaid(): void {
    this.#unsaid += 1;
    this.#warnings[MAX_WARNINGS] = {
      code: 'SKIPPED_CONTENT',
      message: `${plural(this.#unsaid, 'more warning')} about this file; read fewer parts of it at once to see them.`,
    };
  }

  async #decoded(source: Source): Promise<TextSource> {
    const { request, signal } = this.reading;
    const decoded = await decode(source, request.encoding, this.#engine.limits, signal);
    this.#textWarnings = decoded.warnings;
    for (const warning of decoded.warnings) this.#add(warning);
    this.#encoding = decoded.source.encoding;
    this.#textSize = decoded.source.size;
    return decoded.source;
  }

  #add(warning: Warning): void {
    const known = this.#warnings.some(
      ({ code, message }) => code === warning.code && message === warning.message,
    );
    if (!known) this.#warnings.push(warning);
  }

  #safePart(part: TextPart): TextPart {
    const text = this.#safe(part.text);
    const view = part.view === undefined ? undefined : this.#safe(part.view);
    if (text === part.text && view === part.view) return part;
    return { ...part, text, ...(view !== undefined && { view }) };
  }

  /** The short forms of a line; those of a text file are made of redacted text. */
  #safeLine({ short, name, names, ...line }: Omit<OutlineLine, 'text' | 'level'>): Omit<OutlineLine, 'text'> {
    const safe = (text: string): string => this.#engine.redactor?.text(text) ?? text;
    return {
      ...line,
      ...(short !== undefined && { short: safe(short) }),
      ...(name !== undefined && { name: safe(name) }),
      ...(names && { names: { ...names, title: safe(names.title) } }),
    };
  }

  /** Well-formed, and without secrets if they are not to be shown. */
  #safe(text: string): string {
    const whole = this.#wellFormed(text);
    const { textual, converts, keeps, selects } = this.#processor;
    // Lines of a text come from a source without secrets, unless its encoding does not extend ASCII.
    const isAscii = /^(?:ascii|utf-8)$/.test(this.#encoding?.name ?? '');
    if (isAscii && textual && !converts && !keeps && selects.includes('lines')) return whole;
    return this.#engine.redactor?.text(whole) ?? whole;
  }

  /** Replaces each unpaired surrogate, which an escape in a file can produce, with U+FFFD, and warns. */
  #wellFormed(text: string): string {
    const whole = wellFormed(text);
    if (whole !== text) this.#add(UNPAIRED_SURROGATES);
    return whole;
  }
}

const inflatedAll = ({ maxInflatedBytes }: Limits): ReaderError =>
  new ReaderError(
    'LIMIT_EXCEEDED',
    `The files before it have more than ${maxInflatedBytes} bytes unpacked (limit \`maxInflatedBytes\`).`,
    'Read the file itself.',
  );

const insideOf = (path: string, inner: Inside | undefined): Inside =>
  inner ? { ...inner, path: `${path}!/${inner.path}` } : { path };
