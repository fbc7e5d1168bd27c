import {
  type AgentHandler,
  isContextOverflow,
  type Model,
  type ModelNext,
  type ModelRequest,
  type ModelStream,
  type RunContext,
  ValidationError,
} from '@x/core';
import { failureFacts, MODEL_ERROR_CODES, type ModelErrorCode, messageOf, present } from '@x/core/internal';
import { beforeFirstDelta } from '@x/core/streams';
import * as is from '@x/errors/option-rules';
import { checkOptions, checkValue, type OptionRules } from '@x/errors/option-rules';
import { runNote } from '../run-note.ts';
import { mayTryAgain } from './retry-model-call.ts';

/** A fallback model, and the errors after which it takes over. */
export interface FallbackModelOptions {
  readonly model: Model;
  /** Codes of a `ModelError`, also of one that never passes. Default: every error that may pass, whatever its code. */
  readonly on?: readonly ModelErrorCode[];
}
const MODEL = is.having('a Model, with a stream function', 'stream');
const OPTIONS: OptionRules<FallbackModelOptions> = {
  model: is.required({ ...MODEL, fits: (value) => typeof value === 'object' && MODEL.fits(value) }),
  on: MODEL_ERROR_CODES,
};
const LIST = is.filledListOf(is.nested(OPTIONS, 'an object such as { model, on }'), 'a list that is not empty');

/** A handler that knows which runs use a fallback. */
export interface FallbackModelHandler extends AgentHandler {
  /** The fallback that the run has switched to last. */
  activeModel(run: RunContext): Model | undefined;
}

interface Call {
  readonly request: ModelRequest;
  readonly next: ModelNext;
  readonly run: RunContext;
}

/** Name of the note that makes the choice survive a resume. */
const NOTE = 'fallback_model';
/** The note: the model, and the places in the list that were used, in order; absent for the first alone. */
interface Switched {
  readonly provider: string;
  readonly model: string;
  readonly used?: readonly number[];
}

/**
 * Switches to another model for the rest of the run when a call still fails, after its retries and before its first delta. Of a list the
 * first model takes over that the run has not used and whose `on` has the error's code; one without `on` takes over after any error that
 * may pass. Belongs outside of `modelRetryHandler`, so that each fallback has as many attempts of its own. Emits a `fallback_model`
 * notification. Subagents switch by themselves.
 * @throws ValidationError for invalid options, an empty list, and a model that is twice in the list
 */
export function fallbackModelHandler(
  options: FallbackModelOptions | readonly FallbackModelOptions[],
): FallbackModelHandler {
  const fallbacks = checkedList(options);
  const usedBy = (run: RunContext): readonly number[] => {
    const note = runNote<Switched>(run, NOTE).get();
    return note ? (note.used ?? [0]) : [];
  };
  const activeModel = (run: RunContext) => fallbacks[usedBy(run).at(-1) ?? -1]?.model;

  async function* takeOver(error: unknown, call: Call): ModelStream {
    const { request, run } = call;
    const before = usedBy(run);
    const place = fallbacks.findIndex((one, index) => !before.includes(index) && takesOver(one, error));
    if (request.signal.aborted || place < 0) throw error;
    const { model } = fallbacks[place]!; // it was found there
    const from = (activeModel(run) ?? request.model)?.name;
    const used = before.length + place === 0 ? undefined : [...before, place];
    await runNote(run, NOTE).set({ provider: model.provider, model: model.name, ...present({ used }) });
    const message = `The rest of the run uses ${model.provider} ${model.name}: ${messageOf(error)}`;
    yield { type: 'notification', kind: 'fallback_model', message, data: { ...present({ from }), to: model.name } };
    return yield* ask(call);
  }

  function ask(call: Call): ModelStream {
    const { request, next, run } = call;
    const model = activeModel(run);
    return beforeFirstDelta(
      () => next(model ? { ...request, model } : request),
      (error) => takeOver(error, call),
    );
  }

  return { name: 'fallback-model', activeModel, wrapModelCall: (request, next, run) => ask({ request, next, run }) };
}

function checkedList(options: FallbackModelOptions | readonly FallbackModelOptions[]): readonly FallbackModelOptions[] {
  const what = 'fallbackModelHandler options';
  if (!isList(options)) {
    checkOptions(what, options, OPTIONS);
    return [options];
  }
  checkValue('fallbackModel', options, LIST);
  const models = options.map(({ model }) => model);
  const twice = models.findIndex((model, index) => models.indexOf(model) < index);
  if (twice < 0) return [...options];
  const field = `fallbackModel[${twice}].model`;
  throw new ValidationError(`${field} is in the list before: a fallback takes over once in a run; take it out`, field);
}

function isList(options: unknown): options is readonly FallbackModelOptions[] {
  return Array.isArray(options);
}

function takesOver({ on }: FallbackModelOptions, error: unknown): boolean {
  if (!on) return mayTryAgain(error);
  const code = isContextOverflow(error) ? 'CONTEXT_OVERFLOW' : failureFacts(error).code;
  return on.some((one) => one === code);
}
