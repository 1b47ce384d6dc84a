// The hostile files as uploads: each is sent to the service as the raw body of a read, page after page as its case says.

import { createReadStream, mkdirSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { basename, join } from 'node:path';
import { faultsOf, summary } from '../verdict.mjs';

/** A read may take its own deadline, and wait for a process before. */
const DEADLINE_SECONDS = 40;

/** What a client cannot upload: folders, pipes, changes under way, operations of a workspace. */
const isUpload = ({ action = 'read', operation, workspace }) =>
  (action === 'read' || action === 'inspect') && operation === undefined && workspace !== true;

/** Cases for `runServiceCases`. `count` gives the tokens of a text. */
export function fileCases(cases, { root, full, count }) {
  return cases.filter(isUpload).map((one, index) => ({
    name: one.name,
    expect: /^(?!MISSED)/,
    run: async (service) => {
      const folder = join(root, String(index));
      mkdirSync(folder, { recursive: true });
      try {
        const path = one.make(folder, full);
        if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return 'not a file, cannot be uploaded';
        const begun = performance.now();
        const results = await pagesOf(service, one, path);
        const seconds = (performance.now() - begun) / 1000;
        const outcome = {
          results,
          tokens: results.map(({ text }) => (text === undefined ? 0 : count(text))),
          harmless: true,
          sockets: 0,
          run: false,
          leaked: 0,
          peak: 0,
          left: [],
        };
        const faults = faultsOf(one, outcome, { folder, full });
        if (seconds > DEADLINE_SECONDS) faults.push(`took ${seconds.toFixed(0)} s`);
        return faults.length > 0 ? `MISSED ${faults.join('; ')}: ${summary(results)}` : summary(results);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  }));
}

async function pagesOf(service, one, path) {
  const results = [];
  let asked = one.request ?? {};
  for (let page = 0; page < (one.pages ?? 1); page += 1) {
    const result = await upload(service, one.action === 'inspect' ? 'inspect' : 'read', path, asked);
    results.push(result);
    const next = result.success ? result.truncation?.next : undefined;
    if (!next) break;
    const { maxTokens } = one.request ?? {};
    asked = { cursor: next.cursor, ...(maxTokens !== undefined && { maxTokens }) };
  }
  return results;
}

/** The answer as the library gives it: a problem as a failed result. */
function upload({ hostname, port }, operation, path, fields) {
  const query = new URLSearchParams({
    name: basename(path),
    ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)])),
  });
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: hostname, port, method: 'POST', path: `/v1/${operation}?${query}` },
      (answer) => {
        const pieces = [];
        answer.on('data', (piece) => pieces.push(piece));
        answer.on('end', () => {
          const body = JSON.parse(Buffer.concat(pieces).toString());
          if (answer.statusCode === 200) return resolve(body);
          const { code, detail, hint } = body;
          resolve({ success: false, error: { code, message: detail, hint } });
        });
      },
    );
    const file = createReadStream(path);
    const failed = (error) => {
      file.destroy();
      reject(error);
    };
    file.on('error', failed);
    sent.on('error', failed);
    file.pipe(sent);
  });
}
