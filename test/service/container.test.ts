// The image and the compose file, held to what they say without a container engine: the files they copy build the package,
// and their commands run.

import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
const instructions = dockerfile
  .split('\n')
  .filter((line) => line.trim() !== '' && !line.startsWith('#'))
  .map((line) => {
    const [word = '', ...rest] = line.split(' ');
    return { word, rest: rest.join(' ') };
  });
const last = (word: string): string => instructions.findLast((one) => one.word === word)?.rest ?? '';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-image-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the image', () => {
  // A whole build: under CI alone.
  it.runIf(process.env['CI'])(
    'builds the package from the files it copies',
    () => {
      const copied = instructions
        .filter(({ word, rest }) => word === 'COPY' && !rest.startsWith('--from'))
        .flatMap(({ rest }) => rest.split(' ').slice(0, -1));
      const allowed = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('!'))
        .map((line) => line.slice(1));
      expect(copied.sort()).toEqual(allowed.sort());
      for (const name of copied)
        cpSync(join(ROOT, name), join(folder, name), {
          recursive: true,
          // Of the generated files only the kernel is committed.
          filter: (path) => !path.includes('.generated.') || path.endsWith('kernel.generated.ts'),
        });
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
      execFileSync('npm', ['run', 'build'], { cwd: folder, stdio: 'pipe' });
      expect(existsSync(join(folder, 'dist/src/cli/main.js'))).toBe(true);
      expect(existsSync(join(folder, 'dist/playground/index.html'))).toBe(true);
    },
    600_000,
  );

  it('has the packages that the tests run with', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const [, installed = ''] = /--save-prod --ignore-scripts ([^&]+) &&/.exec(dockerfile) ?? [];
    expect(installed.split(' ')).toEqual(
      [
        ...['fastify', '@fastify/busboy', 'pino', 'prom-client', 'rate-limiter-flexible', '@libsql/client'],
        ...['pg', 'ioredis', 'bullmq'],
      ].map((name) => `${name}@${devDependencies[name]}`),
    );
  });

  it('runs without privileges, and its health check detects a ready service', async () => {
    expect(last('USER')).toBe('node');
    const check = JSON.parse(/CMD (\[.*\])/.exec(last('HEALTHCHECK'))?.[1] ?? '[]') as string[]; // as the file has it
    const [entry, script] = JSON.parse(last('ENTRYPOINT')) as string[];
    expect(script).toBe('/app/dist/src/cli/main.js');
    const service = spawn(
      entry ?? '',
      [join(ROOT, 'dist/src/cli/main.js'), 'serve', '--port', '0', '--data-dir', join(folder, 'data')],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    try {
      const port = await new Promise<string>((resolve) => {
        service.stderr.on('data', (text: Buffer) => {
          const found = /listening on http:\/\/[^:]+:(\d+)/.exec(text.toString());
          if (found?.[1]) resolve(found[1]);
        });
      });
      const run = (at: string): void => {
        const [command = '', ...words] = check.map((word) => word.replace(':8080', `:${at}`));
        execFileSync(command, words, { cwd: dirname(folder) });
      };
      expect(() => run(port)).not.toThrow();
      expect(() => run('9')).toThrow();
    } finally {
      const ended = new Promise((resolve) => service.once('exit', resolve));
      service.kill();
      expect(await ended).toBe(0);
    }
  });
});

describe('the compose file', () => {
  it('grants the service only what it needs', () => {
    const { services, volumes } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'));
    expect(services.lectern).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      volumes: ['data:/data'],
      tmpfs: [expect.stringMatching(/^\/tmp:/)],
    });
    expect(Object.keys(volumes)).toEqual(['data']);
    for (const address of services.lectern.ports) expect(address).toMatch(/^127\.0\.0\.1:/);
    expect(last('VOLUME')).toBe('/data');
    expect(last('EXPOSE')).toBe('8080');
  });
});
