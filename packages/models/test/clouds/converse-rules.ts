type Fields = Readonly<Record<string, unknown>>;
/** A request of Converse, unchecked. */
export interface Converse {
  readonly messages: readonly { readonly role: string; readonly content: readonly object[] }[];
  readonly toolConfig?: unknown;
}

const blocksOf = ({ messages }: Converse) => messages.flatMap(({ content }) => content as readonly Fields[]);
const idsIn = (content: readonly object[] = [], kind: 'toolUse' | 'toolResult') =>
  (content as readonly Fields[]).flatMap((block) => (block[kind] ? [(block[kind] as Fields)['toolUseId']] : []));

/** Refusals of Converse with a status of 400, as documented or seen (docs.aws.amazon.com, "Converse"). */
export const CONVERSE_RULES: readonly { readonly words: string; readonly breaks: (request: Converse) => boolean }[] = [
  {
    words: 'A conversation must start with a user message',
    breaks: ({ messages }) => messages[0]?.role !== 'user',
  },
  {
    words: 'roles must alternate',
    breaks: ({ messages }) => messages.some(({ role }, at) => role === messages[at - 1]?.role),
  },
  {
    words: 'The content field is empty',
    breaks: ({ messages }) => messages.some(({ content }) => content.length === 0),
  },
  {
    words: 'The text field is blank',
    breaks: (request) => blocksOf(request).some(({ text }) => typeof text === 'string' && text.trim() === ''),
  },
  {
    words: 'The toolConfig field must be defined',
    breaks: (request) =>
      request.toolConfig === undefined && blocksOf(request).some((block) => block['toolUse'] || block['toolResult']),
  },
  {
    words: 'Expected toolResult blocks',
    breaks: ({ messages }) =>
      messages.some(({ content }, at) => {
        const called = idsIn(content, 'toolUse');
        const answered = idsIn(messages[at + 1]?.content, 'toolResult');
        return (
          at + 1 < messages.length && (called.length !== answered.length || called.some((id) => !answered.includes(id)))
        );
      }),
  },
  {
    words: 'toolUseId or name is not valid',
    breaks: (request) =>
      blocksOf(request).some((block) => {
        const { toolUseId, name } = (block['toolUse'] ?? {}) as Fields;
        return (
          block['toolUse'] !== undefined &&
          ![toolUseId, name].every((text) => /^[a-zA-Z0-9_-]{1,64}$/.test(String(text)))
        );
      }),
  },
  {
    words: 'reasoning without its signature',
    breaks: (request) =>
      blocksOf(request).some((block) => {
        const { reasoningText } = (block['reasoningContent'] ?? {}) as { readonly reasoningText?: Fields };
        return reasoningText !== undefined && typeof reasoningText['signature'] !== 'string';
      }),
  },
];
