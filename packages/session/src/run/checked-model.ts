import { AgentError, type AssistantMessage, type Model, type ModelRequest } from '@x/core';
import { forwarded } from '@x/core/streams';

const STOPS: readonly unknown[] = ['end', 'tool_use', 'length', 'refusal', 'interrupted'];

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
  const fault = faultOf(reply);
  if (reply && fault === undefined) return reply;
  const message = `stream of model ${provider} ${name} must return the finished message: ${fault}`;
  throw new AgentError(message, { code: 'MODEL_ERROR', statusCode: 502, retryable: false });
}

function faultOf(reply: Partial<AssistantMessage> | null | undefined): string | undefined {
  if (typeof reply !== 'object' || reply === null) return 'it returned none';
  if (reply.role !== 'assistant') return "its role is 'assistant'";
  for (const field of ['id', 'createdAt', 'provider', 'model'] as const)
    if (typeof reply[field] !== 'string') return `it lacks ${field}, a text`;
  for (const field of ['inputTokens', 'outputTokens', 'totalTokens'] as const)
    if (typeof reply.usage?.[field] !== 'number') return `it lacks usage.${field}, a number`;
  if (!STOPS.includes(reply.stopReason)) return `its stopReason is one of ${STOPS.join(', ')}`;
  if (!Array.isArray(reply.content)) return 'its content is a list of blocks';
  return reply.content.map(faultOfBlock).find((fault) => fault !== undefined);
}

function faultOfBlock(block: unknown, index: number): string | undefined {
  const { type, text, id, name } = (block ?? {}) as Readonly<Record<string, unknown>>; // safe: each is checked
  if (typeof type !== 'string') return `content[${index}] lacks type, a text`;
  if ((type === 'text' || type === 'thinking') && typeof text !== 'string')
    return `content[${index}] lacks text, a text`;
  if (type !== 'tool_use' || (typeof id === 'string' && typeof name === 'string')) return undefined;
  return `content[${index}] lacks id or name, texts`;
}
