export * from '@x/session/ag-ui';
