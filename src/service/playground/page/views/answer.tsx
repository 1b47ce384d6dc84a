// The answer for one file: tokens, coverage, warnings, and the text the model sees.

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, attachmentTokens } from '../api.ts';
import { coverageOf } from '../coverage.ts';
import { segmentsOf } from '../notes.ts';
import { finding, piecesOf } from '../places.ts';
import { labelOf } from '../request.ts';
import {
  budget,
  busy,
  type Entry,
  type Part,
  password,
  position,
  readAll,
  showNext,
  showPrevious,
  together,
} from '../session.ts';
import type { ReadFailure, ReadSuccess } from '../wire.ts';
import { Coverage } from './coverage.tsx';
import { Media } from './media.tsx';
import { Places } from './places.tsx';

const figure = (value: number): string => value.toLocaleString('en');

export function Answer({ entry }: { readonly entry: Entry }): JSX.Element {
  const part = entry.parts[position.value] ?? entry.parts[0];
  const title = (
    <h2 id="file-title" tabIndex={-1}>
      {entry.file.name}
    </h2>
  );
  if (!part)
    return (
      <article aria-labelledby="file-title">
        <div class="answer-head">{title}</div>
        <p class="waiting">Reading …</p>
      </article>
    );
  const first = together.value ? 0 : position.value;
  const visible = entry.parts
    .slice(first, position.value + 1)
    .flatMap(({ result }) => (result.success ? [result] : []));
  return (
    <article aria-labelledby="file-title">
      <div class="answer-head">
        {title}
        {part.result.success && <Facts result={part.result} />}
      </div>
      {part.result.success && (
        <>
          <div class="summary">
            <Meter
              tokens={part.tokens}
              textOnly={part.result.content.some(({ kind }) => kind === 'binary')}
              picture={part.result.fileType === 'image' ? entry.file : null}
            />
            <Coverage answers={visible} />
          </div>
          <Warnings result={part.result} />
        </>
      )}
      {(entry.parts.length > 1 || (part.result.success && part.result.truncation?.next)) && (
        <Pager entry={entry} />
      )}
      {hasPlaces(part) && <Places key={entry.id} entry={entry} />}
      {visible.length > 0 && (
        <Seen answers={visible} query={finding.value?.entry === entry.id ? finding.value.query : ''} />
      )}
      {!part.result.success && <Failure failure={part.result} />}
    </article>
  );
}

/** A file with text; also after a place of it could not be shown. */
const hasPlaces = ({ result, asked }: Part): boolean =>
  result.success ? !['image', 'audio'].includes(result.fileType) : asked['place'] !== undefined;

function Facts({ result }: { readonly result: ReadSuccess }): JSX.Element {
  const { metadata, fileType } = result;
  const facts = [
    fileType,
    metadata.bytes === undefined ? '' : `${figure(metadata.bytes)} bytes`,
    metadata.encoding?.name ?? '',
  ];
  return <p class="facts">{facts.filter((fact) => fact !== '').join(' · ')}</p>;
}

/** Providers that count a picture in three ways, by the target of `POST /v1/attachments`. */
const PROVIDERS = [
  ['anthropic', 'Anthropic'],
  ['openai-chat', 'OpenAI'],
  ['gemini', 'Gemini'],
] as const;
/** Each price is a request with the whole picture. */
const MOST_PRICED_BYTES = 8e6;
const MEDIA_COST = 'The cost of images and audio depends on the model.';

/** What a picture costs as an attachment, for each provider; empty until it is known. */
function useCosts(file: File | null): string {
  const [costs, setCosts] = useState<string>('');
  useEffect(() => {
    let isCurrent = true;
    setCosts('');
    if (!file || file.size > MOST_PRICED_BYTES) return;
    const prices = PROVIDERS.map(async ([target, name]) => {
      const tokens = await attachmentTokens(file, target);
      return tokens === undefined ? [] : [`${figure(tokens)} for ${name}`];
    });
    void Promise.all(prices).then(
      (list) => isCurrent && setCosts(list.flat().join(', ')),
      (error: unknown) => {
        if (!(error instanceof ApiError)) throw error; // without prices, the sentence says that they differ
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [file]);
  return costs;
}

function Meter({
  tokens,
  textOnly,
  picture,
}: {
  readonly tokens: number;
  readonly textOnly: boolean;
  readonly picture: File | null;
}): JSX.Element {
  const most = budget.value;
  const costs = useCosts(picture);
  return (
    <div class="measure">
      <p>
        <strong>{figure(tokens)}</strong> tokens{most === null ? ', without a budget' : ` of ${figure(most)}`}
      </p>
      <meter
        aria-label="Tokens used of the budget"
        min={0}
        max={most ?? Math.max(tokens, 1)}
        value={tokens}
      />
      {textOnly && <p class="more">Text only. {costs === '' ? MEDIA_COST : `As an attachment: ${costs}.`}</p>}
    </div>
  );
}

function Warnings({ result }: { readonly result: ReadSuccess }): JSX.Element | null {
  const isDrawn = coverageOf([result]).some(({ count, of }) => count < of);
  const warnings = result.warnings.filter(({ code }) => !(isDrawn && code === 'TRUNCATED'));
  if (warnings.length === 0) return null;
  return (
    <ul class="warnings" aria-label="Warnings">
      {warnings.map(({ code, message }) => (
        <Warning key={code + message} code={code} message={message} />
      ))}
    </ul>
  );
}

function Failure({ failure }: { readonly failure: ReadFailure }): JSX.Element {
  const { code, message, hint } = failure.error;
  if (code === 'ENCRYPTED_FILE' || code === 'WRONG_PASSWORD')
    return (
      <>
        <ProblemBox
          code={code}
          message={message}
          hint={code === 'ENCRYPTED_FILE' ? 'Enter its password.' : 'Check the password.'}
        />
        <PasswordForm />
      </>
    );
  const inLabels = hint.replace(/`(\w+)`/g, (word, field: string) => {
    const label = labelOf(field);
    return label === undefined ? word : `“${label}”`;
  });
  return <ProblemBox code={code} message={message} hint={inLabels} />;
}

function PasswordForm(): JSX.Element {
  const [typed, setTyped] = useState<string>(password.value);
  return (
    <form
      class="password"
      onSubmit={(event) => {
        event.preventDefault();
        password.value = typed;
        void readAll();
      }}
    >
      <label for="password">Password of the file. The page keeps it in memory only.</label>
      <input
        id="password"
        type="password"
        autocomplete="off"
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <button type="submit" class="primary">
        Open
      </button>
    </form>
  );
}

/** A message with text between backticks formatted as code. */
function Prose({ text }: { readonly text: string }): JSX.Element {
  return (
    <>
      {text
        .split(/`([^`]+)`/)
        .map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece))}
    </>
  );
}

const LONG_WARNING = 400;

function Warning({ code, message }: { readonly code: string; readonly message: string }): JSX.Element {
  const [open, setOpen] = useState<boolean>(false);
  const long = message.length > LONG_WARNING;
  return (
    <li>
      <div class={long && !open ? 'clipped' : ''}>
        <code>{code}</code> <Prose text={message} />
      </div>
      {long && (
        <button type="button" class="plain" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Show less' : 'Show full warning'}
        </button>
      )}
    </li>
  );
}

export function ProblemBox({
  code,
  message,
  hint,
}: {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}): JSX.Element {
  return (
    <div class="problem" role="alert">
      <p>
        <code>{code}</code>
      </p>
      <p class="problem-message">
        <Prose text={message} />
      </p>
      <p>
        <strong>What to do:</strong> <Prose text={hint} />
      </p>
    </div>
  );
}

function Seen({
  answers,
  query,
}: {
  readonly answers: readonly ReadSuccess[];
  readonly query: string;
}): JSX.Element {
  const segments = answers.map(segmentsOf);
  const notes = segments.some((list) => list.some(({ note }) => note));
  return (
    <section aria-labelledby="seen">
      <div class="section-head">
        <h3 id="seen">What the model sees</h3>
        {notes && (
          <p class="key-line">
            <span class="note">Highlighted</span> lines are notes from lectern; the rest is from the file.
          </p>
        )}
      </div>
      <Media answers={answers} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section class="scroll seen" tabIndex={0} aria-label="Text">
        <pre>
          {segments.flatMap((list, part) =>
            list.map(({ text, note }, index) =>
              note ? (
                <span class="note" key={`${part}.${index}`}>
                  {text}
                </span>
              ) : (
                piecesOf(text, query).map((piece, at) =>
                  at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece,
                )
              ),
            ),
          )}
        </pre>
      </section>
    </section>
  );
}

function Pager({ entry }: { readonly entry: Entry }): JSX.Element {
  const result = entry.parts[position.value]?.result;
  const more = position.value + 1 < entry.parts.length || (result?.success && result.truncation?.next);
  return (
    <nav class="pager" aria-label="Parts of the file">
      <button type="button" aria-disabled={position.value === 0} onClick={showPrevious}>
        Back
      </button>
      <span>Part {position.value + 1}</span>
      <button
        type="button"
        class="primary"
        aria-disabled={busy.value || !more}
        onClick={() => {
          if (!busy.value) void showNext();
        }}
      >
        Next part
      </button>
      <label class="switch">
        <input
          type="checkbox"
          checked={together.value}
          onChange={({ currentTarget }) => {
            together.value = currentTarget.checked;
          }}
        />
        Keep earlier parts
      </label>
    </nav>
  );
}
