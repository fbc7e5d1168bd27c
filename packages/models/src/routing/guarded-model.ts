import type { AgentEvent, AssistantMessage, Model, ModelRequest, ModelStream } from '@x/core';
import { markRetried } from '@x/core/internal';
import { forwarded } from '@x/core/streams';
import { ModelError } from '../wire/model-error.ts';
import type { Circuit, Passage } from './circuit.ts';
import { breaksCircuit } from './service-failure.ts';

/** The model, asked only where its circuit lets a call pass. `circuitOf` is called for each request. */
export function guardedModel(model: Model, circuitOf: () => Circuit): Model {
  const { provider, name, contextWindow } = model;
  return {
    provider,
    name,
    contextWindow,
    ...(model.reads ? { reads: (part) => model.reads!(part) } : {}),
    ...(model.defersTools ? { defersTools: true } : {}),
    ...(model.usesComputer ? { usesComputer: true } : {}),
    ...(model.checkOptions ? { checkOptions: (options) => model.checkOptions!(options) } : {}),
    ...(model.countTokens ? { countTokens: (request) => guardedCount(model, request, circuitOf) } : {}),
    stream: (request) => guardedStream(model, request, circuitOf),
  };
}

function guardedStream(model: Model, request: ModelRequest, circuitOf: () => Circuit): ModelStream {
  let passage: Passage | undefined;
  const start = () => {
    const circuit = circuitOf();
    passage = circuit.enter();
    if (!passage) throw unavailable(model, circuit);
    return model.stream(request);
  };
  return forwarded<AgentEvent, AssistantMessage>(start, {
    event(event) {
      if (event.type !== 'notification') passage?.answered();
      return event;
    },
    end(message) {
      passage?.answered();
      return message;
    },
    fail: (error) => (breaksCircuit(error) ? passage?.failed(error) : passage?.left()),
    leave(stream) {
      passage?.left();
      return stream.return(undefined as never); // safe: nobody reads the value
    },
  });
}

async function guardedCount(model: Model, request: ModelRequest, circuitOf: () => Circuit): Promise<number> {
  const circuit = circuitOf();
  const passage = circuit.enter();
  if (!passage) throw unavailable(model, circuit);
  try {
    const tokens = await model.countTokens!(request); // called where it is there
    passage.answered();
    return tokens;
  } catch (error) {
    if (breaksCircuit(error)) passage.failed(error);
    else passage.left();
    throw error;
  }
}

/** Marked as retried: to wait for it is for those who have no other model. */
function unavailable({ provider, name }: Model, { refusesForMs, lastCode }: Circuit): ModelError {
  const message = `${provider} ${name} is not asked for ${Math.ceil(refusesForMs / 1000)} s: too many calls have failed, the last with ${lastCode}`;
  const retryAfter = refusesForMs / 1000;
  const error = new ModelError(message, { provider, code: 'MODEL_UNAVAILABLE', retryable: true, retryAfter });
  markRetried(error);
  return error;
}
