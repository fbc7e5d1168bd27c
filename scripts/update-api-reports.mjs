// Writes what every built package promises to packages/<name>/etc/<name>.api.md, which `npm test` compares.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeApiReports } from './checks/api-reports.mjs';
import { publishedPackages } from './checks/packages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

for (const file of writeApiReports(publishedPackages(root))) console.log(file.slice(root.length + 1));
