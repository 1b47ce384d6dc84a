// Public interface of the models room: what providers and models accept, and what media cost them. One table, dated and
// with sources.

export type { ImageTokenRule, Limits, LimitValues, Sourced, Target } from './limit.ts';
export { ATTACHMENT_LIMITS, attachmentLimits } from './limits.ts';
export { modelFacts, namedModel } from './match.ts';
export { mediaPrices } from './media.ts';
export { PROFILES, type ProfileName } from './names.ts';
export { edgeFor, imageTokens, leastTokens } from './pictures.ts';
