import { type AssistantMessage, isAgentError, type Model, type ModelStream, userMessage } from '@x/core';

/** Says everything but the last piece of the text. */
export function losingTheEnd(right: Model): Model {
  return changed(right, async function* (stream) {
    let held: string | undefined;
    for (;;) {
      const step = await stream.next();
      if (step.done) return without(step.value, held ?? '');
      if (step.value.type !== 'content') yield step.value;
      else {
        if (held !== undefined) yield { type: 'content', delta: held };
        held = step.value.delta;
      }
    }
  });
}

/** Takes what it has for the whole when the stream is cut. */
export function takingHalf(right: Model): Model {
  return changed(right, async function* (stream) {
    let text = '';
    try {
      for (;;) {
        const step = await stream.next();
        if (step.done) return step.value;
        if (step.value.type === 'content') text += step.value.delta;
        yield step.value;
      }
    } catch (error) {
      if (!isAgentError(error)) throw error;
      return reply(right, text);
    }
  });
}

/** Fails as code does that was not meant to. */
export function throwingBare(right: Model): Model {
  return changed(right, async function* (stream) {
    try {
      return yield* stream;
    } catch {
      throw new TypeError("Cannot read properties of undefined (reading 'delta')");
    }
  });
}

/** Never comes to an end where it should fail. */
export function hanging(right: Model): Model {
  return changed(right, async function* (stream) {
    try {
      return yield* stream;
    } catch {
      return await new Promise<never>(() => undefined);
    }
  });
}

function changed(right: Model, stream: (stream: ModelStream) => ModelStream): Model {
  const { provider, name, contextWindow } = right;
  return { provider, name, contextWindow, stream: (request) => stream(right.stream(request)) };
}

function without(message: AssistantMessage, end: string): AssistantMessage {
  const last = message.content.findLastIndex((block) => block.type === 'text');
  return {
    ...message,
    content: message.content.map((block, index) =>
      index === last && block.type === 'text'
        ? { ...block, text: block.text.slice(0, -end.length || undefined) }
        : block,
    ),
  };
}

function reply({ provider, name }: Model, text: string): AssistantMessage {
  const { id, createdAt } = userMessage('');
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const content = [{ type: 'text' as const, text }];
  return { id, createdAt, role: 'assistant', content, provider, model: name, usage, stopReason: 'end' };
}
