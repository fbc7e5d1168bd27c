/**
 * Runs one measure with one driver in this process, and prints its figures as the last line:
 *   node --expose-gc measure.mjs <driver file> <measure> <options as JSON>
 * The modules of the harness are imported here, not above, so that `first` can take their loading time out.
 */
const RESULT_MARK = '@@';
const [driverFile, measure, json] = process.argv.slice(2);

try {
  const { origin, fault, format, ...options } = JSON.parse(json);
  const driver = await import(driverFile);
  const harnessStart = performance.now();
  const { createWorkbench } = await import('./workbench.mjs');
  const { [measure]: run } = await import(`./measures/${measure}.mjs`);
  const bench = await createWorkbench({ driver, origin, fault, format });
  const harnessMs = performance.now() - harnessStart;
  print(await run(bench, { ...options, origin, harnessMs }), 0);
} catch (error) {
  print({ error: String(error?.stack ?? error).slice(0, 600) }, 1);
}

// A driver may leave sockets and timers behind: the process ends when the figures are written, not when it is idle.
function print(result, exitCode) {
  process.stdout.write(`\n${RESULT_MARK}${JSON.stringify(result)}\n`, () => process.exit(exitCode));
}
