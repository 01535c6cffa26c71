import { expect } from 'vitest';

/** What a tenant may write where a name, a key or a value goes, to command the terminal, the log viewer or the CI host of its reader. */
export const HOSTILE =
  '\u001b[31m\u001b]8;;https://evil.test\u0007link\u001b]8;;\u0007 \u009b2J \u202egnp.exe\u2066 zero\u200bwidth\u200f\u061c' +
  '\r\n::error file=a,line=1::forged\n  ::add-mask::a\n##[error]forged ##vso[task.complete]x ##teamcity[x] \u2028::warning::x\u0085\u000b\u000c' +
  '%0A::notice::x \u001b[0Ksection_start:1:x\r\u001b[0K \ufeff\u00ad\u{e0041} \ud83d <&"\'> \u007f\u0000';

/** The same as far as a file's name can hold it. */
export const HOSTILE_FILE_NAME = HOSTILE.replace(/[/\0\ud83d]/g, '').slice(0, 90);

/** Control characters but for the line break, bidirectional controls, zero-width characters, line breaks of Unicode, halves of pairs. */
const RAW =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\u{e0000}-\u{e0fff}]/u;

/** Holds what goes to a terminal or a CI log to be harmless: no raw character, no line that a CI host would obey. */
export function expectHarmless(output: string): void {
  expect(RAW.exec(output)?.[0]).toBeUndefined();
  expect(output.split('\n').filter((line) => line.trimStart().startsWith('::'))).toEqual([]);
  expect(/##[A-Za-z]*\[/.exec(output)?.[0]).toBeUndefined();
}
