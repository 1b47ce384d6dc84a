// Validates a caller's policy: known field names, and the allowed values of each.

import { checkOptions, quoted, ReaderError } from '../../contract/index.ts';
import type { Cut, Policy } from './policy.ts';

/** Allowed values of a field. */
interface Kind {
  is(value: unknown): boolean;
  /** Completes "expected ...". */
  readonly expected: string;
  /** The field may be omitted. */
  readonly isOptional?: true;
}

type Fields = Readonly<Record<string, Kind>>;

const optional = (kind: Kind): Kind => ({ ...kind, isOptional: true });

const whole = (least: number): Kind => ({
  is: (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= least,
  expected: `a whole number from ${least}`,
});

const share = (of: string, most: number): Kind => ({
  is: (value) => typeof value === 'number' && value >= 0 && value <= most,
  expected: `a fraction of ${of}, 0 to ${most}`,
});

const oneOf = (values: readonly string[]): Kind => ({
  is: (value) => values.some((one) => one === value),
  expected: values.map((one) => `\`${one}\``).join(', '),
});

const flag: Kind = { is: (value) => typeof value === 'boolean', expected: '`true` or `false`' };

const trigger: Kind = {
  is: (value) => share('the window', 1).is(value) || whole(1).is(value),
  expected: 'a fraction of the window, 0 to 1, or a whole number of tokens',
  isOptional: true,
};

const CUTS: readonly Cut[] = ['head', 'tail', 'both', 'ends'];

/** Fields whose value is an object or `false`. */
const OBJECTS = {
  offload: { over: whole(1), lines: whole(0), unlessFits: optional(flag) },
  truncate: { over: whole(1), keep: oneOf(CUTS), unlessFits: optional(flag) },
  mask: {
    at: trigger,
    keepFirst: whole(0),
    keepLast: whole(0),
    atLeast: optional(share('the window', 1)),
  },
  pointers: { at: trigger, preview: optional(whole(0)), results: optional(whole(0)) },
  drop: {
    at: trigger,
    notice: share('`to` of the threshold', 1),
    without: optional(oneOf(['digest', 'ends'])),
    keep: optional(whole(0)),
  },
  messages: { at: whole(1), to: whole(0) },
} satisfies Partial<Record<keyof Policy, Fields>>;

const VALUES = {
  workingSet: flag,
  keepRecent: share('the window', 1),
  margin: share('the window', 0.5),
  reserve: optional(whole(0)),
} satisfies Partial<Record<keyof Policy, Kind>>;

/** Compilation fails if a policy field is in neither table. */
const FIELDS: Readonly<Record<keyof Policy, unknown>> = { ...OBJECTS, ...VALUES };

/** @throws {ReaderError} BAD_INPUT for an invalid value */
export function checkPolicy(policy: Policy): void {
  for (const [name, fields] of Object.entries(OBJECTS)) {
    const value: unknown = policy[name as keyof typeof OBJECTS]; // The keys of the table are policy fields.
    if (value !== false) checkObject(`policy.${name}`, value, fields);
  }
  for (const [name, kind] of Object.entries(VALUES))
    check(`policy.${name}`, policy[name as keyof typeof VALUES], kind, `policy.${name}`); // As above.
  const { messages } = policy;
  if (messages && messages.to >= messages.at)
    throw new ReaderError(
      'BAD_INPUT',
      `\`policy.messages.to\` is ${messages.to} and \`at\` is ${messages.at}; expected \`to\` below \`at\`.`,
      'Set `to` to about half of `at`.',
    );
}

function checkObject(path: string, value: unknown, fields: Fields): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ReaderError(
      'BAD_INPUT',
      `\`${path}\` is ${quoted(String(value))}; expected an object with ${namesOf(fields)}, or \`false\`.`,
      leaveOut(path),
    );
  checkOptions(path, value, fields);
  for (const [name, kind] of Object.entries(fields)) {
    const field: unknown = Object.getOwnPropertyDescriptor(value, name)?.value;
    if (field === undefined && !kind.isOptional)
      throw new ReaderError(
        'BAD_INPUT',
        `\`${path}\` has no \`${name}\`; expected ${kind.expected}.`,
        `Add \`${name}\`, or omit \`${path}\` to use the preset's value.`,
      );
    check(`${path}.${name}`, field, kind, path);
  }
}

function check(path: string, value: unknown, { is, expected, isOptional }: Kind, out: string): void {
  if (is(value) || (value === undefined && isOptional)) return;
  throw new ReaderError(
    'BAD_INPUT',
    `\`${path}\` is ${quoted(String(value))}; expected ${expected}.`,
    leaveOut(out),
  );
}

const leaveOut = (path: string): string => `Omit \`${path}\` to use the preset's value.`;

const namesOf = (fields: Fields): string =>
  Object.entries(fields)
    .filter(([, { isOptional }]) => !isOptional)
    .map(([name]) => `\`${name}\``)
    .join(' and ') || 'its fields';

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
