import type {
  AgentHandler,
  AssistantMessage,
  ModelNext,
  ModelRequest,
  ModelStream,
  RunContext,
  ToolCall,
  ToolNext,
  ToolStream,
} from '@x/core';
import { isCallWaits } from '@x/core/internal';
import { forwarded } from '@x/core/streams';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { providerName, type UsageFacts } from '../telemetry/attributes.ts';
import { errorTypeOf } from '../telemetry/error-type.ts';
import type { MeterLike, MetricAttributes } from './meter-like.ts';

/** Options of `metricsHandler`. */
export interface MetricsOptions {
  /** A meter of OpenTelemetry: `metrics.getMeter('...')` of `@opentelemetry/api`. Its owner closes the provider. */
  readonly meter: MeterLike;
  /**
   * US dollars of one model call, of a reply whose model does not say it; without it, or where it returns undefined, none are counted. An
   * error that it throws ends the run.
   */
  readonly cost?: (facts: UsageFacts) => number | undefined;
}

const OPTIONS: OptionRules<MetricsOptions> = {
  meter: is.required(is.having('a meter of OpenTelemetry', 'createHistogram', 'createCounter', 'createUpDownCounter')),
  cost: is.callback,
};

/**
 * Metrics of runs, model calls and tool calls. In the GenAI conventions of OpenTelemetry: `gen_ai.client.operation.duration` (seconds) and
 * `gen_ai.client.token.usage`; our own: `agent_sdk.runs` and `agent_sdk.run.duration` by outcome, `agent_sdk.runs.active`,
 * `agent_sdk.tool.duration` by tool, and `agent_sdk.cost` (US dollars). A failure has its code as `error.type`. Attributes are names that the
 * host has given, never ids or texts of a model, so that their number stays small. Belongs outermost. @throws ValidationError
 */
export function metricsHandler(options: MetricsOptions): AgentHandler {
  checkOptions('metricsHandler options', options, OPTIONS);
  const instruments = instrumentsOf(options.meter);
  const { runs, duration, active } = instruments;
  const beganAt = new WeakMap<RunContext, number>();
  return {
    name: 'metrics',
    beforeAgent(_config, run) {
      if (beganAt.has(run)) return;
      beganAt.set(run, performance.now());
      active.add(1, agentOf(run));
    },
    wrapModelCall: (request, next, run) => measuredModelCall(request, next, { run, instruments, options }),
    wrapToolCall: (call, next, run) => measuredToolCall(call, next, { run, instruments, options }),
    runEnded({ subtype, failure }, run) {
      const began = beganAt.get(run);
      const outcome = {
        ...agentOf(run),
        'agent_sdk.outcome': subtype,
        ...(subtype === 'error' ? { 'error.type': errorTypeOf(failure) } : {}),
      };
      runs.add(1, outcome);
      if (began === undefined) return; // it failed before it began
      beganAt.delete(run);
      active.add(-1, agentOf(run));
      duration.record(secondsSince(began), outcome);
    },
  };
}

type Instruments = ReturnType<typeof instrumentsOf>;

function instrumentsOf(meter: MeterLike) {
  return {
    runs: meter.createCounter('agent_sdk.runs', { description: 'Runs that have ended', unit: '{run}' }),
    active: meter.createUpDownCounter('agent_sdk.runs.active', { description: 'Runs under way', unit: '{run}' }),
    duration: meter.createHistogram('agent_sdk.run.duration', { description: 'Duration of runs', unit: 's' }),
    tools: meter.createHistogram('agent_sdk.tool.duration', { description: 'Duration of tool calls', unit: 's' }),
    calls: meter.createHistogram('gen_ai.client.operation.duration', {
      description: 'Duration of model calls',
      unit: 's',
    }),
    tokens: meter.createHistogram('gen_ai.client.token.usage', {
      description: 'Tokens of model calls',
      unit: '{token}',
    }),
    cost: meter.createCounter('agent_sdk.cost', { description: 'Cost of model calls', unit: '{USD}' }),
  };
}

interface Measured {
  readonly run: RunContext;
  readonly instruments: Instruments;
  readonly options: MetricsOptions;
}

function measuredModelCall(request: ModelRequest, next: ModelNext, measured: Measured): ModelStream {
  const { run, instruments } = measured;
  const began = performance.now();
  const asked = { ...agentOf(run), 'gen_ai.operation.name': 'chat', ...requestedModel(request) };
  const failed = (type: string) => instruments.calls.record(secondsSince(began), { ...asked, 'error.type': type });
  return forwarded(() => next(request), {
    end(reply) {
      const answered = { ...asked, ...modelOf(reply) };
      instruments.calls.record(secondsSince(began), answered);
      countTokens(reply, answered, measured);
      return reply;
    },
    fail: (failure) => failed(request.signal.aborted ? 'aborted' : errorTypeOf(failure)),
    leave: (stream) => stream.return(undefined as never).finally(() => failed('aborted')), // safe: nobody reads the value
  });
}

function countTokens(reply: AssistantMessage, answered: MetricAttributes, { instruments, options }: Measured): void {
  const { provider, model, usage } = reply;
  instruments.tokens.record(usage.inputTokens, { ...answered, 'gen_ai.token.type': 'input' });
  instruments.tokens.record(usage.outputTokens, { ...answered, 'gen_ai.token.type': 'output' });
  const dollars = reply.cost ?? options.cost?.({ provider, model, usage });
  if (dollars !== undefined) instruments.cost.add(dollars, answered);
}

function measuredToolCall(call: ToolCall, next: ToolNext, { run, instruments }: Measured): ToolStream {
  const began = performance.now();
  // The name of a tool that does not exist is the model's own text.
  const attributes = { ...agentOf(run), 'gen_ai.tool.name': call.tool ? call.name : 'unknown_tool' };
  const ended = (outcome: MetricAttributes) =>
    instruments.tools.record(secondsSince(began), { ...attributes, ...outcome });
  return forwarded(() => next(call), {
    end(result) {
      ended(result.isError ? { 'error.type': call.signal.aborted ? 'aborted' : 'tool_error' } : {});
      return result;
    },
    fail: (failure) =>
      ended(isCallWaits(failure) ? { 'agent_sdk.outcome': 'waiting' } : { 'error.type': errorTypeOf(failure) }),
    leave: (stream) => stream.return(undefined as never).finally(() => ended({ 'error.type': 'aborted' })), // safe: nobody reads the value
  });
}

function agentOf({ agentName }: RunContext): MetricAttributes {
  return { 'gen_ai.agent.name': agentName };
}

function requestedModel({ model }: ModelRequest): MetricAttributes {
  return model ? { 'gen_ai.provider.name': providerName(model.provider), 'gen_ai.request.model': model.name } : {};
}

function modelOf({ provider, model }: AssistantMessage): MetricAttributes {
  return { 'gen_ai.provider.name': providerName(provider), 'gen_ai.response.model': model };
}

function secondsSince(began: number): number {
  return (performance.now() - began) / 1_000;
}
