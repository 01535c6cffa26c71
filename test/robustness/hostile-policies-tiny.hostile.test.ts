import { json, replicaScenarios, tinyMembers } from './hostile-policies.ts';

replicaScenarios({
  '1,500 tiny policies in each of 150 namespaces': function* () {
    const spec = json({});
    for (let index = 0; index < 225_000; index++)
      yield { namespace: `hostile-${index % 150}`, name: `p${index}`, spec };
  },
  '30,000 tiny policies in one namespace, and 1,000 that cannot be read in each of 20': function* () {
    for (let index = 0; index < 30_000; index++) yield { namespace: 'hostile-1', name: `p${index}`, spec: json({}) };
    const spec = json(tinyMembers(200, 1));
    for (let index = 0; index < 20_000; index++)
      yield { namespace: `hostile-bad-${index % 20}`, name: `b${index}`, spec };
  },
});
