/** Section 8 of the API spec, and the few other numbers and words that it fixes. */

/** The only release the spec describes (section 9). */
export const API_VERSION = '1.0.81'

/** Section 1: port 3847, path prefix /api, loopback. */
export const DEFAULT_BASE_URL = 'http://127.0.0.1:3847/api'
export const DEFAULT_PORT = 3847

/** `POST /upload`, in bytes (500 MiB). */
export const MAX_UPLOAD_BYTES = 524_288_000

/** `POST /jobs`, in bytes (64 KiB). */
export const MAX_JSON_BYTES = 65_536

/** Jobs that may wait; one more submission is answered 429. */
export const MAX_WAITING_JOBS = 10

/** The most recent jobs that `GET /jobs` returns. */
export const MAX_LISTED_JOBS = 50

/** A finished job may be cleaned up this long after it completed, in ms. */
export const RETENTION_MS = 60 * 60 * 1000

/** How often the service cleans up, in ms. */
export const CLEANUP_INTERVAL_MS = 10 * 60 * 1000

/** The documented practice for clients, in ms (sections 6 and 8). */
export const POLL_INTERVAL_MS = 2_000
export const REQUEST_TIMEOUT_MS = 30_000

export const DEFAULT_BATCH_COUNT = 1

/** What a job id looks like (section 2, AcceptedJob). */
export const JOB_ID_PATTERN = /^[a-zA-Z0-9_-]+$/
