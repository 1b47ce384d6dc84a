// The attachments room's front.

export type { Held } from './allowance.ts';
export type {
  AiSdkPart,
  AnthropicBlock,
  BedrockBlock,
  Content,
  GeminiPart,
  MistralChunk,
  OpenAiChatPart,
  OpenAiResponsesItem,
} from './content.ts';
export { type ImageTokenRule, imageTokens } from './image-tokens.ts';
export type {
  Limits as AttachmentLimits,
  LimitValues as AttachmentLimitValues,
  Sourced,
  Target as AttachmentTarget,
} from './limit.ts';
export { ATTACHMENT_LIMITS, attachmentLimits } from './limits.ts';
export type { AttachedFile, AttachmentPart, Given } from './part.ts';
export { type AttachmentOptions, type PreparedAttachments, prepare } from './prepare.ts';
