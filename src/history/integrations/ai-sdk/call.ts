// Reads calls of the AI SDK by shape, because the SDK's types differ between versions. Does not load the SDK.

import { ReaderError, type Tokens } from '../../../contract/index.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Properties of an object; empty for anything else. */
export function fields(value: unknown): Fields {
  // Properties are read by name and remain unknown.
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** Name of a model given as an object or by name; null if it has none. */
export function modelName(model: unknown): string | null {
  const name = typeof model === 'string' ? model : fields(model)['modelId'];
  return typeof name === 'string' && name !== '' ? name : null;
}

/**
 * Prompt tokens of a usage, including cached ones: `inputTokens` of a step, `inputTokens.total` of a model's response.
 */
export function promptTokens(usage: unknown): Tokens | null {
  const counted = fields(usage)['inputTokens'];
  const tokens = typeof counted === 'number' ? counted : fields(counted)['total'];
  return typeof tokens === 'number' && tokens > 0 && Number.isFinite(tokens) ? tokens : null;
}

/** Awaits `work`. If the caller aborted, throws the signal's own reason, which the SDK recognises. */
export async function aborting<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (signal?.aborted && error instanceof ReaderError && error.code === 'ABORTED') throw signal.reason;
    throw error;
  }
}
