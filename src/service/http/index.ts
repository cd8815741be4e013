export { createHttpServer, type Timeouts } from './server.ts'
export { openUploadStore } from './upload-store.ts'
