/** @param {string} name `cl100k_base` or `o200k_base` */
export function encodingOf(name) {
  return name === 'cl100k_base'
    ? import('gpt-tokenizer/encoding/cl100k_base')
    : import('gpt-tokenizer/encoding/o200k_base');
}
