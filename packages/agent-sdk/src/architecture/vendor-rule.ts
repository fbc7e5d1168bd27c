import { eachImport } from './import-rules.ts';
import { testVendors, testVendorsOf, type Vendor, vendors } from './import-table.ts';
import { type Import, isRelative, splitSpecifier } from './imports.ts';
import { isTest, isTestKit, packageOf, type Rule, type SourceText } from './source-text.ts';

/** Packages from outside are imported in their place only, and clients of services on first use only; a test loads what it likes. */
export const vendorRule: Rule = (files) =>
  eachImport(files, (file, found) => {
    const { specifier } = found;
    if (isRelative(specifier) || specifier.startsWith('@x/') || specifier.startsWith('node:')) return undefined;
    const { name } = splitSpecifier(specifier);
    if (isForTests(file, name)) return undefined;
    const vendor = Object.hasOwn(vendors, name) ? vendors[name] : undefined;
    if (!vendor) return `'${name}' is not in the table of packages from outside; see import-table.ts`;
    return misplaced(file, name, vendor) ?? (isTest(file) ? undefined : loadedWrongly(found, name, vendor));
  });

function isForTests(file: SourceText, name: string): boolean {
  if (!isTest(file) && !isTestKit(file)) return false;
  return testVendors.includes(name) || (isTest(file) && (testVendorsOf[packageOf(file.path)] ?? []).includes(name));
}

function misplaced(file: SourceText, name: string, vendor: Vendor): string | undefined {
  const inPlace = vendor.places.some((place) => file.path.startsWith(`packages/${place}/`));
  return inPlace ? undefined : `'${name}' belongs to ${vendor.places.join(', ')}`;
}

function loadedWrongly(found: Import, name: string, vendor: Vendor): string | undefined {
  if (found.typeOnly || vendor.how === 'static' || (found.dynamic && vendor.how === 'lazy')) return undefined;
  if (vendor.how === 'types') return `'${name}' may be imported as a type only`;
  return `'${name}' is loaded at import; use 'await import()' on first use`;
}
