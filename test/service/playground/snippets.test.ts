// The code that the page offers, run as a visitor would: what it gives is what the page showed.

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RequestValues } from '../../../src/service/playground/page/request.ts';
import { type Snippet, snippetsOf } from '../../../src/service/playground/page/snippets.ts';
import { type Running, running } from '../http/running.ts';

// Waits for a browser.
vi.setConfig({ testTimeout: 180_000 });

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NAME = "lock 7's orders.csv";
const TABLE = `id,city,amount\n${Array.from({ length: 900 }, (_, row) => `${row + 1},Lisbon,${row * 7}`).join('\n')}\n`;
const TSCONFIG = {
  compilerOptions: { target: 'es2023', module: 'nodenext', strict: true, skipLibCheck: true, types: [] },
  files: ['program.ts'],
};

/** Of an answer over HTTP or in TypeScript. */
interface Answer {
  readonly success: boolean;
  readonly text: string;
  readonly truncation: { readonly next: { readonly cursor: string } | null } | null;
}

describe('the code for a CSV', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-snippets-'));
  let service: Running;
  /** First some rows, then the part behind the cursor of that answer; each with what the page shows. */
  const steps: { readonly request: RequestValues; readonly shown: string }[] = [];

  /** As the page asks. */
  const read = async (request: RequestValues): Promise<Answer> => {
    const form = new FormData();
    form.append('request', JSON.stringify(request));
    form.append('file', new File([TABLE], NAME), NAME);
    const answer = await fetch(`${service.url}/v1/read`, { method: 'POST', body: form });
    expect(answer.status).toBe(200);
    return (await answer.json()) as Answer; // of the documented shape
  };
  const codeOf = (id: Snippet['id'], request: RequestValues): string =>
    snippetsOf([NAME], request, { url: service.url, keyed: false }).find((one) => one.id === id)?.code ?? '';
  const shell = async (code: string): Promise<string> => {
    const env = { PATH: `${folder}/bin:${process.env['PATH'] ?? ''}` };
    return (await run('/bin/sh', ['-c', code], { cwd: folder, env })).stdout;
  };

  beforeAll(async () => {
    service = await running();
    writeFileSync(join(folder, NAME), TABLE);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    for (const name of ['bin', 'node_modules']) mkdirSync(join(folder, name));
    symlinkSync(join(ROOT, 'dist/src/cli/main.js'), join(folder, 'bin/lectern'));
    symlinkSync(ROOT, join(folder, 'node_modules/lectern'));
    const rows = { rows: '101-700', maxTokens: 900 };
    const first = await read(rows);
    const cursor = first.truncation?.next?.cursor ?? '';
    expect(cursor).not.toBe('');
    const later = { maxTokens: 900, cursor };
    steps.push({ request: rows, shown: first.text });
    steps.push({ request: later, shown: (await read(later)).text });
    expect(steps[0]?.shown).toContain('\n101,Lisbon');
    expect(steps[1]?.shown).not.toBe(steps[0]?.shown);
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  it('curl', async () => {
    for (const { request, shown } of steps)
      expect(JSON.parse(await shell(codeOf('curl', request)))).toMatchObject({ success: true, text: shown });
  });

  it('the command line', async () => {
    for (const { request, shown } of steps)
      expect((await shell(codeOf('cli', request))).trimEnd()).toBe(shown.trimEnd());
  });

  it('TypeScript, compiled', async () => {
    for (const { request, shown } of steps) {
      const print =
        '\ndeclare const console: { log(text: string): void };\nconsole.log(JSON.stringify(result));\n';
      writeFileSync(join(folder, 'program.ts'), codeOf('typescript', request) + print);
      await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder]);
      const { stdout } = await run(process.execPath, ['program.js'], { cwd: folder });
      expect(JSON.parse(stdout)).toMatchObject({ success: true, text: shown });
    }
  });

  it('MCP', async () => {
    const path = `/v1/workspaces/mcp/files/${encodeURIComponent(NAME)}`;
    const put = await fetch(service.url + path, { method: 'PUT', body: TABLE });
    expect(put.status).toBe(201);
    for (const { request, shown } of steps) {
      const call: unknown = JSON.parse(codeOf('mcp', request));
      const answer = await fetch(`${service.url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...Object(call) }),
      });
      const { result } = messageIn(await answer.text());
      expect(result).toMatchObject({ content: [{ type: 'text', text: shown }] });
    }
  });
});

/** The one message of an answer, in JSON or as a server-sent event. */
function messageIn(text: string): { readonly result: unknown } {
  const data = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '');
  return JSON.parse(data) as { result: unknown }; // a response of JSON-RPC
}

describe('the code', () => {
  const local = { url: 'http://localhost:8080', keyed: false };
  const codes = (names: readonly string[], request: RequestValues = {}, keyed: boolean = false): string[] =>
    snippetsOf(names, request, { ...local, keyed }).map(({ code }) => code);

  it('for a name with shell syntax', () => {
    const [cli, , curl] = codes(["a'; rm -rf ~ #.txt"]);
    expect(cli).toBe("lectern read 'a'\\''; rm -rf ~ #.txt'");
    expect(curl).toBe(`curl http://localhost:8080/v1/read \\\n  -F 'file=@"a'\\''; rm -rf ~ #.txt"'`);
    expect(codes(['-rf'])[0]).toBe('lectern read ./-rf');
  });

  it('for several files', () => {
    const [cli, typescript, curl, mcp] = codes(['a.csv', 'b.pdf'], { maxTokens: 900, overflow: 'outline' });
    expect(cli).toBe('lectern read --max-tokens=900 --overflow=outline a.csv b.pdf');
    expect(typescript).toContain(
      'reader.readMany(["a.csv", "b.pdf"], { maxTokens: 900, overflow: "outline" })',
    );
    expect(curl?.match(/-F file=@/g)?.length).toBe(2);
    expect(mcp?.match(/"outline": true/g)?.length).toBe(2);
  });

  it('for a server with keys: omits the key', () => {
    expect(codes(['a.csv'], {}, true)[2]).toContain('-H "authorization: Bearer $LECTERN_API_KEY"');
  });

  it('for the whole file', () => {
    expect(codes(['a.csv'], { all: true })[0]).toBe('lectern read --all a.csv');
  });
});
