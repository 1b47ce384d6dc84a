// Could the agent do what it did next? A recorded session is lived call by call: each prompt is what a compactor makes of all
// messages before the call, and the call that was really made is held against it. No model takes part.

/** Arguments that quote text of a file for an edit to replace, as tools name them. */
const QUOTES = new Set(['oldText', 'old_string', 'old_str', 'oldString', 'old_text', 'search', 'find']);
/** A line as a reading tool numbers it: edits quote it without. */
const NUMBERED = /^ *\d+(?:→|\t|: ?|\| ?)/;
const FEWEST_NUMBERED = 3;
const SHORTEST_LINE = 20;
const [SHORTEST_NAME, LONGEST_NAME] = [8, 120];
/** Tokens per character and per message of recorded sessions with Claude, and what tokens cost by the cache. */
const [PER_CHARACTER, PER_MESSAGE] = [0.2977, 10];
const [CACHED, WRITTEN] = [0.1, 1.25];
/** What an edit costs whose text is gone: its source is read again, at most this many tokens, and stays for some calls. */
const [MOST_READ_AGAIN, CALLS_KEPT] = [3000, 20];

export const tokensOfLength = (characters) => Math.ceil(characters * PER_CHARACTER) + PER_MESSAGE;
const tokensOf = (text) => tokensOfLength(text.length);

export function namesOf(text) {
  const names = new Set();
  for (const [match] of text.matchAll(/[A-Za-z0-9_/.\-:@#]{8,}/g)) {
    const name = match.replace(/^[.\-:/]+|[.\-:]+$/g, '');
    const isLong = name.length >= SHORTEST_NAME && name.length <= LONGEST_NAME;
    if (isLong && /[/._\-0-9:A-Z]/.test(name.slice(1))) names.add(name);
  }
  return names;
}

const linesOf = (text) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length >= SHORTEST_LINE);

function strings(value) {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
}

function argumentsOf({ function: { arguments: text } }) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

const contentOf = ({ content }) =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('\n');
const callsOf = ({ tool_calls: calls }) => calls ?? [];

function withoutNumbers(text) {
  const lines = text.split('\n');
  const numbered = lines.filter((line) => NUMBERED.test(line)).length;
  if (numbered < FEWEST_NUMBERED || numbered * 2 < lines.length) return '';
  return `\n${lines.map((line) => line.replace(NUMBERED, '')).join('\n')}`;
}

/** What a message shows a model, worked out once for each object. */
const seen = new WeakMap();

function shown(message) {
  const known = seen.get(message);
  if (known !== undefined) return known;
  const content = contentOf(message);
  const own = content + (message.role === 'tool' ? withoutNumbers(content) : '');
  const text = [own, ...callsOf(message).flatMap((call) => strings(argumentsOf(call)))].join('\n');
  const rendered =
    `${message.role}\n${content}` +
    callsOf(message)
      .map(({ function: { name, arguments: args } }) => `\n${name}${args}`)
      .join('');
  const lines = [...new Set(linesOf(text))];
  const one = {
    text,
    rendered,
    tokens: tokensOf(rendered),
    lines,
    lineNames: lines.map((line) => [...namesOf(line)]),
    names: namesOf(text),
  };
  seen.set(message, one);
  return one;
}

/** What the prompts of a session offer, in counts that add up over sessions. */
export const NOTHING = {
  calls: 0,
  edits: 0,
  editsShown: 0,
  lines: 0,
  linesShown: 0,
  names: 0,
  namesGrounded: 0,
  namesShown: 0,
  cost: 0,
  tax: 0,
  prompts: 0,
  breaks: 0,
  notices: 0,
  bareNames: 0,
};

function quotesOf(args) {
  const places = [args, ...(Array.isArray(args?.edits) ? args.edits : [])];
  return places.flatMap((place) =>
    Object.entries(place ?? {}).flatMap(([name, value]) =>
      QUOTES.has(name) && typeof value === 'string' && value !== '' ? [value] : [],
    ),
  );
}

/** What was met before a call. */
class Past {
  text = '';
  results = [];
  lines = new Set();
  names = new Set();

  add(message) {
    const { text, lines, names } = shown(message);
    this.text += `${text}\n`;
    if (message.role !== 'tool') return;
    this.results.push(contentOf(message));
    for (const line of lines) this.lines.add(line);
    for (const name of names) this.names.add(name);
  }

  /** What it takes to read `quote` again in a prompt of `prompt` tokens. */
  taxOf(quote, prompt) {
    const source = this.results.findLast((content) => content.includes(quote));
    const size = source === undefined ? tokensOf(quote) * 4 : Math.min(tokensOf(source), MOST_READ_AGAIN);
    return size * WRITTEN + prompt * CACHED + size * CACHED * CALLS_KEPT;
  }
}

/** What a prompt shows. */
class Prompt {
  constructor(messages, past) {
    this.messages = messages;
    const all = messages.map(shown);
    this.text = `${all.map(({ text }) => text).join('\n\n')}\n`;
    this.lines = new Set();
    this.names = new Set();
    this.grounded = new Set();
    for (const { lines, lineNames, names } of all) {
      for (const [at, line] of lines.entries()) {
        this.lines.add(line);
        if (past.lines.has(line)) for (const name of lineNames[at]) this.grounded.add(name);
      }
      for (const name of names) this.names.add(name);
    }
  }
}

/** Arguments that name a file. */
const PATHS = ['path', 'file_path', 'filePath', 'filename'];

/** Whether a call copies text that was met before and is not in the prompt. */
function lacks(call, past, prompt) {
  const args = argumentsOf(call);
  return (
    quotesOf(args).some((quote) => past.text.includes(quote) && !prompt.text.includes(quote)) ||
    strings(args)
      .flatMap(linesOf)
      .some((line) => past.lines.has(line) && !prompt.lines.has(line))
  );
}

/**
 * What an archive gives, by `ask`, to an agent whose prompt lacks what it needs, as the prompt would show it; it asks what it
 * said before the calls, and the files they name. The passages are paid for as text that is read again is.
 */
async function recalled(message, ask, past, prompt, tokens, sum) {
  if (ask === undefined || !callsOf(message).some((call) => lacks(call, past, prompt))) return prompt;
  const paths = callsOf(message).flatMap((call) => PATHS.map((name) => argumentsOf(call)?.[name] ?? ''));
  const question = [contentOf(message), ...paths].join(' ').trim();
  const found = question === '' ? [] : await ask(question);
  if (found.length === 0) return prompt;
  const result = { role: 'tool', content: found.join('\n\n') };
  const { tokens: size } = shown(result);
  sum.tax += size * WRITTEN + tokens * CACHED + size * CACHED * CALLS_KEPT;
  return new Prompt([...prompt.messages, result], past);
}

function judge(message, past, prompt, tokens, sum) {
  let isTaxed = false;
  for (const call of callsOf(message)) {
    const args = argumentsOf(call);
    for (const quote of quotesOf(args).filter((one) => past.text.includes(one))) {
      sum.edits++;
      if (prompt.text.includes(quote)) sum.editsShown++;
      else if (!isTaxed) {
        isTaxed = true;
        sum.tax += past.taxOf(quote, tokens);
      }
    }
    for (const line of strings(args).flatMap(linesOf)) {
      if (!past.lines.has(line)) continue;
      sum.lines++;
      if (prompt.lines.has(line)) sum.linesShown++;
    }
    for (const name of namesOf(call.function.arguments)) {
      if (!past.names.has(name)) continue;
      sum.names++;
      if (prompt.names.has(name)) sum.namesShown++;
      if (prompt.grounded.has(name)) sum.namesGrounded++;
    }
  }
}

const NOTICE = /^\[history: \d+ earlier/;
const FEWEST_NAMES = 3;

/** Characters of each notice, once, and of its lines that are names and nothing else. */
function countNotice(prompt, noticed, sum) {
  const notice = prompt.map(contentOf).find((content) => NOTICE.test(content));
  if (notice === undefined || noticed.has(notice)) return;
  noticed.add(notice);
  sum.notices += notice.length;
  for (const line of notice.split('\n')) {
    const words = line.split(/[\s,]+/).filter((word) => word !== '' && word !== '-');
    if (words.length >= FEWEST_NAMES && words.every((word) => namesOf(word).size > 0))
      sum.bareNames += line.length;
  }
}

/**
 * Lives through `messages` with `compact`, which takes a list and gives the list to send; `compact.ask` gives texts of an
 * archive for a question. `onPrompt` sees each list.
 */
export async function live(messages, compact, onPrompt = () => undefined) {
  const sum = { ...NOTHING };
  const past = new Past();
  let before = 0;
  let previous = [];
  const noticed = new Set();
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    for (; before < index; before++) past.add(messages[before]);
    const prompt = await compact(messages.slice(0, index));
    onPrompt(prompt, index);
    const rendered = prompt.map((one) => shown(one).rendered);
    let same = 0;
    while (same < previous.length && same < rendered.length && previous[same] === rendered[same]) same++;
    let tokens = 0;
    let cached = 0;
    for (const [place, one] of prompt.entries()) {
      tokens += shown(one).tokens;
      if (place < same) cached += shown(one).tokens;
    }
    if (same < previous.length) sum.breaks++;
    previous = rendered;
    countNotice(prompt, noticed, sum);
    sum.calls++;
    sum.prompts += tokens;
    sum.cost += cached * CACHED + (tokens - cached) * WRITTEN;
    if (callsOf(message).length === 0) continue;
    const seen = await recalled(message, compact.ask, past, new Prompt(prompt, past), tokens, sum);
    judge(message, past, seen, tokens, sum);
  }
  return sum;
}

export function added(a, b) {
  return Object.fromEntries(Object.entries(a).map(([key, value]) => [key, value + b[key]]));
}

const share = (part, whole) => (whole === 0 ? null : part / whole);

/** Counts as shares, and costs in thousands. */
export function figuresOf(sum) {
  return {
    calls: sum.calls,
    edits: sum.edits,
    edit: share(sum.editsShown, sum.edits),
    lines: share(sum.linesShown, sum.lines),
    grounded: share(sum.namesGrounded, sum.names),
    ids: share(sum.namesShown, sum.names),
    cost: sum.cost / 1000,
    taxed: (sum.cost + sum.tax) / 1000,
    mean: share(sum.prompts, sum.calls),
    breaks: sum.breaks,
    bareNames: share(sum.bareNames, sum.notices),
  };
}
