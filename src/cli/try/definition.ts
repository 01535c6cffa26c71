import { inGroup, optional, repeatable, toggle, withDefault, type CommandDefinition } from '../flags/flag.ts';
import {
  choice,
  durationValue,
  parsed,
  someText,
  textThat,
  wholeNumber,
  wordList,
  type ValueType,
} from '../flags/value-types.ts';
import { CLUSTER_FLAGS, CLUSTER_INPUT_FILES, CLUSTER_INPUT_FLAGS, INPUT_DESCRIPTION } from '../input/input-flags.ts';
import { COLOUR_FLAG } from '../output/screen.ts';
import { HIGHEST_PORT } from '../../engine/probe/handler-values.ts';
import { quote } from '../../base/text/cut.ts';

const TRY_FORMATS = ['text', 'json', 'junit', 'github'] as const;
export type TryFormatName = (typeof TRY_FORMATS)[number];

/** The programs that speak Docker's command line, in the order in which they are tried. */
export const RUNTIMES = ['docker', 'podman', 'nerdctl'] as const;
export type Runtime = (typeof RUNTIMES)[number];

const PROBE_WORDS = ['startup', 'liveness', 'readiness'] as const;
/** A word of `--probe`. */
export type ProbeWord = (typeof PROBE_WORDS)[number];

const CONTAINER = textThat(
  (text) => /^[A-Za-z0-9][\w.-]*$/.test(text),
  'the name or id of a container, such as web',
  'NAME',
);

/** `8080=49153`: the container's port and the local one. */
const PORT_PAIR = parsed('PORT=LOCAL', 'two ports such as 8080=49153', (text) => {
  const [, container, local] = /^(\d{1,5})=(\d{1,5})$/.exec(text) ?? [];
  const pair = [Number(container), Number(local)] as const;
  return pair.every((port) => port >= 1 && port <= HIGHEST_PORT) ? pair : undefined;
});

/** A command line without quotes: each word is one argument. */
const COMMAND: ValueType<readonly string[]> = {
  placeholder: 'COMMAND',
  read: (text) => {
    const words = text.split(' ').filter((word) => word !== '');
    if (words.length === 0) throw new Error('must name a program, such as "docker exec web"');
    if (/["'`$\\|;&<>]/.test(text)) throw new Error(`must be plain words without quotes, not ${quote(text)}`);
    return words;
  },
};

const TARGET_FLAGS = inGroup('Flags that say where to ask', {
  address: optional(
    textThat((text) => /^(?:[A-Za-z0-9:][\w.:-]*|\[[\da-f:.]+\])$/i.test(text), 'a host name or an address', 'HOST'),
    'Ask a process or a container with published ports at this address.',
  ),
  port: repeatable(PORT_PAIR, 'With --address: the local port of a port of the container, such as 8080=49153.'),
  exec: optional(COMMAND, 'With --address: the command that runs an exec probe, such as "docker exec web".', {
    otherwise: 'exec probes are not run',
  }),
  docker: optional(CONTAINER, 'Ask this container of docker, podman or nerdctl.'),
  runtime: optional(choice(RUNTIMES), 'With --docker: the program of the runtime.', {
    otherwise: 'the first one that knows the container',
  }),
  pod: optional(
    textThat((text) => /^[a-z0-9][a-z0-9.-]*$/.test(text), 'the name of a Pod', 'NAME'),
    'With a cluster: the Pod to ask.',
    { otherwise: 'the newest Pod of the workload that runs' },
  ),
});

const FLAGS = {
  ...CLUSTER_INPUT_FLAGS,
  container: repeatable(someText('NAME'), 'Run only the probes of this container.'),
  probe: repeatable(wordList('PROBE', PROBE_WORDS), 'Run only these probes.'),
  count: withDefault(wholeNumber('N', 1, 1000), '5', 'How often each probe is run.'),
  wait: optional(
    durationValue(3_600_000),
    'Wait for so long until all probes pass, and print how long the start took.',
    { otherwise: 'each probe is run at once' },
  ),
  'allow-side-effects': toggle('Run commands of exec probes that may do more than ask.'),
  output: withDefault(choice(TRY_FORMATS), 'text', 'Format of the results.'),
  color: COLOUR_FLAG,
  strict: toggle('Fail for warnings, too.'),
  ...TARGET_FLAGS,
  ...CLUSTER_FLAGS,
} as const;

export const TRY: CommandDefinition<typeof FLAGS> = {
  name: 'try',
  summary: 'Run probes against a running container, as the kubelet does',
  usage: '[FILE...] (--address HOST | --docker NAME) [flags]',
  description: [
    'Runs each probe of the manifests as the kubelet would, prints its event, and says what to write. ' +
      'Probes that policies add are run too.',
    INPUT_DESCRIPTION,
    'With a workload of a cluster, such as -n shop deploy/web, the newest Pod of the workload is asked.',
  ],
  positionals: CLUSTER_INPUT_FILES,
  flags: FLAGS,
  conflicts: ({ address, docker, port, exec, runtime, pod, cluster, context, kubeconfig, ...flags }) => {
    const isCluster = cluster || context !== undefined || kubeconfig !== undefined;
    const [isAddress, isDocker] = [address !== undefined, docker !== undefined];
    const ways = [isAddress && '--address', isDocker && '--docker', isCluster && 'a cluster'].filter(Boolean);
    const problems: readonly (readonly [isThere: boolean, problem: string])[] = [
      [ways.length > 1, `${ways.join(' and ')}: name one of them`],
      [port.length > 0 && !isAddress, '--port: only with --address'],
      [exec !== undefined && !isAddress, '--exec: only with --address'],
      [runtime !== undefined && !isDocker, '--runtime: only with --docker'],
      [pod !== undefined && (isAddress || isDocker), '--pod: only with a cluster'],
      [flags['all-namespaces'], '--all-namespaces: try asks one workload; give --namespace instead'],
    ];
    return problems.flatMap(([isThere, problem]) => (isThere ? [problem] : []));
  },
  exitCodes: {
    0: 'All probes that were run pass; without --strict some may warn.',
    1: 'A probe fails; with --strict also: a probe warns.',
    2: 'An input cannot be read, no probe can be run, or the command line is wrong.',
  },
};
