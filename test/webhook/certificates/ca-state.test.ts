import { describe, expect, it } from 'vitest';
import {
  BACKDATED_MILLISECONDS,
  initialState,
  nextStep,
  rotationDue,
  rotationStep,
} from '../../../src/webhook/certificates/ca-state.ts';
import type { CaSituation, CaState, CaStep, CertificateAuthority } from '../../../src/webhook/certificates/ca-state.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const settings = { leafLifetime: 7 * DAY, caOverlap: HOUR };
/** A CA that begins at 0. */
const ca = authority('ca', 0);
const next = authority('next', 250 * DAY);
const former = { cert: 'former', notAfter: 300 * DAY };
const initial = initialState(ca);
const initialNext = initialState(next);
const reversed: CaState = { ...initialNext, next: ca };
const asked: CaState = { ...initial, rotate: true };
const withNext: CaState = { ...initial, next };
const noted: CaState = { ...withNext, nextTrustedSince: 251 * DAY };
const retiringState: CaState = { ...initial, previous: [former], promotedAt: 10 * DAY };
const waiting: CaState = { ...retiringState, next };

function authority(cert: string, notBefore: number): CertificateAuthority {
  return { cert, key: `key of ${cert}`, notBefore, notAfter: notBefore + 365 * DAY };
}

type Row = [when: string, state: CaState, isNextTrusted: boolean | undefined, now: number, step?: CaStep];

describe('when a rotation is due', () => {
  it.each([
    ['a year', 365 * DAY],
    ['three hours', 3 * HOUR],
    ['45 seconds', 45_000],
  ])('is after two thirds of %s from when the CA was made, however it is backdated', (_, lifetime) => {
    const made = 100 * DAY;
    const backdated = { ...authority('ca', 0), notBefore: made - BACKDATED_MILLISECONDS, notAfter: made + lifetime };
    expect(rotationDue(backdated)).toBe(made + (lifetime * 2) / 3);
  });
});

describe('the next step of a rotation', () => {
  it.each<Row>([
    ['nothing while the CA is young', initial, undefined, rotationDue(ca) - 1],
    ['another CA once two thirds of its life are over', initial, undefined, rotationDue(ca), 'stage'],
    ['another CA when somebody asks for one', asked, undefined, DAY, 'stage'],
    ['another CA when it has expired', initial, undefined, 400 * DAY, 'stage'],
    ['nothing while clients have not got the next CA', withNext, false, 251 * DAY],
    ['nothing while it is not known what clients have', withNext, undefined, 251 * DAY],
    ['the note that all clients have it', withNext, true, 251 * DAY, 'trust'],
    ['nothing until they have had it for long enough', noted, true, 251 * DAY + HOUR - 1],
    ['that the next CA signs, when they have', noted, true, 251 * DAY + HOUR, 'promote'],
    ['not that it signs, when it is not known what clients have', noted, undefined, 252 * DAY],
    ['the note taken back when a client has lost it', noted, false, 252 * DAY, 'distrust'],
    ['that the next CA signs at once when the CA has expired', withNext, false, 365 * DAY, 'promote'],
    ['yet another CA when the next one has expired, too', withNext, true, 700 * DAY, 'stage'],
    ['nothing while leaves of the former CA may be served', retiringState, undefined, 17 * DAY + HOUR - 1],
    ['the end of the former CA after the last of its leaves', retiringState, undefined, 17 * DAY + HOUR, 'retire'],
    ['first the rotation, then the end of the former CA', { ...retiringState, ...noted }, true, 252 * DAY, 'promote'],
    ['the end of the former CA, though a rotation waits for clients', waiting, false, 251 * DAY, 'retire'],
    ['another request is met by the rotation under way', { ...withNext, rotate: true }, false, 251 * DAY],
    ['another CA when this one begins in the future, as a clock was wrong', initialNext, undefined, 9 * DAY, 'stage'],
    ['that the next CA signs at once when this one begins in the future', reversed, false, 9 * DAY, 'promote'],
  ])('is %s', (_what, state, isNextTrusted, now, step) =>
    expect(rotationStep(state, isNextTrusted, now, settings)?.step).toBe(step),
  );
});

/** The state after the step that is due. */
function after(state: CaState, isNextTrusted: boolean | undefined, now: number, made = next): CaState | undefined {
  const due = rotationStep(state, isNextTrusted, now, settings);
  return due && (typeof due.state === 'object' ? due.state : due.state(made));
}

describe('a step', () => {
  it('stages a CA and is done with the request for it', () => {
    expect(after(asked, undefined, DAY)).toEqual(withNext);
    expect(after(noted, true, 700 * DAY)).toEqual(withNext);
  });

  it('notes since when the next CA is trusted, and forgets it', () => {
    expect(after(withNext, true, 251 * DAY)).toEqual(noted);
    expect(after(noted, false, 252 * DAY)).toEqual(withNext);
  });

  it('promotes the next CA and keeps the former one without its key', () =>
    expect(after({ ...noted, rotate: true }, true, 252 * DAY)).toEqual({
      ...initialNext,
      previous: [{ cert: 'ca', notAfter: ca.notAfter }],
      promotedAt: 252 * DAY,
    }));

  it('keeps CAs of earlier rotations until the last one is retired', () => {
    const twice = after({ ...noted, previous: [former], promotedAt: 250 * DAY }, true, 252 * DAY);
    expect(twice?.previous.map(({ cert }) => cert)).toEqual(['ca', 'former']);
    expect(twice?.promotedAt).toBe(252 * DAY);
    expect(twice && after(twice, undefined, 260 * DAY)).toEqual(initialNext);
  });

  it('does not keep CAs that have expired, or that expire now', () => {
    const ending = { cert: 'ending', notAfter: 365 * DAY };
    const lasting = { cert: 'lasting', notAfter: 365 * DAY + 1 };
    const before = { ...noted, previous: [former, ending], promotedAt: 0 };
    const promoted = { ...initialNext, promotedAt: 365 * DAY };
    expect(after(before, true, 365 * DAY)).toEqual(promoted);
    expect(after({ ...before, previous: [ending, lasting] }, true, 365 * DAY)?.previous).toEqual([lasting]);
  });
});

describe('the next write of the Secret', () => {
  const whole: CaSituation = {
    secret: 'whole',
    state: initial,
    unkeptRoot: undefined,
    isLeader: true,
    isNextTrusted: undefined,
  };
  it.each<[string, Partial<CaSituation>, CaStep | undefined, CaState | undefined]>([
    ['is a first CA without a Secret and a memory', { secret: 'absent', state: undefined }, 'create', initialNext],
    ['is the state in memory without a Secret', { secret: 'absent', state: noted }, 'restore', noted],
    ['is the state in memory, or what can be used, over damage', { secret: 'damaged', state: noted }, 'restore', noted],
    ['is another CA over damage without a memory', { secret: 'damaged', state: undefined }, 'restore', initialNext],
    ['is nothing while all is well', {}, undefined, undefined],
    ['is no rotation by a replica that does not lead', { state: asked, isLeader: false }, undefined, undefined],
    [
      'keeps the CA of the served leaf, by any replica',
      { state: retiringState, unkeptRoot: former, isLeader: false },
      'keep',
      { ...retiringState, promotedAt: 20 * DAY },
    ],
    ['keeps a root once, and never the CA that signs', { unkeptRoot: ca }, 'keep', initial],
  ])('%s', (_what, change, step, state) => {
    const due = nextStep({ ...whole, ...change }, 20 * DAY, settings);
    expect(due?.step).toBe(step);
    expect(due && (typeof due.state === 'object' ? due.state : due.state(next))).toEqual(state);
  });
});
