// Conversations of an agent at work on a repository, made by rule: the same messages for the same arguments, in the formats
// of OpenAI chat and Anthropic. Reads, searches, edits and commands, with results of the sizes such tools give.

const WORDS =
  'parse token stream value index buffer chunk reader writer config state event queue entry'.split(' ');
const VERBS = 'check update resolve collect render measure apply split merge load store trim'.split(' ');

/** Whole numbers from 0 up to `below`, by chance but always the same. */
function dice(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const upper = (word) => word[0].toUpperCase() + word.slice(1);

function codeLine(roll, number) {
  const [name, other, verb] = [
    WORDS[roll(WORDS.length)],
    WORDS[roll(WORDS.length)],
    VERBS[roll(VERBS.length)],
  ];
  switch (roll(5)) {
    case 0:
      return `  const ${name}${upper(other)} = ${verb}${upper(name)}(${other}, ${roll(1000)});`;
    case 1:
      return `  if (${name}.${other}Count > ${roll(100)}) return ${verb}(${name});`;
    case 2:
      return `    ${name}.${verb}('${other}-${number}', { limit: ${roll(10_000)} });`;
    case 3:
      return `  // ${upper(verb)}s the ${name} of every ${other}, in the order they came.`;
    default:
      return `export function ${verb}${upper(name)}${number}(${other}: ${upper(other)}): ${upper(name)} {`;
  }
}

function logLine(roll, number) {
  const time = `10:${String(roll(60)).padStart(2, '0')}:${String(roll(60)).padStart(2, '0')}.${100 + roll(900)}`;
  return `2026-03-04T${time}Z INFO  ${VERBS[roll(VERBS.length)]} ${WORDS[roll(WORDS.length)]}-${number} took ${roll(900)} ms`;
}

function linesOf(line, roll, characters) {
  const lines = [];
  for (let length = 0, number = 1; length < characters; number++) {
    lines.push(line(roll, number));
    length += lines.at(-1).length + 1;
  }
  return lines.join('\n');
}

const TOOLS = ['read_file', 'search_files', 'edit_file', 'run_command'];

/** One step of the agent: what it says, calls, and is told. */
function stepOf(number, size, roll) {
  const path = `src/${WORDS[roll(WORDS.length)]}/${VERBS[roll(VERBS.length)]}-${number % 90}.ts`;
  const name = TOOLS[number % TOOLS.length];
  const text =
    number % 3 === 0
      ? ''
      : `Next I ${VERBS[roll(VERBS.length)]} the ${WORDS[roll(WORDS.length)]} in ${path}.`;
  const code = (characters) => linesOf(codeLine, roll, characters);
  // Few results are long and most are short, as they are in recorded sessions.
  const long = (share) => Math.round(size * share * (roll(5) === 0 ? 3 : 0.5));
  switch (name) {
    case 'read_file':
      return { name, text, args: { path }, result: code(long(2.2)) };
    case 'search_files':
      return {
        name,
        text,
        args: { pattern: `${WORDS[roll(WORDS.length)]}\\w+`, path: 'src' },
        result: code(long(0.8)),
      };
    case 'edit_file':
      return {
        name,
        text,
        args: { path, old_string: code(size * 0.25), new_string: code(size * 0.35) },
        result: `Edited ${path}: 1 place.`,
      };
    default:
      return {
        name,
        text,
        args: { command: `npm test -- ${path}`, timeout: 60_000 },
        result: linesOf(logLine, roll, long(0.9)),
      };
  }
}

/** A message of the user comes after so many steps. */
const STEPS_OF_TASK = 24;
/** Characters of a step that make about 400 tokens of it, a call and its result. */
const STEP_SIZE = 620;

/** Steps that make about `messages` messages, with what the user says between them. */
function* script(messages) {
  const roll = dice(7);
  yield { user: 'The nightly build of this repository fails since last week. Find out why, and repair it.' };
  for (let made = 2, step = 1; made + 2 <= messages; step++, made += 2) {
    if (step % STEPS_OF_TASK === 0) {
      yield {
        user: `Good. Now look at the ${WORDS[roll(WORDS.length)]} of part ${step}, and ${VERBS[roll(VERBS.length)]} it as well.`,
      };
      made += 1;
    }
    yield { id: `call_${step}`, ...stepOf(step, STEP_SIZE, roll) };
  }
}

const SYSTEM = 'You are a careful engineer. Read before you change, and run the tests after.';

/** About `messages` messages of about 200 tokens each, in the format of OpenAI chat. */
export function chatConversation(messages) {
  const list = [{ role: 'system', content: SYSTEM }];
  for (const { user, id, name, text, args, result } of script(messages)) {
    if (user !== undefined) list.push({ role: 'user', content: user });
    else {
      const call = { id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
      list.push({ role: 'assistant', content: text, tool_calls: [call] });
      list.push({ role: 'tool', tool_call_id: id, content: result });
    }
  }
  return list;
}

/** The same as Anthropic messages; the system prompt lies beside them. */
export function anthropicConversation(messages) {
  const list = [];
  let waiting = null;
  for (const { user, id, name, text, args, result } of script(messages)) {
    if (user !== undefined) {
      if (waiting) list.push({ role: 'user', content: [waiting, { type: 'text', text: user }] });
      else list.push({ role: 'user', content: user });
      waiting = null;
      continue;
    }
    if (waiting) list.push({ role: 'user', content: [waiting] });
    const said = text === '' ? [] : [{ type: 'text', text }];
    list.push({ role: 'assistant', content: [...said, { type: 'tool_use', id, name, input: args }] });
    waiting = { type: 'tool_result', tool_use_id: id, content: result };
  }
  if (waiting) list.push({ role: 'user', content: [waiting] });
  return list;
}
