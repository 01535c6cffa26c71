import { jsonText } from '../text/json-text.ts';
import { messageOf } from '../text/error-message.ts';
import { insertIntoYaml } from '../yaml/editing/insertion.ts';
import { fixText } from './fix-text.ts';
import { EXIT_OK, EXIT_USAGE, printLine } from './io.ts';
import { yamlStream } from './output/yaml-stream.ts';
import { readCommandInputs } from './read-command-inputs.ts';
import { reportProblems } from './report-problems.ts';
import type { CommandLine } from '../command-line/command-definition.ts';
import type { FileProblem } from '../sources/policy-documents.ts';
import type { FIX } from './definitions/fix.ts';
import type { FixedText } from './fix-text.ts';
import type { CommandIo } from './io.ts';

/** Writes probes into manifests. The probes are the author's own from then on, so no annotation is added. */
export async function runFix(line: CommandLine<typeof FIX.flags>, io: CommandIo): Promise<number> {
  const inputs = await readCommandInputs('fix', line, io);
  if (inputs === undefined) return EXIT_USAGE;
  // Without one of the policies, other probes would be written than the webhook adds.
  if (inputs.policyProblems.length > 0) {
    reportProblems(inputs.problems, io);
    return EXIT_USAGE;
  }
  const fixed = inputs.texts.map((text) => fixText(text, inputs));
  for (const { remarks } of fixed) for (const remark of remarks) printLine(io.stderr, remark);
  const isJson = line.flags.output === 'json';
  const edited = isJson ? [] : fixed.map((text) => editText(text, io));
  io.stdout.write(isJson ? listOfObjects(fixed) : yamlStream(edited.map(({ text }) => text)));
  const problems = [...inputs.problems, ...edited.flatMap((text) => text.problems)];
  reportProblems([...inputs.policyWarnings, ...problems], io);
  return problems.length > 0 ? EXIT_USAGE : EXIT_OK;
}

interface EditedText {
  readonly text: string;
  readonly problems: readonly FileProblem[];
}

/** A text that cannot be edited is printed unchanged; the other texts are edited all the same. */
function editText({ file, text, insertions }: FixedText, io: CommandIo): EditedText {
  try {
    const result = insertIntoYaml(text, insertions);
    for (const index of result.rewritten) {
      printLine(
        io.stderr,
        `${file}: document ${index + 1} cannot be edited in place (aliases, or an unusual form); it is printed anew`,
      );
    }
    return { text: result.text, problems: [] };
  } catch (error) {
    const message = `no probes are written into this file: ${messageOf(error)}`;
    return { text, problems: [{ file, line: 1, column: 1, message }] };
  }
}

function listOfObjects(fixed: readonly FixedText[]): string {
  const items = fixed.flatMap(({ objects }) => objects);
  return `${jsonText({ apiVersion: 'v1', kind: 'List', items }, undefined, 2)}\n`;
}
