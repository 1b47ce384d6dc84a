// Scripts written in every format there is, by hand: nothing of the package has a part in it.

import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import type { Call, Media, Result, Script, Thinking, Turn } from './history-script.ts';

type Native = Record<string, unknown>;
type Assistant = Extract<Turn, { kind: 'assistant' }>;
/** Messages of a turn; `at` is its place, for ids of items. */
type Writer = (turn: Turn, at: number, script: Script) => readonly unknown[];

const dataUrl = (media: Media): string => `data:${media.mimeType};base64,${media.base64}`;
const jsonOf = (result: Result): unknown => JSON.parse(result.text);
const answered = (turn: Assistant): (Call & { result: Result })[] =>
  turn.calls.flatMap((call) => (call.result ? [{ ...call, result: call.result }] : []));
const unknownPart = (text: string): Native => ({
  type: 'hologram',
  depth: 3,
  payload: { text: `${text} (hologram)` },
});

// OpenAI Chat Completions

const chatResult = (id: string, { text, isError, media }: Result): Native => ({
  role: 'tool',
  tool_call_id: id,
  content: media || isError ? [{ type: 'text', text }] : text,
});

const writeChat: Writer = (turn) => {
  switch (turn.kind) {
    case 'system':
      return [{ role: 'system', content: turn.text }];
    case 'user': {
      const { media, text } = turn;
      if (!media) return [{ role: 'user', content: text }];
      const part =
        media.type === 'image'
          ? { type: 'image_url', image_url: { url: dataUrl(media) } }
          : { type: 'file', file: { filename: 'report.pdf', file_data: dataUrl(media) } };
      return [{ role: 'user', content: [{ type: 'text', text }, part] }];
    }
    case 'assistant': {
      const { text, calls } = turn;
      if (calls.length === 0) return [{ role: 'assistant', content: text === '' ? null : text }];
      const tools = calls.map(({ id, name, args }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(args) },
      }));
      return [
        { role: 'assistant', content: text === '' ? null : text, tool_calls: tools },
        ...answered(turn).map(({ id, result }) => chatResult(id, result)),
      ];
    }
    case 'stray':
      return [chatResult(turn.id, turn.result)];
    case 'alien':
      return [{ role: turn.role, content: [{ type: 'text', text: turn.text }, unknownPart(turn.text)] }];
  }
};

// Anthropic Messages

const anthropicMedia = ({ type, mimeType, base64 }: Media): Native => ({
  type,
  source: { type: 'base64', media_type: mimeType, data: base64 },
});
const textBlocks = (text: string): Native[] => (text === '' ? [] : [{ type: 'text', text }]);
const anthropicThinking = (thinking: Thinking | null): Native[] => {
  if (!thinking) return [];
  const { text, signature, redacted } = thinking;
  return [
    redacted
      ? { type: 'redacted_thinking', data: signature }
      : { type: 'thinking', thinking: text, signature },
  ];
};
const anthropicResult = (id: string, { text, isError, media }: Result): Native => ({
  type: 'tool_result',
  tool_use_id: id,
  content: media ? [...textBlocks(text), anthropicMedia(media)] : text,
  ...(isError ? { is_error: true } : {}),
});

const writeAnthropic: Writer = (turn, at) => {
  switch (turn.kind) {
    case 'system':
      return [];
    case 'user':
      if (!turn.media) return [{ role: 'user', content: turn.text }];
      return [{ role: 'user', content: [anthropicMedia(turn.media), ...textBlocks(turn.text)] }];
    case 'assistant': {
      const search = [
        { type: 'server_tool_use', id: `srvtoolu_${at}`, name: 'web_search', input: { query: turn.hosted } },
        {
          type: 'web_search_tool_result',
          tool_use_id: `srvtoolu_${at}`,
          content: [
            {
              type: 'web_search_result',
              url: 'https://example.org',
              title: 'Oslo',
              encrypted_content: 'RXM=',
            },
          ],
        },
      ];
      const content = [
        ...anthropicThinking(turn.thinking),
        ...textBlocks(turn.text),
        ...(turn.hosted ? search : []),
        ...turn.calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
      ];
      const results = answered(turn).map(({ id, result }) => anthropicResult(id, result));
      return [
        { role: 'assistant', content },
        ...(results.length > 0 ? [{ role: 'user', content: results }] : []),
      ];
    }
    case 'stray':
      return [{ role: 'user', content: [anthropicResult(turn.id, turn.result)] }];
    case 'alien':
      return [{ role: turn.role, content: [{ type: 'text', text: turn.text }, unknownPart(turn.text)] }];
  }
};

// AI SDK: messages of `ai`, and the prompt of a model

type Signed = (thinking: Thinking) => Native;
const signedFor: Signed = ({ text, signature, redacted }) => ({
  type: 'reasoning',
  text: redacted ? '' : text,
  providerOptions: { anthropic: redacted ? { redactedData: signature } : { signature } },
});
const sdkOutput = (result: Result): Native => {
  const { text, isError, json, media } = result;
  if (isError) return { type: 'error-text', value: text };
  if (json) return { type: 'json', value: jsonOf(result) };
  if (!media) return { type: 'text', value: text };
  const { type, mimeType: mediaType, base64: data } = media;
  const part = { type: type === 'image' ? 'image-data' : 'file-data', data, mediaType };
  return { type: 'content', value: [...textBlocks(text), part] };
};
const sdkResult = (id: string, name: string, result: Result): Native => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: name,
  output: sdkOutput(result),
});

function sdkWriter(prompt: boolean): Writer {
  return (turn, at) => {
    switch (turn.kind) {
      case 'system':
        return [{ role: 'system', content: turn.text }];
      case 'user': {
        const { text, media } = turn;
        if (!(media || prompt)) return [{ role: 'user', content: text }];
        const content: Native[] = [{ type: 'text', text }];
        if (media)
          content.push(
            media.type === 'image' && !prompt
              ? { type: 'image', image: media.base64, mediaType: media.mimeType }
              : { type: 'file', data: media.base64, mediaType: media.mimeType },
          );
        return [{ role: 'user', content }];
      }
      case 'assistant': {
        const approvals = prompt ? [] : turn.calls.filter(({ approved, result }) => approved && result);
        const search: Native[] = [
          {
            type: 'tool-call',
            toolCallId: `srvtoolu_${at}`,
            toolName: 'web_search',
            input: { query: turn.hosted },
            providerExecuted: true,
          },
          {
            type: 'tool-result',
            toolCallId: `srvtoolu_${at}`,
            toolName: 'web_search',
            output: {
              type: 'json',
              value: [
                {
                  url: 'https://example.org',
                  title: 'Oslo',
                  pageAge: '1 day',
                  encryptedContent: 'RXM=',
                  type: 'web_search_result',
                },
              ],
            },
          },
        ];
        const content: Native[] = [
          ...(turn.thinking ? [signedFor(turn.thinking)] : []),
          ...textBlocks(turn.text),
          ...(turn.hosted ? search : []),
          ...turn.calls.map(({ id, name, args }) => ({
            type: 'tool-call',
            toolCallId: id,
            toolName: name,
            input: args,
          })),
          ...approvals.map(({ id }) => ({
            type: 'tool-approval-request',
            approvalId: `ask-${at}-${id}`,
            toolCallId: id,
          })),
        ];
        const results = answered(turn).map(({ id, name, result }) => sdkResult(id, name, result));
        const plain = turn.calls.length === 0 && !turn.thinking && !prompt;
        return [
          { role: 'assistant', content: plain ? turn.text : content },
          ...(approvals.length > 0
            ? [
                {
                  role: 'tool',
                  content: approvals.map(({ id }) => ({
                    type: 'tool-approval-response',
                    approvalId: `ask-${at}-${id}`,
                    approved: true,
                  })),
                },
              ]
            : []),
          ...(results.length > 0 ? [{ role: 'tool', content: results }] : []),
        ];
      }
      case 'stray':
        return [{ role: 'tool', content: [sdkResult(turn.id, turn.name, turn.result)] }];
      case 'alien':
        return [{ role: turn.role, content: [{ type: 'text', text: turn.text }, unknownPart(turn.text)] }];
    }
  };
}

// LangChain

const chainMedia = (media: Media): Native =>
  media.type === 'image'
    ? { type: 'image_url', image_url: { url: dataUrl(media) } }
    : { type: 'file', mimeType: media.mimeType, data: media.base64 };
// Blocks of a provider's own are content of a message as they are, which the constructors' types do not say.
const blocks = (content: readonly Native[]): string => content as unknown as string;
const chainResult = (id: string, name: string, { text, isError, media }: Result): BaseMessage =>
  new ToolMessage({
    content: media ? blocks([...textBlocks(text), chainMedia(media)]) : text,
    tool_call_id: id,
    name,
    status: isError ? 'error' : 'success',
  });

const writeLangchain: Writer = (turn) => {
  switch (turn.kind) {
    case 'system':
      return [new SystemMessage(turn.text)];
    case 'user':
      if (!turn.media) return [new HumanMessage(turn.text)];
      return [new HumanMessage({ content: blocks([...textBlocks(turn.text), chainMedia(turn.media)]) })];
    case 'assistant': {
      const { thinking, text, calls } = turn;
      const tool_calls = calls.map(({ id, name, args }) => ({
        id,
        name,
        args: { ...args },
        type: 'tool_call' as const,
      }));
      const content = [
        ...anthropicThinking(thinking),
        ...textBlocks(text),
        ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
      ];
      return [
        new AIMessage({ content: thinking ? blocks(content) : text, tool_calls }),
        ...answered(turn).map(({ id, name, result }) => chainResult(id, name, result)),
      ];
    }
    case 'stray':
      return [chainResult(turn.id, turn.name, turn.result)];
    case 'alien': {
      const content = blocks([{ type: 'text', text: turn.text }, unknownPart(turn.text)]);
      return [turn.role === 'user' ? new HumanMessage({ content }) : new AIMessage({ content })];
    }
  }
};

// OpenAI Responses

const inputMedia = (media: Media): Native =>
  media.type === 'image'
    ? { type: 'input_image', detail: 'auto', image_url: dataUrl(media) }
    : { type: 'input_file', filename: 'report.pdf', file_data: dataUrl(media) };
const responsesResult = (id: string, { text, media }: Result): Native => ({
  type: 'function_call_output',
  call_id: id,
  output: media ? [{ type: 'input_text', text }, inputMedia(media)] : text,
});

const writeResponses: Writer = (turn, at) => {
  switch (turn.kind) {
    case 'system':
      return [{ role: 'developer', content: turn.text }];
    case 'user': {
      const { text, media } = turn;
      const content = media ? [{ type: 'input_text', text }, inputMedia(media)] : text;
      return [{ type: 'message', role: 'user', content }];
    }
    case 'assistant': {
      const { thinking, text, hosted, calls } = turn;
      const items: Native[] = [];
      if (thinking)
        items.push({
          type: 'reasoning',
          id: `rs_${at}`,
          summary: thinking.redacted ? [] : [{ type: 'summary_text', text: thinking.text }],
          encrypted_content: thinking.signature,
        });
      if (hosted)
        items.push({
          type: 'web_search_call',
          id: `ws_${at}`,
          status: 'completed',
          action: { type: 'search', query: hosted },
        });
      if (text !== '' || (calls.length === 0 && !thinking))
        items.push({
          type: 'message',
          id: `msg_${at}`,
          role: 'assistant',
          status: 'completed',
          content: text === '' ? [] : [{ type: 'output_text', text, annotations: [] }],
        });
      items.push(
        ...calls.map(({ id, name, args }, index) => ({
          type: 'function_call',
          id: `fc_${at}_${index}`,
          call_id: id,
          name,
          arguments: JSON.stringify(args),
          status: 'completed',
        })),
      );
      return [...items, ...answered(turn).map(({ id, result }) => responsesResult(id, result))];
    }
    case 'stray':
      return [responsesResult(turn.id, turn.result)];
    case 'alien':
      return [{ type: 'hologram', id: `ho_${at}`, payload: { text: turn.text } }];
  }
};

// OpenAI Agents

const agentsMedia = (media: Media): Native =>
  media.type === 'image'
    ? { type: 'input_image', image: dataUrl(media) }
    : { type: 'input_file', file: dataUrl(media), filename: 'report.pdf' };
const agentsResult = (id: string, name: string, { text, media }: Result): Native => ({
  type: 'function_call_result',
  callId: id,
  name,
  status: 'completed',
  output: media ? [{ type: 'input_text', text }, agentsMedia(media)] : { type: 'text', text },
});

const writeAgents: Writer = (turn, at) => {
  switch (turn.kind) {
    case 'system':
      return [{ type: 'message', role: 'system', content: turn.text }];
    case 'user': {
      const { text, media } = turn;
      const content = media ? [{ type: 'input_text', text }, agentsMedia(media)] : text;
      return [{ type: 'message', role: 'user', content }];
    }
    case 'assistant': {
      const { thinking, text, hosted, calls } = turn;
      const items: Native[] = [];
      if (thinking)
        items.push({
          type: 'reasoning',
          id: `rs_${at}`,
          content: thinking.redacted ? [] : [{ type: 'input_text', text: thinking.text }],
          providerData: { encrypted_content: thinking.signature },
        });
      if (hosted)
        items.push({
          type: 'hosted_tool_call',
          id: `ws_${at}`,
          name: 'web_search_call',
          status: 'completed',
        });
      if (text !== '' || (calls.length === 0 && !thinking))
        items.push({
          type: 'message',
          id: `msg_${at}`,
          role: 'assistant',
          status: 'completed',
          content: text === '' ? [] : [{ type: 'output_text', text }],
        });
      items.push(
        ...calls.map(({ id, name, args }, index) => ({
          type: 'function_call',
          id: `fc_${at}_${index}`,
          callId: id,
          name,
          arguments: JSON.stringify(args),
          status: 'completed',
        })),
      );
      return [...items, ...answered(turn).map(({ id, name, result }) => agentsResult(id, name, result))];
    }
    case 'stray':
      return [agentsResult(turn.id, turn.name, turn.result)];
    case 'alien':
      return [{ type: 'unknown', id: `ho_${at}`, providerData: { payload: { text: turn.text } } }];
  }
};

// Gemini

const geminiMedia = ({ mimeType, base64 }: Media): Native => ({ inlineData: { mimeType, data: base64 } });
const geminiText = (text: string): Native[] => (text === '' ? [] : [{ text }]);
const geminiResult = (id: string, name: string, result: Result, bare: boolean): Native[] => {
  const { text, isError, json, media } = result;
  const response = isError ? { error: text } : { output: json ? jsonOf(result) : text };
  return [
    { functionResponse: { ...(bare ? {} : { id }), name, response } },
    ...(media ? [geminiMedia(media)] : []),
  ];
};

const writeGemini: Writer = (turn, at, { bareIds, turns }) => {
  switch (turn.kind) {
    case 'system':
      return [];
    case 'user': {
      const parts = [...geminiText(turn.text), ...(turn.media ? [geminiMedia(turn.media)] : [])];
      return [{ role: 'user', parts }];
    }
    case 'assistant': {
      const { thinking, text, hosted, calls } = turn;
      // A model that signs does so at the first call of every step, whether it shows thoughts there or not.
      const signs = turns.some((each) => each.kind === 'assistant' && each.thinking);
      const signature = thinking?.signature ?? Buffer.from(`signature-at-${at}`).toString('base64');
      const sign = (first: boolean): Native => (signs && first ? { thoughtSignature: signature } : {});
      const parts: Native[] = [
        ...(thinking && !thinking.redacted ? [{ text: thinking.text, thought: true }] : []),
        ...geminiText(text).map((part) => ({ ...part, ...sign(calls.length === 0) })),
        ...(hosted
          ? [
              { executableCode: { language: 'PYTHON', code: `search("${hosted}")` } },
              { codeExecutionResult: { outcome: 'OUTCOME_OK', output: 'rain\n' } },
            ]
          : []),
        ...calls.map(({ id, name, args }, index) => ({
          functionCall: { ...(bareIds ? {} : { id }), name, args },
          ...sign(index === 0),
        })),
      ];
      const results = answered(turn).flatMap(({ id, name, result }) =>
        geminiResult(id, name, result, bareIds),
      );
      return [{ role: 'model', parts }, ...(results.length > 0 ? [{ role: 'user', parts: results }] : [])];
    }
    case 'stray':
      return [{ role: 'user', parts: geminiResult(turn.id, turn.name, turn.result, bareIds) }];
    case 'alien':
      return [
        {
          role: turn.role === 'user' ? 'user' : 'model',
          parts: [{ text: turn.text }, { hologram: { depth: 3, text: turn.text } }],
        },
      ];
  }
};

// Bedrock Converse

const bedrockMedia = ({ type, mimeType, base64 }: Media): Native => {
  const source = { bytes: new Uint8Array(Buffer.from(base64, 'base64')) };
  const format = mimeType.slice(mimeType.indexOf('/') + 1);
  return { [type]: { format, source, ...(type === 'document' ? { name: 'report' } : {}) } };
};
const bedrockResult = (id: string, { text, isError, json, media }: Result): Native => {
  const said = json ? { json: JSON.parse(text) } : { text: text.trim() === '' ? '(no output)' : text };
  const content = media ? [said, bedrockMedia(media)] : [said];
  return { toolResult: { toolUseId: id, content, status: isError ? 'error' : 'success' } };
};

const writeBedrock: Writer = (turn) => {
  switch (turn.kind) {
    case 'system':
      return [];
    case 'user':
      return [
        { role: 'user', content: [{ text: turn.text }, ...(turn.media ? [bedrockMedia(turn.media)] : [])] },
      ];
    case 'assistant': {
      const { thinking, text, calls } = turn;
      const reasoning = thinking && {
        reasoningContent: thinking.redacted
          ? { redactedContent: new Uint8Array(Buffer.from(thinking.signature, 'base64')) }
          : { reasoningText: { text: thinking.text, signature: thinking.signature } },
      };
      const content = [
        ...(reasoning ? [reasoning] : []),
        ...(text === '' ? [] : [{ text }]),
        ...calls.map(({ id, name, args }) => ({ toolUse: { toolUseId: id, name, input: args } })),
      ];
      const results = answered(turn).map(({ id, result }) => bedrockResult(id, result));
      return [
        { role: 'assistant', content },
        ...(results.length > 0 ? [{ role: 'user', content: results }] : []),
      ];
    }
    case 'stray':
      return [{ role: 'user', content: [bedrockResult(turn.id, turn.result)] }];
    case 'alien':
      return [
        { role: turn.role, content: [{ text: turn.text }, { hologram: { depth: 3, text: turn.text } }] },
      ];
  }
};

// Mistral SDK

/** Ids of the script are short; Mistral's have nine characters. */
const mistralId = (id: string): string => (/^\w{1,9}$/.test(id) ? id.replace('_', '').padStart(9, '0') : id);
const mistralMedia = (media: Media): Native =>
  media.type === 'image'
    ? { type: 'image_url', imageUrl: { url: dataUrl(media) } }
    : { type: 'document_url', documentUrl: dataUrl(media), documentName: 'report.pdf' };
const mistralResult = (id: string, name: string, { text, media }: Result): Native => ({
  role: 'tool',
  toolCallId: mistralId(id),
  name,
  content: media ? [...textBlocks(text), mistralMedia(media)] : text,
});

const writeMistral: Writer = (turn) => {
  switch (turn.kind) {
    case 'system':
      return [{ role: 'system', content: turn.text }];
    case 'user': {
      const { text, media } = turn;
      return [{ role: 'user', content: media ? [...textBlocks(text), mistralMedia(media)] : text }];
    }
    case 'assistant': {
      const { thinking, text, calls } = turn;
      const thought = thinking && {
        type: 'thinking',
        thinking: [{ type: 'text', text: thinking.text }],
        signature: thinking.signature,
      };
      const toolCalls = calls.map(({ id, name, args }) => ({
        id: mistralId(id),
        function: { name, arguments: name === 'read' ? args : JSON.stringify(args) },
      }));
      const content = thought ? [thought, ...textBlocks(text)] : text;
      return [
        { role: 'assistant', content, ...(calls.length > 0 ? { toolCalls } : {}) },
        ...answered(turn).map(({ id, name, result }) => mistralResult(id, name, result)),
      ];
    }
    case 'stray':
      return [mistralResult(turn.id, turn.name, turn.result)];
    case 'alien':
      return [{ role: turn.role, content: [{ type: 'text', text: turn.text }, unknownPart(turn.text)] }];
  }
};

// Ollama

const ollamaMedia = (media: Media | null): Native => (media ? { images: [media.base64] } : {});
const ollamaResult = (id: string, name: string, { text, media }: Result, bare: boolean): Native => ({
  role: 'tool',
  tool_name: name,
  ...(bare ? {} : { tool_call_id: id }),
  content: text,
  ...ollamaMedia(media),
});

const writeOllama: Writer = (turn, _, { bareIds }) => {
  switch (turn.kind) {
    case 'system':
      return [{ role: 'system', content: turn.text }];
    case 'user':
      return [{ role: 'user', content: turn.text, ...ollamaMedia(turn.media) }];
    case 'assistant': {
      const { thinking, text, calls } = turn;
      const tool_calls = calls.map(({ id, name, args }) => ({
        ...(bareIds ? {} : { id }),
        function: { name, arguments: args },
      }));
      return [
        {
          role: 'assistant',
          content: text,
          ...(thinking ? { thinking: thinking.text } : {}),
          ...(calls.length > 0 ? { tool_calls } : {}),
        },
        ...answered(turn).map(({ id, name, result }) => ollamaResult(id, name, result, bareIds)),
      ];
    }
    case 'stray':
      return [ollamaResult(turn.id, turn.name, turn.result, bareIds)];
    case 'alien':
      return [{ role: turn.role, content: turn.text, hologram: { depth: 3, text: turn.text } }];
  }
};

/** The message formats; `ai-sdk-prompt` is what a model of the AI SDK gets, of the same codec as `ai-sdk`. */
export type HistoryFormat =
  | 'openai-chat'
  | 'openai-responses'
  | 'openai-agents'
  | 'anthropic'
  | 'ai-sdk'
  | 'ai-sdk-prompt'
  | 'langchain'
  | 'gemini'
  | 'bedrock'
  | 'mistral'
  | 'ollama';

const WRITERS: Readonly<Record<HistoryFormat, Writer>> = {
  'openai-chat': writeChat,
  'openai-responses': writeResponses,
  'openai-agents': writeAgents,
  anthropic: writeAnthropic,
  'ai-sdk': sdkWriter(false),
  'ai-sdk-prompt': sdkWriter(true),
  langchain: writeLangchain,
  gemini: writeGemini,
  bedrock: writeBedrock,
  mistral: writeMistral,
  ollama: writeOllama,
};

/** Every format. */
// The keys of the object above, which has no others.
export const HISTORY_FORMATS: readonly HistoryFormat[] = Object.keys(WRITERS) as HistoryFormat[];

/** The script's messages in `format`. */
export function write(format: HistoryFormat, script: Script): unknown[] {
  return script.turns.flatMap((turn, at) => WRITERS[format](turn, at, script));
}
