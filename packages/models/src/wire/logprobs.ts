import type { ModelRequest } from '@x/core';
import type { TokenLogprob } from '@x/core/internal';
import { recordOf } from './json-values.ts';

type Alternative = NonNullable<TokenLogprob['top']>[number];

/** Tokens of a reply with their alternatives, each of which counts: about a megabyte in the log. */
const MOST = 20_000;
/** Characters of a token. */
const LONGEST = 200;

/** The probabilities of a reply's tokens, in order, as far as there is room. */
export class TokenLogprobs {
  readonly #tokens: TokenLogprob[] = [];
  #count = 0;

  /** Undefined unless the request asks for them: some services send them anyway. */
  static for({ options }: Pick<ModelRequest, 'options'>): TokenLogprobs | undefined {
    return options?.logprobs === undefined ? undefined : new TokenLogprobs();
  }

  /** Adds a list of OpenAI's: `{ token, logprob, top_logprobs }`. */
  addAll(list: unknown): void {
    if (!Array.isArray(list)) return;
    for (const entry of list) this.#add(recordOf(entry), 'logprob', recordOf(entry)?.['top_logprobs']);
  }

  /** Adds a `logprobsResult` of Gemini's: the chosen tokens, and next to them the alternatives at each place. */
  addResult(given: unknown): void {
    const { chosenCandidates: chosen, topCandidates: top } = recordOf(given) ?? {};
    if (!Array.isArray(chosen)) return;
    const places = Array.isArray(top) ? top : [];
    chosen.forEach((entry, place) =>
      this.#add(recordOf(entry), 'logProbability', recordOf(places[place])?.['candidates']),
    );
  }

  /** As a field of a message; nothing when none has come. */
  field(): { readonly logprobs?: readonly TokenLogprob[] } {
    return this.#tokens.length > 0 ? { logprobs: this.#tokens } : {};
  }

  #add(entry: unknown, name: string, others: unknown): void {
    const chosen = tokenIn(entry, name);
    if (!chosen || this.#count >= MOST) return;
    const top = (Array.isArray(others) ? others : []).flatMap((other) => tokenIn(other, name) ?? []);
    this.#count += 1 + top.length;
    if (this.#count > MOST) return; // from here on nothing is added, so that there is no gap
    this.#tokens.push(top.length > 0 ? { ...chosen, top } : chosen);
  }
}

function tokenIn(entry: unknown, name: string): Alternative | undefined {
  const fields = recordOf(entry);
  const token = fields?.['token'];
  const logprob = fields?.[name];
  if (typeof token !== 'string' || typeof logprob !== 'number') return undefined;
  return { token: token.slice(0, LONGEST), logprob };
}
