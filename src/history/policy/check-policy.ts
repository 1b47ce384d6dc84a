// Validates a caller's policy: known field names, and the allowed values of each.

import { checkOptions, quoted, ReaderError } from '../../contract/index.ts';
import { isBoolean, type Kind } from '../option-kinds.ts';
import type { Policy } from './policy.ts';

const whole = (least: number): Kind => [
  (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= least,
  `a whole number from ${least}`,
];

const share = (of: string, most: number): Kind => [
  (value) => typeof value === 'number' && value >= 0 && value <= most,
  `a fraction of ${of}, 0 to ${most}`,
];

const oneOf = (...values: readonly string[]): Kind => [
  (value) => values.some((one) => one === value),
  values.map((one) => `\`${one}\``).join(', '),
];

const FLAG: Kind = [isBoolean, '`true` or `false`'];

const TRIGGER: Kind = [
  (value) => share('the window', 1)[0](value) || whole(1)[0](value),
  'a fraction of the window, 0 to 1, or a whole number of tokens',
];

type Fields = Readonly<Record<string, Kind>>;

/** Fields whose value is an object or `false`: the required fields of it, and the optional ones. */
const OBJECTS = {
  offload: [{ over: whole(1), lines: whole(0) }, { unlessFits: FLAG }],
  truncate: [{ over: whole(1), keep: oneOf('head', 'tail', 'both') }, { unlessFits: FLAG }],
  mask: [
    { keepFirst: whole(0), keepLast: whole(0) },
    { at: TRIGGER, atLeast: share('the window', 1) },
  ],
  pointers: [{}, { at: TRIGGER, preview: whole(0), results: whole(0) }],
  drop: [{ notice: share('`to` of the threshold', 1) }, { at: TRIGGER, without: oneOf('digest', 'ends') }],
  messages: [{ at: whole(1), to: whole(0) }, {}],
} satisfies Partial<Record<keyof Policy, readonly [required: Fields, optional: Fields]>>;

const VALUES = {
  workingSet: FLAG,
  keepRecent: share('the window', 1),
  margin: share('the window', 0.5),
} satisfies Partial<Record<keyof Policy, Kind>>;

/** Compilation fails if a policy field is in no table. */
const FIELDS: Readonly<Record<keyof Policy, unknown>> = { ...OBJECTS, ...VALUES, reserve: true };

/** @throws {ReaderError} BAD_INPUT for an invalid value */
export function checkPolicy(policy: Policy): void {
  const values: Readonly<Record<string, unknown>> = { ...policy };
  for (const [name, [required, optional]] of Object.entries<readonly [Fields, Fields]>(OBJECTS))
    if (values[name] !== false) checkObject(`policy.${name}`, values[name], required, optional);
  for (const [name, kind] of Object.entries(VALUES))
    check(`policy.${name}`, values[name], kind, `policy.${name}`);
  if (policy.reserve !== undefined) check('policy.reserve', policy.reserve, whole(0), 'policy.reserve');
  const { messages } = policy;
  if (messages && messages.to >= messages.at)
    throw new ReaderError(
      'BAD_INPUT',
      `\`policy.messages.to\` is ${messages.to} and \`at\` is ${messages.at}; expected \`to\` below \`at\`.`,
      'Set `to` to about half of `at`.',
    );
}

function checkObject(path: string, value: unknown, required: Fields, optional: Fields): void {
  const names = Object.keys(required).map((name) => `\`${name}\``);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ReaderError(
      'BAD_INPUT',
      `\`${path}\` is ${quoted(String(value))}; expected an object with ${names.join(' and ') || 'its fields'}, or \`false\`.`,
      leaveOut(path),
    );
  checkOptions(path, value, { ...required, ...optional });
  const given: Readonly<Record<string, unknown>> = { ...value };
  for (const [name, kind] of Object.entries({ ...required, ...optional }))
    if (given[name] !== undefined || name in required) check(`${path}.${name}`, given[name], kind, path);
}

function check(path: string, value: unknown, [is, expected]: Kind, out: string): void {
  if (is(value)) return;
  throw new ReaderError(
    'BAD_INPUT',
    `\`${path}\` is ${quoted(String(value))}; expected ${expected}.`,
    leaveOut(out),
  );
}

const leaveOut = (path: string): string => `Omit \`${path}\` to use the preset's value.`;

/** @throws {ReaderError} BAD_INPUT for an array or an unknown name; `what` is the name of the options in messages */
export function checkPolicyNames(what: string, policy: Partial<Policy> | undefined): void {
  if (Array.isArray(policy))
    throw new ReaderError(
      'BAD_INPUT',
      `\`${what}\` is an array; expected an object.`,
      "Omit it to use the preset's policy.",
    );
  checkOptions(what, policy, FIELDS);
}
