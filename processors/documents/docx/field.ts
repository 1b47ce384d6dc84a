// Fields of a Word document (ECMA-376 part 1, 17.16): separates field codes from their displayed results. Fields are
// never computed; link targets come from the code.

import type { XmlElement } from '../../../src/package/index.ts';
import { isOn } from './styles.ts';

interface Field {
  code: string;
  inResult: boolean;
  form: string;
  /** Its target, if it is a link; null before it was looked for. */
  target: string | undefined | null;
  paragraphs: number;
}

const MAX_OPEN = 64;
const MAX_CODE = 4000;
/** A link that never ends would repeat its target in every paragraph. */
const MAX_LINK_PARAGRAPHS = 100;

/** The complex fields open at a place in a story; they may start in one paragraph and end in another. */
export class Fields {
  readonly #open: Field[] = [];
  #beyond = 0;

  /** True inside a field's code, which is not shown. */
  get inCode(): boolean {
    return this.#open.some((field) => !field.inResult);
  }

  /** Target of the innermost field that is a link. */
  get link(): string | undefined {
    for (let at = this.#open.length - 1; at >= 0; at -= 1) {
      const field = this.#open[at];
      if (!field?.inResult || field.paragraphs > MAX_LINK_PARAGRAPHS) continue;
      if (field.target === null) field.target = linkOf(field.code);
      if (field.target !== undefined) return field.target;
    }
    return undefined;
  }

  /** Processes an `fldChar`; returns the text of a form field, which has no result. */
  mark(element: XmlElement): string {
    const type = element.get('fldCharType');
    if (type === 'end') return this.end();
    if (type === 'separate') this.separate();
    else if (type === 'begin') {
      this.begin();
      const form = element.child('ffData');
      if (form) this.setForm(formText(form));
    }
    return '';
  }

  /** Opens a field. */
  begin(): void {
    if (this.#open.length >= MAX_OPEN) this.#beyond += 1;
    else this.#open.push({ code: '', inResult: false, form: '', target: null, paragraphs: 0 });
  }

  /** Sets the state of the innermost field, a form field, which is shown at its end. */
  setForm(text: string): void {
    const field = this.#open.at(-1);
    if (field && this.#beyond === 0) field.form = text;
  }

  /** The code ends, the result starts. */
  separate(): void {
    const field = this.#open.at(-1);
    if (field && this.#beyond === 0) field.inResult = true;
  }

  /** Closes the innermost field; returns the text of a form field. */
  end(): string {
    if (this.#beyond > 0) {
      this.#beyond -= 1;
      return '';
    }
    const form = this.#open.pop()?.form ?? '';
    return this.inCode ? '' : form;
  }

  /** Processes an `instrText`. */
  code(text: string): void {
    const field = this.#open.at(-1);
    if (field && !field.inResult && field.code.length < MAX_CODE) field.code += text;
  }

  /** Called at the end of a paragraph: unfinished code must not swallow the text that follows. */
  endParagraph(): void {
    for (const field of this.#open) {
      field.inResult = true;
      field.paragraphs += 1;
    }
  }
}

/**
 * The link target in a field's code, as in `HYPERLINK "url" \l "anchor"`; undefined for other fields and for targets
 * inside the document.
 */
export function linkOf(code: string): string | undefined {
  const words = /^\s*HYPERLINK\s(.*)/is.exec(code)?.[1];
  if (words === undefined) return undefined;
  let url: string | undefined;
  let anchor: string | undefined;
  for (const match of words.matchAll(/\\([a-z])(?:\s*"([^"]*)"|\s+([^\s\\"]+))?|"([^"]*)"|([^\s\\"]+)/gi)) {
    const [, flag, quotedValue, bareValue, quotedUrl, bareUrl] = match;
    if (flag !== undefined) {
      const value = quotedValue ?? bareValue;
      if (flag.toLowerCase() === 'l') anchor = value;
      else if (quotedValue !== undefined && /^[nmh]$/i.test(flag)) url ??= quotedValue;
    } else url ??= quotedUrl ?? bareUrl;
  }
  if (url === undefined || url === '') return undefined;
  return anchor === undefined || anchor === '' ? url : `${url}#${anchor}`;
}

/** The state of a form field: a ticked box, the selected list entry. */
function formText(form: XmlElement): string {
  const box = form.child('checkBox');
  if (box) {
    const state = box.child('checked') ?? box.child('default');
    return state && isOn(state.get('val')) ? '☒' : '☐';
  }
  const list = form.child('ddList');
  if (!list) return '';
  const index = Number((list.child('result') ?? list.child('default'))?.get('val') ?? 0);
  return list.elements('listEntry')[index]?.get('val') ?? '';
}
