import { execCommandOf, type ExecCommand } from '../probe/exec-invocation.ts';
import { declaredVariables, variableReferences, type VariableSource } from '../workload/containers.ts';
import { handlerEdits } from './lib/endpoint.ts';
import { containerPhrase, defineCheck, located, type Finding } from './check.ts';
import { quoted } from '../../base/json/quoted-value.ts';
import type { CheckedContainer, CheckedProbe } from './checked-workload.ts';

/**
 * The kubelet replaces `$(NAME)` by literal values of `env` alone, and by nothing for `valueFrom`
 * (pkg/kubelet/container/helpers.go, ExpandContainerCommandOnlyStatic).
 */
export const execVariable = defineCheck({
  id: 'exec-variable',
  summary: 'A probe command refers to a variable that the kubelet does not replace.',
  action: 'Warn',
  cannotWork: true,
  handlers: ['exec'],
  eachProbe: (probe) => {
    const reading = execCommandOf(probe.handler);
    const lost = reading && lostReference(probe.container, reading);
    if (reading === undefined || lost === undefined) return undefined;
    const { at, name, source } = lost;
    const isScript = at === reading.shell?.scriptAt;
    const edits = isScript && source?.from === 'reference' ? editsOf(probe, reading, lost) : undefined;
    return {
      ...located(probe, 'exec', 'command', at),
      message:
        source === undefined
          ? `${containerPhrase(probe.container)} has no ${quoted(name)} with a literal value in env, so the kubelet leaves ${quoted(`$(${name})`)} as text`
          : `${containerPhrase(probe.container)} reads ${quoted(name)} from a reference, so the kubelet puts an empty text in place of ${quoted(`$(${name})`)}`,
      remedy: isScript
        ? `write $${name}, which the shell replaces`
        : `write command: [sh, -c, "..."] with $${name} in the script`,
      ...(edits && { edits }),
    };
  },
});

interface LostReference {
  /** Index in the command. */
  readonly at: number;
  readonly name: string;
  /** Undefined when the container declares no such variable. */
  readonly source: VariableSource | undefined;
}

/** A name that `env` may have. In a script, other names in parentheses are commands. */
const NAME = /^[A-Za-z_][\w.-]*$/;
const SCRIPT_NAME = /^_*[A-Z][A-Z0-9_]*$/;
const SCRIPT_REFERENCES = /\$\((_*[A-Z][A-Z0-9_]*)\)/g;

function lostReference(container: CheckedContainer, { argv, shell }: ExecCommand): LostReference | undefined {
  const variables = declaredVariables(container.spec);
  for (const [at, word] of variables === undefined ? [] : argv.entries())
    for (const name of variableReferences(word)) {
      const source = variables?.get(name);
      const isRead = (at === shell?.scriptAt ? SCRIPT_NAME : NAME).test(name);
      if (isRead && source?.from !== 'value') return { at, name, source };
    }
  return undefined;
}

/** Lets the shell replace the variables. Undefined in single quotes, or when a variable may be missing. */
function editsOf(probe: CheckedProbe, { argv }: ExecCommand, { at }: LostReference): Finding['edits'] {
  const script = argv[at] ?? '';
  if (/['`\\]|\$\$|<</.test(script)) return undefined;
  const variables = declaredVariables(probe.container.spec);
  const isReplaced = variableReferences(script).every((name) => {
    const source = variables?.get(name);
    return !SCRIPT_NAME.test(name) || source?.from === 'value' || source?.isOptional === false;
  });
  if (!isReplaced) return undefined;
  const repaired = script.replace(SCRIPT_REFERENCES, (whole, name: string) =>
    variables?.get(name)?.from === 'reference' ? `\${${name}}` : whole,
  );
  return handlerEdits(probe, { command: argv.with(at, repaired) });
}
