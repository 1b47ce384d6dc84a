// The attachments room's front.

export type { Held } from './allowance.ts';
export type {
  AiSdkPart,
  AnthropicBlock,
  BedrockBlock,
  Content as AttachmentContent,
  GeminiPart,
  MistralChunk,
  OpenAiChatPart,
  OpenAiResponsesItem,
} from './content.ts';
export type { ImageTokenRule } from './image-tokens.ts';
export type {
  Limits as AttachmentLimits,
  LimitValues as AttachmentLimitValues,
  Sourced as SourcedLimit,
  Target as AttachmentTarget,
} from './limit.ts';
export type { FitImage } from './outcome.ts';
export type { AttachedFile, AttachmentPart, Given } from './part.ts';
export { type AttachmentOptions, type PreparedAttachments, prepare } from './prepare.ts';
