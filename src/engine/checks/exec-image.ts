import { firstProgramAt, isShell, programName, wordSet } from '../probe/exec-invocation.ts';
import { saysWithoutTools } from '../probe/image-name.ts';
import { quote } from '../../base/text/cut.ts';
import { containerPhrase, defineCheck, located } from './check.ts';

/** Such an image contains only the application (github.com/GoogleContainerTools/distroless). */
export const execImage = defineCheck({
  id: 'exec-image',
  summary: 'A probe runs a shell or a tool that a distroless or scratch image does not contain.',
  action: 'Warn',
  cannotWork: true,
  handlers: ['exec'],
  readsCommand: true,
  eachProbe: (probe) => {
    const { argv, invocation } = probe.command;
    const lacking = saysWithoutTools(probe.container.image);
    // The first program, or the one behind `timeout` or `env`.
    const at = [firstProgramAt(argv), invocation?.at].find((index) => isTool(argv[index ?? argv.length] ?? ''));
    if (at === undefined || lacking === undefined) return undefined;
    return {
      ...located(probe, 'exec', 'command', at),
      message:
        `${containerPhrase(probe.container)} runs ${quote(programName(argv[at] ?? ''))} in its ${probe.kind}, ` +
        `and a ${lacking} image contains no such program`,
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

function isTool(word: string): boolean {
  const program = programName(word);
  return (isShell(program) || TOOLS.has(program)) && SYSTEM_PATH.test(word);
}
