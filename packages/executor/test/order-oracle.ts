/** One thing that happened; `call` where it happened around one tool call. */
export interface Step {
  readonly at: string;
  readonly call?: string;
}
/** The moments of a run that a handler may stand at, each in its own words. */
export type Moment = 'beforeAgent' | 'beforeUserMessage' | 'beforeModel' | 'model' | 'afterModel' | 'afterAgent';
/** What one handler is specified to write down. */
export interface HandlerFacts {
  readonly name: string;
  readonly moments: readonly Moment[];
  /** The form in which it stands around the call of a tool. */
  readonly form?: (streaming: boolean) => string;
}
export interface CallFacts {
  readonly id: string;
  readonly streaming: boolean;
  readonly parallelSafe: boolean;
  readonly exists: boolean;
}
/** A run: its handlers, and the calls of each turn; one turn without calls comes after them. */
export interface Plan {
  readonly handlers: readonly HandlerFacts[];
  readonly turns: readonly (readonly CallFacts[])[];
}

/**
 * What is wrong with the order of a run, or undefined. The specified order: rewriters in list order, before and after the model
 * alike; wraps with the first handler outermost; calls of a reply one after another, or beginning one after another where neighbours
 * may run together.
 */
export function faultIn(trace: readonly Step[], plan: Plan): string | undefined {
  const outer = trace.filter(({ call }) => call === undefined).map(({ at }) => at);
  const expected = modelSide(plan);
  if (outer.join() !== expected.steps.join()) return `model side: ${outer.join()} is not ${expected.steps.join()}`;
  for (const [turn, calls] of plan.turns.entries()) {
    const fault =
      calls.map((call) => faultAround(call, { trace, plan, place: expected.places[turn]! })).find(Boolean) ??
      calls.map((call, index) => faultBetween(calls[index - 1], call, trace)).find(Boolean);
    if (fault) return fault;
  }
  return undefined;
}

/** The names of the handlers at a moment, in list order. */
export function namesAt({ handlers }: Plan, moment: Moment): string[] {
  return handlers.filter(({ moments }) => moments.includes(moment)).map(({ name }) => name);
}

/** What the handlers around a call make of its output when each writes its name around it. */
export function outputOf({ handlers }: Plan, output: string): string {
  return handlers.filter(({ form }) => form).reduceRight((inner, { name }) => `${name}(${inner})`, output);
}

/** Everything that belongs to no call; `places` holds for each turn how much of it comes before the turn's calls. */
function modelSide(plan: Plan) {
  const at = (moment: Moment, words: string = moment) => namesAt(plan, moment).map((name) => `${name} ${words}`);
  const steps = [...at('beforeAgent'), ...at('beforeUserMessage')];
  const places: number[] = [];
  for (let turn = 0; turn <= plan.turns.length; turn++) {
    steps.push(...at('beforeModel'), ...at('model', 'model in'), 'model');
    steps.push(...at('model', 'model out').toReversed(), ...at('afterModel'));
    places.push(steps.length);
  }
  return { steps: [...steps, ...at('afterAgent')], places };
}

function faultAround(
  { id, streaming, exists }: CallFacts,
  { trace, plan, place }: { readonly trace: readonly Step[]; readonly plan: Plan; readonly place: number },
): string | undefined {
  const layers = plan.handlers.flatMap(({ name, form }) => (form ? [`${name} ${form(streaming)}`] : []));
  const ins = layers.map((layer) => `${layer} in`);
  const outs = layers.toReversed().map((layer) => `${layer} out`);
  const expected = [...ins, ...(exists ? ['tool'] : []), ...outs, 'ended'].join();
  const own = trace.filter(({ call, at }) => call === id && at !== 'started').map(({ at }) => at);
  if (own.join() !== expected) return `call ${id}: ${own.join()} is not ${expected}`;
  let before = 0;
  for (const { call } of trace) {
    if (call === undefined) before += 1;
    if (call === id && before !== place) return `call ${id} is not between its reply and the next model call`;
  }
  return undefined;
}

/** A call begins when the one before it has begun or ended, if they may run together; else when it has ended. */
function faultBetween(before: CallFacts | undefined, call: CallFacts, trace: readonly Step[]): string | undefined {
  if (!before) return undefined;
  const together = before.parallelSafe && call.parallelSafe;
  const opened = trace.findIndex(
    (step) => step.call === before.id && (step.at === 'ended' || (together && step.at === 'started')),
  );
  const begins = trace.findIndex((step) => step.call === call.id);
  return opened >= 0 && opened < begins ? undefined : `call ${call.id} begins before ${before.id} has opened the way`;
}
