import { describe, expect, it } from 'vitest';
import { explanationsAsText, fieldsAsText, overviewLines, summariesAsText } from '../../../src/explain/drawing/text.ts';
import { httpProbe } from '../../engine/checks/workload.ts';
import { explainedPod } from '../explained-workloads.ts';
import type { ExplainedField, FieldSetter } from '../../../src/explain/timeline/explained-field.ts';
import type { WorkloadExplanation } from '../../../src/explain/timeline/explanation.ts';

it('text has a line for every reason, however many there are', () => {
  const notInjected = Array.from({ length: 200_000 }, (_, index) => `reason ${index}`);
  const workload = { kind: 'Pod', namespace: 'apps', name: 'web', place: 'a.yaml:1:1', containers: [], notInjected };
  expect(explanationsAsText([workload]).split('\n')).toContain('    - reason 199999');
});

const ALL = {
  startupProbe: httpProbe({ failureThreshold: 30 }),
  livenessProbe: httpProbe(),
  readinessProbe: httpProbe({ httpGet: { path: '/ready', port: 'http' } }),
};
const web = (...containers: Parameters<typeof explainedPod>[0]): WorkloadExplanation => ({
  ...explainedPod(containers),
  notInjected: [],
});

describe('the summary of a workload', () => {
  it('has at most six lines a container, and names what the details show', () => {
    const workload = {
      ...web(ALL, {}),
      notInjected: ['container "app": no port (no-port)', 'b', 'c', 'd'],
      exceptions: ['until May', 'until June'],
      lacking: '3 Pods lack these probes.',
    };
    expect(summariesAsText([workload])).toMatchInlineSnapshot(`
      "web (Pod in namespace apps)  (a.yaml:1:1)
        3 Pods lack these probes.
        "app", application container at spec.containers[0]
          starts   290 s (4 min 50 s) guaranteed; SIGTERM by 301 s, dead by 331 s
          hangs    SIGTERM after 20 to 31 s, dead by 61 s
          traffic  Ready 0 to 22 s after an instant start; off 20 to 31 s after it fails, on again within 11 s
          probes   startup, liveness, readiness from the manifest
        "app-1", application container at spec.containers[1]
          starts   no limit: no probe kills it while it starts
          hangs    no probe restarts it: there is no liveness probe
          traffic  even when it cannot serve: no readiness probe
          probes   none
        not injected (no-port): container "app": no port
        b
        c
        --details shows why policies add no other probes (1 more), and the exceptions (2)
      "
    `);
  });

  it('has three reasons at most, and tells of more only where there are more', () => {
    const reasons = (count: number): string =>
      summariesAsText([{ ...web(), notInjected: Array<string>(count).fill('r') }]);
    expect(reasons(3)).not.toContain('--details');
    expect(reasons(4)).toContain('  --details shows why policies add no other probes (1 more)\n');
    expect(summariesAsText([{ ...web(), exceptions: ['x'] }])).toContain('  --details shows the exceptions (1)\n');
  });

  it('of several workloads has an empty line between them', () =>
    expect(summariesAsText([web(), web()])).toBe(`${summariesAsText([web()])}\n${summariesAsText([web()])}`));
});

describe('the details of a workload', () => {
  it('have a table of figures, and each scene', () => {
    const sidecar = web(ALL).containers.map((each) => ({ ...each, role: 'sidecar' as const, caveats: ['A caveat.'] }));
    expect(
      explanationsAsText([
        {
          ...web(),
          containers: sidecar,
          notInjected: ['no port'],
          exceptions: ['until May'],
          lacking: 'Pods lack them.',
        },
      ]),
    ).toMatchInlineSnapshot(`
      "web (Pod in namespace apps)  (a.yaml:1:1)
        Pods lack them.

        "app", native sidecar at spec.containers[0]
          Guaranteed 290 s (4 min 50 s) to start. SIGTERM after 301 s (5 min 1 s) at the latest; dead by 331 s (5 min 31 s).
          - A caveat.

          startupProbe    httpGet /live on port http
                          D=0 P=10 T=1 F=30 S=1 G=30; from the manifest
          livenessProbe   httpGet /live on port http
                          D=0 P=10 T=1 F=3 S=1 G=30; from the manifest
          readinessProbe  httpGet /ready on port http
                          D=0 P=10 T=1 F=3 S=1; from the manifest

                                                 earliest  latest  worked out as
          startupProbe
            first probe                               0 s    10 s  max(0, D-1) .. D + P, with D=0 P=10
            healthy at once: startup passed           0 s    11 s  max(0, D-1) .. D + P + T, with D=0 P=10 T=1
            first start: guaranteed, longest        290 s   301 s  max(0, D-1) + (F-1)*P .. D + P + (F-1)*max(P,T) + T
                                                                   with D=0 P=10 T=1 F=30
            never healthy: SIGTERM                  290 s   301 s  max(0, D-1) + (F-1)*P .. D + P + (F-1)*max(P,T) + T
                                                                   with D=0 P=10 T=1 F=30
            never healthy: dead                     290 s   331 s  max(0, D-1) + (F-1)*P .. D + P + (F-1)*max(P,T) + T + max(G,2)
                                                                   with D=0 P=10 T=1 F=30 G=30
          livenessProbe
            first probe after startup passed          0 s    10 s  0 .. max(0, D - max(0, Ds-1)) + P, with D=0 P=10 Ds=0
            from deadlock to SIGTERM                 20 s    31 s  (F-1)*P .. P + (F-1)*max(P,T) + T, with P=10 T=1 F=3
            from deadlock to dead                    20 s    61 s  (F-1)*P .. P + (F-1)*max(P,T) + T + max(G,2)
                                                                   with P=10 T=1 F=3 G=30
            after its kill: guaranteed, longest     290 s   301 s  max(0, Ds-1) + (Fs-1)*Ps .. Ds + Ps + (Fs-1)*max(Ps,Ts) + Ts
                                                                   with Ds=0 Ps=10 Ts=1 Fs=30
          readinessProbe
            first probe after startup passed          0 s    10 s  0 .. max(0, D - max(0, Ds-1)) + P, with D=0 P=10 Ds=0
            healthy at once: Ready                    0 s    22 s  max(0, Ds-1, D-1) .. max(Ds+Ps+Ts, D) + S*P + T
                                                                   with D=0 P=10 T=1 S=1 Ds=0 Ps=10 Ts=1
            from unhealthy to NotReady               20 s    31 s  (F-1)*P .. P + (F-1)*max(P,T) + T, with P=10 T=1 F=3
            from healthy again to Ready               0 s    11 s  0 .. S*P + T, with P=10 T=1 S=1

          First start (second 0 = the container starts)
          seconds                       0            60           120           180          240           300
                                        |------------|------------|-------------|------------|-------------|------------
            Not healthy yet             ================================================================???!xxxxxx######
                                        =  0 to 290 s (4 min 50 s): Guaranteed time to start: no probe kills the
                                           container yet.
                                        ?  290 to 301 s (5 min 1 s): May pass or be killed. The moments of the probes and
                                           their lengths decide.
                                        !x 301 to 331 s (5 min 31 s): SIGTERM has been sent. The container has 30 s at
                                           most to exit.
                                        #  from 331 s (5 min 31 s) on: The container is dead and the kubelet
                                           starts it again.
            Traffic, if healthy at once ~~~~++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++
                                        ~  0 to 22 s: Gets traffic as soon as the readiness probe has succeeded.
                                        +  from 22 s on: Ready and gets traffic, if the container was healthy
                                           from the start.

          Later, when it stops answering (second 0 = it hangs or fails)
          seconds                       0           10          20          30          40          50          60
                                        |-----------|-----------|-----------|-----------|-----------|-----------|-------
            Hanging                     ------------------------?????????????!xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx######
                                        -  0 to 20 s: Not noticed yet: too few liveness probes have failed in a row.
                                        ?  20 to 31 s: May be killed at any moment. A container that recovers in time
                                           keeps running.
                                        !x 31 to 61 s: SIGTERM has been sent. The container has 30 s at most to exit.
                                        #  from 61 s on: The container is dead and the kubelet starts it again.
            Traffic meanwhile           ++++++++++++++++++++++++~~~~~~~~~~~~~...........................................
                                        +  0 to 20 s: Still gets traffic that it cannot serve.
                                        ~  20 to 31 s: The readiness probe ends the traffic in this time.
                                        .  from 31 s on: No new traffic.

        Not injected:
          - no port

        Exceptions:
          - until May

      "
    `);
  });

  it('say that a container has no probes, and name the time to start of an injected probe', () => {
    const [container] = web(ALL).containers;
    const [startup] = container?.probes ?? [];
    if (container === undefined || startup === undefined) throw new Error('no probe');
    const budget = { text: 'by past starts', isWritten: false };
    const text = explanationsAsText([
      { ...web(), containers: [{ ...container, probes: [{ ...startup, budget }], figures: [], scenes: [] }] },
    ]);
    expect(text.split('\n').slice(3)).toMatchInlineSnapshot(`
      [
        "    Guaranteed 290 s (4 min 50 s) to start. SIGTERM after 301 s (5 min 1 s) at the latest; dead by 331 s (5 min 31 s).",
        "",
        "    startupProbe    httpGet /live on port http",
        "                    D=0 P=10 T=1 F=30 S=1 G=30; from the manifest",
        "                    time to start by past starts",
        "",
        "",
      ]
    `);
    expect(explanationsAsText([web({})])).toContain('    no probes\n');
  });

  it('break a long line of a reason', () => {
    const reason = Array(30).fill('word').join(' ');
    const lines = explanationsAsText([{ ...web(), notInjected: [reason] }])
      .split('\n')
      .slice(3);
    expect(lines).toMatchInlineSnapshot(`
      [
        "    - word word word word word word word word word word word word word word word word word word word word word word",
        "      word word word word word word word word",
        "",
        "",
      ]
    `);
  });
});

it('a long headline is broken at the width of the page', () => {
  const [container] = web(ALL).containers;
  if (container === undefined) throw new Error('no container');
  const linesOf = (length: number): string[] => {
    const headline = `${'x'.repeat(length - 17)} and more. An end`;
    return explanationsAsText([{ ...web(), containers: [{ ...container, headline }] }])
      .split('\n')
      .slice(3, 5);
  };
  expect(linesOf(114)).toEqual([`    ${'x'.repeat(97)} and more. An end`, '']);
  expect(linesOf(115)).toEqual([`    ${'x'.repeat(98)}`, '    and more. An end']);
});

describe('the overview of containers', () => {
  it('says what is not known', () => {
    const broken = { ...ALL, startupProbe: httpProbe({ httpGet: { host: 'localhost', port: 8080 } }) };
    expect(overviewLines(web(broken, { livenessProbe: httpProbe() }).containers)).toMatchInlineSnapshot(`
      [
        "         guaranteed to start  to restart  kill begins by    dead by  hanging: dead by  NotReady by",
        "  app              not known   not known       not known  not known         not known    not known",
        "  app-1                 20 s        20 s            31 s       61 s              61 s        never",
        "",
      ]
    `);
  });
});

describe('the fields of a workload', () => {
  const [container] = web(ALL).containers;
  const [probe] = container?.probes ?? [];
  const table = (...fields: ExplainedField[]): string[] => {
    if (container === undefined || probe === undefined) throw new Error('no probe');
    return fieldsAsText([{ ...web(), containers: [{ ...container, probes: [{ ...probe, fields }] }] }])
      .split('\n')
      .slice(3, -2);
  };
  const setting = { source: 'ProbePolicy/apps/web', field: 'spec.slowStart/startupSeconds', value: 5 };
  const placed = { ...setting, place: 'a.yaml:3' };

  it.each<[FieldSetter, string]>([
    [{ by: 'manifest' }, 'the manifest'],
    [{ by: 'manifest', place: 'a.yaml:3' }, 'the manifest (a.yaml:3)'],
    [{ by: 'annotation', place: 'a.yaml:3' }, 'an annotation of the workload (a.yaml:3)'],
    [{ by: 'policy', source: 'ProbePolicy/apps/web' }, 'ProbePolicy/apps/web'],
    [{ by: 'policy', source: 'ProbePolicy/apps/web', place: 'a.yaml:3' }, 'ProbePolicy/apps/web (a.yaml:3)'],
    [{ by: 'default' }, 'default of Kubernetes'],
    [{ by: 'default', asked: setting }, 'default of Kubernetes, by the null of ProbePolicy/apps/web'],
    [{ by: 'slow-start' }, 'rule for slow starts'],
    [
      { by: 'slow-start', asked: placed },
      'rule for slow starts, by startupSeconds 5 of ProbePolicy/apps/web (a.yaml:3)',
    ],
    [{ by: 'restart' }, 'rule for safe restarts'],
    [{ by: 'ports' }, "inferred from the container's ports"],
    [{ by: 'livenessProbe' }, 'copied from the livenessProbe'],
  ])('that %j set are told as: %s', (setBy, text) =>
    expect(table({ field: 'periodSeconds', value: 5, setBy, overrides: [] })).toEqual([
      '    startupProbe',
      `      periodSeconds  5  ${text}`,
    ]),
  );

  it('have plain words as they are, and other values as JSON, with the overridden values below', () => {
    const setBy = { by: 'manifest' } as const;
    expect(
      table(
        { field: 'httpGet.path', value: '/a/b-c_d.e', setBy, overrides: [placed, { ...setting, value: 'a b' }] },
        { field: 'exec.command', value: ['x', 'y'.repeat(40)], setBy, overrides: [] },
        { field: 'f'.repeat(33), value: 'v'.repeat(60), setBy, overrides: [] },
        { field: 'e', value: 'v'.repeat(61), setBy, overrides: [] },
        { field: 'n', value: '', setBy, overrides: [] },
      ),
    ).toMatchInlineSnapshot(`
      [
        "    startupProbe",
        "      httpGet.path                      /a/b-c_d.e                        the manifest",
        "                                                                          instead of 5 of",
        "                                                                          ProbePolicy/apps/web (a.yaml:3)",
        "                                                                          instead of "a b" of ProbePolicy/apps/web",
        "      exec.command                      ["x","yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"]  the manifest",
        "      fffffffffffffffffffffffffffff...  vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv  the manifest",
        "      e                                 "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv...  the manifest",
        "      n                                 ""                                the manifest",
      ]
    `);
  });

  it('are none without probes', () => expect(fieldsAsText([web({})])).toContain('    no probes\n'));
});
