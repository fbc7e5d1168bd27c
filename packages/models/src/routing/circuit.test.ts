import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { ModelError } from '../wire/model-error.ts';
import { Circuit, type Passage } from './circuit.ts';

const overloaded = (retryAfter?: number) =>
  new ModelError('overloaded', {
    provider: 'anthropic',
    code: 'MODEL_OVERLOADED',
    retryable: true,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
/** A circuit that two failures within a second open for ten, and its clock. */
function circuitAt() {
  const clock = { ms: 0 };
  const circuit = new Circuit({ failures: 2, windowMs: 1_000, openMs: 10_000, now: () => clock.ms });
  return { clock, circuit, fail: (retryAfter?: number) => circuit.enter()!.failed(overloaded(retryAfter)) };
}
/** One that has just opened. */
function opened() {
  const made = circuitAt();
  made.fail();
  made.fail();
  return made;
}

describe('Circuit', () => {
  it('opens with so many failures within the window, and refuses', () => {
    const { circuit, fail } = circuitAt();

    fail();
    expect(circuit.state).toBe('closed');
    fail();

    expect(circuit).toMatchObject({ state: 'open', failures: 2, lastCode: 'MODEL_OVERLOADED', refusesForMs: 10_000 });
    expect(circuit.enter()).toBeUndefined();
  });

  it('stays closed when the failures are further apart than the window', () => {
    const { circuit, fail, clock } = circuitAt();

    fail();
    clock.ms = 1_000;
    fail();

    expect(circuit).toMatchObject({ state: 'closed', failures: 1 });
  });

  it('stays closed when most calls are answered', () => {
    const { circuit, fail } = circuitAt();

    fail();
    for (let call = 0; call < 3; call++) circuit.enter()!.answered();
    fail();

    expect(circuit.state).toBe('closed');
  });

  it('refuses as long as the service asks, whichever failure has asked', () => {
    const { circuit, fail, clock } = circuitAt();

    fail(60);
    fail();
    clock.ms = 59_999;

    expect(circuit).toMatchObject({ state: 'open', refusesForMs: 1 });
  });

  it('lets one call through after its time, and closes when that is answered', () => {
    const { circuit, clock } = opened();
    clock.ms = 10_000;
    expect(circuit.state).toBe('half_open');

    const probe = circuit.enter();
    expect([circuit.state, circuit.enter()]).toEqual(['half_open', undefined]);
    probe?.answered();

    expect(circuit).toMatchObject({ state: 'closed', failures: 0 });
    expect([circuit.enter(), circuit.enter()]).not.toContain(undefined);
  });

  it('opens again when that one fails', () => {
    const { circuit, clock, fail } = opened();
    clock.ms = 10_000;

    fail();

    expect(circuit).toMatchObject({ state: 'open', refusesForMs: 10_000 });
  });

  it('lets another one through at once when that one is given up', () => {
    const { circuit, clock } = opened();
    clock.ms = 10_000;

    circuit.enter()?.left();

    expect(circuit.state).toBe('half_open');
    expect(circuit.enter()).toBeDefined();
    expect(circuit.enter()).toBeUndefined();
  });

  it('lets another one through when that one hangs, and does not hear the first any more', () => {
    const { circuit, clock } = opened();
    clock.ms = 10_000;
    const hanging = circuit.enter();
    clock.ms = 20_000;

    const second = circuit.enter();
    hanging?.failed(overloaded());
    hanging?.left();
    expect(circuit.enter()).toBeUndefined();
    second?.answered();

    expect(circuit.state).toBe('closed');
  });

  it('does not hear calls that it had let through before it opened', () => {
    const { circuit, fail } = circuitAt();
    const before = [circuit.enter(), circuit.enter(), circuit.enter()];
    fail();
    fail();

    before[0]?.answered();
    before[1]?.left();
    before[2]?.failed(overloaded(3_600));

    expect(circuit).toMatchObject({ state: 'open', refusesForMs: 10_000 });
  });

  it('counts an answer once, however many events it has, and a failure after it', () => {
    const { circuit, fail } = circuitAt();
    fail();

    const passage = circuit.enter();
    for (let event = 0; event < 10; event++) passage?.answered();
    passage?.failed(overloaded());

    expect(circuit.state).toBe('open');
  });
});

type Step = readonly ['enter' | 'answered' | 'failed' | 'left' | 'wait', number];
const STEPS = fc.array(
  fc.tuple(fc.constantFrom('enter', 'enter', 'answered', 'failed', 'failed', 'left', 'wait'), fc.nat(400)),
  { maxLength: 120, size: 'max' },
);

/** Plays the steps, and returns what broke the law of a circuit: 3 failures within 1000 ms, open for 500 ms. */
function broken(steps: readonly Step[], Subject: typeof Circuit = Circuit): readonly string[] {
  let ms = 0;
  let sinceClosed = 0;
  let probes = 0;
  const faults: string[] = [];
  const passages: Passage[] = [];
  const circuit = new Subject({ failures: 3, windowMs: 1_000, openMs: 500, now: () => ms });
  for (const [kind, number] of steps) {
    const before = circuit.state;
    const waits = circuit.refusesForMs;
    if (kind === 'wait') ms += number;
    else if (kind === 'enter') {
      const passage = circuit.enter();
      if (passage) passages.push(passage);
      if (before === 'closed' && !passage) faults.push('a closed circuit has refused');
      if (before === 'open' && passage) faults.push('an open circuit has let a call through');
      if (waits > 0 && passage) faults.push('a call has passed before its time');
      if (before === 'half_open' && passage) probes++;
      if (before === 'half_open' && passage && circuit.enter()) faults.push('two probes');
    } else if (passages.length > 0) {
      const passage = passages[number % passages.length]!;
      if (kind === 'failed') passage.failed(overloaded());
      else passage[kind]();
      if (kind === 'failed') sinceClosed++;
    }
    if (before === 'closed' && circuit.state === 'open' && sinceClosed < 3) faults.push('opened too early');
    if (before !== 'closed' && circuit.state === 'closed') {
      if (probes === 0) faults.push('closed without a probe');
      sinceClosed = 0;
      probes = 0;
    }
  }
  return faults;
}

describe('the law of a circuit', () => {
  test.prop([STEPS], { numRuns: 500 })('holds for any order of calls, outcomes and waits', (steps) => {
    expect(broken(steps)).toEqual([]);
  });

  it('is not that of one that lets two probes through, or never refuses', () => {
    const opening: Step[] = [0, 1, 2].flatMap((call) => [['enter', 0] as const, ['failed', call] as const]);
    class Leaking extends Circuit {
      override enter(): Passage {
        return super.enter() ?? { answered() {}, failed() {}, left() {} };
      }
    }

    expect(broken([...opening, ['enter', 0]], Leaking)).toContain('an open circuit has let a call through');
    expect(broken([...opening, ['wait', 500], ['enter', 0]], Leaking)).toEqual(['two probes']);
  });
});
