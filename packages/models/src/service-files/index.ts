export { type ReadServiceFileOptions, readServiceFile, type ServiceFile } from './read-service-file.ts';
