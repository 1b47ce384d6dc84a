// A Next.js application reads in a route, with lectern as an external package.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { FILES, READ } from './app.ts';
import { printed, project, readBy } from './hosted.ts';

vi.setConfig({ testTimeout: 400_000 });

const app = project(['next', 'react', 'react-dom']);
afterAll(() => app.remove());

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

it('reads in a route', async () => {
  const { folder } = app;
  app.write(
    'next.config.mjs',
    `export default { serverExternalPackages: ['lectern'], outputFileTracingRoot: ${JSON.stringify(folder)} };\n`,
  );
  app.write('app/layout.js', 'export default function Layout({ children }) { return children; }\n');
  app.write('app/page.js', "export default function Page() { return 'lectern'; }\n");
  app.write(
    'app/read/route.js',
    `${READ}
    export const POST = async (request) => Response.json(await read(await request.json()));\n`,
  );
  const next = join(folder, 'node_modules/next/dist/bin/next');
  const env = { ...process.env, NODE_ENV: 'production' as const, NEXT_TELEMETRY_DISABLED: '1' };
  // Turbopack refuses the links of this project's packages.
  await printed(process.execPath, [next, 'build', '--webpack'], { cwd: folder, env });
  const port = await freePort();
  const server = spawn(process.execPath, [next, 'start', '-H', '127.0.0.1', '-p', String(port)], {
    cwd: folder,
    env,
    stdio: 'ignore',
  });
  try {
    const url = `http://127.0.0.1:${port}/read`;
    const answer = await vi.waitFor(() => fetch(url, { method: 'POST', body: JSON.stringify(FILES) }), {
      timeout: 60_000,
      interval: 250,
    });
    expect(await answer.json()).toEqual(await readBy('app.mjs', folder));
  } finally {
    server.kill();
    await once(server, 'exit');
  }
});
