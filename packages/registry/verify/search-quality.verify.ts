// Tools are found better than by minisearch, on the labelled sets of benchmarks/search: more queries have their tool first (hit@1)
// and among the first five (recall@5). minisearch is tried as it comes and with prefixes and typos; ours must be above the better of
// the two, in each half of the one set and in the other, of APIs that nothing is tuned on. The control ranks the same tools by the words they share with the query, and must lose.
import { readFileSync } from 'node:fs';
import MiniSearch from 'minisearch';
import { ToolRegistry } from '../src/index.ts';

interface LabelledTool {
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly tags?: readonly string[];
}
interface LabelledQuery {
  readonly query: string;
  readonly tools: readonly string[];
}
interface Quality {
  readonly hit1: number;
  readonly recall5: number;
}
type Search = (query: string) => readonly string[];

const FIELDS = ['name', 'description', 'tags', 'category'];
const BOOST = { name: 1, description: 0.7, tags: 0.6, category: 0.5 };

const half = (queries: readonly LabelledQuery[], nth: number) => queries.filter((_, place) => place % 2 === nth);
main();

function main(): void {
  const tools: readonly LabelledTool[] = [...read('tools.json'), ...read('own-tools.json')];
  const queries: readonly LabelledQuery[] = read('queries.json');
  const others: readonly LabelledQuery[] = read('other-queries.json');
  if (tools.length < 500 || queries.length < 200 || others.length < 200) throw new Error('A labelled set is not whole');
  const halves = { 'tuned on': half(queries, 0), 'judged by': half(queries, 1) };
  const failed = judge(tools, halves) + judge(read('other-tools.json'), { 'other APIs': others });
  console.log(failed === 0 ? 'ok' : `${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

/** Counts the comparisons that came out wrong. */
function judge(tools: readonly LabelledTool[], parts: Readonly<Record<string, readonly LabelledQuery[]>>): number {
  const engines = {
    ours: ours(tools),
    plain: miniSearch(tools, {}),
    near: miniSearch(tools, { prefix: true, fuzzy: 0.2 }),
    control: control(tools),
  };
  let failed = 0;
  for (const [name, asked] of Object.entries(parts)) {
    const of = (search: Search) => qualityOf(asked, search);
    const [own, peers, weak] = [of(engines.ours), [of(engines.plain), of(engines.near)], of(engines.control)];
    console.log(`${name}, ${asked.length} queries: ours ${told(own)}; minisearch ${peers.map(told).join(' and ')}`);
    if (!isAbove(own, peers)) failed += 1;
    if (isAbove(weak, peers)) failed += 1;
    console.log(`  control ${told(weak)}`);
  }
  return failed;
}

function ours(tools: readonly LabelledTool[]): Search {
  const registry = new ToolRegistry();
  for (const { name, description, category, tags } of tools) {
    registry.register(
      { name, description, category, parameters: [], ...(tags ? { tags } : {}) },
      async () => undefined,
    );
  }
  return (query) => registry.search(query, { limit: 5 }).map(({ name }) => name);
}

function miniSearch(
  tools: readonly LabelledTool[],
  options: { readonly prefix?: boolean; readonly fuzzy?: number },
): Search {
  const index = new MiniSearch({ fields: FIELDS, idField: 'name' });
  index.addAll(tools.map((tool) => ({ ...tool, tags: tool.tags?.join(' ') ?? '' })));
  return (query) => index.search(query, { boost: BOOST, ...options }).map(({ id }) => String(id));
}

function control(tools: readonly LabelledTool[]): Search {
  const wordsOf = (text: string) => new Set(text.toLowerCase().split(/\P{L}+/u));
  const known = tools.map(({ name, description }) => ({ name, words: wordsOf(`${name} ${description}`) }));
  return (query) => {
    const asked = wordsOf(query);
    const shared = ({ words }: { readonly words: ReadonlySet<string> }) =>
      [...asked].filter((word) => words.has(word)).length;
    return known.toSorted((one, other) => shared(other) - shared(one)).map(({ name }) => name);
  };
}

function qualityOf(asked: readonly LabelledQuery[], search: Search): Quality {
  const places = asked.map(({ query, tools: wanted }) =>
    search(query)
      .slice(0, 5)
      .findIndex((name) => wanted.includes(name)),
  );
  const share = (fits: (place: number) => boolean) => places.filter(fits).length / places.length;
  return { hit1: share((place) => place === 0), recall5: share((place) => place >= 0) };
}

function isAbove(own: Quality, peers: readonly Quality[]): boolean {
  return peers.every(({ hit1, recall5 }) => own.hit1 > hit1 && own.recall5 > recall5);
}

function told({ hit1, recall5 }: Quality): string {
  return `${(100 * hit1).toFixed(1)} / ${(100 * recall5).toFixed(1)}`;
}

function read(name: string) {
  return JSON.parse(readFileSync(new URL(`../../../benchmarks/search/${name}`, import.meta.url), 'utf8'));
}
