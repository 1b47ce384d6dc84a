// `lectern doctor`: checks whether this machine has what lectern requires. Parsers with native code or data files each read
// a small file built here.

import { execFile } from 'node:child_process';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { type Environment, installCommand, isInstalled, oneLine, plural } from '../contract/index.ts';
import {
  cacheDirectory,
  createDiskCache,
  createReader,
  createTokenCounter,
  ReaderError,
  type ReadRequest,
} from '../index.ts';
import { confinement } from '../isolation/index.ts';
import { hasDuckDb } from '../query/index.ts';
import { hasSimd } from '../scan/index.ts';
import { opensByDescriptor } from '../workspace/index.ts';
import type { Command } from './command.ts';
import { COMMON_OPTIONS } from './options.ts';
import { asJson } from './read-command.ts';
import { refuseWords } from './refuse-words.ts';
import { sizeText } from './sizes.ts';

/** Result of one check. */
interface Check {
  readonly ok: boolean;
  readonly what: string;
  readonly found: string;
}

const GIB = 2 ** 30;

/** Checks the environment of this installation. */
async function examine(environment: Environment): Promise<Check[]> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const checks: Check[] = [
    {
      ok: major > 20 || (major === 20 && minor >= 19),
      what: 'Node.js',
      found: `${process.version} (20.19 or newer is required)`,
    },
    {
      ok: true,
      what: 'scanner',
      found: hasSimd()
        ? 'WebAssembly SIMD'
        : 'plain JavaScript (no WebAssembly SIMD: same results, but slower)',
    },
  ];
  const tokens = createTokenCounter().count('hello world');
  checks.push({
    ok: tokens === 2,
    what: 'token tables',
    found: tokens === 2 ? 'cl100k_base, o200k_base' : 'damaged',
  });
  try {
    const space = await statfs(tmpdir());
    const free = Number(space.bavail) * Number(space.bsize);
    const writable = (await stat(tmpdir())).isDirectory();
    checks.push({
      ok: writable && free > GIB / 8,
      what: 'temporary space',
      found: `${sizeText(free)} free`,
    });
  } catch {
    checks.push({ ok: false, what: 'temporary space', found: 'the temporary directory cannot be read' });
  }
  checks.push(await pictures(), await pages(), ...(await programs()), ...features(environment));
  checks.push(await conversions(environment));
  const raceSafe = opensByDescriptor();
  checks.push({
    ok: true,
    what: 'workspaces',
    found: raceSafe
      ? 'race-safe: paths are opened one component at a time, by descriptor'
      : 'not race-safe: /proc/self/fd is missing, so links in a workspace are rejected',
  });
  const { network } = await confinement();
  checks.push({
    ok: true,
    what: 'isolation',
    found:
      network === 'removed'
        ? 'processes that read files have no network access'
        : 'processes that read files have network access: namespaces cannot be created',
  });
  return checks;
}

/** A grey square, 2 by 2 pixels. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADklEQVQImWPoAAMGCAUALK4GYSSeFPoAAAAASUVORK5CYII=';

/** One page with one word in a standard font. */
const PDF = [
  '%PDF-1.4',
  '1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj',
  '2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj',
  '3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents 4 0 R',
  '/Resources <</Font <</F 5 0 R>>>>>> endobj',
  '4 0 obj <</Length 41>> stream',
  'BT /F 24 Tf 20 40 Td (lectern) Tj ET     ',
  'endstream endobj',
  '5 0 obj <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>> endobj',
  'trailer <</Root 1 0 R>>',
].join('\n');

/** Why the small file cannot be read; null if it can. */
async function faultOf(name: string, bytes: Uint8Array, request: ReadRequest): Promise<string | null> {
  const answer = await createReader({ cache: false }).read({ name, bytes }, request);
  if (!answer.success) return oneLine(`${answer.error.message} ${answer.error.hint}`);
  const isDamaged = answer.warnings.some(({ code }) => code === 'FORMAT_MISMATCH');
  return isDamaged ? oneLine(answer.warnings[0]?.message ?? 'the file is not recognised') : null;
}

async function pictures(): Promise<Check> {
  const fault = await faultOf('check.png', Buffer.from(PNG, 'base64'), { region: '0,0,1,1' });
  return { ok: fault === null, what: 'pictures', found: fault ?? 'sharp resizes and crops' };
}

async function pages(): Promise<Check> {
  const fault = await faultOf('check.pdf', Buffer.from(PDF), {});
  return { ok: fault === null, what: 'PDF', found: fault ?? 'pdf.js and its data files load' };
}

/** The version that an optional program prints; undefined if it cannot be started. */
async function versionOf(program: string, option: string): Promise<string | undefined> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, [option], { timeout: 5000 });
    const version = /^\w+ (?:version )?(\S{1,40})/.exec(stdout || stderr)?.[1] ?? 'of unknown version';
    return `${program} ${oneLine(version)}`;
  } catch {
    return undefined;
  }
}

/** Optional programs: to cut some audio formats, and to read scans. */
async function programs(): Promise<Check[]> {
  const [ffmpeg, tesseract] = await Promise.all([
    versionOf('ffmpeg', '-version'),
    versionOf('tesseract', '--version'),
  ]);
  return [
    { ok: true, what: 'sound', found: ffmpeg ?? 'no ffmpeg on the PATH: fewer audio formats can be cut' },
    {
      ok: true,
      what: 'scans',
      found: tesseract ?? 'no tesseract on the PATH: `--ocr tesseract` cannot read scanned pages',
    },
  ];
}

/** Features whose packages are not among those that lectern installs. */
function features(environment: Environment): Check[] {
  const check = (what: string, isHere: boolean, command: string): Check => ({
    ok: true,
    what,
    found: isHere ? 'its packages are installed' : `not installed: \`${command}\``,
  });
  return [
    check('SQL queries', hasDuckDb({ environment }), 'npm install @duckdb/node-api'),
    check('recall', isInstalled('sqlite'), installCommand('sqlite')),
    check('service', isInstalled('service'), installCommand('service')),
  ];
}

async function conversions(environment: Environment): Promise<Check> {
  const directory = cacheDirectory(environment);
  const what = 'cache';
  if (directory === undefined) return { ok: true, what, found: 'off: no directory is set' };
  try {
    await access(await existing(directory), constants.W_OK);
    const { entries, bytes } = await createDiskCache({ directory }).stats();
    const size = `${plural(entries, 'document')}, ${sizeText(bytes)}`;
    return { ok: true, what, found: `${size} in ${oneLine(directory)}` };
  } catch (error) {
    const reason = error instanceof ReaderError ? error.message : 'it cannot be written';
    return { ok: false, what, found: `${oneLine(directory)}: ${reason}` };
  }
}

/** The nearest folder that exists. */
async function existing(path: string): Promise<string> {
  for (let folder = path; ; folder = dirname(folder)) {
    try {
      await stat(folder);
      return folder;
    } catch (error) {
      if (folder === dirname(folder)) throw error;
    }
  }
}

export const doctor: Command = {
  options: COMMON_OPTIONS,
  async run(words, values, terminal) {
    refuseWords('doctor', words);
    const checks = await examine(terminal.environment);
    if (values['json'] === true) await terminal.out(asJson(checks));
    else
      for (const { ok, what, found } of checks) {
        await terminal.out(ok ? 'ok  ' : 'BAD ', ok ? 'green' : 'red');
        await terminal.out(` ${what}: ${found}\n`);
      }
    return checks.every(({ ok }) => ok) ? 0 : 1;
  },
};
