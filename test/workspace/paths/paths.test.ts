// What a path says before anything is opened: inside the root, or refused; and the way between sandbox and host.

import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReaderError } from '../../../src/contract/index.ts';
import { containerToHostPath, hostToContainerPath, parsePath } from '../../../src/workspace/paths/paths.ts';
import { draws } from '../../support/draws.ts';

const ROOT = '/srv/data/workspaces/u/s';
const MOUNT = '/workspace';

const piece = fc.oneof(
  fc.constantFrom(
    '..',
    '.',
    '',
    'workspace',
    'workspacex',
    '...',
    '..foo',
    'a',
    'b.txt',
    '~',
    '-rf',
    '%2e%2e',
    '..\\..',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const path = fc
  .tuple(
    fc.constantFrom('', '/', '//', '/workspace/', '/workspace', './', '../'),
    fc.array(piece, { maxLength: 8 }),
  )
  .map(([start, pieces]) => start + pieces.join('/'));

const outcome = (work: () => string): string | undefined => {
  try {
    return work();
  } catch (error) {
    if (error instanceof ReaderError) return undefined;
    throw error;
  }
};

describe('any path', () => {
  it('is inside the root, where the system would resolve it, or is rejected', () => {
    let inside = 0;
    fc.assert(
      fc.property(path, (text) => {
        const host = outcome(() => containerToHostPath(text, { root: ROOT }));
        if (host === undefined) return;
        inside += 1;
        const relative = posix.relative(MOUNT, posix.resolve(MOUNT, text));
        expect(posix.resolve(ROOT, relative)).toBe(host);
        expect(`${host}/`.startsWith(`${ROOT}/`)).toBe(true);
        expect(host.split('/')).not.toContain('..');
      }),
      { numRuns: draws(5000) },
    );
    expect(inside).toBeGreaterThan(draws(5000) / 10);
  });

  it('is inside the root or rejected if the host path of the root is also accepted', () => {
    const own = '/home/me/proj';
    const start = fc.constantFrom(
      '',
      '/',
      '/workspace/',
      own,
      `${own}/`,
      `/${own}/./`,
      '/home//me/proj/',
      `${own}2/`,
    );
    let inside = 0;
    fc.assert(
      fc.property(start, fc.array(piece, { maxLength: 8 }), (from, pieces) => {
        const text = from + pieces.join('/');
        const names = outcome(() => parsePath(text, MOUNT, own).join('/'));
        if (names === undefined) return;
        const there = posix.resolve(own, names);
        expect(`${there}/`.startsWith(`${own}/`)).toBe(true);
        expect(names.split('/')).not.toContain('..');
        if (outcome(() => parsePath(text).join('/')) === names) return;
        inside += 1;
        expect(posix.resolve(text)).toBe(there);
      }),
      { numRuns: draws(5000) },
    );
    expect(inside).toBeGreaterThan(draws(5000) / 10);
  });

  it('that resembles the path of the root, or leads above it, is rejected', () => {
    const own = '/home/me/proj';
    expect(parsePath(own, MOUNT, own)).toEqual([]);
    expect(parsePath(`${own}/x.csv`, MOUNT, own)).toEqual(['x.csv']);
    expect(parsePath('/workspace/x.csv', MOUNT, own)).toEqual(['x.csv']);
    expect(parsePath('/etc', MOUNT, '/')).toEqual(['etc']);
    for (const text of [`${own}x`, `${own}x/y`, `${own}/..`, `${own}/../proj2/x`, '/home/me', '/'])
      expect(() => parsePath(text, MOUNT, own)).toThrow('leads outside the workspace');
    expect(() => containerToHostPath(`${own}/x`, { root: own })).toThrow('leads outside the workspace');
  });

  it('that never goes above its start is accepted', () => {
    const name = fc.constantFrom(
      'a',
      '..foo',
      'report..final.md',
      '[...slug].tsx',
      '~',
      '*',
      '$HOME',
      'C:\\x',
      '....',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(name, fc.constantFrom('.', ''))), (pieces) => {
        const text = pieces.join('/').replace(/^\/+/, '');
        expect(parsePath(text)).toEqual(pieces.filter((one) => one !== '.' && one !== ''));
      }),
    );
  });
});

describe('sandbox to host and back', () => {
  it('returns the same path', () => {
    fc.assert(
      fc.property(
        path,
        fc.constantFrom(ROOT, '/', '/w'),
        fc.constantFrom(MOUNT, '/', '/a/b'),
        (text, root, mount) => {
          const host = outcome(() => containerToHostPath(text, { root, mount }));
          if (host === undefined) return;
          const back = hostToContainerPath(host, { root, mount });
          expect(back).toBe(posix.resolve(mount, text));
          expect(containerToHostPath(back, { root, mount })).toBe(host);
        },
      ),
      { numRuns: draws(3000) },
    );
  });

  it('and host to sandbox and back', () => {
    fc.assert(
      fc.property(path, (text) => {
        const given = `${ROOT}/${text}`;
        const container = outcome(() => hostToContainerPath(given, { root: ROOT }));
        if (container === undefined) return;
        expect(containerToHostPath(container, { root: ROOT })).toBe(posix.resolve(given));
      }),
      { numRuns: draws(3000) },
    );
  });

  it.each(['/etc/passwd', `${ROOT}2/f`, `${ROOT}/../s2/f`, '/', 'srv/data', `${ROOT}/a\0`, ''])(
    'rejects %j without revealing a host path',
    (hostPath) => {
      try {
        hostToContainerPath(hostPath, { root: ROOT });
        expect.unreachable();
      } catch (error) {
        expect(error).toBeInstanceOf(ReaderError);
        if (error instanceof ReaderError) expect(error.message + error.hint).not.toContain('/srv');
      }
    },
  );

  it('requires a root', () => {
    for (const root of ['', 'srv', '/srv/../etc'])
      expect(() => containerToHostPath('a', { root })).toThrow(
        expect.objectContaining({ code: 'BAD_INPUT' }),
      );
  });
});
