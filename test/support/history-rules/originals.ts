// What must be the same before and after a compaction, whatever the format: signed parts, thinking of the loop that runs, and
// halves of characters.

import { type Shape, shape } from './shape.ts';

/** How deep parts lie in messages: content, result, providerOptions, the signature. */
const DEPTH = 8;
const SIGNATURES = [
  'signature',
  'thoughtSignature',
  'thinkingSignature',
  'encrypted_content',
  'encryptedContent',
  'reasoningEncryptedContent',
  'redactedData',
];

/** An object that carries a signature, in itself or in what a provider adds to it. */
function isSealed(part: Shape): boolean {
  if (part['type'] === 'redacted_thinking') return true;
  const own = SIGNATURES.some((name) => typeof part[name] === 'string' && part[name] !== '');
  const added = [
    part['providerData'],
    ...Object.values(shape(part['providerOptions'] ?? part['providerMetadata'])),
  ];
  return own || added.some((more) => SIGNATURES.some((name) => typeof shape(more)[name] === 'string'));
}

/** Every sealed part of `messages` as JSON, in order; of a part in a part, the outer one. */
export function sealedParts(messages: readonly unknown[]): string[] {
  const found: string[] = [];
  const walk = (value: unknown, depth: number): void => {
    if (depth > DEPTH || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const each of value) walk(each, depth + 1);
      return;
    }
    const part = shape(value);
    if (isSealed(part)) found.push(JSON.stringify(part));
    else for (const each of Object.values(part)) walk(each, depth + 1);
  };
  for (const message of messages) walk(message, 0);
  return found;
}

/**
 * Findings where a sealed part of `after` is not byte for byte one of `before`, or comes in another order; none when the
 * sealed parts of `after` are some of those of `before`. They may go; they may not change.
 */
export function sealedIntact(before: readonly unknown[], after: readonly unknown[]): string[] {
  const originals = sealedParts(before);
  const known = new Set(originals);
  const findings: string[] = [];
  let from = 0;
  for (const part of sealedParts(after)) {
    const at = originals.indexOf(part, from);
    if (at >= 0) from = at + 1;
    else findings.push(`${known.has(part) ? 'out of order' : 'changed'}: ${part.slice(0, 80)}`);
  }
  return findings;
}

const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * Findings where `after` holds half of a character; none where `before` does so too, as a cut beside one is no new fault.
 */
export function charactersWhole(before: readonly unknown[], after: readonly unknown[]): string[] {
  return halves(before).length > 0 ? [] : halves(after);
}

function halves(value: unknown, depth = 0): string[] {
  if (typeof value === 'string')
    return Array.from(value.matchAll(LONE), ({ index }) =>
      JSON.stringify(value.slice(Math.max(0, index - 8), index + 8)),
    );
  if (typeof value !== 'object' || value === null || depth > DEPTH) return [];
  return Object.values(value).flatMap((each) => halves(each, depth + 1));
}
