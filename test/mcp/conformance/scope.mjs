// Which scenarios of the conformance suites do not apply, and why. Everything else must pass.

const NO_SESSION = 'tests sessions, which a stateless endpoint does not have';
const ASKS_BACK = 'the server asks the client during a call, which needs a session before 2026-07-28';

/** With either server. Keyed by scenario. */
const STATELESS = {
  'tools-call-sampling': ASKS_BACK,
  'tools-call-elicitation': ASKS_BACK,
  'elicitation-sep1034-defaults': ASKS_BACK,
  'elicitation-sep1330-enums': ASKS_BACK,
  'server-sse-polling': NO_SESSION,
  'server-sse-multiple-streams': NO_SESSION,
  'server-session-lifecycle': NO_SESSION,
};

/** With the product alone; the first that matches counts. */
const PRODUCT = [
  [/^prompts-/, 'lectern has no prompts'],
  [/^caching$/, 'one of its lists is of prompts, which lectern does not have'],
  [/^completion-/, 'lectern completes no arguments'],
  [/^logging-|-with-logging$/, 'lectern sends progress instead of log messages'],
  [/^resources-(un)?subscribe$/, 'lectern has no subscriptions'],
  [/^input-required-result-unsupported-methods$/, undefined],
  [/^input-required-result-validate-input$/, undefined],
  [/^(input-required-result|elicitation)-/, 'lectern never asks the client'],
  [
    /^(tools-call|resources-read|resources-templates-read|json-schema)/,
    "reads the suite's own tools or resources",
  ],
  [/^http-custom-header-/, 'no tool of lectern mirrors an argument into a header'],
];

/** Why `scenario` does not apply; undefined where it does. `server` is `fixtures` or `product`. */
export function reasonOf(scenario, server, { words }) {
  if (scenario.startsWith('tasks-')) return 'the optional tasks extension';
  // The same name tests plain concurrent requests in 2026-07-28, which has no sessions.
  const stateless = words.includes('2026-07-28') ? undefined : STATELESS[scenario];
  if (stateless !== undefined || server === 'fixtures') return stateless;
  return PRODUCT.find(([pattern]) => pattern.test(scenario))?.[1];
}
