// A user whose queries cannot be saved, beside users who read and write: every byte that anyone is sent, and every byte
// that is stored, must be the user's own. Each session of a workspace stands for a user.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from './client.mjs';

const USERS = ['ana', 'bob'];
const ROWS = 40_000;
const TABLE = Object.fromEntries(USERS.map((user) => [user, `owner,n\n${`${user},1234567\n`.repeat(ROWS)}`]));
const noteOf = (user, round) => `${user} ${round} ${user[0].repeat(200_000)}`;

/** Names under which no rows can be saved, and the status that says so. */
const REFUSED = [
  ['../x.parquet', 403],
  ['a/../../x.csv', 403],
  ['table.csv/x.parquet', 400],
];

/** A case that returns how many saves were refused and how many answers and files were wrong. */
export const failingSaves = (rounds) => async (service) => {
  const wrong = [];
  const check = (what, right) => right || wrong.push(what);
  for (const user of USERS) await put(service, user, 'table.csv', TABLE[user]);
  for (let round = 0; round < rounds; round += 1)
    await Promise.all([
      ...REFUSED.map(async ([name, expected]) => {
        const { status } = await post(service, 'ana/query', {
          sql: 'SELECT * FROM "table"',
          files: ['table.csv'],
          name,
        });
        check(`${name} ${status}`, status === expected);
      }),
      ...USERS.map((user) => workOf(service, user, round, check)),
    ]);
  for (const user of USERS) checkStored(service, user, rounds, check);
  return `${rounds * REFUSED.length} saves, ${wrong.length} wrong ${wrong.slice(0, 5).join(', ')}`.trimEnd();
};

async function workOf(service, user, round, check) {
  const others = USERS.filter((one) => one !== user);
  for (let turn = 0; turn < 2; turn += 1) {
    const note = `note-${round}-${turn}.txt`;
    const [got, made, found, listed, read] = await Promise.all([
      ask(service, { path: `/v1/workspaces/${user}/files/table.csv` }),
      put(service, user, note, noteOf(user, round)),
      post(service, `${user}/search`, { query: '1234567', limit: 2 }),
      ask(service, { path: `/v1/workspaces/${user}/files?limit=500` }),
      ask(service, {
        method: 'POST',
        path: '/v1/read',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ session: user, path: 'table.csv', rows: '30000-30010' }),
      }),
    ]);
    check(`get ${got.status}`, got.status === 200 && got.text === TABLE[user]);
    check(`put ${made.status}`, made.status === 201);
    const back = await ask(service, { path: `/v1/workspaces/${user}/files/${note}` });
    check(`note ${back.status}`, back.status === 200 && back.text === noteOf(user, round));
    for (const [what, { status, text }] of Object.entries({ found, listed, read }))
      check(`${what} ${status}`, status === 200 && !others.some((other) => text.includes(other)));
  }
}

function checkStored({ dataDir }, user, rounds, check) {
  const workspaces = join(dataDir, 'workspaces');
  const folder = readdirSync(workspaces)
    .map((one) => join(workspaces, one, user))
    .find((one) => existsSync(one));
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'));
  check(`${names.length} files of ${user}`, names.length === rounds * 2 + 1);
  for (const name of names) {
    const right = name === 'table.csv' ? TABLE[user] : noteOf(user, name.split('-')[1]);
    check(`stored ${user}/${name}`, readFileSync(join(folder, name), 'utf8') === right);
  }
}

/** Sends again what arrived too slowly, as the answer says: machines that run tests may be very busy. */
async function put(service, user, name, body) {
  for (;;) {
    const answer = await ask(service, { method: 'PUT', path: `/v1/workspaces/${user}/files/${name}`, body });
    if (answer.status !== 408) return answer;
  }
}

const post = (service, path, body) =>
  ask(service, {
    method: 'POST',
    path: `/v1/workspaces/${path}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
