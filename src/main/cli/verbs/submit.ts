import { resolve } from 'node:path'
import { POLL_INTERVAL_MS } from '../../../shared/api/limits.ts'
import type { SpoofJobRequest } from '../../../shared/api/resources.ts'
import type { ServiceError } from '../../../shared/service-error.ts'
import type { Context, Verb } from '../context.ts'
import { combinedExitCode, EXIT, exitCodeOfError, type ExitCode } from '../exit-code.ts'
import { nameOf, type Inputs } from '../output/index.ts'
import { planRequests, type Target, type Wanted } from '../plan-requests.ts'
import { createWaiting, type Waiting } from '../wait-for-jobs.ts'
import { fetchResults } from './fetch-results.ts'
import { outputFolderBeside, uploadFiles } from './upload-files.ts'

export type SubmitOptions = {
  readonly input: { readonly files: readonly string[] } | { readonly driveInputFolder: string }
  readonly output: { readonly folder: string } | { readonly driveOutputFolder: string }
  readonly preset?: string
  readonly count?: number
  readonly separate: boolean
  readonly upload: boolean
  readonly wait: boolean
}

/** Our own service is asked more often than a stranger's. */
const BUILT_IN_POLL_MS = 250

export const submit: Verb<SubmitOptions> = async (context, options) => {
  const { kind } = context.service
  // The built-in service ends with the command, and would take unfinished jobs with it.
  const wait = options.wait || kind === 'builtIn'
  const prepared = await prepare(context, options)
  if (prepared.wanted === undefined) return combinedExitCode(prepared.codes)

  const waiting = createWaiting(context)
  const codes = [...prepared.codes, ...(await submitAll(context, prepared, waiting, wait))]
  if (!wait) {
    context.report.progress([])
    return combinedExitCode(codes)
  }
  codes.push(...(await waitForAll(context, waiting)))
  if (options.upload && 'folder' in options.output) {
    const folder = resolve(context.surroundings.cwd, options.output.folder)
    codes.push(...(await fetchResults(context, waiting.finished, folder)))
  }
  return combinedExitCode(codes)
}

type Prepared = {
  /** undefined where nothing is left to submit. */
  readonly wanted: Wanted | undefined
  /** What the person calls a file, by the path that the service knows it under. */
  readonly named: ReadonlyMap<string, string>
  readonly codes: readonly ExitCode[]
}

/** Paths as the service will see them: this computer's, or those of the copies it has been sent. */
async function prepare(context: Context, options: SubmitOptions): Promise<Prepared> {
  const { cwd } = context.surroundings
  const common = {
    separate: options.separate,
    ...(options.preset === undefined ? {} : { preset: options.preset }),
    ...(options.count === undefined ? {} : { batchCount: options.count }),
  }
  const target: Target =
    'folder' in options.output
      ? { outputFolder: resolve(cwd, options.output.folder) }
      : { driveOutputFolder: options.output.driveOutputFolder }

  if ('driveInputFolder' in options.input) {
    return { wanted: { input: options.input, target, ...common }, named: new Map(), codes: [] }
  }
  const files = options.input.files.map((file) => resolve(cwd, file))
  if (!options.upload) {
    return { wanted: { input: { files }, target, ...common }, named: new Map(), codes: [] }
  }
  const { uploaded, codes } = await uploadFiles(context, files)
  const [first] = uploaded
  if (first === undefined) return { wanted: undefined, named: new Map(), codes }
  return {
    wanted: {
      input: { files: uploaded.map(({ filePath }) => filePath) },
      // Our output folder means nothing on the service's computer.
      target: 'outputFolder' in target ? { outputFolder: outputFolderBeside(first.filePath) } : target,
      ...common,
    },
    named: new Map(uploaded.map(({ filePath, file }) => [filePath, file])),
    codes,
  }
}

async function submitAll(
  context: Context,
  { wanted, named }: Prepared,
  waiting: Waiting,
  wait: boolean,
): Promise<ExitCode[]> {
  const codes: ExitCode[] = []
  const requests = wanted === undefined ? [] : planRequests(wanted)
  for (const [done, request] of requests.entries()) {
    const inputs = inputsOf(request, named)
    const created = await createWhenThereIsRoom(context, request, waiting, wait)
    if (created.ok) {
      const { jobId, skipped } = created.value
      context.report.say({ event: 'accepted', inputs, job: created.value })
      if (wait) waiting.add({ jobId, name: nameOf(inputs), skipped })
      else codes.push(skipped.length > 0 ? EXIT.problems : EXIT.done)
      continue
    }
    context.report.say({ event: 'refused', inputs, error: created.error })
    codes.push(exitCodeOfError(created.error))
    if (concernsAll(created.error)) {
      const left = requests.length - done - 1
      if (left > 0)
        context.report.say({
          event: 'notice',
          message: `${left} further ${left === 1 ? 'job was' : 'jobs were'} not submitted.`,
        })
      break
    }
  }
  return codes
}

/** The next job would fare no better. */
const concernsAll = ({ kind }: ServiceError): boolean =>
  kind === 'notReachable' ||
  kind === 'noAnswer' ||
  kind === 'unauthorized' ||
  kind === 'aborted' ||
  kind === 'queueFull'

function inputsOf(
  { filePath, files, driveInputFolder }: SpoofJobRequest,
  named: ReadonlyMap<string, string>,
): Inputs {
  const paths = filePath === undefined ? (files ?? []) : [filePath]
  return {
    files: paths.map((path) => named.get(path) ?? path),
    ...(driveInputFolder === undefined ? {} : { driveInputFolder }),
  }
}

/** A full queue has certainly not taken the job (section 7), so asking again can't double it. */
async function createWhenThereIsRoom(
  context: Context,
  request: SpoofJobRequest,
  waiting: Waiting,
  wait: boolean,
) {
  const { service, surroundings } = context
  for (;;) {
    const created = await service.api.createJob(request, { signal: surroundings.interrupted })
    if (created.ok || created.error.kind !== 'queueFull' || !wait) return created
    if ((await waiting.look()) !== undefined) return created
    await pause(context)
  }
}

async function waitForAll(context: Context, waiting: Waiting): Promise<ExitCode[]> {
  let stopped: ExitCode | undefined
  while (waiting.pending > 0 && stopped === undefined) {
    stopped = await waiting.look()
    if (waiting.pending > 0 && stopped === undefined) await pause(context)
  }
  context.report.progress([])
  if (stopped === undefined) return [...waiting.codes]
  if (stopped === EXIT.interrupted) {
    const goesOn = context.service.kind === 'external'
    context.report.say({
      event: 'notice',
      message: goesOn
        ? 'Stopped waiting; the jobs go on.'
        : 'Stopped, and the built-in service with its jobs.',
    })
  }
  return [...waiting.codes, stopped]
}

const pause = ({ service, surroundings: { clock, interrupted } }: Context): Promise<void> =>
  clock.sleep(service.kind === 'builtIn' ? BUILT_IN_POLL_MS : POLL_INTERVAL_MS, interrupted)
