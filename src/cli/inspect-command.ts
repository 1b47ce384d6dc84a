// `lectern inspect`: prints metadata of files, without content.

import { createReader, type Inspection } from '../index.ts';
import { LIMIT_DEFINITIONS } from '../limits/index.ts';
import type { Command } from './command.ts';
import { facts } from './facts-commands.ts';
import { integerFrom } from './limit-flags.ts';
import { COMMON_OPTIONS, CONTENTS_TOKENS, INSPECT_OPTIONS, redactFrom } from './options.ts';
import { PASSWORD_OPTIONS, passwordFrom } from './password.ts';
import { asJson, inputFrom, needFiles, report, statusOf } from './read-command.ts';
import { progressOf } from './terminal.ts';

export const inspect: Command = {
  options: [...INSPECT_OPTIONS, ...PASSWORD_OPTIONS, ...COMMON_OPTIONS],
  variables: LIMIT_DEFINITIONS,
  async run(files, values, terminal) {
    needFiles(files);
    const reader = createReader({ environment: terminal.environment, ...redactFrom(values) });
    const { encoding, sheet, cursor } = values;
    const maxTokens =
      integerFrom(values, 'max-tokens', { least: 0, most: Number.MAX_SAFE_INTEGER }) ?? CONTENTS_TOKENS;
    const password = await passwordFrom(files, values, terminal);
    const results: Inspection[] = [];
    for (const [at, file] of files.entries())
      results.push(
        await reader.inspect(inputFrom(file, terminal, values), {
          signal: terminal.signal,
          onProgress: progressOf(terminal, files, at),
          ...(typeof encoding === 'string' && { encoding }),
          ...(typeof sheet === 'string' && { sheet }),
          ...(typeof cursor === 'string' && { cursor }),
          ...(maxTokens > 0 && { maxTokens }),
          ...password,
        }),
      );
    terminal.done();
    if (values['json'] === true) await terminal.out(asJson(results.length === 1 ? results[0] : results));
    for (const [i, result] of results.entries()) {
      if (!result.success) report(terminal, files[i] ?? result.metadata.name, result.error);
      else if (values['json'] !== true)
        await terminal.out(`${i > 0 ? '\n' : ''}${facts(result, files[i] ?? result.metadata.name)}`);
    }
    return statusOf(results);
  },
};
