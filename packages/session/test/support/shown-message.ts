import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import type { ISession, SessionStore } from '../../src/index.ts';
import { toUIMessageStream } from '../../src/ui/index.ts';

/** What the reader of the real package makes of a run: the message, and the error if it tells one. */
export async function shown(
  session: Pick<ISession, 'sessionId'>,
  store: SessionStore,
  more: { message?: UIMessage; from?: string; messageId?: string } = {},
) {
  const { message, ...where } = more;
  const options = { store, sessionId: session.sessionId, ...where };
  const stream = toUIMessageStream(options) as ReadableStream<UIMessageChunk>;
  let last: UIMessage | undefined;
  let failure: unknown;
  const onError = (error: unknown) => (failure = error);
  for await (const one of readUIMessageStream({ stream, onError, ...(message ? { message } : {}) })) last = one;
  return { message: last!, failure };
}
/** Its parts in a line each. */
export const linesOf = ({ parts }: UIMessage) =>
  parts.map((part) => {
    if (part.type === 'text' || part.type === 'reasoning') return `${part.type} (${part.state}): ${part.text}`;
    if (part.type !== 'dynamic-tool') return part.type;
    const { toolName, state, input, output, errorText } = part as unknown as Record<string, string | undefined>; // safe: only shown
    return `${toolName} (${state}): ${JSON.stringify(input)} -> ${output ?? errorText ?? ''}`;
  });
/** Lets what was begun go on for some turns of the event loop. */
export const settled = async (turns = 50) => {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
};
