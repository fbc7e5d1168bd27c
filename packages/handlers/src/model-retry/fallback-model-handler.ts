import type { AgentHandler, Model, ModelNext, ModelRequest, ModelStream, RunContext } from '@x/core';
import { messageOf, present } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { beforeFirstDelta } from '../before-first-delta.ts';
import { runNote } from '../run-note.ts';
import { mayTryAgain } from './retry-model-call.ts';

/** The fallback model. */
export interface FallbackModelOptions {
  readonly model: Model;
}
const MODEL = is.having('a Model, with a stream function', 'stream');
const OPTIONS: OptionRules<FallbackModelOptions> = {
  model: is.required({ ...MODEL, fits: (value) => typeof value === 'object' && MODEL.fits(value) }),
};
/** A handler that knows which runs use the fallback. */
export interface FallbackModelHandler extends AgentHandler {
  /** The fallback, once the run has switched to it. */
  activeModel(run: RunContext): Model | undefined;
}

interface Failed {
  readonly request: ModelRequest;
  readonly next: ModelNext;
  readonly run: RunContext;
}

/** Name of the note that makes the choice survive a resume. */
const NOTE = 'fallback_model';

/**
 * Switches to another model for the rest of the run when a call still fails, after its retries and before its first delta, with an error
 * that may pass. Belongs outside of `modelRetryHandler`, so that the fallback has as many attempts of its own. Emits a `fallback_model`
 * notification. Subagents switch by themselves. @throws ValidationError for invalid options
 */
export function fallbackModelHandler(options: FallbackModelOptions): FallbackModelHandler {
  checkOptions('fallbackModelHandler options', options, OPTIONS);
  const { model } = options;
  const activeModel = (run: RunContext) => (runNote(run, NOTE).get() === undefined ? undefined : model);

  async function* takeOver(error: unknown, { request, next, run }: Failed): ModelStream {
    if (request.signal.aborted || !mayTryAgain(error)) throw error;
    await runNote(run, NOTE).set({ provider: model.provider, model: model.name });
    const message = `The rest of the run uses ${model.provider} ${model.name}: ${messageOf(error)}`;
    const from = request.model?.name;
    yield { type: 'notification', kind: 'fallback_model', message, data: { ...present({ from }), to: model.name } };
    return yield* next({ ...request, model });
  }

  return {
    name: 'fallback-model',
    activeModel,
    wrapModelCall(request, next, run) {
      if (activeModel(run)) return next({ ...request, model });
      return beforeFirstDelta(
        () => next(request),
        (error) => takeOver(error, { request, next, run }),
      );
    },
  };
}
