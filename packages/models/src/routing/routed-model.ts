import { createHash } from 'node:crypto';
import { isRetryable, type Model, type ModelRequest, type ModelStream, retryAfterMs, ValidationError } from '@x/core';
import { admitModelOptions, failureFacts, markAsked } from '@x/core/internal';
import { beforeFirstDelta } from '@x/core/streams';
import * as is from '@x/errors/option-rules';
import { checkOptions, checkValue, type OptionRules } from '@x/errors/option-rules';
import { isServiceFailure } from './service-failure.ts';

/** One of several models. */
export interface ModelRoute {
  readonly model: Model;
  /** The share of the conversations that begin with it; default 1. 0 is a spare: for when all others fail, in list order. */
  readonly weight?: number;
}
/** Options of `routedModel`. */
export interface RoutedModelOptions {
  /**
   * `conversation`: the same choice for every request of a conversation, so that its prompt cache is used, in every process, until its
   * history is compacted. `none`: a new choice for each request. Default `conversation`.
   */
  readonly affinity?: 'conversation' | 'none';
  /** From 0 up to 1, without 1; default `Math.random`. Only for `none`, and for requests without messages. */
  readonly random?: () => number;
}

const ROUTE: OptionRules<ModelRoute> = {
  model: is.required(is.having('a Model, with a stream function', 'stream')),
  weight: is.rule('a number from 0', (value) => Number.isFinite(value) && Number(value) >= 0),
};
const ROUTES = is.required(
  is.filledListOf(is.nested(ROUTE, 'an object such as { model, weight }'), 'a list of routes'),
);
const OPTIONS: OptionRules<RoutedModelOptions> = {
  affinity: is.oneOf('conversation', 'none'),
  random: is.callback,
};

/**
 * Makes one model out of several: a weighted choice, and the next one when the service or the key of the first fails before its first
 * delta, which a `model_route` notification says. A model whose circuit is open is passed over without waiting. Replies name the model
 * that has answered. Takes the options that all of them take, has the smallest window, and counts tokens, where all of them do, by the first
 * choice of the conversation.
 * @throws ValidationError for an empty list, and a model that is in it twice
 */
export function routedModel(routes: readonly ModelRoute[], options: RoutedModelOptions = {}): Model {
  checkValue('routes', routes, ROUTES);
  checkOptions('routedModel options', options, OPTIONS);
  const models = routes.map(({ model }) => model);
  const weights = routes.map(({ weight = 1 }) => weight);
  const twice = models.findIndex((model, index) => models.indexOf(model) < index);
  if (twice >= 0) {
    const field = `routes[${twice}].model`;
    throw new ValidationError(`${field} is in the list before; give one of them the weight of both`, field);
  }
  const { affinity = 'conversation', random = Math.random } = options;
  return {
    provider: together(models.map(({ provider }) => provider)),
    name: together(models.map(({ name }) => name)),
    contextWindow: Math.min(...models.map(({ contextWindow }) => contextWindow)),
    reads: (part) => models.every((model) => model.reads?.(part) ?? true),
    ...(models.every(({ defersTools }) => defersTools) ? { defersTools: true } : {}),
    ...(models.every(({ usesComputer }) => usesComputer) ? { usesComputer: true } : {}),
    checkOptions: (asked) => models.forEach((model) => admitModelOptions(model, asked)),
    ...(models.every(({ countTokens }) => countTokens)
      ? { countTokens: (request) => (affinity === 'none' ? models : order(request))[0]!.countTokens!(request) } // all have it
      : {}),
    stream: (request) => ask({ request, left: order(request) }),
  };

  function order({ messages }: ModelRequest): Model[] {
    const first = affinity === 'conversation' ? messages[0]?.id : undefined;
    const chance = first === undefined ? random : (place: number) => chanceOf(first, place);
    const scores = weights.map((weight, place) => score(chance(place), weight));
    return models.toSorted((a, b) => scores[models.indexOf(a)]! - scores[models.indexOf(b)]!);
  }
}

/** Of names that are all the same, that one. */
function together(names: readonly string[]): string {
  return [...new Set(names)].join('|');
}

/** The same number for the same message and place, in every process: from 0, below 1. */
function chanceOf(id: string, place: number): number {
  return createHash('sha256').update(`${place} ${id}`).digest().readUIntBE(0, 6) / 2 ** 48;
}

/**
 * The smallest wins, with a probability of the weight's share (exponential keys, Efraimidis and Spirakis 2006; with a hash for the chance,
 * weighted rendezvous hashing).
 */
function score(chance: number, weight: number): number {
  return weight === 0 ? Number.MAX_VALUE : -Math.log(1 - chance) / weight;
}

interface Asking {
  readonly request: ModelRequest;
  /** The first is asked next. */
  readonly left: readonly Model[];
  readonly errors?: readonly unknown[];
}

function ask({ request, left: [model, ...left], errors = [] }: Asking): ModelStream {
  const start = () => {
    markAsked(request, model!); // the list is not empty
    return model!.stream(request);
  };
  return beforeFirstDelta(start, (error) => takeNext(error, { request, left, errors: [...errors, error] }, model!));
}

async function* takeNext(error: unknown, asking: Required<Asking>, { provider, name }: Model): ModelStream {
  const { request, left, errors } = asking;
  if (request.signal.aborted || !isServiceFailure(error)) throw error;
  const next = left[0];
  if (!next) throw mostHopeful(errors);
  const { code, message: reason } = failureFacts(error);
  const message = `${next.provider} ${next.name} is asked instead of ${provider} ${name}: ${reason}`;
  yield { type: 'notification', kind: 'model_route', message, data: { from: name, to: next.name, code } };
  return yield* ask(asking);
}

/** An error that a retry may help, else one of a model that was asked, else that of the circuit that closes first. */
function mostHopeful(errors: readonly unknown[]): unknown {
  const asked = errors.filter((error) => failureFacts(error).code !== 'MODEL_UNAVAILABLE');
  const soonest = errors.toSorted((a, b) => (retryAfterMs(a) ?? 0) - (retryAfterMs(b) ?? 0))[0];
  return asked.find(isRetryable) ?? asked[0] ?? soonest;
}
