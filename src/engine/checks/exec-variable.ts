import type { ExecCommand } from '../command/words.ts';
import { variableReferences, type VariableSource } from '../workload/variables.ts';
import { handlerEdits } from './lib/endpoint.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import { quoted } from '../../base/json/quoted-value.ts';

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
  readsCommand: true,
  eachProbe: (probe) => {
    const { argv, shell } = probe.command;
    const variables = probe.container.env();
    const lost = variables && lostReference(probe.command, variables);
    if (variables === undefined || lost === undefined) return undefined;
    const { at, name, source } = lost;
    const isScript = at === shell?.scriptAt;
    const repaired = isScript && source !== undefined ? repairedScript(argv[at] ?? '', variables) : undefined;
    return {
      ...located(probe, 'exec', 'command', at),
      message:
        source === undefined
          ? `${containerPhrase(probe.container)} has no ${quoted(name)} with a literal value in env, so the kubelet leaves ${quoted(`$(${name})`)} as text`
          : `${containerPhrase(probe.container)} reads ${quoted(name)} from a reference, so the kubelet puts an empty text in place of ${quoted(`$(${name})`)}`,
      remedy: isScript
        ? `write $${name}, which the shell replaces`
        : `write command: [sh, -c, "..."] with $${name} in the script`,
      ...(repaired !== undefined && handlerEdits(probe, { command: argv.with(at, repaired) })),
    };
  },
});

type Variables = ReadonlyMap<string, VariableSource>;

/** A name that `env` may have. In a script, other names in parentheses are commands. */
const NAME = /^[A-Za-z_][\w.-]*$/;
const SCRIPT_NAME = /^_*[A-Z][A-Z0-9_]*$/;
const SCRIPT_REFERENCES = /\$\((_*[A-Z][A-Z0-9_]*)\)/g;

/** The first reference without a literal value, and its place in the command. */
function lostReference(
  command: ExecCommand,
  variables: Variables,
): { readonly at: number; readonly name: string; readonly source: VariableSource | undefined } | undefined {
  for (const [at, names] of command.once(referencesIn).entries())
    for (const name of names) {
      const source = variables.get(name);
      if ((at === command.shell?.scriptAt ? SCRIPT_NAME : NAME).test(name) && source?.from !== 'value')
        return { at, name, source };
    }
  return undefined;
}

const referencesIn = ({ argv }: ExecCommand): readonly (readonly string[])[] => argv.map(variableReferences);

/** Lets the shell replace the variables. Undefined in single quotes, or when a variable may be missing. */
function repairedScript(script: string, variables: Variables): string | undefined {
  if (/['`\\]|\$\$|<</.test(script)) return undefined;
  const isReplaced = variableReferences(script).every((name) => {
    const source = variables.get(name);
    return !SCRIPT_NAME.test(name) || source?.from === 'value' || source?.isOptional === false;
  });
  if (!isReplaced) return undefined;
  return script.replace(SCRIPT_REFERENCES, (whole, name: string) =>
    variables.get(name)?.from === 'reference' ? `\${${name}}` : whole,
  );
}
