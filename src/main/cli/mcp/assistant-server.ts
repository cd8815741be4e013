/** The tools and resources that assistants see. */
import { McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { answer } from './answer.ts'
import type { AssistantSession } from './assistant-session.ts'
import { describeFile } from './describe-file.ts'
import { MAX_FILES, MAX_PATHS } from './find-inputs.ts'
import { describeJob, jobState } from './job-state.ts'
import { listPresets } from './presets.ts'
import { submitFiles } from './submit-files.ts'

const INSTRUCTIONS = `Mediatray converts, shrinks and re-encodes photos and videos on this computer. Originals are never changed.
Call “presets” first: it lists what can be done and the folders that the user allows. Paths are absolute. “submit” starts a job and
returns its ID at once; “status” and “wait” show how it ends. The user sees every job in Mediatray.`

/** Only reads. */
const READS = { readOnlyHint: true, openWorldHint: false } as const
/** Adds something, but never changes or deletes anything that exists. */
const ADDS = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
} as const

const path = z.string().describe('absolute path')
const job = z.string().max(200).describe('ID of a job, from “submit” or “history”')
const preset = z.string().max(1_000).optional()

export function createAssistantServer(session: AssistantSession): McpServer {
  const { core, access } = session
  const server = new McpServer({ name: 'mediatray', version: '1' }, { instructions: INSTRUCTIONS })
  const files = z
    .array(path)
    .min(1)
    .describe(`photos, videos or folders with them; at most ${MAX_PATHS} paths and ${MAX_FILES} files`)

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
      description: 'Reads what a photo or video is: its format, size, dimensions and duration.',
      inputSchema: z.object({ file: path }),
      annotations: READS,
    },
    ({ file }) => answer(() => describeFile(session, file)),
  )
  server.registerTool(
    'submit',
    {
      title: 'Start a job',
      description:
        'Processes photos and videos with a preset and saves the results as new files. Returns the job’s ID at once.',
      inputSchema: z.object({
        files,
        preset: preset.describe('name of a preset; by default the user’s own choice for new jobs'),
        output: path.optional().describe('folder for the results; by default the user’s own'),
      }),
      annotations: ADDS,
    },
    (submission, { mcpReq }) => answer(() => submitFiles(session, submission, mcpReq)),
  )
  server.registerTool(
    'status',
    {
      title: 'Show a job',
      description: 'Shows whether a job waits, runs or has ended, with its results and problems.',
      inputSchema: z.object({ job }),
      annotations: READS,
    },
    ({ job: id }) =>
      answer(() => {
        access.settings()
        return describeJob(jobState(core, id))
      }),
  )
  return server
}
