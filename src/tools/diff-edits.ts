// Parses edits written as a diff: unified, or in the form of `apply_patch`. A diff changes one existing file.

import { named, quoted } from '../contract/index.ts';
import { bad } from './argument-rules.ts';

/** Adjacent lines of a file, and what they become. */
export interface Hunk {
  readonly kind: 'hunk';
  /** In order, each line before and after: equal for context, one of them undefined for an added or removed line. */
  readonly lines: readonly { readonly old?: string; readonly next?: string }[];
  /** 1-based number of its first line, if given. */
  readonly line?: number;
  /** A line above it, as an anchor. */
  readonly below?: string;
}

export interface Diff {
  /** Absent if the diff names no file. */
  readonly path?: string;
  readonly hunks: readonly Hunk[];
}

const WRITE = 'Use `write_file` for a whole file.';

/** @throws {ReaderError} BAD_INPUT if it is not a diff, covers several files, or adds or deletes one */
export function diffOf(text: string): Diff {
  const paths = new Set<string>();
  let before: string | undefined;
  const hunks: { lines: Hunk['lines'][number][]; line?: number; below?: string }[] = [];
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const line of lines) {
    const action =
      /^\*\*\* (Begin Patch|End Patch|End of File|(?:Update|Add|Delete) File|Move to)(?:: (.*))?$/.exec(line);
    if (action) {
      const [, what = '', path = ''] = action;
      if (/^(?:Add|Delete|Move)/.test(what))
        throw bad(`A diff with ${quoted(what)} is not supported.`, WRITE);
      if (what === 'Update File') paths.add(path.trim());
      continue;
    }
    const hunk = hunks.at(-1);
    if (/^@@/.test(line)) hunks.push(begun(line));
    else if (!hunk || /^(?:diff |index |--- |\+\+\+ )/.test(line)) {
      const [, sign, written = ''] = /^(\+\+\+|---) ([^\t]*)/.exec(line) ?? [];
      if (written === '/dev/null') throw bad('A diff that adds or deletes a file is not supported.', WRITE);
      if (sign === '+++') paths.add(nameIn(written, 'b/'));
      if (sign === '---') before ??= nameIn(written, 'a/');
    } else if (line.startsWith('-')) hunk.lines.push({ old: line.slice(1) });
    else if (line.startsWith('+')) hunk.lines.push({ next: line.slice(1) });
    else if (!line.startsWith('\\')) {
      const same = line.startsWith(' ') ? line.slice(1) : line;
      hunk.lines.push({ old: same, next: same });
    }
  }
  const [path = before, other] = paths;
  if (path !== undefined && other !== undefined)
    throw bad(`The diff changes ${paths.size} files; expected one.`, 'Call the tool once per file.');
  const changes = hunks.some((hunk) => hunk.lines.some(({ old, next }) => old !== next));
  if (!changes)
    throw bad(
      '`patch` contains no change.',
      'Write it as a unified diff with lines that begin with `-` and `+`, or use `old_text` and `new_text`.',
    );
  return {
    ...(path !== undefined && { path }),
    hunks: hunks.map((hunk) => ({ kind: 'hunk', ...hunk })),
  };
}

/** A file name in a header. Git quotes a non-ASCII name, with its bytes as octal escapes. */
function nameIn(written: string, prefix: 'a/' | 'b/'): string {
  const quotedName = /^"(.*)"$/s.exec(written.trim())?.[1];
  const name =
    quotedName === undefined
      ? written.trim()
      : Buffer.from(
          Buffer.from(quotedName)
            .toString('latin1')
            .replace(/\\(?:([0-3][0-7]{2})|(.))/gs, (_, octal: string | undefined, plain: string) =>
              octal === undefined ? plain : String.fromCharCode(Number.parseInt(octal, 8)),
            ),
          'latin1',
        ).toString('utf8');
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** @throws {ReaderError} BAD_INPUT for a diff of another file than `path`: neither name ends with the other */
export function checkNames(path: string, { path: changed }: Diff): void {
  if (changed === undefined) return;
  const [own, others] = [namesOf(path), namesOf(changed)];
  const shorter = Math.min(own.length, others.length);
  if (shorter > 0 && own.slice(-shorter).join('/') === others.slice(-shorter).join('/')) return;
  throw bad(
    `\`path\` is ${named(path)}, but \`patch\` changes ${named(changed)}; nothing was changed.`,
    'Omit `path`, or pass a diff of that file.',
  );
}

const namesOf = (path: string): readonly string[] =>
  path.split(/[\\/]/).filter((name) => !['', '.', '..'].includes(name));

function begun(line: string): { lines: Hunk['lines'][number][]; line?: number; below?: string } {
  const place = /^@@ -(\d{1,9})(?:,\d{1,9})? \+\d{1,9}(?:,\d{1,9})? @@/.exec(line);
  if (place) return { lines: [], line: Number(place[1]) };
  const below = line.replace(/^@@+|@@$/g, '').trim();
  return { lines: [], ...(below !== '' && { below }) };
}
