/** One thing that was seen outside of the log, and in which process. */
interface Seen {
  readonly life: number;
}
export interface SeenEffect extends Seen {
  readonly callId: string;
  readonly tool: string;
  readonly item: string;
  readonly key: string;
}
export interface SeenQuestion extends Seen {
  readonly callId: string;
  readonly answer: 'allow' | 'deny';
}
export interface SeenAgent extends Seen {
  readonly agent: string;
}

/** Sees what the processes of a session do to the world: effects, questions to the host, requests to the model. Outlives them. */
export class Witness {
  readonly effects: SeenEffect[] = [];
  readonly questions: SeenQuestion[] = [];
  readonly agents: SeenAgent[] = [];
  #life = 0;

  /** From now on it is another process. */
  nextLife(): number {
    return ++this.#life;
  }

  acted(effect: Omit<SeenEffect, 'life'>): void {
    this.effects.push({ ...effect, life: this.#life });
  }

  asked(question: Omit<SeenQuestion, 'life'>): void {
    this.questions.push({ ...question, life: this.#life });
  }

  spoke(agent: string): void {
    this.agents.push({ agent, life: this.#life });
  }

  /** Whether an effect with that key was seen: what a service that knows the key would not do again. */
  knows(key: string): boolean {
    return this.effects.some((effect) => effect.key === key);
  }
}
