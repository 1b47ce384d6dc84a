// Writes fixtures/conversations: conversations of coding agents as their files have them. Deterministic: same script, same bytes.

import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../fixtures/conversations/', import.meta.url));
mkdirSync(folder, { recursive: true });

const RIVERS = ['Ahr', 'Ems', 'Lahn', 'Nahe', 'Oker', 'Ruhr', 'Saale', 'Weser'];
const PARTS = ['valve', 'sluice', 'gauge', 'weir', 'gate', 'pump'];

/** A source file of the made-up project, of `lines` lines. */
function source(name, lines) {
  const body = [`// ${name}: one of the parts of the lock service.`, ''];
  for (let line = 0; line < lines; line += 1) {
    const part = PARTS[(line * 7 + name.length) % PARTS.length];
    const river = RIVERS[(line * 5 + name.length) % RIVERS.length];
    body.push(
      `export const ${part}${river}${line} = open('${river.toLowerCase()}', ${line * 13 + name.length});`,
    );
  }
  return `${body.join('\n')}\n`;
}

/** What a test run prints. */
function testRun(run, failing) {
  const lines = [`> vitest run`, ''];
  for (let test = 0; test < 12; test += 1) {
    const bad = test === failing;
    lines.push(
      `${bad ? 'FAIL' : 'ok  '} test/${PARTS[test % PARTS.length]}-${run}-${test}.test.ts (${test * 3 + run} ms)`,
    );
    if (bad) lines.push(`  AssertionError: expected level ${run * 10 + test} to be below ${run * 10}`);
  }
  lines.push('', failing < 0 ? 'Tests 12 passed' : 'Tests 1 failed | 11 passed');
  return lines.join('\n');
}

function chat() {
  const messages = [
    {
      role: 'system',
      content: 'You are a coding agent. Work in small steps, run the tests, and say what you did.',
    },
    {
      role: 'user',
      content:
        'Lock 7 opens too late at high water. Find out why, and put it right. Do not touch src/legal.ts.',
    },
  ];
  let number = 0;
  const turn = (text, name, args, result) => {
    const id = `call_${String(number).padStart(4, '0')}`;
    number += 1;
    messages.push({
      role: 'assistant',
      content: text,
      tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
    });
    messages.push({ role: 'tool', tool_call_id: id, content: result });
  };
  for (let step = 0; step < 9; step += 1) {
    const file = `src/${PARTS[step % PARTS.length]}-${RIVERS[step % RIVERS.length].toLowerCase()}.ts`;
    turn(step % 3 === 0 ? `Next I read ${file}.` : null, 'read_file', { path: file }, source(file, 44));
    const content = source(file, 8);
    turn(null, 'write_file', { path: file, content }, `Wrote ${content.length} characters to ${file}.`);
    turn(
      'Now the tests.',
      'bash',
      { command: `npx vitest run ${file}` },
      testRun(step, step === 8 ? -1 : step),
    );
  }
  messages.push({
    role: 'assistant',
    content: 'Lock 7 waited for the gauge of the Weser. It opens in time now, and all tests pass.',
  });
  messages.push({
    role: 'user',
    content:
      'Good. Which files did you change? And what is the caf\u00e9 at the lock called \u2013 \u201eZur Schleuse\u201c \u{1f6a2}?',
  });
  return messages;
}

function anthropic() {
  const signature = (step) => Buffer.from(`signature ${step} `.repeat(6)).toString('base64');
  const messages = [
    {
      role: 'user',
      content: [
        {
          type: 'text',
          text: 'Compare the levels of all rivers of last week, and write a report to reports/levels.md.',
        },
        {
          type: 'image',
          source: {
            type: 'base64',
            media_type: 'image/png',
            data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
          },
        },
      ],
    },
  ];
  for (let step = 0; step < 8; step += 1) {
    const rivers = [RIVERS[step], RIVERS[(step + 3) % RIVERS.length]];
    const calls = rivers.map((river, index) => ({
      type: 'tool_use',
      id: `toolu_${step}_${index}`,
      name: 'query',
      input: { river, days: 7, columns: ['day', 'hour', 'level_cm'] },
    }));
    messages.push({
      role: 'assistant',
      content: [
        {
          type: 'thinking',
          thinking: `The ${rivers.join(' and the ')} are next. Both can be asked at once.`,
          signature: signature(step),
        },
        { type: 'text', text: `I look at the ${rivers.join(' and the ')}.` },
        ...calls,
      ],
    });
    messages.push({
      role: 'user',
      content: calls.map(({ id, input }, index) => {
        if (step === 4 && index === 1)
          return {
            type: 'tool_result',
            tool_use_id: id,
            is_error: true,
            content: `No gauge answers on the ${input.river}.`,
          };
        const rows = Array.from(
          { length: 40 },
          (_, row) =>
            `${input.river},${Math.floor(row / 6) + 1},${(row % 6) * 4},${200 + ((row * 17 + step * 31 + index * 7) % 90)}`,
        );
        return {
          type: 'tool_result',
          tool_use_id: id,
          content: [{ type: 'text', text: `river,day,hour,level_cm\n${rows.join('\n')}` }],
        };
      }),
    });
  }
  messages.push({
    role: 'assistant',
    content: [
      { type: 'text', text: 'All levels are known but those of the Nahe, whose gauge does not answer.' },
    ],
  });
  messages.push({ role: 'user', content: 'Then write the report without it.' });
  return {
    model: 'claude-sonnet-4-5',
    max_tokens: 4096,
    system: [
      {
        type: 'text',
        text: 'You watch the rivers. Levels are in centimetres.',
        cache_control: { type: 'ephemeral' },
      },
    ],
    tools: [
      {
        name: 'query',
        description: 'Levels of a river.',
        input_schema: {
          type: 'object',
          properties: {
            river: { type: 'string' },
            days: { type: 'integer' },
            columns: { type: 'array', items: { type: 'string' } },
          },
          required: ['river'],
        },
      },
    ],
    messages,
  };
}

const messages = chat();
writeFileSync(`${folder}openai-chat.json`, `${JSON.stringify(messages, null, 2)}\n`);
// As Python's `json.dumps` writes it: a blank after every comma and colon.
const spaced = (value) =>
  value === null || typeof value !== 'object'
    ? JSON.stringify(value)
    : Array.isArray(value)
      ? `[${value.map(spaced).join(', ')}]`
      : `{${Object.entries(value)
          .map(([key, one]) => `${JSON.stringify(key)}: ${spaced(one)}`)
          .join(', ')}}`;
writeFileSync(`${folder}openai-chat.jsonl`, messages.map((message) => `${spaced(message)}\n`).join(''));
writeFileSync(`${folder}anthropic-request.json`, `${JSON.stringify(anthropic(), null, 2)}\n`);
