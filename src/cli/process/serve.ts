import { createLogger } from '../../process/log.ts';
import { startServer } from '../../webhook/serve.ts';
import { PolicyFilesError } from '../../cluster/sources/policy-source.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { connectionConfig } from './process-flags.ts';
import { EXIT_OK, EXIT_USAGE, printLine } from '../io.ts';
import { reportProblems } from '../output/problems.ts';
import type { CommandLine } from '../flags/flag.ts';
import type { ClusterConfig, ServeConfig } from '../../webhook/config.ts';
import type { RunningServer } from '../../webhook/serve.ts';
import type { CommandIo } from '../io.ts';
import type { SERVE } from './serve-definition.ts';
import type { ServeFlagValues } from './serve-flags.ts';

/** Serves until SIGTERM or SIGINT. */
export async function runServe({ flags }: CommandLine<typeof SERVE.flags>, io: CommandIo): Promise<number> {
  const config = serveConfig(flags);
  const log = createLogger(config.logLevel, { write: (line) => void io.stdout.write(line) });
  // From here on, as process 1 of a container ignores a signal that has no handler.
  const signalled = io.untilSignal();
  const notice = (text: string): void => {
    printLine(io.stderr, `probewright serve: ${text}`);
  };
  const dependencies = { log, notice, now: io.now, monotonic: io.monotonic };
  let server: RunningServer | undefined;
  try {
    const starting = startServer(config, dependencies);
    server = await Promise.race([starting, signalled.then(() => undefined)]);
    if (server === undefined) {
      await (await starting).stop(0);
      return EXIT_OK;
    }
    // Listening begins once there is a certificate, which in a cluster may take a while. Only then is a port found to
    // be taken.
    const failure = server.port.then(() => new Promise<never>(() => undefined));
    const signal = await Promise.race([signalled, failure]);
    // A person at a terminal does not wait. After SIGTERM from a kubelet, callers still come for a while.
    await server.stop(signal === 'SIGINT' ? 0 : config.drainSeconds);
    return EXIT_OK;
  } catch (error) {
    if (error instanceof PolicyFilesError) reportProblems(error.problems, io);
    printLine(io.stderr, `probewright serve: ${messageOf(error)}`);
    // Parts that run would keep the process alive: it would never become ready and never be restarted.
    await server?.stop(0);
    return EXIT_USAGE;
  }
}

/** The settings of the server, from the values of serve's flags. */
export function serveConfig(flags: ServeFlagValues): ServeConfig {
  return {
    policies: flags.policies,
    host: flags.host,
    port: flags.port,
    healthPort: flags['health-port'],
    tlsCert: flags['tls-cert'],
    tlsKey: flags['tls-key'],
    clientCa: flags['client-ca'],
    clientNames: flags['client-cn'] ?? [],
    enforcement: flags.enforcement,
    mutation: flags.mutation,
    controllers: {
      accounts: flags['trusted-controllers'] ?? [],
      foreignServiceAccounts: flags['trust-foreign-service-accounts'],
    },
    logLevel: flags['log-level'],
    workloadKinds: flags['workload-kinds'],
    drainSeconds: flags['drain-seconds'],
    cluster: flags.kubeconfig === undefined ? undefined : clusterConfig(flags.kubeconfig, flags),
  };
}

function clusterConfig(kubeconfig: string, flags: ServeFlagValues): ClusterConfig {
  return {
    ...connectionConfig(kubeconfig, flags),
    serviceName: flags['service-name'],
    webhookConfigurations: flags['webhook-configurations'],
    caSecret: flags['ca-secret'],
    tlsSecret: flags['tls-secret'],
    caLifetime: flags['ca-lifetime'],
    leafLifetime: flags['leaf-lifetime'],
    caOverlap: flags['ca-overlap'],
    certificateCheck: flags['certificate-check'],
    policyImpact: flags['policy-impact'],
    exemptNamespaces: flags['exempt-namespaces'],
  };
}
