// `lectern serve`: runs the HTTP service until a signal stops it. Logs to standard output, one JSON object per line.

import {
  DATA_DIRECTORY,
  type Environment,
  loadOptional,
  oneLine,
  quoted,
  settingOf,
} from '../contract/index.ts';
import { ReaderError } from '../index.ts';
import {
  HISTORY_LIMIT_DEFINITIONS,
  LIMIT_DEFINITIONS,
  WORKSPACE_LIMIT_DEFINITIONS,
} from '../limits/index.ts';
import type { ServiceOptions } from '../service/index.ts';
import type { Command } from './command.ts';
import { isolationLimitsFrom, serviceLimitsFrom } from './limit-flags.ts';
import { OCR_OPTIONS, ocrFrom } from './ocr.ts';
import {
  COMMON_OPTIONS,
  ISOLATION_LIMIT_OPTIONS,
  type Option,
  REDACT_OPTIONS,
  redactFrom,
  SERVICE_LIMIT_OPTIONS,
  type Values,
} from './options.ts';
import { untilStopped } from './until-stopped.ts';

const SERVE_OPTIONS: readonly Option[] = [
  {
    name: 'host',
    value: 'ADDRESS',
    help: 'address to listen on (default: LECTERN_HOST, or 127.0.0.1); addresses other than loopback require a key',
  },
  {
    name: 'port',
    value: 'N',
    help: 'port to listen on (default: LECTERN_PORT, or 8080); 0 for any free port',
  },
  { name: 'data-dir', value: 'DIR', help: 'data folder (default: LECTERN_DATA_DIR, or ./data)' },
  {
    name: 'database',
    value: 'URL',
    help: 'PostgreSQL database that several nodes share (default: LECTERN_DATABASE_URL, or a file in the data folder)',
  },
  {
    name: 'storage',
    value: 'URL',
    help: 's3://bucket/prefix, or a shared folder, for workspaces, uploads of jobs and the cache (default: LECTERN_STORAGE_URL, or the data folder)',
  },
  {
    name: 'public-host',
    value: 'NAME',
    help: 'public host name for browsers, in addition to localhost and IP addresses',
  },
  ...REDACT_OPTIONS,
  { name: 'quiet', help: 'do not log' },
];

/** Serves until SIGTERM or an interrupt, then returns 0. A second signal stops it immediately. */
export const serve: Command = {
  options: [
    ...SERVE_OPTIONS,
    ...OCR_OPTIONS,
    ...SERVICE_LIMIT_OPTIONS,
    ...ISOLATION_LIMIT_OPTIONS,
    ...COMMON_OPTIONS.filter(({ name }) => name !== 'json'),
  ],
  variables: [...LIMIT_DEFINITIONS, ...WORKSPACE_LIMIT_DEFINITIONS, ...HISTORY_LIMIT_DEFINITIONS],
  async run(words, values, terminal) {
    if (words.length > 0)
      throw new ReaderError(
        'BAD_INPUT',
        `\`lectern serve\` does not accept the argument ${quoted(words.join(' '))}.`,
        'Example: `lectern serve --port 8080 --data-dir DIR`.',
      );
    const [{ startService }, { pino }] = await loadOptional('service', 'The service', () =>
      Promise.all([import('../service/index.ts'), import('pino')]),
    );
    const quiet = values['quiet'] === true;
    const service = await startService({
      ...placeFrom(values, terminal.environment),
      limits: serviceLimitsFrom(values),
      isolation: isolationLimitsFrom(values),
      ...(await ocrFrom(values, terminal.environment)),
      ...redactFrom(values),
      ...(!quiet && {
        log: pino({ base: null, timestamp: ISO_TIME }),
      }),
    });
    terminal.err(`lectern serve: listening on ${oneLine(service.url)}\n`);
    await untilStopped(terminal.signal);
    terminal.err('lectern serve: stopping after requests in progress\n');
    await service.close();
    return 0;
  },
};

/** ISO 8601 times in the log, as in the API. */
const ISO_TIME = (): string => `,"time":"${new Date().toISOString()}"`;

/** Flags, or environment variables. */
function placeFrom(values: Values, environment: Environment): ServiceOptions {
  const given = (name: string, variable: string): string | undefined =>
    typeof values[name] === 'string' ? values[name] : settingOf(environment, { variable });
  const host = given('host', 'LECTERN_HOST');
  const port = given('port', 'LECTERN_PORT');
  const dataDir =
    typeof values['data-dir'] === 'string' ? values['data-dir'] : settingOf(environment, DATA_DIRECTORY);
  const publicHost = given('public-host', 'LECTERN_PUBLIC_HOST');
  return {
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port: portOf(port) }),
    ...(dataDir !== undefined && { dataDir }),
    ...(typeof values['database'] === 'string' && { database: values['database'] }),
    ...(typeof values['storage'] === 'string' && { storage: values['storage'] }),
    ...(publicHost !== undefined && { publicHosts: publicHost.split(',').map((name) => name.trim()) }),
  };
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new ReaderError(
    'BAD_INPUT',
    `\`--port\` is ${quoted(text)}; expected a number from 0 to 65535.`,
    'Example: `--port 8080`.',
  );
}
