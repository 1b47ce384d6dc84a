// Optional peer dependencies, which only some users need: loads them on use, and says what to install if one is missing.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ReaderError } from './error.ts';

/** What needs optional packages. */
export type Feature =
  | 'service'
  | 'sqlite'
  | 'metrics'
  | 'sharedRates'
  | 'postgres'
  | 'redis'
  | 'tracing'
  | 'aiSdk'
  | 'langchain'
  | 'mastra';

/** The packages of a feature, with the major version that the manifest's peer dependencies ask for. */
export const OPTIONAL_PACKAGES: Readonly<Record<Feature, readonly string[]>> = {
  /** `lectern serve`; its database is SQLite unless it has an address. */
  service: ['fastify@5', '@fastify/busboy@3', 'pino@9', 'prom-client@15', '@libsql/client@0.18'],
  sqlite: ['@libsql/client@0.18'],
  metrics: ['prom-client@15'],
  /** Limits of rate that several nodes share, in Redis or PostgreSQL. */
  sharedRates: ['rate-limiter-flexible@11'],
  postgres: ['pg@8'],
  redis: ['ioredis@6'],
  tracing: ['@opentelemetry/api', '@opentelemetry/sdk-node'],
  aiSdk: ['ai'],
  langchain: ['@langchain/core@1'],
  mastra: ['@mastra/core'],
};

/** The command that installs the packages of `feature`. */
export const installCommand = (feature: Feature): string =>
  `npm install ${OPTIONAL_PACKAGES[feature].join(' ')}`;

/**
 * The error to throw where importing packages of `feature` failed: MISSING_DEPENDENCY if one is not installed, else
 * `error`. `user`: what needs them, as the subject of the message. For imports that bundlers see: they leave a missing
 * package alone only inside a `try`.
 */
export function missingPackages(feature: Feature, user: string, error: unknown): unknown {
  // Without a free file descriptor, Node.js reports an installed package as missing.
  if (!isMissing(error) || isInstalled(feature)) return error;
  return new ReaderError(
    'MISSING_DEPENDENCY',
    `${user} needs packages that are not installed.`,
    `Run \`${installCommand(feature)}\` where lectern is installed.`,
    error,
  );
}

/**
 * What `load` imports. `user`: what needs it, as the subject of the message.
 * @throws {ReaderError} MISSING_DEPENDENCY if a package is not installed
 */
export async function loadOptional<T>(feature: Feature, user: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw missingPackages(feature, user, error);
  }
}

/** True if all packages of `feature` are installed; opens no file. */
export function isInstalled(feature: Feature): boolean {
  const { resolve } = createRequire(import.meta.url);
  return OPTIONAL_PACKAGES[feature].every((versioned) => {
    const name = versioned.replace(/(?!^)@[\d.]+$/, '');
    return resolve.paths(name)?.some((folder) => existsSync(join(folder, name, 'package.json'))) === true;
  });
}

function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND')
  );
}
