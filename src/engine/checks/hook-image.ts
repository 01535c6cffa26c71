import { commandsOf } from '../command/commands.ts';
import { waitsOf } from '../command/waits.ts';
import { invocationOf, wordSet, type ExecCommand } from '../command/words.ts';
import { execHooksOf, type ExecHook } from '../workload/hooks.ts';
import { lackingOf, missingPrograms } from './lib/missing-programs.ts';
import { containerPhrase, defineCheck, unread } from './check.ts';
import type { Container } from '../workload/pod.ts';

/**
 * The kubelet sends SIGTERM when a preStop hook fails (event FailedPreStopHook), and kills a container whose postStart
 * hook fails (pkg/kubelet/kuberuntime/kuberuntime_container.go, executePreStopHook and startContainer).
 */
export const hookImage = defineCheck({
  id: 'hook-image',
  summary: 'A lifecycle hook runs a shell or a tool that its image does not contain, so it fails at once.',
  action: 'Warn',
  run: (container, _, { pod }) => {
    if (!(container.hasPreStop || container.hasPostStart) || lackingOf(container) === undefined) return [];
    return execHooksOf(container, pod.commands).flatMap((hook) => {
      const { kind, place, command } = hook;
      if (!command.isWhole)
        return unread({ path: place.path('exec', 'command') }, `the ${kind} hook of ${containerPhrase(container)}`);
      const missing = missingPrograms(container, command, `${kind} hook`);
      if (missing === undefined) return [];
      const { at, message, level } = missing;
      const effect = kind === 'preStop' ? 'SIGTERM comes at once' : 'the container is killed';
      return {
        path: place.path('exec', 'command', at),
        message: `${message}${level === undefined ? ':' : '; without it,'} ${effect}`,
        remedy: remedyFor(hook, container),
        ...(level && { level }),
      };
    });
  },
});

function remedyFor({ kind, command }: ExecHook, { pod }: Container): string {
  const seconds = command.once(sleepSeconds);
  if (seconds === undefined && kind === 'preStop')
    return 'do it in the application at SIGTERM, or run a program of the image';
  if (seconds === undefined) return 'run a program of the image';
  const isLong = pod.graceSeconds !== undefined && seconds >= pod.graceSeconds;
  const grace = isLong ? `, and a terminationGracePeriodSeconds above ${seconds}` : '';
  return `write sleep: { seconds: ${seconds} } in place of exec, from Kubernetes 1.30 on${grace}`;
}

/** Programs of a script that only waits. */
const WAITING = wordSet(': echo exit printf sleep true');

/** The seconds of a command that only sleeps, as whole ones. Undefined for another command, and for unknown seconds. */
function sleepSeconds(command: ExecCommand): number | undefined {
  const { commands } = commandsOf(command);
  const isWaiting = commands.every(
    ({ words, isBackground }) => !isBackground && WAITING.has(invocationOf(words)?.program ?? ''),
  );
  const { least, limit } = waitsOf(command);
  return isWaiting && least ? Math.ceil(Math.min(least.seconds, limit?.seconds ?? Infinity)) : undefined;
}
