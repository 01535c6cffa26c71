import { describe, expect, it } from 'vitest';
import {
  distrusted,
  nextStep,
  promoted,
  retired,
  retiring,
  rotationDue,
  staged,
  trusted,
} from '../../../src/webhook/certificates/ca-rotation.ts';
import { initialState } from '../../../src/webhook/certificates/ca-state.ts';
import type { CaState } from '../../../src/webhook/certificates/ca-state.ts';
import type { RotationStep } from '../../../src/webhook/certificates/ca-rotation.ts';
import { BACKDATED_MILLISECONDS } from '../../../src/webhook/certificates/trust-root.ts';
import type { CertificateAuthority } from '../../../src/webhook/certificates/trust-root.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const settings = { caLifetime: 365 * DAY, leafLifetime: 7 * DAY, overlap: HOUR };
/** A CA that begins at 0. */
const ca = authority('ca', 0);
const next = authority('next', 250 * DAY);
const former = { cert: 'former', notAfter: 300 * DAY };
const initial = initialState(ca);
const withNext: CaState = { ...initial, next };
const noted: CaState = { ...withNext, nextTrustedSince: 251 * DAY };
const retiringState: CaState = { ...initial, previous: [former], promotedAt: 10 * DAY };

function authority(cert: string, notBefore: number): CertificateAuthority {
  return { cert, key: `key of ${cert}`, notBefore, notAfter: notBefore + 365 * DAY };
}

type Row = [when: string, state: CaState, isNextTrusted: boolean | undefined, now: number, step?: RotationStep];

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
    ['another CA when somebody asks for one', { ...initial, rotate: true }, undefined, DAY, 'stage'],
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
    [
      'the end of the former CA, though a rotation waits for clients',
      { ...retiringState, next },
      false,
      251 * DAY,
      'retire',
    ],
    ['another request is met by the rotation under way', { ...withNext, rotate: true }, false, 251 * DAY],
    [
      'another CA when this one begins in the future, as a clock was wrong',
      initialState(next),
      undefined,
      9 * DAY,
      'stage',
    ],
    [
      'that the next CA signs at once when this one begins in the future',
      { ...initialState(next), next: ca },
      false,
      9 * DAY,
      'promote',
    ],
  ])('is %s', (_what, state, isNextTrusted, now, step) => {
    expect(nextStep(state, isNextTrusted, now, settings)).toBe(step);
  });
});

describe('a step', () => {
  it('stages a CA and is done with the request for it', () => {
    expect(staged({ ...initial, rotate: true }, next)).toEqual(withNext);
    expect(staged(noted, next)).toEqual(withNext);
  });

  it('notes since when the next CA is trusted, and forgets it', () => {
    expect(trusted(withNext, 251 * DAY)).toEqual(noted);
    expect(distrusted(noted)).toEqual(withNext);
  });

  it('promotes the next CA and keeps the former one without its key', () => {
    expect(promoted({ ...noted, rotate: true }, next, 252 * DAY)).toEqual({
      ...initialState(next),
      previous: [{ cert: 'ca', notAfter: ca.notAfter }],
      promotedAt: 252 * DAY,
    });
  });

  it('keeps CAs of earlier rotations until the last one is retired', () => {
    const twice = promoted({ ...noted, previous: [former], promotedAt: 250 * DAY }, next, 252 * DAY);
    expect(twice.previous.map(({ cert }) => cert)).toEqual(['ca', 'former']);
    expect(twice.promotedAt).toBe(252 * DAY);
    expect(retired(twice)).toEqual(initialState(next));
  });

  it('does not keep CAs that have expired', () => {
    expect(promoted({ ...noted, previous: [former], promotedAt: 0 }, next, 365 * DAY)).toEqual({
      ...initialState(next),
      promotedAt: 365 * DAY,
    });
  });

  it('keeps a root once, and never the CA that signs', () => {
    expect(retiring(retiringState, former, 20 * DAY)).toEqual({ ...retiringState, promotedAt: 20 * DAY });
    expect(retiring(initial, ca, DAY)).toEqual(initial);
  });
});
