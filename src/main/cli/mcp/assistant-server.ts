/** The tools and resources that assistants see. */
import { McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { presetsToOffer } from '../../presets/presets.ts'
import { presetFolder } from '../environment.ts'
import { Refused } from './access.ts'
import { answer } from './answer.ts'
import type { AssistantSession } from './assistant-session.ts'
import * as fileTools from './file-tools.ts'
import * as jobTools from './job-tools.ts'
import { describeJob, shownResults } from './read-job.ts'
import { listPresets } from './presets.ts'
import { visibleJob } from './show-job.ts'

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
      inputSchema: fileTools.FileInput,
      annotations: READS,
    },
    ({ file }) =>
      answer(() => session.limits.during('describe', () => fileTools.describeFile(session, file))),
  )
  server.registerTool(
    'estimate',
    {
      title: 'Estimate a job',
      description:
        'Estimates the results’ size in bytes and the processing time from samples, and names what the results would lose. Saves nothing. Takes a few seconds.',
      inputSchema: fileTools.EstimateInput,
      annotations: READS,
    },
    (wanted, { mcpReq }) =>
      answer(() => session.limits.during('estimate', () => fileTools.estimateFiles(session, wanted, mcpReq))),
  )
  server.registerTool(
    'submit',
    {
      title: 'Start a job',
      description:
        'Processes photos and videos with a preset and saves the results as new files. Returns the job’s ID immediately.',
      inputSchema: fileTools.SubmitInput,
      annotations: ADDS,
    },
    (submission, { mcpReq }) =>
      answer(() => session.limits.during('submit', () => fileTools.submitFiles(session, submission, mcpReq))),
  )
}

function addJobTools(server: McpServer, session: AssistantSession): void {
  server.registerTool(
    'status',
    {
      title: 'Show a job',
      description: 'Shows whether a job is waiting, running or finished, with its results and problems.',
      inputSchema: jobTools.JobInput,
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
      inputSchema: jobTools.WaitInput,
      annotations: READS,
    },
    (wanted, { mcpReq }) =>
      answer(() => session.limits.during('wait', () => jobTools.waitForJob(session, wanted, mcpReq))),
  )
  server.registerTool(
    'cancel',
    {
      title: 'Cancel a job',
      description: 'Cancels a job that an assistant submitted. Finished results stay.',
      inputSchema: jobTools.JobInput,
      annotations: { ...ADDS, idempotentHint: true },
    },
    ({ job: id }) => answer(() => jobTools.cancelJob(session, id)),
  )
  server.registerTool(
    'retry',
    {
      title: 'Retry failed files',
      description:
        'Starts a new job with the failed files of a job that an assistant submitted. Returns its ID immediately.',
      inputSchema: jobTools.JobInput,
      annotations: ADDS,
    },
    ({ job: id }) => answer(() => session.limits.during('submit', () => jobTools.retryJob(session, id))),
  )
  server.registerTool(
    'history',
    {
      title: 'List jobs',
      description:
        'Lists jobs, newest first: those of assistants, and those of the user with files in the allowed folders.',
      inputSchema: jobTools.HistoryInput,
      annotations: READS,
    },
    (query) => answer(() => jobTools.listHistory(session, query)),
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
