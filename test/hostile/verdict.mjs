// Whether a case ended as it must, and what is printed of it.

const PEAK_BYTES = 1.2e9;
const MAX_TOKENS = 5000;

/** What of the outcome is not as it must be. */
export function faultsOf({ expect, request }, outcome, { folder, full }) {
  const { results } = outcome;
  const [first] = results;
  const last = results.at(-1);
  const faults = [];
  const must = (true_, what) => {
    if (!true_) faults.push(what);
  };
  const told = JSON.stringify(results);
  must(!told.includes(folder) && !told.includes('/hostile/'), 'a host path is told');
  must(!/\\n {4}at /.test(told), 'a stack is told');
  must(outcome.harmless, 'a harmless file is not read afterwards');
  must(outcome.sockets === 0, 'a connection was tried');
  must(!outcome.run, 'a program of the file was run');
  must(outcome.leaked <= 0, `${outcome.leaked} files left open`);
  must(outcome.peak <= PEAK_BYTES, 'too much memory');
  must(outcome.left.length === 0, `left in temporary space: ${outcome.left}`);
  must(
    results.every((result) => result.success || result.error.code !== 'INTERNAL'),
    'an internal error',
  );
  if (request?.all !== true) {
    const most = request?.maxTokens ?? MAX_TOKENS;
    must(
      outcome.tokens.every((tokens) => tokens <= most),
      `over budget: ${Math.max(...outcome.tokens)} tokens`,
    );
  }
  const pages = results.filter((result) => result.success).map((result) => JSON.stringify(result.content));
  must(
    pages.every((page, index) => index === 0 || page !== pages[index - 1]),
    'a page repeats the one before',
  );

  if (expect.error !== undefined)
    must([expect.error].flat().includes(first.error?.code), `expected ${[expect.error].flat().join(' or ')}`);
  else if (expect.last !== undefined)
    must(last.error?.code === expect.last, `expected ${expect.last} in the end`);
  else if (expect.bounded !== true)
    must(
      results.every(({ success }) => success),
      'not read',
    );
  if (expect.whole !== undefined) must(contentOf(first) === expect.whole, 'the content is not the file');
  if (expect.contains !== undefined)
    must(
      contentOf(first).includes(expect.contains),
      `without ${JSON.stringify(expect.contains.slice(0, 40))}`,
    );
  if (expect.without !== undefined) must(!told.includes(expect.without), `with ${expect.without}`);
  if (expect.warning !== undefined)
    must(
      first.warnings?.some(({ code }) => code === expect.warning),
      `no ${expect.warning}`,
    );
  if (expect.processor !== undefined)
    must(first.processor === expect.processor, `read as ${first.processor}`);
  if (expect.truncated === true)
    must(first.truncation?.next !== undefined && first.text?.includes('['), 'nothing is said to be left out');
  if (expect.fact !== undefined) {
    const [name, value] = expect.fact;
    const wanted = typeof value === 'object' ? (full ? value.full : value.smoke) : value;
    must(first.metadata?.[name] === wanted, `${name} is ${first.metadata?.[name]}`);
  }
  return faults;
}

function contentOf(result) {
  return (result.content ?? []).map((part) => part.text ?? '').join('');
}

/** Of the first and the last answer. */
export function summary(results) {
  const [first] = results;
  const last = results.at(-1);
  const one = (result) =>
    result.success
      ? [result.processor, ...new Set(result.warnings.map(({ code }) => code))].join(', ')
      : result.error.code;
  return results.length > 1 ? `${one(first)}; page ${results.length}: ${one(last)}` : one(first);
}

/** For a cell of a table on a terminal. */
export function visible(text) {
  return text.replace(/[\p{Cc}\p{Cf}|]/gu, '·');
}
