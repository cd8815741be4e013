/** The routes of section 4, in the words in which errors name them. */
export type Route =
  | 'GET /health'
  | 'GET /presets'
  | 'GET /drive/status'
  | 'POST /upload'
  | 'POST /jobs'
  | 'GET /jobs'
  | 'DELETE /jobs'
  | 'GET /jobs/{jobId}'
  | 'DELETE /jobs/{jobId}'
  | 'GET /download/{jobId}'

/** Section 7: on these a 400 speaks of the state of the job, on the others of the request. */
export const ABOUT_JOB_STATE: ReadonlySet<Route> = new Set(['DELETE /jobs/{jobId}', 'GET /download/{jobId}'])
