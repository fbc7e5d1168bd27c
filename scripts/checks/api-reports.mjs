// What each package promises, as text: one report for each entry point, made by API Extractor from the built declarations.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { StepError } from './steps.mjs';

/** Writes the reports of the packages to `etc/<name>.api.md`. Returns the files. */
export function writeApiReports(packages) {
  return reportsOf(packages).map(({ file, text }) => {
    writeFileSync(file, text);
    return file;
  });
}

/** @throws StepError when what is built promises something else than `etc/<name>.api.md` says */
export function checkApiReports(packages) {
  const faults = reportsOf(packages).flatMap(({ file, text }) => {
    const known = existsSync(file) ? readFileSync(file, 'utf8') : '';
    return known === text ? [] : [`${file}\n${changedLines(known, text).slice(0, 20).join('\n')}`];
  });
  if (faults.length > 0) {
    throw new StepError('etc/*.api.md differ from the built declarations; if meant: pnpm run api', faults.join('\n'));
  }
}

/** Lines that are in one of the texts only. */
function changedLines(before, after) {
  const [old, now] = [before, after].map((text) => text.split('\n'));
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
  ];
}

function reportsOf(packages) {
  const scratch = mkdtempSync(join(tmpdir(), 'api-reports-'));
  try {
    const entries = packages.flatMap(entriesOf).map((entry) => ({ ...entry, config: configOf(entry, scratch) }));
    const [first, ...others] = entries.map(({ config }) => config);
    // One program for all of them: nearly all the time goes into reading types.
    const compilerState = CompilerState.create(first, {
      additionalEntryPoints: others.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath),
    });
    return entries.map(({ file, config }) => {
      const messages = [];
      const messageCallback = (message) => {
        message.handled = true;
        if (message.logLevel === 'error') messages.push(message.text);
      };
      Extractor.invoke(config, { compilerState, localBuild: true, messageCallback });
      const path = join(scratch, basename(file));
      if (!existsSync(path)) throw new StepError(`${file}: no report could be made`, messages.join('\n'));
      return { file, text: readFileSync(path, 'utf8').replaceAll('\r\n', '\n') };
    });
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function entriesOf({ path, manifest }) {
  return Object.entries(manifest.exports)
    .filter(([, target]) => typeof target === 'object')
    .map(([subPath, { types }]) => {
      const name = [basename(path), ...subPath.split('/').slice(1)].join('-');
      return { path, entry: join(path, types), file: join(path, 'etc', `${name}.api.md`) };
    });
}

function configOf({ path, entry, file }, scratch) {
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: path,
      mainEntryPointFilePath: entry,
      compiler: { overrideTsconfig: { compilerOptions: compilerOptions(path), files: [entry] } },
      apiReport: {
        enabled: true,
        reportFolder: scratch,
        reportTempFolder: join(scratch, 'temp'),
        reportFileName: basename(file),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: { default: { logLevel: 'none' } },
        extractorMessageReporting: {
          default: { logLevel: 'none' },
          'ae-forgotten-export': { logLevel: 'warning', addToApiReportFile: true },
        },
        tsdocMessageReporting: { default: { logLevel: 'none' } },
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(path, 'package.json'),
  });
}

function compilerOptions(path) {
  return {
    target: 'es2023',
    lib: ['es2024', 'esnext.array', 'esnext.disposable'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(dirname(dirname(path)), 'node_modules', '@types')],
  };
}
