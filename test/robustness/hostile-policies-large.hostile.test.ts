import { json, numbers, replicaScenarios, tinyMembers } from './hostile-policies.ts';

replicaScenarios({
  '800 policies of 1.4 MB in one namespace, past every bound': function* () {
    const values = numbers(22_000, 'v').map((value) => value.padEnd(60, 'x'));
    const spec = json({ workloadSelector: { matchExpressions: [{ key: 'a', operator: 'In', values }] } });
    for (let index = 0; index < 800; index++) yield { namespace: 'hostile-1', name: `p${index}`, spec };
  },
  '480 policies with annotations of 250 KB each': function* () {
    const metadata = Buffer.from(`,"annotations":${JSON.stringify({ large: 'x'.repeat(250_000) })}`);
    for (let index = 0; index < 480; index++)
      yield { namespace: 'hostile-1', name: `p${index}`, spec: json({ port: 80 }), metadata };
  },
  '300 policies with 1.4 MB of tiny labels and managedFields each': function* () {
    const labels = Buffer.from(`,"labels":${JSON.stringify(tinyMembers(120_000, ''))}`);
    const fieldsV1 = tinyMembers(120_000, {});
    const managed = Buffer.from(`,"managedFields":${JSON.stringify([{ manager: 'a', fieldsV1 }])}`);
    for (let index = 0; index < 300; index++)
      yield {
        namespace: 'hostile-1',
        name: `p${index}`,
        spec: json({ port: 80 }),
        metadata: index % 2 === 0 ? labels : managed,
      };
  },
});
