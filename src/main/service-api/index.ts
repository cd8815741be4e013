export { parseBaseUrl, type BaseUrl, type ParsedBaseUrl } from './base-url.ts'
export type { Downloaded, DownloadProgress, DownloadTarget } from './receive-file.ts'
export {
  createServiceApi,
  type DownloadOptions,
  type RequestOptions,
  type ServiceApi,
  type ServiceApiOptions,
  type Timeouts,
  type UploadOptions,
  type UploadProgress,
} from './service-api.ts'
export type { UploadSource } from './upload-source.ts'
