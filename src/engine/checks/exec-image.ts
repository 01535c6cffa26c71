import { wordSet } from '../probe/acting-words.ts';
import { stringMember } from '../../base/json/json-value.ts';
import { execCommandOf, firstProgramAt, isShell, programName, type ExecCommand } from '../probe/exec-invocation.ts';
import { saysWithoutTools } from '../probe/image-name.ts';
import { quote } from '../../base/text/cut.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import type { CheckedContainer } from './checked-workload.ts';

/** Such an image contains only the application (github.com/GoogleContainerTools/distroless). */
export const execImage = defineCheck({
  id: 'exec-image',
  summary: 'A probe runs a shell or a tool that a distroless or scratch image does not contain.',
  action: 'Warn',
  cannotWork: true,
  handlers: ['exec'],
  eachProbe: (probe) => {
    const reading = execCommandOf(probe.handler);
    const at = reading && missingProgramAt(probe.container, reading);
    if (reading === undefined || at === undefined) return undefined;
    const image = stringMember(probe.container.spec, 'image') ?? '';
    return {
      ...located(probe, 'exec', 'command', at),
      message:
        `${containerPhrase(probe.container)} runs ${quote(programName(reading.argv[at] ?? ''))} in its ${probe.kind}, ` +
        `and a ${saysWithoutTools(image) ?? ''} image contains no such program`,
      remedy: 'write an httpGet, tcpSocket or grpc handler, or run a program of the application',
    };
  },
});

/** Programs of an operating system, besides shells. */
const TOOLS: ReadonlySet<string> = wordSet(`
  curl wget nc netcat ncat telnet cat test [ ls stat find touch rm echo true false sleep grep awk sed head tail ps
  pgrep pidof kill timeout env
`);
/** Folders of the operating system. A program elsewhere was copied into the image. */
const SYSTEM_PATH = /^(?:\/(?:usr\/(?:local\/)?)?s?bin\/)?[^/]+$/;

/** The index of a program that the image lacks: the first one, or the one behind `timeout` or `env`. */
function missingProgramAt(container: CheckedContainer, { argv, invocation }: ExecCommand): number | undefined {
  const missing = [firstProgramAt(argv), invocation?.at].find((at) => at !== undefined && isTool(argv[at] ?? ''));
  const image = missing === undefined ? undefined : stringMember(container.spec, 'image');
  return image !== undefined && saysWithoutTools(image) !== undefined ? missing : undefined;
}

function isTool(word: string): boolean {
  const program = programName(word);
  return (isShell(program) || TOOLS.has(program)) && SYSTEM_PATH.test(word);
}
