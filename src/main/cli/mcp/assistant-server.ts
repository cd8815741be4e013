/** The tools and resources that assistants see. */
import { McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { OUTCOME_KINDS } from '../../../shared/model/job.ts'
import { presetsToOffer } from '../../presets/presets.ts'
import { presetFolder } from '../environment.ts'
import { Refused } from './access.ts'
import { answer } from './answer.ts'
import type { AssistantSession } from './assistant-session.ts'
import { cancelJob, retryJob } from './change-job.ts'
import { describeFile } from './describe-file.ts'
import { estimateFiles } from './estimate-files.ts'
import { MAX_FILES, MAX_PATHS } from './find-inputs.ts'
import { describeJob, shownResults } from './read-job.ts'
import { listHistory } from './list-history.ts'
import { listPresets } from './presets.ts'
import { visibleJob } from './show-job.ts'
import { submitFiles } from './submit-files.ts'
import { MAX_SECONDS, USUAL_SECONDS, waitForJob } from './wait-for-job.ts'

const INSTRUCTIONS = `Mediatray converts, shrinks and re-encodes photos and videos on this computer. Originals are never changed.
Call “presets” first: it lists the presets and the folders that the user allows. Paths are absolute. “submit” starts a job and
returns its ID immediately; “status” and “wait” show how it ends. The user sees every job in Mediatray.`

const READS = { readOnlyHint: true, openWorldHint: false } as const
/** Annotations of tools that add something, but never change or delete anything that exists. */
const ADDS = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
} as const

const path = z.string().describe('absolute path')
const job = z.string().max(200).describe('ID of a job, from “submit” or “history”')
const preset = z.string().max(1_000).optional()
const files = z
  .array(path)
  .min(1)
  .describe(`photos, videos, or folders that contain them; at most ${MAX_PATHS} paths and ${MAX_FILES} files`)

export function createAssistantServer(session: AssistantSession): McpServer {
  const server = new McpServer({ name: 'mediatray', version: '1' }, { instructions: INSTRUCTIONS })
  addFileTools(server, session)
  addJobTools(server, session)
  addResources(server, session)
  return server
}

function addFileTools(server: McpServer, session: AssistantSession): void {
  server.registerTool(
    'presets',
    {
      title: 'List presets',
      description: 'Lists the presets for photos and videos, and the folders that the user allows.',
      inputSchema: z.object({}),
      annotations: READS,
    },
    (_none, { mcpReq }) => answer(() => listPresets(session, mcpReq.signal)),
  )
  server.registerTool(
    'describe',
    {
      title: 'Describe a file',
      description: 'Reads the format, size, dimensions and duration of a photo or video.',
      inputSchema: z.object({ file: path }),
      annotations: READS,
    },
    ({ file }) => answer(() => session.limits.during('describe', () => describeFile(session, file))),
  )
  server.registerTool(
    'estimate',
    {
      title: 'Estimate a job',
      description:
        'Estimates the results’ size in bytes and the processing time from samples, and names what the results would lose. Saves nothing. Takes a few seconds.',
      inputSchema: z.object({
        files,
        preset: preset.describe('name of a preset; by default, the service’s basic defaults'),
      }),
      annotations: READS,
    },
    (wanted, { mcpReq }) =>
      answer(() => session.limits.during('estimate', () => estimateFiles(session, wanted, mcpReq))),
  )
  server.registerTool(
    'submit',
    {
      title: 'Start a job',
      description:
        'Processes photos and videos with a preset and saves the results as new files. Returns the job’s ID immediately.',
      inputSchema: z.object({
        files,
        preset: preset.describe('name of a preset; by default, the user’s choice for new jobs'),
        output: path.optional().describe('output folder; by default, the user’s own'),
      }),
      annotations: ADDS,
    },
    (submission, { mcpReq }) =>
      answer(() => session.limits.during('submit', () => submitFiles(session, submission, mcpReq))),
  )
}

function addJobTools(server: McpServer, session: AssistantSession): void {
  server.registerTool(
    'status',
    {
      title: 'Show a job',
      description: 'Shows whether a job is waiting, running or finished, with its results and problems.',
      inputSchema: z.object({ job }),
      annotations: READS,
    },
    ({ job: id }) => answer(() => describeJob(visibleJob(session, id))),
  )
  server.registerTool(
    'wait',
    {
      title: 'Wait for a job',
      description:
        'Waits until a job ends, reports progress, and returns the job’s state. If the job hasn’t ended in time, call this tool again.',
      inputSchema: z.object({
        job,
        seconds: z.number().min(0).max(MAX_SECONDS).default(USUAL_SECONDS).describe('longest wait'),
      }),
      annotations: READS,
    },
    (wanted, { mcpReq }) =>
      answer(() => session.limits.during('wait', () => waitForJob(session, wanted, mcpReq))),
  )
  server.registerTool(
    'cancel',
    {
      title: 'Cancel a job',
      description: 'Cancels a job that an assistant submitted. Finished results stay.',
      inputSchema: z.object({ job }),
      annotations: { ...ADDS, idempotentHint: true },
    },
    ({ job: id }) => answer(() => cancelJob(session, id)),
  )
  server.registerTool(
    'retry',
    {
      title: 'Retry failed files',
      description:
        'Starts a new job with the failed files of a job that an assistant submitted. Returns its ID immediately.',
      inputSchema: z.object({ job }),
      annotations: ADDS,
    },
    ({ job: id }) => answer(() => session.limits.during('submit', () => retryJob(session, id))),
  )
  server.registerTool(
    'history',
    {
      title: 'List jobs',
      description:
        'Lists jobs, newest first: those of assistants, and those of the user with files in the allowed folders.',
      inputSchema: z.object({
        search: z.string().max(500).optional().describe('words in names, folders, presets and errors'),
        outcome: z.enum(OUTCOME_KINDS).optional(),
        mine: z.boolean().default(false).describe('only jobs that assistants submitted'),
        limit: z.int().min(1).max(50).default(20),
      }),
      annotations: READS,
    },
    (query) => answer(() => listHistory(session, query)),
  )
}

/** Adds resources, for data that is too long for a tool's answer. */
function addResources(server: McpServer, session: AssistantSession): void {
  const { access, context } = session
  server.registerResource(
    'job',
    new ResourceTemplate('mediatray://jobs/{job}', { list: undefined }),
    { title: 'A job', description: 'All files, results and problems of a job', mimeType: 'application/json' },
    (uri, { job: id }) => {
      access.settings()
      const state = found(uri, () => visibleJob(session, String(id)))
      const parts = state.parts.map(({ title, record, submission }) => ({
        preset: title.preset,
        inputs: (record?.inputs ?? submission?.plan.items ?? []).map((item) => item.path),
        results: shownResults(record),
        problems: record?.problems ?? [],
      }))
      return json(uri, JSON.stringify({ ...describeJob(state), parts }))
    },
  )
  server.registerResource(
    'preset',
    new ResourceTemplate('mediatray://presets/{name}', { list: undefined }),
    { title: 'A preset', description: 'The document of a preset', mimeType: 'application/json' },
    async (uri, { name }) => {
      access.settings()
      const isOurs = context.service.kind === 'builtIn'
      const documents = isOurs ? await presetsToOffer(presetFolder(context.environment)) : []
      const document = documents.find((one) => one.name === decoded(String(name)))
      if (document === undefined) throw new ResourceNotFoundError(uri.href)
      return json(uri, document.text)
    },
  )
}

const json = (uri: URL, text: string) => ({
  contents: [{ uri: uri.href, mimeType: 'application/json', text }],
})

/** Decodes a name in a URI. Returns the name unchanged if it contains an invalid escape sequence. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function found<T>(uri: URL, find: () => T): T {
  try {
    return find()
  } catch (error) {
    throw error instanceof Refused ? new ResourceNotFoundError(uri.href, error.message) : error
  }
}
