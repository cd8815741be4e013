/** Describes the Local Media Job API as OpenAPI 3.1, with the resources from the schemas that the app itself uses. */
import * as z from 'zod'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponsesObject } from 'zod-openapi'
import {
  API_VERSION,
  DEFAULT_BASE_URL,
  MAX_JSON_BYTES,
  MAX_LISTED_JOBS,
  MAX_UPLOAD_BYTES,
} from '../src/shared/api/limits.ts'
import { exactResources, makeExact } from '../src/shared/api/exact-resources.ts'
import { JobId } from '../src/shared/api/resources.ts'
import { SUPPORTED_EXTENSIONS } from '../src/shared/media-types.ts'

const { Error: ApiError, SpoofJobRequest, ...answers } = exactResources

const json = (description: string, schema: z.ZodType) => ({
  description,
  content: { 'application/json': { schema } },
})

const ERRORS = {
  400: 'Invalid request or incompatible job state',
  401: 'Missing or invalid API key',
  404: 'Unknown job, result or output file',
  412: 'Cloud drive not configured or not connected',
  429: 'Ten jobs are already waiting',
  500: 'Internal error or write error',
} as const

const errors = (...statuses: (keyof typeof ERRORS)[]): ZodOpenApiResponsesObject =>
  Object.fromEntries(statuses.map((status) => [String(status), json(ERRORS[status], ApiError)]))

const bytes = (description: string): z.ZodType =>
  z.custom().meta({ description, override: { type: 'string', format: 'binary' } })

const path = z.object({ jobId: JobId })

const operation = (
  operationId: string,
  summary: string,
  responses: ZodOpenApiResponsesObject,
  rest: Omit<ZodOpenApiOperationObject, 'responses'> = {},
): ZodOpenApiOperationObject => ({ operationId, summary, ...rest, responses })

const uploadName = z
  .string()
  .regex(new RegExp(`\\.(?:${SUPPORTED_EXTENSIONS.join('|')})$`))
  .describe('A file name with the extension of a supported type')

const index = z.int().min(0).default(0).describe('For a batch, the position in results, starting at 0')

/** The operations of section 4. */
const paths = {
  '/health': {
    get: operation(
      'getHealth',
      'Check whether the service runs; needs no key',
      { '200': json('The service runs', answers.Health) },
      { security: [] },
    ),
  },
  '/presets': {
    get: operation('getPresets', 'List the names of the saved presets', {
      '200': json('The presets by media type', answers.Presets),
      ...errors(401),
    }),
  },
  '/drive/status': {
    get: operation('getDriveStatus', 'Show the state of the cloud drive', {
      '200': json('The state of the cloud drive', answers.DriveStatus),
      ...errors(401),
    }),
  },
  '/upload': {
    post: operation(
      'upload',
      'Upload a file for use in a job',
      { '200': json('The file was stored', answers.Upload), ...errors(400, 401, 500) },
      {
        requestParams: { header: z.object({ 'X-Filename': uploadName }) },
        requestBody: {
          required: true,
          content: {
            'application/octet-stream': { schema: bytes(`Raw bytes, at most ${MAX_UPLOAD_BYTES}`) },
          },
        },
      },
    ),
  },
  '/jobs': {
    post: operation(
      'createJob',
      'Create a job; every call creates another one',
      {
        '202': json('The job is queued', answers.AcceptedJob),
        ...errors(400, 401, 412, 429, 500),
      },
      {
        description:
          'Needs exactly one kind of input (filePath and files, or driveInputFolder) and exactly one output (outputFolder or ' +
          `driveOutputFolder). Unknown fields are ignored. The body is at most ${MAX_JSON_BYTES} bytes.`,
        requestBody: { required: true, content: { 'application/json': { schema: SpoofJobRequest } } },
      },
    ),
    get: operation('listJobs', `List the ${MAX_LISTED_JOBS} most recent jobs and the state of the queue`, {
      '200': json('The jobs', answers.JobList),
      ...errors(401),
    }),
    delete: operation('clearJobs', 'Remove finished jobs from the history', {
      '200': json('The number of removed jobs', answers.ClearedJobs),
      ...errors(401),
    }),
  },
  '/jobs/{jobId}': {
    get: operation(
      'getJob',
      'Read one job',
      { '200': json('The job', answers.Job), ...errors(401, 404) },
      { requestParams: { path } },
    ),
    delete: operation(
      'cancelJob',
      'Request cancellation of a queued or processing job',
      { '200': json('Cancellation was requested', answers.CancelledJob), ...errors(400, 401, 404) },
      { requestParams: { path } },
    ),
  },
  '/download/{jobId}': {
    get: operation(
      'download',
      'Download a local result of a completed job',
      {
        '200': {
          description: 'The file. Content-Type follows its extension.',
          headers: z.object({ 'Content-Disposition': z.string().describe('Has the file name') }),
          content: { '*/*': { schema: bytes('The bytes of the file') } },
        },
        ...errors(400, 401, 404),
      },
      { requestParams: { path, query: z.object({ index }) } },
    ),
  },
}

/** Returns the OpenAPI document that is published as docs/openapi.json. */
export const apiDescription = () =>
  createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Local Media Job API',
        version: API_VERSION,
        description: 'Runs preset-driven jobs on photos and videos, on the same computer.',
      },
      servers: [{ url: DEFAULT_BASE_URL }],
      security: [{ key: [] }],
      paths,
      components: {
        securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
        schemas: exactResources,
      },
    },
    {
      // The fields with such schemas are the built-in service's additions, which are left out.
      allowEmptySchema: { custom: true, catch: true },
      override: makeExact,
    },
  )
