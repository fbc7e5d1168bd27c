/** Imports one driver, or nothing, and says what that has cost: node import-only.mjs [driver file] */
const driverFile = process.argv[2];
if (driverFile) await import(driverFile);
const { user, system } = process.cpuUsage();
const figures = { wallMs: performance.now(), cpuMs: (user + system) / 1000, rssBytes: process.memoryUsage.rss() };
process.stdout.write(`\n@@${JSON.stringify(figures)}\n`, () => process.exit(0));
