import { createCompactor, presetOf } from 'lectern/history';

console.log(presetOf('lectern', 200_000)); // every field of a preset

const history = createCompactor({
  window: 200_000,
  threshold: { at: 0.6, to: 0.2 }, // start at 60 % of the window, stop at 20 %
  policy: {
    mask: { at: 0.4, keepFirst: 2, keepLast: 8, atLeast: 0.1 },
    truncate: { over: 8000, keep: 'both' }, // keeps half from each end
  },
  // Replaces a result that a later one repeats with a line.
  shorten: (results) =>
    results.map(({ text }, at) => (results.slice(at + 1).some((later) => later.text === text) ? '' : null)),
  // Drops the turns with the lowest scores first; the default is the order of the policy.
  importance: async (turns) => turns.map(({ text }) => (text.includes('TODO') ? 1 : 0)),
});
const { report } = await history.compact([{ role: 'user', content: 'Make the tests pass.' }]);
console.log(report.action); // none
