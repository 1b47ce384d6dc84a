// Reads the text of a picture with the command `tesseract`, an optional program of the host.

import { OCR_TIMEOUT_MS, type OcrLine, quoted, ReaderError, type SeenPicture } from '../contract/index.ts';
import { runProgram } from './program.ts';

/** A page of small print has 100 KB of table. */
const MAX_OUTPUT = 16 * 1024 * 1024;
/** A wider gap, as a share of the line's height, separates two columns or cells. */
const WIDE_GAP = 1.5;

const MISSING = {
  message: 'Reading the text of pictures needs the program `tesseract`, which could not be started.',
  hint: 'Install `tesseract-ocr` with the data of the languages, or read without `ocr`.',
};

/**
 * The lines of the picture. `languages`: names of installed data, such as `eng` or `eng+deu`.
 * @throws {ReaderError} MISSING_DEPENDENCY (no program, or no data of the language), CRASHED, TIMED_OUT,
 * ABORTED
 */
export async function readWithTesseract(
  picture: SeenPicture,
  languages: string,
  signal: AbortSignal,
): Promise<OcrLine[]> {
  const { data, scale } = await enlarged(picture);
  const { output, complaint, exitCode } = await runProgram(
    'tesseract',
    // Page segmentation 3, the default: automatic, without detecting the script. The resolution only bounds what is
    // taken for text: at 300, a page turned by 4 degrees has none.
    ['stdin', 'stdout', '-l', languages, '--psm', '3', '--dpi', '70', 'tsv'],
    {
      input: data,
      most: MAX_OUTPUT,
      deadlineMs: OCR_TIMEOUT_MS,
      signal,
      missing: MISSING,
      late: 'Read fewer pages, or pictures with fewer pixels.',
      // Its threads cost more CPU time than they save: https://tesseract-ocr.github.io/tessdoc/FAQ
      environment: { OMP_THREAD_LIMIT: '1' },
    },
  );
  if (exitCode === 0) return linesOfTable(output.toString('utf8'), scale);
  if (/Failed loading language|Error opening data file/.test(complaint))
    throw new ReaderError(
      'MISSING_DEPENDENCY',
      `\`tesseract\` has no data of the language ${quoted(languages)}.`,
      'Install its data, or use a language that `tesseract --list-langs` prints.',
      complaint,
    );
  throw new ReaderError(
    'CRASHED',
    `\`tesseract\` failed on a picture (status ${exitCode ?? 'killed'}).`,
    'Read the picture itself, or read without `ocr`.',
    complaint,
  );
}

/**
 * Pages with a shorter edge are enlarged by 2: at 100 dpi, that raises the share of words read right from .856 to .958.
 * At 150 dpi and more it loses cells of ruled tables.
 */
const SMALL_EDGE = 1200;

async function enlarged({
  data,
  width,
  height,
}: SeenPicture): Promise<{ readonly data: Uint8Array; readonly scale: number }> {
  if (Math.max(width, height) >= SMALL_EDGE) return { data, scale: 1 };
  const { default: sharp } = await import('sharp');
  const larger = sharp(data).resize(width * 2, height * 2);
  return { data: await larger.png({ compressionLevel: 1 }).toBuffer(), scale: 2 };
}

interface Word {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly confidence: number;
}

/** The boxes of `tesseract` end at the ink; a line has some space around it, and letters with and without descenders. */
const AROUND = 1.3;
/** The middle of a word is off by up to a fifth of its height, which over this many heights does not matter. */
const LONG = 12;
/** A vertical rule between words, read as a character: it parts cells. */
const RULE = /^[|\u00a6]+$/;

/** The level of words in the table of `tesseract`. */
const WORD = '5';

/**
 * Lines of a table as `tesseract` writes it: one row a word, with its block, paragraph and line. `scale` is the
 * enlargement of the picture that it saw.
 */
export function linesOfTable(table: string, scale = 1): OcrLine[] {
  const lines = new Map<string, Word[]>();
  for (const row of table.split('\n')) {
    const [level, page, block, paragraph, line, , left, top, width, height, confidence, ...text] =
      row.split('\t');
    const shown = text.join(' ').trim();
    if (level !== WORD || shown === '') continue;
    const key = [page, block, paragraph, line].join(' ');
    const words = lines.get(key) ?? [];
    lines.set(key, words);
    words.push({
      text: shown,
      left: Number(left) / scale,
      top: Number(top) / scale,
      width: Number(width) / scale,
      height: Number(height) / scale,
      confidence: Number(confidence) / 100,
    });
  }
  return [...lines.values()].flatMap(piecesOf);
}

/**
 * The pieces of one line. Each has the height of its higher words, around their middle: the box of a crooked line is
 * higher than its text.
 */
function piecesOf(words: readonly Word[]): OcrLine[] {
  const heights = words.map(({ height }) => height).sort((a, b) => a - b);
  const height = heights[Math.floor(heights.length * 0.8)] ?? 1;
  const pieces: Word[][] = [];
  let right = Number.NEGATIVE_INFINITY;
  for (const word of words) {
    if (RULE.test(word.text)) {
      right = Number.NEGATIVE_INFINITY;
      continue;
    }
    const last = pieces.at(-1);
    if (last && word.left - right <= WIDE_GAP * height) last.push(word);
    else pieces.push([word]);
    right = word.left + word.width;
  }
  const slope = slopeOf(words, height);
  return pieces.map((piece) => {
    const letters = piece.reduce((sum, { text }) => sum + text.length, 0);
    const middle =
      piece.reduce((sum, word) => sum + (word.top + word.height / 2) * word.text.length, 0) / letters;
    return {
      text: piece.map(({ text }) => text).join(' '),
      left: Math.min(...piece.map(({ left }) => left)),
      right: Math.max(...piece.map(({ left, width }) => left + width)),
      top: middle - (AROUND * height) / 2,
      bottom: middle + (AROUND * height) / 2,
      confidence: piece.reduce((sum, word) => sum + word.confidence * word.text.length, 0) / letters,
      slope,
    };
  });
}

/** The slope of a line's middle from its first words to its last; 0 for a short line. */
function slopeOf(words: readonly Word[], height: number): number {
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last || last.left - first.left < LONG * height) return 0;
  const middleOf = (word: Word): number => word.top + word.height / 2;
  return (middleOf(last) - middleOf(first)) / (last.left + last.width / 2 - first.left - first.width / 2);
}
