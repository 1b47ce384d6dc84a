// The limits of a target: its row of the table, narrowed to a family of models, with the caller's overrides.

import { type MimeType, quoted, ReaderError } from '../contract/index.ts';
import type { ImageTokenRule, Limits, LimitValues, Sourced, Target } from './limit.ts';
import { type NamedModel, namedModel } from './match.ts';
import { DATE, from, type Provider, TABLE } from './providers.ts';

/** The table: what each target accepts if the model is unknown. `ai-sdk` is what all of them accept. */
export const ATTACHMENT_LIMITS: Readonly<Record<Target, Limits>> = {
  ...TABLE,
  'ai-sdk': common(Object.values(TABLE)),
};

/**
 * What `target` accepts, for `model` if its family is known (`claude-sonnet-4-6`, `openai/gpt-5-mini`). With `ai-sdk`
 * the model identifies the provider; without a known one, the result is what every provider of the table accepts.
 * @throws {ReaderError} BAD_INPUT for an unknown target, or an invalid override
 */
export function attachmentLimits(
  target: Target,
  model?: string,
  overrides: Partial<LimitValues> = {},
): Limits {
  if (!Object.hasOwn(ATTACHMENT_LIMITS, target))
    throw new ReaderError(
      'BAD_INPUT',
      `\`target\` is ${quoted(String(target))}; expected one of ${Object.keys(ATTACHMENT_LIMITS)
        .map((name) => `\`${name}\``)
        .join(', ')}.`,
      'Name the message format the attachments are for.',
    );
  if (model !== undefined && typeof model !== 'string') throw notOf('model', model, 'the name of a model');
  if (typeof overrides !== 'object' || overrides === null) throw notOf('limits', overrides, 'an object');
  const name = model?.toLowerCase() ?? '';
  const named = namedModel(name);
  const provider = target === 'ai-sdk' ? providerOf(name, named) : target;
  let limits: Limits = {
    ...(provider === undefined ? ATTACHMENT_LIMITS['ai-sdk'] : TABLE[provider]),
    ...(named && provider !== undefined && serves(provider, named) && named.limits),
    imageTokens: pictureRule(provider, named),
  };
  if (provider === 'openai-responses')
    limits = { ...limits, audioTypes: from(OPENAI_FILES, [], 'The Responses API accepts no sound.') };
  if (target === 'ai-sdk' && PICTURES_ONLY.test(name))
    limits = { ...limits, pdf: from(AI_SDK_FILES, false, 'This provider accepts only pictures.') };
  return { ...limits, ...overridden(limits, overrides) };
}

const OPENAI_FILES = 'https://developers.openai.com/api/docs/guides/file-inputs';
const AI_SDK_FILES = 'https://ai-sdk.dev/providers/ai-sdk-providers';
const PICTURES_ONLY = /^(?:groq|xai|cohere|grok|command|llama)/;

/**
 * The price of a picture: by the model if known, else by the provider, else the highest. For a known model the target
 * does not matter, so that all uses agree.
 */
function pictureRule(provider: Provider | undefined, named: NamedModel | undefined): Limits['imageTokens'] {
  if (!named) return ATTACHMENT_LIMITS[provider ?? 'ai-sdk'].imageTokens;
  return named.limits.imageTokens ?? ATTACHMENT_LIMITS[ofMaker(named) ?? 'ai-sdk'].imageTokens;
}

/** Whether a model's limits apply to this provider. */
function serves(provider: Provider, named: NamedModel): boolean {
  if (provider === 'bedrock') return named.maker === 'anthropic';
  return provider.startsWith(named.maker ?? '-');
}

function ofMaker({ maker }: NamedModel): Provider | undefined {
  return maker === 'openai' ? 'openai-responses' : (maker ?? undefined);
}

/** The provider of an AI SDK model: by its region or host, its maker, or a `provider/` prefix. */
function providerOf(model: string, named: NamedModel | undefined): Provider | undefined {
  if (/bedrock|^(?:us|eu|apac|global)\.|^(?:anthropic|amazon)\./.test(model)) return 'bedrock';
  const maker = named && ofMaker(named);
  if (maker) return maker;
  if (model.startsWith('anthropic/')) return 'anthropic';
  if (model.startsWith('google/')) return 'gemini';
  if (model.startsWith('openai/')) return 'openai-responses';
  return model.startsWith('mistral/') ? 'mistral' : undefined;
}

function overridden(limits: Limits, overrides: Partial<LimitValues>): Partial<Limits> {
  const given: Record<string, Sourced<unknown>> = {};
  for (const [key, value] of Object.entries(overrides)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(limits, key))
      throw new ReaderError(
        'BAD_INPUT',
        `\`limits\` has an unknown limit ${quoted(key)}.`,
        'Use the names of `ATTACHMENT_LIMITS`.',
      );
    const expected = expectedOf(limits, key);
    if (!expected.holds(value)) throw notOf(`limits.${key}`, value, expected.what);
    if (typeof value === 'number' && !(value >= 0))
      throw new ReaderError(
        'BAD_INPUT',
        `The limit \`${key}\` is ${quoted(String(value))}; expected a number of 0 or more.`,
        'Pass a number, or `null` for no limit.',
      );
    given[key] = { value, source: 'the caller', date: DATE };
  }
  return given as Partial<Limits>; // every key was checked against the limits above
}

const isText = (value: unknown): boolean => typeof value === 'string';

/** Limits that every provider states. */
const BOUNDED = new Set(['pdfTokensPerPage', 'audioTokensPerSecond', 'requestBytes', 'tokens']);
const RULES: readonly unknown[] = [
  'patches',
  'tiles',
  'crops',
  'flat',
  'most',
] satisfies readonly ImageTokenRule['kind'][];

/** The type of a limit, derived from its value in the table. */
function expectedOf(
  limits: Limits,
  key: string,
): { readonly what: string; readonly holds: (value: unknown) => boolean } {
  const usual: unknown = limits[key as keyof Limits].value; // checked above
  if (typeof usual === 'boolean') return { what: 'a boolean', holds: (value) => typeof value === 'boolean' };
  if (Array.isArray(usual))
    return { what: 'a list of types', holds: (value) => Array.isArray(value) && value.every(isText) };
  if (key === 'imageTokens')
    return {
      what: 'a rule with its `kind`',
      holds: (value) =>
        typeof value === 'object' && value !== null && 'kind' in value && RULES.includes(value.kind),
    };
  if (BOUNDED.has(key)) return { what: 'a number', holds: (value) => typeof value === 'number' };
  return { what: 'a number or `null`', holds: (value) => value === null || typeof value === 'number' };
}

function notOf(option: string, value: unknown, expected: string): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `\`${option}\` is ${value === null ? 'null' : `a value of type ${quoted(typeof value)}`}; expected ${expected}.`,
    `Pass ${expected}, or omit \`${option}\`.`,
  );
}

/** What all of them accept: the smallest of each limit, the types they share, the most expensive rule. */
function common(all: readonly Limits[]): Limits {
  const [first, ...rest] = all;
  if (!first) throw new ReaderError('INTERNAL', 'There are no limits to combine.', 'Report it.');
  return rest.reduce(both, first);
}

function both(a: Limits, b: Limits): Limits {
  const smaller = <T extends number | null>(one: Sourced<T>, other: Sourced<T>): Sourced<T> =>
    (other.value ?? Number.POSITIVE_INFINITY) < (one.value ?? Number.POSITIVE_INFINITY) ? other : one;
  const larger = <T extends number>(one: Sourced<T>, other: Sourced<T>): Sourced<T> =>
    other.value > one.value ? other : one;
  const yes = (one: Sourced<boolean>, other: Sourced<boolean>): Sourced<boolean> => (one.value ? other : one);
  const shared = (
    one: Sourced<readonly MimeType[]>,
    other: Sourced<readonly MimeType[]>,
  ): Sourced<readonly MimeType[]> => ({
    ...other,
    value: one.value.filter((type) => other.value.includes(type)),
  });
  return {
    imageTypes: shared(a.imageTypes, b.imageTypes),
    animations: yes(a.animations, b.animations),
    imageBytes: smaller(a.imageBytes, b.imageBytes),
    imageBase64Bytes: smaller(a.imageBase64Bytes, b.imageBase64Bytes),
    imageEdge: smaller(a.imageEdge, b.imageEdge),
    usefulEdge: smaller(a.usefulEdge, b.usefulEdge),
    images: smaller(a.images, b.images),
    manyImages: smaller(a.manyImages, b.manyImages),
    manyImagesEdge: smaller(a.manyImagesEdge, b.manyImagesEdge),
    manyCountsDocuments: a.manyCountsDocuments.value ? a.manyCountsDocuments : b.manyCountsDocuments,
    imageTokens: { ...b.imageTokens, value: { kind: 'most', of: [...rulesOf(a), ...rulesOf(b)] } },
    pdf: yes(a.pdf, b.pdf),
    pdfBytes: smaller(a.pdfBytes, b.pdfBytes),
    pdfTotalBytes: smaller(a.pdfTotalBytes, b.pdfTotalBytes),
    pdfPages: smaller(a.pdfPages, b.pdfPages),
    pdfFiles: smaller(a.pdfFiles, b.pdfFiles),
    pdfTokensPerPage: larger(a.pdfTokensPerPage, b.pdfTokensPerPage),
    audioTypes: shared(a.audioTypes, b.audioTypes),
    audioBytes: smaller(a.audioBytes, b.audioBytes),
    audioSeconds: smaller(a.audioSeconds, b.audioSeconds),
    audioTokensPerSecond: larger(a.audioTokensPerSecond, b.audioTokensPerSecond),
    requestBytes: smaller(a.requestBytes, b.requestBytes),
    tokens: smaller(a.tokens, b.tokens),
  };
}

function rulesOf({ imageTokens: { value } }: Limits): readonly ImageTokenRule[] {
  return value.kind === 'most' ? value.of : [value];
}
