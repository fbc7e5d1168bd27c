/** An object as it is sent, unchecked. */
export type Wire = Readonly<Record<string, unknown>>;

const listIn = (wire: Wire | undefined, name: string) =>
  Array.isArray(wire?.[name]) ? (wire[name] as readonly Wire[]) : [];
const recordIn = (wire: Wire | undefined, name: string) => (wire?.[name] ?? {}) as Wire;

/** The reason for which the messages API refuses a request (platform.claude.com, "Computer use tool"); undefined when it takes it. */
export function anthropicFault(body: Wire, beta: string | undefined): string | undefined {
  const tools = listIn(body, 'tools').filter(({ type }) => String(type).startsWith('computer_'));
  for (const tool of tools) {
    const isToolset = tool['type'] === 'computer_toolset_20260801';
    const fields = ['name', 'display_width_px', 'display_height_px'].filter((name) => Object.hasOwn(tool, name));
    if (isToolset && fields.length > 0) return `tools: ${fields.join()}: Extra inputs are not permitted`;
    if (!isToolset && fields.length < 3) return 'tools: Field required';
    const wanted = { computer_20251124: 'computer-use-2025-11-24', computer_20250124: 'computer-use-2025-01-24' };
    const header = wanted[tool['type'] as keyof typeof wanted] as string | undefined;
    if (header !== beta) return `tools: ${String(tool['type'])} needs the beta ${header}, not ${beta}`;
  }
  const hasToolset = tools.some(({ type }) => type === 'computer_toolset_20260801');
  const messages = listIn(body, 'messages');
  for (const [at, message] of messages.entries()) {
    const calls = listIn(message, 'content').filter(({ type }) => type === 'tool_use');
    const results = listIn(messages[at + 1], 'content').filter(({ type }) => type === 'tool_result');
    for (const call of calls) {
      const result = results.find(({ tool_use_id: id }) => id === call['id']);
      if (!result) return `tool_use ids were found without tool_result blocks immediately after: ${String(call['id'])}`;
      if (result['toolset_name'] !== call['toolset_name']) return 'toolset_name does not match its tool_use';
      if (call['toolset_name'] !== undefined && !hasToolset) return 'toolset_name of a toolset that is not there';
      const parts = listIn(result, 'content');
      const isShown = parts.some(({ type }) => type === 'image');
      if (result['is_error'] && !result['content']) return 'content cannot be empty if is_error is true';
      const action = call['toolset_name'] ? call['name'] : recordIn(call, 'input')['action'];
      if (action === 'screenshot' && !result['is_error'] && !isShown) return 'a screenshot without an image';
    }
    const unsigned = listIn(message, 'content').find(({ type, signature }) => type === 'thinking' && !signature);
    if (unsigned) return 'thinking.signature: Field required';
  }
  return undefined;
}

/** The reason for which the responses API refuses a request (developers.openai.com, "Computer use"). */
export function responsesFault(body: Wire): string | undefined {
  for (const tool of listIn(body, 'tools')) {
    if (tool['type'] === 'computer' && Object.keys(tool).length > 1) return 'Unknown parameter of tools[0]';
  }
  const input = listIn(body, 'input');
  for (const [at, item] of input.entries()) {
    const { type, call_id: id } = item;
    const next = input[at + 1];
    if (
      type === 'reasoning' &&
      (!next || !['computer_call', 'function_call', 'message'].includes(String(next['type'])))
    ) {
      return `Item '${String(item['id'])}' of type 'reasoning' was provided without its required following item.`;
    }
    if (type === 'reasoning' && next?.['role'] === 'user') return 'reasoning was provided without its following item';
    if (
      type === 'function_call' &&
      !input.some((one) => one['type'] === 'function_call_output' && one['call_id'] === id)
    )
      return `No tool output found for function call ${String(id)}.`;
    if (type !== 'computer_call') continue;
    const missing = ['id', 'call_id', 'pending_safety_checks', 'status'].find((name) => !Object.hasOwn(item, name));
    if (missing) return `Missing required parameter: input[${at}].${missing}`;
    const output = input.find((one) => one['type'] === 'computer_call_output' && one['call_id'] === id);
    if (!output) return `No tool output found for computer call ${String(id)}.`;
    const { type: kind, image_url: url } = recordIn(output, 'output');
    if (kind !== 'computer_screenshot' || !String(url).startsWith('data:image/')) return 'output must be a screenshot';
    const acknowledged = new Set(listIn(output, 'acknowledged_safety_checks').map((check) => check['id']));
    const open = listIn(item, 'pending_safety_checks').filter((check) => !acknowledged.has(check['id']));
    if (open.length > 0) return `Safety checks have not been acknowledged: ${String(open[0]?.['id'])}`;
  }
  return undefined;
}

/** What `generateContent` refuses (ai.google.dev, "Computer Use" and "Thought Signatures"). */
export function geminiFault(body: Wire): string | undefined {
  const own = listIn(body, 'tools').filter((tool) => tool['computerUse']);
  if (own.some((tool) => recordIn(tool, 'computerUse')['environment'] === undefined)) return 'environment is required';
  const contents = listIn(body, 'contents');
  for (const [at, content] of contents.entries()) {
    const calls = listIn(content, 'parts').filter((part) => part['functionCall']);
    if (calls.length === 0) continue;
    if (!calls[0]?.['thoughtSignature']) return 'Function call is missing a thought_signature';
    const answers = listIn(contents[at + 1], 'parts').filter((part) => part['functionResponse']);
    if (answers.length !== calls.length) return 'the number of function response parts must equal that of the calls';
    for (const [place, call] of calls.entries()) {
      const { name, args } = recordIn(call, 'functionCall');
      const answer = recordIn(answers[place], 'functionResponse');
      const response = recordIn(answer, 'response');
      if (answer['name'] !== name) return `function response ${String(answer['name'])} does not answer ${String(name)}`;
      if (response['error'] !== undefined) continue;
      const wants = (args as Wire)['safety_decision'] !== undefined;
      if (wants && response['safety_acknowledgement'] !== 'true') return 'safety_acknowledgement is required';
      const isOfComputer = (args as Wire)['intent'] !== undefined;
      if (isOfComputer && !listIn(answer, 'parts').some((part) => part['inlineData']))
        return 'a screenshot is required';
    }
  }
  return undefined;
}
