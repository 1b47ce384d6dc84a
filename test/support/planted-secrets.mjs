// Secrets that open nothing, drawn by a seed in the formats that their issuers publish, and strings that look like
// secrets and are none. No start of a token is written out here, so that scanners of repositories have nothing to report.

import { createHash } from 'node:crypto';

const SMALL = 'abcdefghijklmnopqrstuvwxyz';
const CAPITALS = SMALL.toUpperCase();
const DIGITS = '0123456789';
const ALPHANUMERIC = CAPITALS + SMALL + DIGITS;
const HEX = `${DIGITS}abcdef`;
const URL_SAFE = `${ALPHANUMERIC}_-`;
const BASE64 = `${ALPHANUMERIC}+/`;

/** A generator of numbers from 0 up to 1. */
export function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Each gives `{ kind, secret, text }`: the secret, and the line or lines it is planted in. */
function makers(next) {
  const draw = (length, letters = ALPHANUMERIC) =>
    Array.from({ length }, () => letters[Math.floor(next() * letters.length)]).join('');
  const pick = (list) => list[Math.floor(next() * list.length)];
  const start = (...pieces) => pieces.join('');
  const settings = [
    'TOKEN=%',
    'token: %',
    '"token": "%"',
    "const key = '%';",
    'curl -H "Authorization: Bearer %"',
    'see % for it',
    '<key>%</key>',
    'a,b,%,d',
  ];
  const token = (kind, secret) => ({ kind, secret, text: pick(settings).replace('%', secret) });
  const jwt = () => {
    const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: draw(12), iat: 1700000000 + Math.floor(next() * 1e6) })}.${draw(43, URL_SAFE)}`;
  };
  const password = () =>
    `${pick(['Harbor', 'quill', 'Tundra', 'mosaic'])}${pick('!#%+*')}${draw(4, DIGITS)}${draw(3, SMALL)}`;
  const key = (label, lines) => {
    const body = Array.from({ length: lines }, (_, at) => draw(at === lines - 1 ? 24 : 64, BASE64)).join(
      '\n',
    );
    const line = (word) => start('-----', word, ' ', label, 'PRIVATE KEY', '-----');
    return { kind: 'private-key', secret: body, text: `${line('BEGIN')}\n${body}\n${line('END')}` };
  };
  const given = (secret, text) => ({ kind: 'password', secret, text: text.replace('%', () => secret) });
  return [
    () => token('aws', start('AK', 'IA') + draw(16, `${CAPITALS}234567`)),
    () => ({ ...given(draw(40, BASE64), 'aws_secret_access_key = %'), kind: 'secret' }),
    () => token('github', start('gh', pick('pousr'), '_') + draw(36)),
    () => token('github', `${start('github', '_pat_') + draw(22)}_${draw(59)}`),
    () => token('gitlab', start('gl', 'pat-') + draw(20, URL_SAFE)),
    () => token('slack', `${start('xo', 'xb-')}${draw(12, DIGITS)}-${draw(12, DIGITS)}-${draw(24)}`),
    () => token('stripe', start('sk', '_live_') + draw(24)),
    () => token('google', start('AI', 'za') + draw(35, URL_SAFE)),
    () => token('npm', start('np', 'm_') + draw(36)),
    () => token('pypi', start('py', 'pi-', 'AgEIcHlwaS5vcmc') + draw(70, URL_SAFE)),
    () =>
      token(
        'openai',
        start('sk', '-proj-') + draw(74, URL_SAFE) + start('T3Blbk', 'FJ') + draw(74, URL_SAFE),
      ),
    () => token('anthropic', `${start('sk', '-ant-api03-') + draw(93, URL_SAFE)}AA`),
    () => token('huggingface', start('h', 'f_') + draw(34, CAPITALS + SMALL)),
    () => token('sendgrid', `${start('S', 'G.') + draw(22, URL_SAFE)}.${draw(43, URL_SAFE)}`),
    () => token('twilio', start('S', 'K') + draw(32, HEX)),
    () => token('jwt', jwt()),
    () => ({
      ...given(
        `${draw(86, BASE64)}==`,
        'DefaultEndpointsProtocol=https;AccountName=store;AccountKey=%;EndpointSuffix=core.windows.net',
      ),
      kind: 'azure',
    }),
    () => token('token', start('dop', '_v1_') + draw(64, HEX)),
    () => token('token', start('hv', 's.') + draw(24)),
    () =>
      given(
        password(),
        pick([
          'postgres://app:%@db.internal:5432/orders',
          'mongodb+srv://root:%@cluster0.abcde.mongodb.net/test',
          'redis://:%@cache:6379/0',
          'amqp://svc:%@mq/vhost',
        ]),
      ),
    () =>
      given(
        password(),
        pick([
          'Server=db1;Database=shop;User Id=app;Password=%;',
          'host=db1 user=app password=% dbname=shop',
        ]),
      ),
    () =>
      given(
        password(),
        pick([
          'DB_PASSWORD=%',
          'export ADMIN_PASSWORD=%',
          'password: "%"',
          "  password = '%'",
          '{"user": "app", "password": "%"}',
        ]),
      ),
    () => ({
      ...given(draw(32), pick(['api_key: "%"', "apiKey: '%',", 'CLIENT_SECRET=%', 'secret_key = "%"'])),
      kind: 'secret',
    }),
    () => key('RSA ', 12),
    () => key('', 4),
    () => key('OPENSSH ', 6),
    () => ({ ...key('EC ', 3) }),
  ];
}

/** `count` planted secrets, every format in turn. */
export function plantedSecrets(seed, count) {
  const next = numbers(seed);
  const all = makers(next);
  return Array.from({ length: count }, (_, at) => all[at % all.length]());
}

/** Lines that hold no secret. */
export function harmlessLines(seed, count) {
  const next = numbers(seed);
  const draw = (length, letters = ALPHANUMERIC) =>
    Array.from({ length }, () => letters[Math.floor(next() * letters.length)]).join('');
  const hash = (name) => createHash(name).update(draw(8));
  const uuid = () => [8, 4, 4, 4, 12].map((length) => draw(length, HEX)).join('-');
  const pick = (list) => list[Math.floor(next() * list.length)];
  const all = [
    () => `      "integrity": "sha512-${hash('sha512').digest('base64')}",`,
    () => `commit ${hash('sha1').digest('hex')}`,
    () => `"sha256": "${hash('sha256').digest('hex')}"`,
    () => `md5 = ${hash('md5').digest('hex')}`,
    () => `id: ${uuid()}`,
    () => `requestId=${uuid()} took ${Math.floor(next() * 1000)} ms`,
    () => `<img src="data:image/png;base64,iVBORw0KGgo${draw(120, BASE64)}">`,
    () => `ETag: W/"${draw(27, URL_SAFE)}"`,
    () =>
      `password: ${pick([['$', '{DB_PASSWORD}'].join(''), '<your-password>', '"changeme"', 'process.env.PASSWORD', 'null', '********', "''", '{{ vault.password }}'])}`,
    () => `API_KEY=${pick(['your-api-key-here', '$API_KEY', 'xxxxxxxxxxxxxxxx', '<key>', '', 'REPLACE_ME'])}`,
    () =>
      `${pick(['token', 'secret', 'password'])}: ${pick(['string', 'str', 'number', 'Optional[str]', 'Buffer'])};`,
    () =>
      `const ${pick(['token', 'secret'])} = ${pick(['await getToken()', 'tokens[index]', 'readSecret(path)', 'this.#token', 'next.value'])};`,
    () => `url: https://${pick(['user@', '', 'git@'])}example.org/path:${Math.floor(next() * 9999)}/x`,
    () =>
      `postgres://${pick(['user:password', '<user>:<password>', ['$', '{USER}:$', '{PASS}'].join('')])}@localhost/db`,
    () => `max_tokens: ${Math.floor(next() * 9999)}, tokenizer: "cl100k_base"`,
    () => `AWS_ACCESS_KEY_ID=${['AK', 'IAIOSFODNN7', 'EXAMPLE'].join('')}`,
    () => `${['-----BEGIN ', 'CERTIFICATE-----'].join('')} ${draw(64, BASE64)}`,
    () => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA${draw(43, BASE64)} ops@host`,
    () =>
      `class ${pick(['Token', 'Secret', 'Password'])}${pick(['Factory', 'Manager', 'Reader'])}V${Math.floor(next() * 9)} {}`,
    () => `passwordHash: "$2b$10$${draw(53, `${ALPHANUMERIC}./`)}"`,
    () => `secretName: ${pick(['db', 'app'])}-credentials-v${Math.floor(next() * 9)}`,
    () => `tokenUrl = "https://auth.example.org/oauth2/v${Math.floor(next() * 3)}/token"`,
  ];
  return Array.from({ length: count }, (_, at) => all[at % all.length]());
}
