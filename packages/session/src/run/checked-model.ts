import { AgentError, type AssistantMessage, type Model, type ModelRequest } from '@x/core';
import { faultOfReply } from '@x/core/internal';
import { forwarded } from '@x/core/streams';

/** A model of the host whose replies are checked where it gives them: further on, a fault of it would look like one of a handler. */
export function checkedModel(model: Model): Model {
  const stream = (request: ModelRequest) => {
    const given = model.stream(request);
    if (typeof given?.next !== 'function') return given; // the loop says what it must be
    return forwarded(() => given, { end: (reply: AssistantMessage) => checkedReply(reply, model) });
  };
  return new Proxy(model, {
    get(_, key) {
      if (key === 'stream') return stream;
      const value: unknown = Reflect.get(model, key); // with the model as `this`: a class may have private fields
      return typeof value === 'function' ? value.bind(model) : value;
    },
  });
}

/** @throws AgentError `MODEL_ERROR` naming what is wrong with it */
function checkedReply(reply: AssistantMessage | undefined, { provider, name }: Model): AssistantMessage {
  const fault = faultOfReply(reply);
  if (reply && fault === undefined) return reply;
  const message = `stream of model ${provider} ${name} must return the finished message: ${fault}`;
  throw new AgentError(message, { code: 'MODEL_ERROR', statusCode: 502, retryable: false });
}
