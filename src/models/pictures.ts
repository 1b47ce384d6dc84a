// Estimated token cost of a picture by its dimensions, never less than the provider's own rule.

import { largestFitting, type Tokens } from '../contract/index.ts';
import type { ImageTokenRule } from './limit.ts';

/** Pixels of an upright picture. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Below this edge a picture shows too little (https://platform.claude.com/docs/en/build-with-claude/vision). */
const LEAST_EDGE = 200;

/** Tokens that a picture of this size costs. */
export function imageTokens(rule: ImageTokenRule, size: Size): Tokens {
  switch (rule.kind) {
    case 'patches': {
      const { patch, maxEdge, maxPatches, multiplier } = rule;
      const { width, height } = maxEdge === null ? size : within(size, maxEdge);
      const patches = Math.ceil(width / patch) * Math.ceil(height / patch);
      return Math.ceil(Math.min(patches, maxPatches ?? patches) * multiplier);
    }
    case 'tiles': {
      const fitted = within(size, 2048);
      // Small pictures count as enlarged, which not every model does, but never beyond 2048.
      const scale = Math.min(
        768 / Math.min(fitted.width, fitted.height),
        2048 / Math.max(fitted.width, fitted.height),
      );
      const tiles = Math.ceil((fitted.width * scale) / 512) * Math.ceil((fitted.height * scale) / 512);
      return rule.base + rule.tile * tiles;
    }
    case 'crops': {
      const { width, height } = size;
      if (Math.max(width, height) <= rule.small) return Math.max(rule.atLeast, rule.tokens);
      const unit = Math.min(768, Math.max(256, Math.floor(Math.min(width, height) / 1.5)));
      return Math.max(rule.atLeast, rule.tokens * Math.ceil(width / unit) * Math.ceil(height / unit));
    }
    case 'flat':
      return rule.tokens;
    case 'most':
      return Math.max(0, ...rule.of.map((one) => imageTokens(one, size)));
  }
}

function within({ width, height }: Size, edge: number): Size {
  const scale = Math.min(1, edge / Math.max(width, height));
  return { width: Math.max(1, Math.ceil(width * scale)), height: Math.max(1, Math.ceil(height * scale)) };
}

/** Minimum cost of a picture of this size, reduced as far as is useful. */
export function leastTokens(rule: ImageTokenRule, size: Size): Tokens {
  return Math.min(imageTokens(rule, size), imageTokens(rule, within(size, LEAST_EDGE)));
}

/**
 * The longest edge at which a picture of this size costs at most `tokens`; undefined if it would be too small to be
 * useful.
 */
export function edgeFor(rule: ImageTokenRule, size: Size, tokens: Tokens): number | undefined {
  const longest = Math.max(size.width, size.height);
  if (imageTokens(rule, size) <= tokens) return longest;
  const affordable = (edge: number): boolean => imageTokens(rule, within(size, edge)) <= tokens;
  const least = Math.min(LEAST_EDGE, longest);
  if (!affordable(least)) return undefined;
  return least + largestFitting(longest - least - 1, (more) => affordable(least + more));
}
