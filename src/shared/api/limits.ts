/** Limits from section 8 of the API spec, and other values that the spec defines. */

/** The only release that the spec describes (section 9). */
export const API_VERSION = '1.0.81'

/** Section 1: port 3847, path prefix /api, loopback. */
export const DEFAULT_BASE_URL = 'http://127.0.0.1:3847/api'
export const DEFAULT_PORT = 3847

/** Maximum body of `POST /upload`, in bytes (500 MiB). */
export const MAX_UPLOAD_BYTES = 524_288_000

/** Maximum body of `POST /jobs`, in bytes (64 KiB). */
export const MAX_JSON_BYTES = 65_536

/** Maximum number of waiting jobs. Further submissions are rejected with 429. */
export const MAX_WAITING_JOBS = 10

/** Maximum number of jobs that `GET /jobs` returns. It returns the most recent ones. */
export const MAX_LISTED_JOBS = 50

/** Time after completion until the service may remove a job, in ms. */
export const RETENTION_MS = 60 * 60 * 1000

/** Interval at which the service removes old jobs, in ms. */
export const CLEANUP_INTERVAL_MS = 10 * 60 * 1000

/** The polling interval recommended to clients, in ms (sections 6 and 8). */
export const POLL_INTERVAL_MS = 2_000
export const REQUEST_TIMEOUT_MS = 30_000

export const DEFAULT_BATCH_COUNT = 1

/** The format of a job ID (section 2, AcceptedJob). */
export const JOB_ID_PATTERN = /^[a-zA-Z0-9_-]+$/
