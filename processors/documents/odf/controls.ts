// The form controls of an OpenDocument (ODF 1.3 part 3, 13): what each shows, by the name that its place refers to.

import { cleanText } from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';

/** The controls inside `forms`, by identifier, as inline content. */
export function* controlsOf(forms: XmlElement): Generator<readonly [string, string], void, undefined> {
  const stack = [forms];
  for (let at = stack.pop(); at; at = stack.pop()) {
    const id = at.get('form:id') ?? at.get('id');
    if (id !== undefined) yield [id, shownBy(at)];
    for (const child of at.elements()) stack.push(child);
  }
}

function shownBy(control: XmlElement): string {
  const label = cleanText(control.get('label') ?? '');
  switch (control.name) {
    case 'checkbox':
      return `${stateOf(control, 'state') === 'checked' ? '[x]' : '[ ]'} ${label}`.trim();
    case 'radio':
      return `${stateOf(control, 'selected') === 'true' ? '(x)' : '( )'} ${label}`.trim();
    case 'listbox':
      return listed(control);
    case 'hidden':
    case 'password':
      return '';
    default: {
      const paragraphs = control.elements('p').map((paragraph) => paragraph.text());
      const value = stateOf(control, 'value') ?? paragraphs.join('\n');
      return value === '' ? label : cleanText(value);
    }
  }
}

/** The chosen entries, and all. */
function listed(control: XmlElement): string {
  const options = control.elements('option');
  const name = (option: XmlElement): string => cleanText(option.get('label') ?? option.get('value') ?? '');
  const all = options.map(name).join(' / ');
  const chosen = options.filter((option) => stateOf(option, 'selected') === 'true').map(name);
  return chosen.length === 0 ? all : `${chosen.join(', ')} (of ${all})`;
}

/** What the user left, else what the form began with. */
const stateOf = (element: XmlElement, name: string): string | undefined =>
  element.get(`current-${name}`) ?? element.get(name);
