export { createHttpServer, DEFAULT_TIMEOUTS } from './server.ts'
export type { PresetSource, ServerOptions, Timeouts } from './server.ts'
export { openUploadStore, UPLOAD_RETENTION_MS } from './upload-store.ts'
export type { UploadStore } from './upload-store.ts'
