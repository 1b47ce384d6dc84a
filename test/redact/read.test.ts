import { expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';
it('x', async () => {
  const token = `gh${'p_'}16C7e42F292c6912E7710c838347Ae178B4a`;
  const reader = createReader({ redact: true, cache: false });
  const r = await reader.read({ name: 'a.env', bytes: Buffer.from(`A=1\nTOKEN=${token}\nURL=postgres://u:hunter22@db/x\nDB_PASSWORD=correcthorse\nB=${token}\n-----BEGIN RSA PRIVATE KEY-----\n${'MIIEpAIBAAKCAQEA1234abcdEFGHijklmnop\n'.repeat(8)}-----END RSA PRIVATE KEY-----\n`) });
  console.log(r.success && r.text, r.success && r.warnings);
  expect(JSON.stringify(r)).not.toContain(token);
});
