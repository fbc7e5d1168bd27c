/** A message, an item or a block as it is sent, unchecked. */
export type Wire = Readonly<Record<string, unknown>>;
/** A rule of a service: the words of its refusal, and what it refuses. */
export interface Rule {
  readonly words: string;
  readonly breaks: (body: Wire) => boolean;
}

const listIn = (wire: Wire | undefined, name: string) => (Array.isArray(wire?.[name]) ? (wire[name] as Wire[]) : []);
const messagesIn = (body: Wire) => listIn(body, 'messages');
const anyPair = (list: readonly Wire[], breaks: (one: Wire, before: Wire | undefined) => boolean) =>
  list.some((one, at) => breaks(one, list[at - 1]));

const CHOICE_WITHOUT_TOOLS: Rule = {
  words: "'tool_choice' is only allowed when 'tools' are specified",
  breaks: ({ tools, tool_choice, parallel_tool_calls }) => !tools && (tool_choice ?? parallel_tool_calls) !== undefined,
};
/** Each call is answered directly behind its message, and nothing else is. */
const UNPAIRED_IN_CHAT: Rule = {
  words: 'an assistant message with tool_calls must be followed by a tool message for each',
  breaks(body) {
    let open: unknown[] = [];
    for (const message of [...messagesIn(body), { role: 'end' } as Wire]) {
      if (message['role'] === 'tool') {
        if (!open.includes(message['tool_call_id'])) return true;
        open = open.filter((id) => id !== message['tool_call_id']);
      } else {
        if (open.length > 0) return true;
        open = listIn(message, 'tool_calls').map(({ id }) => id);
      }
    }
    return false;
  },
};
const NOTHING_SAID: Rule = {
  words: 'Assistant message must have either content or tool_calls',
  breaks: (body) =>
    messagesIn(body).some(({ role, content, tool_calls }) => role === 'assistant' && !content && !tool_calls),
};
const CHAT = [CHOICE_WITHOUT_TOOLS, UNPAIRED_IN_CHAT, NOTHING_SAID];

const OPENAI: readonly Rule[] = [
  ...CHAT,
  {
    words: "'tool_call_id' is too long: at most 40",
    breaks: (body) => messagesIn(body).some(({ tool_call_id: id }) => typeof id === 'string' && id.length > 40),
  },
];
const DEEPSEEK: readonly Rule[] = [
  ...CHAT,
  {
    words: 'The `reasoning_content` in the thinking mode must be passed back to the API.',
    breaks: (body) =>
      messagesIn(body).some(
        ({ role, reasoning_content: thought }) => role === 'assistant' && typeof thought !== 'string',
      ),
  },
  {
    words: 'This response_format type is unavailable now',
    breaks: ({ response_format: format }) => (format as Wire | undefined)?.['type'] === 'json_schema',
  },
  {
    words: 'Thinking mode does not support this tool_choice',
    breaks: ({ tool_choice: choice }) => choice === 'required' || typeof choice === 'object',
  },
];
const MISTRAL: readonly Rule[] = [
  ...CHAT,
  {
    words: "Unexpected role 'user' after role 'tool'",
    breaks: (body) => anyPair(messagesIn(body), ({ role }, before) => role === 'user' && before?.['role'] === 'tool'),
  },
  {
    words: 'Tool call id must be a-z, A-Z, 0-9, with a length of 9',
    breaks: (body) =>
      messagesIn(body).some((message) =>
        [message['tool_call_id'], ...listIn(message, 'tool_calls').map(({ id }) => id)].some(
          (id) => id !== undefined && !(typeof id === 'string' && /^[a-zA-Z0-9]{9}$/.test(id)),
        ),
      ),
  },
  {
    words: 'Expected last role User or Tool',
    breaks: (body) => messagesIn(body).at(-1)?.['role'] === 'assistant',
  },
];

const deferredIn = (body: Wire) => listIn(body, 'tools').filter((tool) => tool['defer_loading'] === true);
const namesIn = (body: Wire) => listIn(body, 'tools').map(({ name }) => name);
const anyBlock = (body: Wire, type: string) =>
  messagesIn(body).flatMap((message) => listIn(message, 'content').filter((block) => block['type'] === type));
/** Search among deferred tools (platform.claude.com, "Tool search tool"). */
const ANTHROPIC_SEARCH: readonly Rule[] = [
  {
    words: 'Tools with defer_loading cannot use prompt caching',
    breaks: (body) => deferredIn(body).some((tool) => tool['cache_control'] !== undefined),
  },
  {
    words: 'At least one tool must have defer_loading=false',
    breaks: (body) => deferredIn(body).length > 0 && deferredIn(body).length === listIn(body, 'tools').length,
  },
  {
    words: 'Tool reference not found in available tools',
    breaks: (body) =>
      anyBlock(body, 'tool_search_tool_result')
        .flatMap((block) => listIn(block['content'] as Wire, 'tool_references'))
        .some(({ tool_name: name }) => !namesIn(body).includes(name)),
  },
  {
    words: 'tool_search_tool_bm25 was called, and is not among the tools',
    breaks: (body) =>
      anyBlock(body, 'server_tool_use').some(({ name }) => !namesIn(body).includes(name)) ||
      anyBlock(body, 'server_tool_use').length !== anyBlock(body, 'tool_search_tool_result').length,
  },
];

const idsOf = (message: Wire | undefined, type: string, key: string) =>
  listIn(message, 'content').flatMap((block) => (block['type'] === type ? [block[key]] : []));
const ANTHROPIC: readonly Rule[] = [
  ...ANTHROPIC_SEARCH,
  {
    words: 'tool_choice may only be specified while providing tools',
    breaks: ({ tools, tool_choice }) => !tools && tool_choice !== undefined,
  },
  {
    words: 'roles must alternate between "user" and "assistant"',
    breaks: (body) => anyPair(messagesIn(body), ({ role }, before) => role === before?.['role']),
  },
  {
    words: '`tool_use` ids were found without `tool_result` blocks immediately after',
    breaks(body) {
      const messages = messagesIn(body);
      return messages.some((message, at) => {
        const answered = idsOf(messages[at + 1], 'tool_result', 'tool_use_id');
        return idsOf(message, 'tool_use', 'id').some((id) => !answered.includes(id));
      });
    },
  },
  {
    words: 'unexpected `tool_use_id` found in `tool_result` blocks',
    breaks: (body) =>
      anyPair(messagesIn(body), (message, before) => {
        const called = idsOf(before, 'tool_use', 'id');
        return idsOf(message, 'tool_result', 'tool_use_id').some((id) => !called.includes(id));
      }),
  },
  {
    words: 'tool_result blocks must come first in the content',
    breaks: (body) =>
      messagesIn(body).some((message) =>
        anyPair(listIn(message, 'content'), ({ type }, before) => {
          return type === 'tool_result' && before !== undefined && before['type'] !== 'tool_result';
        }),
      ),
  },
  {
    words: 'text content blocks must contain non-whitespace text',
    breaks: (body) =>
      messagesIn(body).some((message) =>
        idsOf(message, 'text', 'text').some((text) => String(text).trim() === '' || message['content'] === ''),
      ),
  },
  {
    words: 'messages must have non-empty content',
    breaks: (body) => messagesIn(body).some((message) => listIn(message, 'content').length === 0),
  },
  {
    words: 'Invalid `signature` in `thinking` block',
    breaks: (body) =>
      messagesIn(body).some((message) =>
        idsOf(message, 'thinking', 'signature').some((seal) => typeof seal !== 'string'),
      ),
  },
  {
    words: 'assistant messages may not contain images',
    breaks: (body) =>
      messagesIn(body).some((message) => message['role'] === 'assistant' && idsOf(message, 'image', 'type').length > 0),
  },
];

const itemsIn = (body: Wire) => listIn(body, 'input');
const callIds = (items: readonly Wire[], type: string) =>
  items.flatMap((item) => (item['type'] === type ? [item['call_id']] : []));
const RESPONSES: readonly Rule[] = [
  CHOICE_WITHOUT_TOOLS,
  {
    words: 'Deferred tools require tools.tool_search',
    breaks: (body) => {
      const searches = listIn(body, 'tools').some(({ type }) => type === 'tool_search');
      const needs =
        deferredIn(body).length + itemsIn(body).filter(({ type }) => String(type).startsWith('tool_search')).length;
      return needs > 0 && !searches;
    },
  },
  {
    words: 'No tool output found for function call',
    breaks(body) {
      const answered = callIds(itemsIn(body), 'function_call_output');
      return callIds(itemsIn(body), 'function_call').some((id) => !answered.includes(id));
    },
  },
  {
    words: 'No tool call found for function call output',
    breaks: (body) =>
      itemsIn(body).some((item, at, items) => {
        return (
          item['type'] === 'function_call_output' &&
          !callIds(items.slice(0, at), 'function_call').includes(item['call_id'])
        );
      }),
  },
  {
    words: "Item of type 'reasoning' was provided without its required following item",
    breaks: (body) =>
      anyPair([...itemsIn(body), { role: 'user' }], ({ role }, before) => {
        return before?.['type'] === 'reasoning' && role === 'user';
      }),
  },
  {
    words: 'image_generation_call must have an id and a result',
    breaks: (body) => itemsIn(body).some(({ type, id, result }) => type === 'image_generation_call' && !(id && result)),
  },
  {
    words: 'The encrypted content could not be verified',
    breaks: (body) =>
      itemsIn(body).some(({ type, encrypted_content: sealed }) => type === 'reasoning' && sealed !== 'ours'),
  },
];

/** What services are documented, or were seen, to refuse with a status of 400. */
export const STRICT = {
  openai: OPENAI,
  deepseek: DEEPSEEK,
  mistral: MISTRAL,
  anthropic: ANTHROPIC,
  responses: RESPONSES,
};

/** The words of the first rule that a body breaks. */
export function refusalOf(rules: readonly Rule[], body: Wire): string | undefined {
  return rules.find(({ breaks }) => breaks(body))?.words;
}
