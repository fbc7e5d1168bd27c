import { allowedImports, packagesWithoutNode, testImports } from './import-table.ts';
import { type Import, importsOf, isRelative, resolveRelative, splitSpecifier } from './imports.ts';
import { isSource, isTest, isTestKit, packageOf, type Rule, type SourceText, type Violation } from './source-text.ts';

/** Packages import only what the table allows them. */
export const importTableRule: Rule = (files) =>
  eachImport(files, (file, { specifier }) => {
    if (!specifier.startsWith('@x/')) return undefined;
    const own = packageOf(file.path);
    const other = packageOf(splitSpecifier(specifier).name);
    if (other === own) return `imports its own package as '${specifier}'; use a relative path`;
    const forTests = isTest(file) ? (testImports[own] ?? []) : [];
    if ([...(allowedImports[own] ?? []), ...forTests].includes(other)) return undefined;
    return `${own} may not import ${other}; see import-table.ts`;
  });

/** Packages are imported by the entry points in their exports map, test kits only by tests and test kits. */
export const entryPointRule: Rule = (files) => {
  const entries = exportsMaps(files);
  return eachImport(files, (file, { specifier }) => {
    if (isRelative(specifier)) {
      const target = resolveRelative(file, specifier);
      const home = `packages/${packageOf(file.path)}/`;
      return target.startsWith(home) ? undefined : `'${specifier}' leaves the package; import the other by its name`;
    }
    if (!specifier.startsWith('@x/')) return undefined;
    const { name, subPath } = splitSpecifier(specifier);
    const subPaths = entries.get(name);
    if (subPaths && !subPaths.includes(subPath)) return `'${specifier}' is not an entry point of ${name}`;
    const forTests = subPath === './testing' && !isTest(file) && !isTestKit(file);
    return forTests ? `'${specifier}' is for tests and test kits only` : undefined;
  });
};

/** No `node:` import where the code has to run anywhere. */
export const nodeImportRule: Rule = (files) =>
  eachImport(files, (file, { specifier }) => {
    const bound = packagesWithoutNode.includes(packageOf(file.path));
    if (!bound || isTest(file) || !specifier.startsWith('node:')) return undefined;
    return `'${specifier}' in ${packageOf(file.path)}, which runs without Node`;
  });

/** Reports what `judge` says about each import of each source. */
export function eachImport(
  files: readonly SourceText[],
  judge: (file: SourceText, found: Import) => string | undefined,
): readonly Violation[] {
  return files.filter(isSource).flatMap((file) =>
    importsOf(file).flatMap((found) => {
      const message = judge(file, found);
      return message ? [{ path: file.path, line: found.line, message }] : [];
    }),
  );
}

function exportsMaps(files: readonly SourceText[]): ReadonlyMap<string, readonly string[]> {
  const manifests = files.filter((file) => file.path.endsWith('/package.json'));
  return new Map(
    manifests.map(({ text }) => {
      const manifest = JSON.parse(text) as { name: string; exports?: Record<string, unknown> };
      return [manifest.name, Object.keys(manifest.exports ?? {})] as const;
    }),
  );
}
