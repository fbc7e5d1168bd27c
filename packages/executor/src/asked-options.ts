import type { Message, ModelOptions, RunRecord, UserMessage } from '@x/core';
import { withModelOptions } from '@x/core/internal';
import type { RunOptions } from './run-options.ts';

/** Keeps what messages have asked for over a crash and a compaction, until the run ends. */
const NOTE = 'model_options';

interface Asked {
  readonly options: ModelOptions;
  /** Replies of the run before the one that the choice of a tool is for. */
  readonly choiceAt: number;
}

/** Options of the model in force at a step of a run: those of the session, and over them those of the run's messages. */
export class AskedOptions {
  readonly #run: RunOptions['run'];
  readonly #ofSession: ModelOptions;
  #asked: Asked;
  #replies: number;
  /** The same object while nothing changes: adapters cache by it. */
  #last: ModelOptions = {};
  #lasting: { readonly of: Asked; readonly options: ModelOptions } | undefined;

  constructor({ modelOptions = {}, run }: Pick<RunOptions, 'modelOptions' | 'run'>) {
    const { past } = run.journal;
    this.#run = run;
    this.#ofSession = modelOptions;
    this.#replies = past.turns;
    this.#asked = (past.note(NOTE) as Asked | undefined) ?? askedIn(past.messages, run.messageId); // safe: written below
  }

  /** Keeps what was asked for in an earlier run that failed or was stopped, and which this one runs again. */
  async begin(): Promise<void> {
    const { journal } = this.#run;
    if (isEmpty(this.#asked.options) || journal.past.note(NOTE) !== undefined) return;
    await journal.write(this.#note());
  }

  /** A message is about to be recorded: the note to record with it, if it asks for options. */
  add({ modelOptions }: UserMessage): readonly RunRecord[] {
    if (modelOptions === undefined || isEmpty(modelOptions)) return [];
    const choiceAt = modelOptions.toolChoice === undefined ? this.#asked.choiceAt : this.#replies;
    this.#asked = { options: withModelOptions(this.#asked.options, modelOptions), choiceAt };
    return [this.#note()];
  }

  /** A reply was recorded: the choice of a tool is used up. */
  replied(): void {
    this.#replies += 1;
  }

  /** For the next request after `messages`; undefined when nothing is asked for. */
  next(messages: readonly Message[]): ModelOptions | undefined {
    const toolChoice = this.#choice(messages);
    const { lasting } = this;
    const options = toolChoice === undefined ? lasting : withModelOptions(lasting, { toolChoice });
    if (options !== this.#last && !isSame(options, this.#last)) this.#last = options;
    return isEmpty(this.#last) ? undefined : this.#last;
  }

  /** All but the choice of a tool, for other agents of the run too. */
  get lasting(): ModelOptions {
    if (this.#lasting?.of !== this.#asked) {
      const { toolChoice: _choice, ...options } = withModelOptions(this.#ofSession, this.#asked.options);
      this.#lasting = { of: this.#asked, options };
    }
    return this.#lasting.options;
  }

  /** That of a message for the reply to it, that of the session for the first reply of a run. */
  #choice(messages: readonly Message[]): ModelOptions['toolChoice'] {
    const { options, choiceAt } = this.#asked;
    if (options.toolChoice !== undefined && choiceAt === this.#replies) return options.toolChoice;
    return this.#replies === 0 && messages.at(-1)?.role === 'user' ? this.#ofSession.toolChoice : undefined;
  }

  #note(): RunRecord {
    return { type: 'note', name: NOTE, data: this.#asked };
  }
}

/** The options that the recorded messages of a run ask for. A choice of a tool that has its reply is used up. */
function askedIn(messages: readonly Message[], messageId: string): Asked {
  const first = messages.findIndex(({ id }) => id === messageId);
  let asked: Asked = { options: {}, choiceAt: -1 };
  for (const message of first < 0 ? [] : messages.slice(first)) {
    if (message.role === 'assistant') asked = { ...asked, choiceAt: -1 };
    if (message.role !== 'user' || !message.modelOptions) continue;
    const choiceAt = message.modelOptions.toolChoice === undefined ? asked.choiceAt : 0;
    asked = { options: withModelOptions(asked.options, message.modelOptions), choiceAt };
  }
  return asked;
}

function isEmpty(options: ModelOptions): boolean {
  return Object.keys(options).length === 0;
}

/** The values are compared by identity: they are those of the session and of messages. */
function isSame(one: ModelOptions, other: ModelOptions): boolean {
  const keys = Object.keys(one) as (keyof ModelOptions)[]; // safe: its own keys
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
