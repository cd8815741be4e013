export * from './preset.ts'
