// Items of OpenAI's two flat formats, in which calls, results and reasoning are separate list entries. Dispatches by
// item type, and reads items that are neither calls nor results.

import { item, type Role } from '../message.ts';
import { joined, listOf, type Native, nativeOf, sealedWeight, textIn, weightOf } from '../native.ts';
import { callerLinks, callIn, programIn, programOutput, resultIn, toolSearch } from './calls.ts';
import { assistant, type ChangeAt, type Draft, type Parsed, tool, unread, whole } from './codec.ts';
import { type Dialect, inputTextPart } from './dialect.ts';
import { appendedSpeech, editedSpeech, speechItems } from './part.ts';

const ROLES: ReadonlyMap<unknown, Role> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
]);

/** Reads messages and the item types that both formats share; anything else is opaque. */
export function parseItem(message: Native, dialect: Dialect): Parsed | null {
  const type = textIn(message, 'type') ?? 'message';
  switch (type) {
    case 'message':
      return message['role'] === undefined ? reference(message) : speech(message, dialect);
    case 'reasoning':
      return reasoning(message);
    case 'compaction': {
      const weight = weightOf(message, ['encrypted_content']) + sealedWeight(message['encrypted_content']);
      return assistant(whole(item('opaque', { sealed: true, boundary: true, weight })));
    }
    case 'item_reference':
      return reference(message);
    case 'compaction_trigger':
    case 'additional_tools':
      // An instruction at this position; it belongs to no turn.
      return { role: 'system', segments: [whole(item('opaque', { weight: weightOf(message) }))] };
    case 'program':
      return assistant(programIn(message, dialect));
    case 'program_output':
      return assistant(programOutput(message, dialect));
    case 'tool_search_call':
    case 'tool_search_output': {
      const { byTool, segment } = toolSearch(message);
      return byTool ? tool(segment) : assistant(segment);
    }
    default: {
      const called = callIn(message, type, dialect);
      if (called) return assistant(called);
      const answered = resultIn(message, type, dialect);
      return answered && tool(answered);
    }
  }
}

/**
 * An item of unknown type. Types named like a call and its result stay together, and so do items that name the same
 * call.
 */
export function unknownItem(message: Native, dialect: Dialect): Parsed {
  if (ROLES.has(message['role']) || typeof message['type'] !== 'string') return unread(message);
  const callId = textIn(message, dialect.callId) ?? textIn(message, 'call_id');
  const links = [...(callId === null ? [] : [`call:${callId}`]), ...callerLinks(message, dialect)];
  const only = whole(item('opaque', { links, weight: weightOf(message) }));
  return /_(?:output|result|response)$/.test(message['type']) ? tool(only) : assistant(only);
}

function speech(message: Native, dialect: Dialect): Parsed | null {
  const role = ROLES.get(message['role']);
  if (role === undefined || role === 'tool') return null;
  const content = message['content'];
  const part = role === 'assistant' ? dialect.said : inputTextPart;
  const items = speechItems(role === 'assistant' ? 'text' : role, content);
  if (!items) return null;
  const write = (draft: Draft, change: ChangeAt): boolean => {
    draft['content'] = editedSpeech(content, change, part) ?? '';
    return true;
  };
  const append = (draft: Draft, texts: readonly string[]): void => {
    draft['content'] = appendedSpeech(draft['content'], texts, part);
  };
  return { role, segments: [{ items, write }], ...(role === 'user' ? { append } : {}) };
}

/** An item given only by its id. */
function reference(message: Native): Parsed | null {
  const id = textIn(message, 'id');
  return id === null ? null : assistant(whole(item('opaque', { links: [`item:${id}`], weight: id.length })));
}

function reasoning(message: Native): Parsed {
  const parts = [message['summary'], message['content'], message['rawContent']].flatMap(listOf);
  const text = joined(parts.map((part) => textIn(part, 'text')));
  const data = nativeOf(message['providerData']);
  const encrypted =
    message['encrypted_content'] ?? data?.['encrypted_content'] ?? data?.['encryptedContent'] ?? null;
  const sealed = encrypted !== null || typeof message['id'] === 'string';
  return assistant(whole(item('reasoning', { text, sealed, weight: sealedWeight(encrypted) })));
}
