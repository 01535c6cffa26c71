import { PROGRAMS_THAT_ASK } from '../engine/command/programs.ts';
import { DEFAULT_TIMING } from '../engine/probe/api-defaults.ts';
import { PROBE_INTEGERS, type ProbeInteger } from '../engine/probe/probe.ts';
import {
  COMMAND_STARTUP_PERIOD_SECONDS,
  LEAST_START_SECONDS,
  LONGEST_EXPECTED_SECONDS,
  MOST_FAILURES,
  ORDINARY_READINESS_FAILURES,
  PATIENT_TIMEOUT_SECONDS,
  PERIODS,
  SAFETY_SECONDS,
  STARTUP_PERIOD_SECONDS,
} from '../engine/time/bounds.ts';
import { ELEVEN, MOST_LATER_SECONDS, SHORT_PERIOD_SECONDS } from '../engine/time/startup-numbers.ts';
import { OWN_LIVENESS } from '../engine/defaulting/patch.ts';
import { SAFETY_SOURCE } from '../engine/defaulting/startup.ts';
import { DEFAULT_POD_GRACE_SECONDS } from '../engine/probe/api-defaults.ts';
import { anyOf, celMap, celText, celWith, larger, smaller, withName, type CelVariable } from './cel.ts';
import { guaranteed, MAY_WORK, PLAIN_MEMBERS } from './handler-law.ts';

/** D + P + (F-1)*max(P,T) + T (longestStartSeconds). */
const longest = (t: string): string => `(${t}.D + ${t}.P + (${t}.F - 1) * ${larger(`${t}.P`, `${t}.T`)} + ${t}.T)`;
/** The latest second of a verdict when each probe is refused at once (neverHealthySpan). */
const refused = (t: string): string => `(${t}.D + ${t}.P + (${t}.F - 1) * ${t}.P)`;

/** The seconds to start that a readiness probe expects (expectedStartSeconds). */
const expected = (r: string): string =>
  withName(
    `${r}.D + (${larger(`${r}.F`, String(DEFAULT_TIMING.failureThreshold))} - 1) * ${r}.P`,
    'patience',
    `(${r}.D > 0 || ${r}.F > ${ORDINARY_READINESS_FAILURES}) && patience <= ${LONGEST_EXPECTED_SECONDS} ? patience : ${r}.D`,
  );

/** failureThresholdFor */
const failuresFor = (seconds: string, delay: string, period: string): string =>
  withName(
    `${seconds} - ${larger('0', `${delay} - 1`)}`,
    'after',
    `after <= 0 ? 1 : (after + ${period} - 1) / ${period} + 1`,
  );

const maximum = (values: string): string => withName(values, 'all', 'all.filter(a, all.all(b, a >= b))[0]');

const at = (name: ProbeInteger): number => PROBE_INTEGERS.indexOf(name);
const given = (name: ProbeInteger): string => `s.numbers[${at(name)}]`;

const isCommand = "s.kind == 'exec'";
const periods = (list: readonly number[]): string => `[${list.join(', ')}]`;
/** The longest of the periods that is at most `seconds`; 0 without one. */
const roundUpTo = (seconds: string): string =>
  `([0] + ${periods(PERIODS)}.filter(p, p <= ${seconds}))[${periods(PERIODS)}.filter(p, p <= ${seconds}).size()]`;
const NO_BOUND = '2147483647';

/** Seconds that a liveness probe gives a start, or can give (openGateSeconds). */
const OPEN_GATE = `(s.gate.size() == 0 ? ${NO_BOUND} : s.gate[0].F > 1 ? (s.gate[0].F - 1) * s.gate[0].P
  : ${smaller(`${MOST_FAILURES.livenessProbe - 1} * s.gate[0].P`, `(s.gate[0].D > 1 ? s.gate[0].D - 1 : ${NO_BOUND})`)})`;

/** The candidates of startupNumbers, each with the failures that it needs. `n` has what all of them share. */
const CANDIDATE = celMap({
  D: '0',
  P: 'p',
  T: 'n.T',
  F: withName(
    `[${failuresFor('n.least', '0', 'p')}] + s.own.map(o, ${withName(
      longest('o'),
      'l',
      [
        failuresFor('l', '0', 'p'),
        `${smaller(`${ELEVEN} * ${refused('o')}`, `${ELEVEN} * l - 10 * n.T`)} / (10 * p)`,
        String(MOST_FAILURES.startupProbe),
      ].reduce(smaller),
    )})`,
    'few',
    'few.filter(a, few.all(b, a >= b))[0]',
  ),
});

const isSafe = 'c.P <= n.open';
const isFit = `${isSafe} && c.F <= ${MOST_FAILURES.startupProbe} && s.readiness.all(r, c.P <= r.P + ${MOST_LATER_SECONDS})`;
const endsSoon = `s.own.all(o, s.seconds > ${longest('o')} || ${guaranteed('o')} < ${LEAST_START_SECONDS} ||
  (10 * ${refused('c')} <= ${ELEVEN} * ${refused('o')} && 10 * ${longest('c')} <= ${ELEVEN} * ${longest('o')}))`;

/** The numbers of a new startup probe for `s.seconds` (startupNumbers). */
const CHOSEN = withName(
  celMap({ T: larger('s.timeout', `(${isCommand} ? ${PATIENT_TIMEOUT_SECONDS} : 0)`), open: OPEN_GATE }),
  'b',
  withName(
    celMap({
      T: 'b.T',
      open: 'b.open',
      usual: larger(`(${isCommand} ? ${COMMAND_STARTUP_PERIOD_SECONDS} : ${STARTUP_PERIOD_SECONDS})`, 'b.T'),
      least: maximum(`([dyn(s.seconds), dyn(${LEAST_START_SECONDS})] + s.own.map(o, ${guaranteed('o')}))`),
    }),
    'd',
    withName(
      celMap({
        T: 'd.T',
        open: 'd.open',
        least: 'd.least',
        first: `(${periods(PERIODS)}.filter(p, p >= d.usual) + [d.usual])[0]`,
        shortest: `(s.gate.map(g, ${smaller(`(${isCommand} ? ${STARTUP_PERIOD_SECONDS} : ${SHORT_PERIOD_SECONDS})`, 'g.P')}) + [${smaller(`(${isCommand} ? ${STARTUP_PERIOD_SECONDS} : ${SHORT_PERIOD_SECONDS})`, 'd.usual')}])[0]`,
      }),
      'n',
      withName(
        `([n.first] + ${periods(PERIODS.toReversed())}.filter(p, p >= ${larger('n.shortest', 'n.T')} && p < n.first) +
          (n.first < ${COMMAND_STARTUP_PERIOD_SECONDS} ? [${COMMAND_STARTUP_PERIOD_SECONDS}] : [])).map(p, ${CANDIDATE})`,
        'possible',
        `(possible.filter(c, ${isFit} && ${endsSoon}) + possible.filter(c, ${isFit}) + possible.filter(c, ${isSafe}) +
          [${roundUpTo('n.open')}].map(p, p > 0 ? p : n.first).map(p, ${CANDIDATE}))[0]`,
      ),
    ),
  ),
);

/** The probe with a failureThreshold that is large enough (numbersFor). */
const enough = (period: string, failures: string, seconds: string): string =>
  withName(
    celMap({ D: given('initialDelaySeconds'), P: period, T: '1', F: failures }),
    'e',
    celMap({ D: 'e.D', P: 'e.P', F: `${guaranteed('e')} >= ${seconds} ? e.F : ${failuresFor(seconds, 'e.D', 'e.P')}` }),
  );

/** A period that is safe after a liveness kill (safeAfterRestart). `e` has the numbers before. */
const SAFE = withName(
  `s.gate.size() == 0 ? 0 : ${guaranteed('s.gate[0]')}`,
  'open',
  withName(
    roundUpTo('open'),
    'period',
    `s.gate.size() == 0 || period == 0 || e.P <= open ? e : ${withName(
      celMap({
        D: 'e.D',
        P: 'period',
        F: withName(failuresFor(guaranteed('e'), 'e.D', 'period'), 'needed', larger('needed', 'e.F')),
      }),
      'safe',
      `${guaranteed('safe')} < s.seconds ? e : safe`,
    )}`,
  ),
);

const budget = (asked: string): string =>
  maximum(
    `(${asked} + s.written + s.own.map(o, ${guaranteed('o')}) +
      (${asked}.size() == 0 && s.written.size() == 0 && s.own.size() == 0 ? [${SAFETY_SECONDS}] + s.injected.map(o, ${guaranteed('o')}) : []) +
      s.readiness.map(r, ${expected('r')}))`,
  );

/** What a step of the startup probe keeps of the steps before. */
const STEP = [
  'kind',
  'handler',
  'numbers',
  'own',
  'injected',
  'readiness',
  'asked',
  'isCopy',
  'follows',
  'source',
  'grace',
  'gate',
  'patient',
];

const F = given('failureThreshold');
const P = given('periodSeconds');

/** The numbers of a startup probe (timed). `s` has the handler and what is known of the container. */
const TIMED = `[s].map(s, ${celWith('s', STEP, {
  written: `(${F} > 0 ? [${larger('0', `${given('initialDelaySeconds')} - 1`)} + (${F} - 1) * (${P} > 0 ? ${P} : s.asked.size() > 0 ? ${STARTUP_PERIOD_SECONDS} : ${DEFAULT_TIMING.periodSeconds})] : [])`,
  timeout: `[${given('timeoutSeconds')} > 0 ? ${given('timeoutSeconds')} : ${DEFAULT_TIMING.timeoutSeconds}].map(t, (s.patient.filter(o, o.T > t).map(o, o.T) + [t])[0])[0]`,
})}).map(s, ${celWith('s', [...STEP, 'written', 'timeout'], {
  budget: budget('s.asked'),
  seconds: `s.follows ? ${budget('s.asked.filter(a, false)')} : ${budget('s.asked')}`,
})}).map(s, ${celWith('s', [...STEP, 'timeout'], {
  isChosen: `${P} == 0 && ${F} == 0`,
  seconds: 's.seconds',
  chosen: `${P} == 0 && ${F} == 0 ? [${CHOSEN}] : []`,
  budget: `s.written.size() > 0 ? s.budget : ${larger('s.budget', String(LEAST_START_SECONDS))}`,
})}).map(s, ${celWith('s', [...STEP, 'seconds', 'chosen', 'timeout'], {
  numbersBefore: `s.isChosen ? ${enough('s.chosen[0].P', '1', '(s.chosen[0].F - 1) * s.chosen[0].P')}
    : ${enough(`(${P} > 0 ? ${P} : s.asked.size() > 0 ? ${STARTUP_PERIOD_SECONDS} : ${DEFAULT_TIMING.periodSeconds})`, `(${F} > 0 ? ${F} : 1)`, 's.budget')}`,
})}).map(s, [s.numbersBefore].map(e, ${SAFE}).map(e, ${celMap({
  handler: 's.handler',
  source: 's.source',
  grace: `${given('terminationGracePeriodSeconds')} > 0 ? ${given('terminationGracePeriodSeconds')} : s.grace`,
  numbers: `[dyn(e.D), dyn(s.chosen.size() > 0 && s.own.size() > 0 && ${given('timeoutSeconds')} == 0 ? s.chosen[0].T : s.timeout), dyn(e.P), dyn(${given('successThreshold')}), dyn(e.F)]`,
})})[0])`;

const ASKS = `(?:[A-Za-z0-9_./-]*/)?${anyOf(PROGRAMS_THAT_ASK)}`;
const WORD = '[-A-Za-z0-9_=./:@,]+';

/** True for a command that only asks: a listed program with plain words, alone or behind a shell (sideEffectOf). */
const ONLY_ASKS = `[o.spec.exec.command].all(w, (w[0].matches(${celText(`^${ASKS}$`)}) && w.all(t, t.matches(${celText(`^${WORD}$`)}))) ||
  (!x.bare && w.size() == 3 && w[0] in ['sh', '/bin/sh', 'bash', '/bin/bash'] && w[1] in ['-c', '-ec'] &&
  w[2].matches(${celText(`^(?:exec )?${ASKS}(?: (?:${WORD}|"[-A-Za-z0-9_=./:@, ]*"))*$`)})))`;

/** The author's liveness probe as the handler of the startup probe (likeOwnLiveness). */
const LIKE_OWN = `x.ownLiveness.filter(o, (o.handlers[0] != 'exec' || ${ONLY_ASKS}) && x.starts[0].given.all(g, g.usable)).map(o, ${withName(
  "x.starts[0].given.filter(g, g.kind == 'httpGet' && g.aimed && o.handlers[0] == 'httpGet' && 'path' in g.fields).map(g, g.fields.path)",
  'paths',
  withName(
    'o.spec[o.handlers[0]]',
    'from',
    celMap({
      kind: 'o.handlers[0]',
      fields: `(from.map(f, f).filter(f, f != 'path' || paths.size() == 0) + paths.map(p, 'path'))
        .transformMapEntry(i, f, {f: f == 'path' && paths.size() > 0 ? paths[0] : from[f]})`,
    }),
  ),
)}).filter(h, ${MAY_WORK})`;

const rule = `(x.startupSeconds.size() > 0 ? x.startupSeconds.map(v, ${celMap({ seconds: 'v.value', follows: 'false', source: 'v.source' })})
  : x.delay.filter(v, x.ownLiveness.exists(o, o.D >= v.value)).map(v, ${celMap({
    seconds: larger(String(LEAST_START_SECONDS), longest('x.ownLiveness[0]')),
    follows: 'true',
    source: 'v.source',
  })}))`;

/** The startup probe beside the liveness probe `l`, which is injected (startupDefault). */
const STARTUP = `('startupProbe' in x.c || 'startupProbe' in variables.skipped || x.learned || x.lost ? [] : ${withName(
  rule,
  'asked',
  withName(
    `x.ownLiveness.size() > 0 ? (x.starts[0].given.size() > 0 ? x.likeOwn : []) : x.starts[0].wanted`,
    'wanted',
    `wanted.size() == 0 && asked.size() == 0 && (l.size() == 0 || x.starts[0].removed) ? []
    : (wanted.size() > 0 ? wanted : x.ownLiveness.size() > 0 ? x.likeOwn : l.map(v, v.handler)).map(h, ${celMap({
      kind: 'h.kind',
      handler: celMap({ kind: 'h.kind', fields: 'h.fields' }),
      numbers: 'x.starts[0].numbers',
      own: 'x.ownLiveness',
      injected: 'l',
      readiness: 'x.ownReadiness',
      asked: 'asked.map(a, a.seconds)',
      isCopy: 'wanted.size() == 0',
      follows: 'asked.exists(a, a.follows)',
      gate: '(x.ownLiveness.size() > 0 ? x.ownLiveness : l)',
      patient: `(x.ownLiveness.size() > 0 ? x.ownLiveness : wanted.size() == 0 && x.starts[0].numbers[${at('timeoutSeconds')}] == 0 ? l : [])`,
      source: `(x.ownLiveness.size() > 0 ? ${celText(OWN_LIVENESS)} : '') + (wanted.size() > 0 ? x.starts[0].source : asked.map(a, a.source) + [${celText(SAFETY_SOURCE)}])[0]`,
      grace: `(x.ownLiveness.filter(o, 'terminationGracePeriodSeconds' in o.spec && o.spec.terminationGracePeriodSeconds <=
        (has(object.spec.terminationGracePeriodSeconds) ? object.spec.terminationGracePeriodSeconds : ${DEFAULT_POD_GRACE_SECONDS}))
        .map(o, o.spec.terminationGracePeriodSeconds) + [0])[0]`,
    })}).map(s, ${TIMED}[0])`,
  ),
)})`;

/** The probes that each container gets. */
export const STARTUP_LAW: readonly CelVariable[] = [
  {
    name: 'beside',
    expression: `variables.plain.map(x, ${celWith(
      'x',
      PLAIN_MEMBERS.filter((name) => name !== 'starts'),
      {
        starts: `x.starts.map(m, ${celMap({
          numbers: 'm.numbers',
          wanted: 'm.wanted',
          removed: "x.merged.exists(g, g.probe == 'startupProbe' && g.removed)",
          given: "x.merged.filter(g, g.probe == 'startupProbe').map(g, g.handler).flatten()",
          source: "x.merged.filter(g, g.probe == 'startupProbe').map(g, g.handler).flatten().map(g, g.source)",
        })})`,
      },
    )}).map(x, ${celWith('x', PLAIN_MEMBERS, {
      likeOwn: LIKE_OWN,
      lost: `x.fits.exists(m, m.doubtful && !(m.probe in x.c) && !(m.probe in variables.skipped) &&
        (m.probe == 'livenessProbe' || (m.probe == 'startupProbe' && x.ownLiveness.size() == 0)))`,
    })})`,
  },
  {
    name: 'guarded',
    expression: `variables.beside.map(x, [dyn(x.lost ? [] : x.liveness)].map(l, ${celMap({ x: 'x', liveness: 'l', startup: STARTUP })})[0])
      .map(b, b.liveness.size() > 0 && !('startupProbe' in b.x.c) && b.startup.size() == 0 &&
        b.x.ownReadiness.exists(r, ${expected('r')} > ${longest('b.liveness[0]')})
        ? ${celMap({ x: 'b.x', liveness: '[]', startup: '[]' })} : b)`,
  },
];
