// The fonts and styles that the header of an RTF file defines, and what follows from them for text.

import { charsetOfCodePage } from './charset.ts';

interface Font {
  readonly name: string;
  readonly charset: string | undefined;
}

interface Style {
  readonly name: string;
  /** 0 to 8; -1 without one. */
  readonly outline: number;
}

const MOST_DEFINED = 5000;

export class RtfHeader {
  /** Undefined if the file states none. */
  charset: string | undefined;
  defaultFont = 0;
  readonly #fonts = new Map<number, Font>();
  readonly #styles = new Map<number, Style>();
  /** What is being defined. */
  #font: { readonly number: number; readonly charset: string | undefined } = {
    number: 0,
    charset: undefined,
  };
  #style = { number: 0, outline: -1 };

  beginFont(number: number): void {
    this.#font = { number, charset: undefined };
  }

  setFontCharset(charset: string | undefined): void {
    this.#font = { ...this.#font, charset };
  }

  setFontCodePage(page: number): void {
    this.setFontCharset(charsetOfCodePage(page));
  }

  /** Of the font that is being defined. */
  get fontCharset(): string | undefined {
    return this.#font.charset;
  }

  endFont(text: string): void {
    const name = nameIn(text);
    const { number, charset } = this.#font;
    if (name !== '' && this.#fonts.size < MOST_DEFINED) this.#fonts.set(number, { name, charset });
  }

  beginStyle(number: number): void {
    this.#style = { number, outline: -1 };
  }

  setStyleOutline(outline: number): void {
    this.#style = { ...this.#style, outline };
  }

  endStyle(text: string): void {
    const name = nameIn(text);
    const { number, outline } = this.#style;
    if (name !== '' && this.#styles.size < MOST_DEFINED) this.#styles.set(number, { name, outline });
    this.beginStyle(0);
  }

  /** -1 is the default font. */
  font(number: number): Font | undefined {
    return this.#fonts.get(number < 0 ? this.defaultFont : number);
  }

  isMonospace(font: number): boolean {
    const plain = this.font(-1)?.name ?? '';
    const own = this.font(font)?.name ?? plain;
    return isTypewriter(own) && !isTypewriter(plain);
  }

  /** The level of a paragraph of this outline and style as a heading; 0 for none. */
  headingOf(outline: number, style: number): number {
    const known = this.#styles.get(style);
    const level = outline >= 0 ? outline : (known?.outline ?? -1);
    if (level >= 0 && level <= 8) return level + 1;
    const named = /^heading (\d)$/i.exec(known?.name ?? '')?.[1];
    if (named !== undefined) return Number(named);
    return /^title$/i.test(known?.name ?? '') ? 1 : 0;
  }
}

/** Entries end in a semicolon. */
const nameIn = (text: string): string => text.split(';', 1)[0]?.trim() ?? '';

const isTypewriter = (name: string): boolean =>
  /courier|consolas|monospace|lucida console|menlo|monaco|\bmono\b/i.test(name);
