// Form for the request fields that all files support.

import type { JSX } from 'preact';
import type { Field } from '../request.ts';
import { budget, busy, entered, fields, readAll } from '../session.ts';

/** On a narrow screen the answer comes first, and the request is opened when it is needed. */
const isNarrow: boolean = matchMedia('(max-width: 52rem)').matches;

export function Controls(): JSX.Element {
  return (
    <form
      class="controls"
      aria-labelledby="request"
      onSubmit={(event) => {
        event.preventDefault();
        void readAll();
      }}
    >
      <details open={!isNarrow}>
        <summary>
          <h2 id="request">Request</h2>
        </summary>
        <div class="fields">
          {fields.value.map((field) => (
            <Control key={field.name} field={field} />
          ))}
        </div>
        <div class="form-actions">
          <button type="submit" class="primary" aria-disabled={busy.value}>
            Read
          </button>
          <button
            type="button"
            class="plain"
            onClick={() => {
              entered.value = {};
              void readAll();
            }}
          >
            Reset
          </button>
        </div>
      </details>
    </form>
  );
}

function Control({ field }: { readonly field: Field }): JSX.Element {
  const { name, label, kind, help } = field;
  const value = entered.value[name] ?? '';
  const set = (next: string) => {
    entered.value = { ...entered.value, [name]: next };
  };
  const id = `field-${name}`;
  if (kind === 'switch')
    return (
      <label class="switch" title={help}>
        <input
          type="checkbox"
          id={id}
          checked={value !== ''}
          onChange={({ currentTarget }) => {
            set(currentTarget.checked ? 'true' : '');
            void readAll();
          }}
        />
        {label}
      </label>
    );
  return (
    <div class={`field${name === 'maxTokens' ? ' wide' : ''}`}>
      <label for={id} title={help}>
        {label}
      </label>
      {kind === 'choice' ? (
        <select
          id={id}
          value={value}
          onChange={({ currentTarget }) => {
            set(currentTarget.value);
            void readAll();
          }}
        >
          <option value="">default</option>
          {field.choices?.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          type="text"
          inputMode={kind === 'number' ? 'numeric' : 'text'}
          value={value}
          placeholder={(name === 'maxTokens' ? budget.value?.toString() : field.example) ?? ''}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      )}
    </div>
  );
}
