export { parseBaseUrl, type BaseUrl, type ParsedBaseUrl } from './base-url.ts'
export type { Downloaded, DownloadProgress, DownloadTarget } from './receive-file.ts'
export { exchange, startDeadline } from './exchange.ts'
export { bytesOf } from './read-answer.ts'
export {
  authorizationHeader,
  loadHttpClient,
  type RequestOptions,
  type ServiceApiOptions,
  type Timeouts,
} from './requests.ts'
export { createServiceApi, type ServiceApi } from './service-api.ts'
export type { DownloadOptions, UploadProgress } from './transfers.ts'
export type { UploadSource } from './upload-source.ts'
