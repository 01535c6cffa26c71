import { expect, it } from 'vitest';
import { runProbewright } from '../run-probewright.ts';

it('the command for editors says that editors start it with --stdio', async () => {
  const { code, stderr } = await runProbewright(['lsp']);
  expect(code).toBe(2);
  expect(stderr).toContain('write --stdio');
});
