import { defineTool, type ImageBlock, type Tool, type ToolContext, type ToolResult } from '@x/core';
import { type DisplaySize, messageOf, permissionNote } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, checkValue, type OptionRules } from '@x/errors/option-rules';
import { inputSchema } from './check-input.ts';
import { COMPUTER, type ComputerAction, type ComputerInput } from './computer-action.ts';

/** The outcome of an action. */
export interface ComputerOutcome {
  /** The whole display after the action, in its size; base64. Required of `screenshot`; another action needs none. */
  readonly screenshot?: { readonly mediaType: 'image/png' | 'image/jpeg' | 'image/webp'; readonly data: string };
  /** Words for the model. */
  readonly text?: string;
}
/** Options of `computerTool`. */
export interface ComputerToolOptions {
  /** The size of the display, in pixels: that of the screenshots, in which the model says places. */
  readonly display: DisplaySize;
  /** Does one action. What it throws is said to the model, and the actions behind it are not done. Honour the signal. */
  readonly execute: (
    action: ComputerAction,
    options: { readonly signal: AbortSignal; readonly callId: string },
  ) => Promise<ComputerOutcome | undefined>;
}

const OPTIONS: OptionRules<ComputerToolOptions> = {
  display: is.required(
    is.nested<DisplaySize>({ width: is.required(is.count()), height: is.required(is.count()) }, '{ width, height }'),
  ),
  execute: is.required(is.callback),
};
const OUTCOME: OptionRules<ComputerOutcome> = {
  screenshot: is.nested({
    mediaType: is.required(is.oneOf('image/png', 'image/jpeg', 'image/webp')),
    data: is.required(is.filledText),
  }),
  text: is.text,
};

/**
 * The tool `computer`: the service of the model defines it, in its own trained form, and the host does its actions on a display of its own.
 * Only models with computer use take it; sessions refuse it with any other. It is asked about like a command, also for a host's own tool; a
 * call for which the service wants consent is asked about in every mode, and is not run without it.
 * @throws ValidationError for an unknown option, and a size that is not of whole pixels
 */
export function computerTool(options: ComputerToolOptions): Tool<ComputerInput> {
  checkOptions('computerTool options', options, OPTIONS);
  const display = { width: options.display.width, height: options.display.height };
  const tool = defineTool({
    name: COMPUTER,
    description: `A computer with a display of ${display.width} x ${display.height} pixels.`,
    inputSchema: inputSchema(display),
    kind: 'execute',
    execute: (input, context) => perform(input, options, context),
  });
  return { ...tool, computer: display, asks: consentWanted };
}

function consentWanted({ safetyChecks = [] }: ComputerInput): string | undefined {
  if (safetyChecks.length === 0) return undefined;
  const said = safetyChecks.map(({ message, code, id }) => message || code || id || 'it gives no reason');
  return `the service of the model wants consent: ${said.join('; ')}`;
}

async function perform(
  input: ComputerInput,
  { execute }: ComputerToolOptions,
  { signal, callId, run }: ToolContext,
): Promise<ToolResult> {
  const wanted = consentWanted(input);
  if (wanted !== undefined && !isConsent(run.journal.past.note(permissionNote(callId)))) {
    return { output: `computer was not run: ${wanted}, and nobody was asked`, isError: true, interrupted: 'not_run' };
  }
  const texts: string[] = [];
  let image: ImageBlock | undefined;
  for (const [index, action] of input.actions.entries()) {
    signal.throwIfAborted();
    try {
      const { screenshot, text } = outcomeOf(await execute(action, { signal, callId }), action);
      if (screenshot) image = { type: 'image', ...screenshot };
      if (text) texts.push(text);
    } catch (error) {
      if (signal.aborted) throw error;
      texts.push(`actions[${index}] (${action.type}) failed: ${messageOf(error)}; ${index} before it were done`);
      return { output: texts.join('\n'), isError: true, ...imagesOf(image) };
    }
  }
  return { output: texts.join('\n') || (image ? '' : 'OK'), isError: false, ...imagesOf(image) };
}

/** Steps of a decision in which somebody was asked; a rule or a mode allows too, but is no consent. */
const ASKED: readonly unknown[] = ['can_use_tool', 'permission_request', 'recorded_answer'];

/** The note is written with the start of a call, by those who judge it. */
function isConsent(note: unknown): boolean {
  if (typeof note !== 'object' || note === null || !('decision' in note && 'step' in note)) return false;
  return note.decision === 'allow' && ASKED.includes(note.step);
}

/** @throws ValidationError for an outcome that is none, and for a screenshot without a picture */
function outcomeOf(given: ComputerOutcome | undefined, { type }: ComputerAction): ComputerOutcome {
  if (given !== undefined) checkValue('outcome', given, is.nested(OUTCOME));
  if (type === 'screenshot') checkValue('outcome.screenshot', given?.screenshot, is.required(OUTCOME.screenshot));
  return given ?? {};
}

function imagesOf(image: ImageBlock | undefined): Pick<ToolResult, 'images'> {
  return image ? { images: [image] } : {};
}
