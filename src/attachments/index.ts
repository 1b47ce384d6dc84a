// Public interface of the attachments room.

export type {
  ImageTokenRule,
  Limits as AttachmentLimits,
  LimitValues as AttachmentLimitValues,
  Sourced as SourcedLimit,
  Target as AttachmentTarget,
} from '../models/index.ts';
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
export type { FitImage } from './outcome.ts';
export type { AttachedFile, AttachmentPart, Given } from './part.ts';
export { type AttachmentOptions, type PreparedAttachments, prepare } from './prepare.ts';
