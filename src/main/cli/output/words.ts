/** What a person reads for each event; results go to stdout, everything else to stderr. */
import { basename } from 'node:path'
import type { FileError, Job } from '../../../shared/api/resources.ts'
import type { Outcome } from '../../../shared/model/outcome.ts'
import type { CliEvent, Inputs } from './event.ts'
import { counted, inBytes, plain } from './plain-text.ts'

export type Words = { readonly to: 'stdout' | 'stderr'; readonly lines: readonly string[] }

const out = (...lines: string[]): Words => ({ to: 'stdout', lines })
const err = (...lines: string[]): Words => ({ to: 'stderr', lines })

export function wordsFor(event: CliEvent): Words {
  switch (event.event) {
    case 'service':
      return err(`Using the built-in service at ${event.baseUrl}.`)
    case 'uploaded':
      return err(`Uploaded ${event.file} (${inBytes(event.size)}).`)
    case 'accepted':
      return err(
        `${event.job.jobId}  accepted: ${nameOf(event.inputs)}, ${position(event.job.position)}.`,
        ...problemLines(event.job.skipped, 'skipped'),
      )
    case 'refused':
      return err(
        `Not accepted: ${nameOf(event.inputs)}. ${event.error.message}`,
        ...('skipped' in event.error ? problemLines(event.error.skipped, 'skipped') : []),
      )
    case 'finished':
      return out(
        `${event.jobId}  ${outcomeWords(event.outcome)}`,
        ...event.results.map(({ outputPath }) => `  ${outputPath}`),
        ...problemLines(event.problems, 'problem'),
      )
    case 'job':
      return out(...jobLines(event.job, event.outcome))
    case 'queue':
      return out(
        `${counted(event.listed, 'job', 'jobs')} listed, ${event.queueLength} waiting, ${event.processing ? 'one being processed' : 'none being processed'}.`,
      )
    case 'presets':
      return out(
        'Presets for photos:',
        ...event.presets.image.map((name) => `  ${name}`),
        'Presets for videos:',
        ...event.presets.video.map((name) => `  ${name}`),
      )
    case 'status':
      return out(
        `${event.baseUrl} is running, version ${event.health.version}${event.knownVersion ? '' : ' (not the version this app was made for)'}, ${counted(event.health.activeJobs, 'active job', 'active jobs')}.`,
        event.drive.connected
          ? `Cloud drive: connected${event.drive.email === null ? '' : ` as ${event.drive.email}`}.`
          : `Cloud drive: ${event.drive.clientConfigured ? 'not connected' : 'not configured'}.`,
      )
    case 'cancelling':
      return out(
        `${event.jobId}  ${event.status === null || event.status === 'cancelled' ? 'cancelled' : `asked to stop; now ${event.status}`}. Files that were made already may remain.`,
      )
    case 'downloaded':
      return out(`${event.path}  (${inBytes(event.bytes)})`)
    case 'cleared':
      return out(
        `${counted(event.cleared, 'finished job', 'finished jobs')} removed from the service’s list.`,
      )
    case 'error':
      return err(event.about === undefined ? event.error.message : `${event.about}: ${event.error.message}`)
    case 'notice':
      return err(event.message)
    default:
      return event satisfies never
  }
}

export function nameOf({ files, driveInputFolder }: Inputs): string {
  if (driveInputFolder !== undefined) return `Drive folder ${driveInputFolder}`
  const [first = ''] = files
  return files.length === 1 ? basename(first) : `${basename(first)} and ${files.length - 1} more`
}

const position = (place: number): string =>
  place <= 0 ? 'first in the queue' : `number ${place} in the queue`

export function outcomeWords(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'done':
      return `done, ${counted(outcome.results, 'result', 'results')}`
    case 'problems':
      return `done with ${counted(outcome.problems, 'problem', 'problems')}, ${counted(outcome.results, 'result', 'results')}`
    case 'failed':
      return outcome.reason === '' ? 'failed' : `failed: ${outcome.reason}`
    case 'cancelled':
      return `cancelled, ${counted(outcome.results, 'result', 'results')}`
    case 'forgotten':
      return 'forgotten by the service before it was seen to end; look into the output folder'
    default:
      return outcome satisfies never
  }
}

const problemLines = (problems: readonly FileError[], what: string): string[] =>
  problems.map(({ file, error }) => `  ${what}: ${file === '' ? '' : `${file}: `}${error}`)

function jobLines(job: Job, outcome: Outcome | null): string[] {
  const results = job.results ?? (job.result ? [job.result] : [])
  return [
    `${job.jobId}  ${outcome === null ? (job.status === 'completed' ? 'uploading' : job.status) : outcomeWords(outcome)}  ${subject(job)}  ${job.preset}  ${job.createdAt}`,
    ...results.map(({ outputPath }) => `  ${outputPath}`),
    ...problemLines(job.errors ?? [], 'problem'),
  ]
}

function subject(job: Job): string {
  if (job.fileName !== undefined) return job.fileName
  return job.totalFiles === undefined ? job.type : counted(job.totalFiles, 'file', 'files')
}

export const printed = (lines: readonly string[]): string => lines.map((line) => `${plain(line)}\n`).join('')
