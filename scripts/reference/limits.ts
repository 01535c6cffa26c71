import type { LimitRow } from './limit-tables.ts';

/** The limits of docs/limits.md by heading. `of` names the constant that the code uses. */
export const LIMITS: Readonly<Record<string, readonly LimitRow[]>> = {
  'Reading from the API server': [
    {
      limit: 'objects a page of a list',
      of: ['cluster/client/paged-list.ts', 'PAGE_SIZE'],
      beyond: 'the next page is asked for',
    },
    {
      limit: 'one answer of the API server, so also one page',
      of: ['cluster/client/api-client.ts', 'MAX_ANSWER_BYTES'],
      unit: 'MiB',
      beyond: 'reading stops; the page is asked for again with half as many objects, down to one',
    },
    {
      limit: 'one page of a kind that is kept in memory',
      of: ['cluster/client/reflector.ts', 'MOST_PAGE_BYTES'],
      unit: 'MiB',
      beyond: 'the same. A single object may have 4 MiB',
    },
    {
      limit: 'one event of a watch',
      of: ['cluster/client/api-client.ts', 'MAX_ANSWER_BYTES'],
      unit: 'MiB',
      beyond: 'the collection is listed again',
    },
    {
      limit: 'one object',
      of: ['cluster/client/api-client.ts', 'MAX_ANSWER_BYTES'],
      unit: 'MiB',
      beyond:
        'the collection is not kept up to date; `/readyz` and the log say so. No such object can be stored: the API server reads request bodies up to 3 MiB, and etcd takes requests up to 1.5 MiB',
    },
    {
      limit: 'problems remembered of one policy',
      of: ['cluster/sources/policy-informer.ts', 'MAX_PROBLEMS_LENGTH'],
      unit: 'characters',
      beyond: 'the status says how many more there are',
    },
  ],
  'The webhook port': [
    {
      limit: 'connections',
      of: ['process/http-app.ts', 'TLS_CONNECTIONS'],
      beyond: 'a new one waits for its TLS handshake until another one is closed',
    },
    {
      limit: 'connections of one address',
      number: 'half as many as it leaves free for others: at most 233',
      beyond: 'the same, see [security](trust.md#limits-by-address)',
    },
    {
      limit: 'connections that wait',
      of: ['process/http-app.ts', 'WAITING_CONNECTIONS'],
      beyond: 'the oldest one of the address is closed, or the new one if no other waits',
    },
    {
      limit: 'waiting connections of one address',
      number: 'half as many as it leaves free for others: at most 700',
      beyond: 'the same',
    },
    {
      limit: 'time for which a connection waits',
      of: ['process/http-app.ts', 'WAITING_MILLISECONDS'],
      unit: 's',
      beyond: 'it is closed',
    },
    {
      limit: 'bytes that a connection sends while it waits',
      of: ['process/http-app.ts', 'WAITING_BYTES'],
      unit: 'KiB',
      beyond: 'it is closed',
    },
    {
      limit: 'time of a TLS handshake',
      of: ['webhook/http/app.ts', 'REQUEST_MILLISECONDS'],
      unit: 's',
      beyond: 'the connection is closed',
    },
    {
      limit: 'time to send a request',
      of: ['webhook/http/app.ts', 'REQUEST_MILLISECONDS'],
      unit: 's',
      beyond: 'HTTP 408, and the connection is closed',
    },
    {
      limit: 'time without traffic during a request',
      of: ['webhook/http/app.ts', 'SILENCE_MILLISECONDS'],
      unit: 's',
      beyond: 'the connection is closed',
    },
    { limit: 'unanswered requests of one connection', number: '1', beyond: 'the connection is closed' },
    {
      limit: 'rejected requests of one connection (4xx)',
      number: '1',
      beyond: 'the connection is closed after the answer',
    },
    {
      limit: 'one body',
      of: ['webhook/http/incoming-body.ts', 'MOST_RECEIVED_BYTES'],
      unit: 'MiB',
      beyond: 'HTTP 413. No API server sends as much: 36 MiB and some, as Go writes `<`, `>` and `&` in six bytes',
    },
    {
      limit: 'one body that is judged',
      of: ['engine/workload/size-limits.ts', 'MOST_BYTES'],
      unit: 'MiB',
      beyond:
        '`/validate` and `/review-policies` deny the object, and `/mutate` warns. The rest of the body is received and dropped. An update of which the object alone is short enough is judged without the old object. An object that is being deleted passes',
    },
    {
      limit: 'members and elements of one body, as JSON',
      of: ['engine/workload/size-limits.ts', 'MOST_MEMBERS'],
      beyond: 'the same',
    },
    {
      limit: 'levels of objects and lists of one body',
      of: ['engine/workload/size-limits.ts', 'MOST_LEVELS'],
      beyond: 'the same',
    },
    {
      limit: 'a body that waits for no other',
      of: ['webhook/http/receive-review.ts', 'SMALL_BYTES'],
      unit: 'KiB',
      beyond: 'a longer one waits for its turn: addresses take turns, and namespaces of an address',
    },
    {
      limit: 'larger bodies in memory',
      of: ['webhook/http/receive-review.ts', 'MOST_LARGE'],
      beyond:
        "three addresses have one each, of 7 MiB. Further ones wait for 40 % of the API server's timeout, at most 15 s. Then they are received, dropped and denied with `try again`; `/mutate` allows them with a warning. The metric `probewright_reviews_not_judged_total` counts both",
    },
    {
      limit: 'larger bodies that wait',
      of: ['webhook/http/receive-review.ts', 'WAITING_BYTES'],
      unit: 'MiB',
      beyond: 'one namespace has a third. The same at once',
    },
    {
      limit: 'reviews of one namespace that wait',
      of: ['webhook/http/turns.ts', 'MOST_WAITING'],
      beyond: 'the same at once, when the first of them has waited for a second',
    },
    {
      limit: 'answers over 16 KiB that callers have not read',
      of: ['webhook/http/answer-limit.ts', 'UNREAD_CHARACTERS'],
      unit: 'MiB',
      beyond: 'one address has a third. The answer has the verdict, and leaves out its details or its patch',
    },
    {
      limit: 'answers of more than 64 KiB of one connection',
      number: '1',
      beyond: 'the connection is closed after the answer',
    },
    {
      limit: 'time for decisions in one turn of the event loop',
      number: '10 ms, and 10 ms for those that wait',
      beyond:
        'further ones wait for their turn: addresses, and their namespaces, take turns. Reviews over 64 KiB share one',
    },
    {
      limit: 'new namespaces that are waited for',
      of: ['cluster/sources/namespace-waiters.ts', 'MAX_WAITING'],
      beyond: 'the same',
    },
    {
      limit: 'containers of an object',
      of: ['engine/workload/size-limits.ts', 'MAX_CONTAINERS'],
      beyond:
        "`/validate` refuses the object. An object that had as many before excuses nothing; if its Pod template is unchanged, it passes. `/mutate` allows it with a warning; a Pod of Kubernetes' own controllers has the violation in its audit annotation",
    },
    { limit: 'Pod templates of an object (JobSet, custom kinds)', number: '100', beyond: 'the same' },
    {
      limit: "elements of an object's lists",
      of: ['engine/workload/size-limits.ts', 'MAX_ELEMENTS'],
      beyond:
        'the same. Counted are ports, headers, words of commands, arguments, environment variables, restart rules, annotations and members of probes',
    },
    { limit: 'characters of a policy or exception', number: '1,048,576', beyond: '`/review-policies` denies it' },
    {
      limit: 'time to compute the effect of a policy',
      number: '1.5 s, and half of the time that is left',
      beyond: 'the warning says how many workloads were looked at',
    },
    {
      limit: 'effects of policies computed at a time',
      number: '1',
      beyond: 'a further review is answered at once, without figures',
    },
    {
      limit: 'time for the effects of the policies of one namespace',
      number: '5 s, and a tenth of the time',
      beyond: 'answered without figures',
    },
    {
      limit: 'time for the effects of cluster policies',
      number: '15 s, and a quarter of the time',
      beyond: 'the same',
    },
    {
      limit: 'violations of an object',
      of: ['engine/verdict/judge.ts', 'MOST_VIOLATIONS'],
      beyond: 'the rest is not reported. Violations that deny and others are counted apart',
    },
    {
      limit: 'findings of a check about one probe',
      of: ['engine/checks/check.ts', 'MOST_PROBE_FINDINGS'],
      beyond: 'the rest is not reported',
    },
    {
      limit: 'annotations `probewright.dev/*` of an object',
      of: ['engine/policy/annotations.ts', 'TOTAL_ANNOTATION_BYTES'],
      unit: 'KiB',
      beyond: 'all of them are ignored, with a warning',
    },
    {
      limit: "share of the API server's timeout",
      number: '80 percent; 75 percent of that for waiting',
      beyond: 'the object is not judged: `/validate` denies with `try again`, `/mutate` allows with a warning',
    },
  ],
  'What checks read of a container': [
    {
      limit: 'characters of a text in `command`, `args`, `env`, probes and hooks',
      of: ['engine/workload/bounded-container.ts', 'MOST_TEXT_CHARACTERS'],
      beyond: 'the rest is not read. Checks that need the whole text find nothing: a URL, a comparison of two probes',
    },
    {
      limit: "entries of `command`, `args`, `env` and `httpHeaders`, and words of a probe's command",
      of: ['engine/workload/bounded-container.ts', 'MOST_LIST_ENTRIES'],
      beyond: 'further entries are not read. Checks that need the whole list find nothing',
    },
    {
      limit: 'characters of all commands of probes and scripts of containers of an object',
      number: '16,384',
      beyond:
        'the command is not read. Each of the signs `;`, `&`, `|`, `(`, the backtick and the line break counts as eight more. Commands count in the order of the object; equal ones count once; a shorter one behind may still fit. In 40 public charts, an object needs at most 3,100',
    },
    { limit: 'addresses of one flag', number: '50', beyond: 'further addresses are not read' },
  ],
  'The health port': [
    {
      limit: 'connections',
      of: ['process/http-app.ts', 'PLAIN_CONNECTIONS'],
      beyond: 'a new one waits, as at [the webhook port](#the-webhook-port)',
    },
    {
      limit: 'connections of one address',
      number: 'half as many as it leaves free for others: at most 33',
      beyond: 'the same',
    },
    {
      limit: 'problems that `/readyz` lists',
      of: ['process/health.ts', 'MOST_LISTED'],
      beyond: 'it says how many more there are',
    },
    { limit: 'characters of a problem', of: ['process/health.ts', 'LONGEST_TEXT'], beyond: 'cut short' },
  ],
  'The observer': [
    {
      limit: 'containers of Pods with trouble; a Pod counts as four or more',
      of: ['observer/failing/failing-workloads.ts', 'MOST_CONTAINERS'],
      beyond: 'the oldest Pod of the largest namespace has no finding',
    },
    {
      limit: 'Pods with events about their probes',
      of: ['observer/failing/probe-hints.ts', 'MOST_PODS'],
      beyond: 'the Pod of the largest namespace whose last event is the oldest loses its events',
    },
    {
      limit: 'events about probes of one Pod, by container, probe and cause',
      of: ['observer/failing/probe-hints.ts', 'MOST_HINTS_A_POD'],
      beyond: 'another one is not kept',
    },
    {
      limit: 'Pods that start now',
      of: ['observer/starts/start-inference.ts', 'MOST_PODS'],
      beyond: 'the oldest Pod of the largest namespace gives no sample',
    },
    {
      limit: 'workloads with starts to write',
      of: ['observer/starts/pending-starts.ts', 'MOST_WORKLOADS'],
      beyond: 'the oldest workload of the largest namespace loses its starts',
    },
    {
      limit: 'nodes whose kubelets are known',
      of: ['observer/starts/kubelet-restarts.ts', 'MOST_NODES'],
      beyond: 'the node that wrote nothing for the longest time is forgotten',
    },
  ],
  Files: [
    { limit: 'one file', number: '3 MiB', beyond: 'a problem; the last good set stays in force' },
    { limit: 'all files', number: '8 MiB', beyond: 'the same' },
    { limit: 'one document', number: '300,000 tokens', beyond: 'the same' },
    { limit: 'all documents', number: '4,000,000 tokens', beyond: 'the same' },
    {
      limit: 'problems of one file',
      of: ['cluster/sources/policy-documents.ts', 'MOST_PROBLEMS_OF_FILE'],
      beyond: 'the rest is not listed',
    },
  ],
};
