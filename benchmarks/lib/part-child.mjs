/** Runs one part of a benchmark in this process: `node part-child.mjs store/append <options as JSON>`; the result is the last line. */
const [name, json] = process.argv.slice(2);
try {
  const { [name.split('/').at(-1)]: part } = await import(`./${name}.mjs`);
  print(await part(JSON.parse(json)), 0);
} catch (error) {
  print({ error: String(error?.stack ?? error).slice(0, 600) }, 1);
}

function print(result, exitCode) {
  process.stdout.write(`\n@@${JSON.stringify(result)}\n`, () => process.exit(exitCode));
}
