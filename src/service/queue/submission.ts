import { DEFAULT_BATCH_COUNT } from '../../shared/api/limits.ts'
import type { AcceptedJob, FileError, SpoofJobRequest } from '../../shared/api/resources.ts'
import type { MediaKind } from '../../shared/media-types.ts'
import type { Drive } from '../drive/index.ts'
import { BASIC_DEFAULTS, type Preset } from '../presets/index.ts'
import type { Recipe } from '../processing/processing.ts'
import type { JobInput, JobPlan } from './job-plan.ts'
import { checkLocalInputs } from './local-inputs.ts'
import { prepareOutputFolder } from './output-folder.ts'
import type { Queue } from './queue.ts'
import { Refusal } from './refusal.ts'

export type SubmissionOptions = {
  readonly queue: Queue
  readonly presets: { find(name: string): Preset | undefined }
  readonly drive: Drive
}

type LocalRequest = { readonly paths: readonly string[]; readonly outputFolder: string }

/**
 * Section 4, `POST /jobs`: checks a request and puts it into the queue. The cheap checks come first; a folder is
 * created only for a job that would otherwise be accepted.
 * @throws Refusal 400, 412 or 429
 */
export async function submitJob(request: SpoofJobRequest, options: SubmissionOptions): Promise<AcceptedJob> {
  const { queue, presets, drive } = options
  const preset = choosePreset(request.preset, presets)
  const batchCount = request.batchCount ?? DEFAULT_BATCH_COUNT
  const local = await requireLocal(request, drive)
  queue.requireRoom()

  const { inputs, skipped } = await checkLocalInputs(local.paths)
  if (inputs.length === 0) {
    throw new Refusal(400, 'None of the files can be processed', skipped)
  }
  const totalOperations = inputs.length * batchCount
  if (!Number.isSafeInteger(totalOperations)) {
    throw new Refusal(400, 'batchCount is too large for this many files', skipped)
  }
  const recipes = recipesFor(inputs, preset, skipped)
  const outputFolder = await prepareOutputFolder(local.outputFolder)

  const plan: JobPlan = {
    type: totalOperations === 1 ? 'single' : 'batch',
    presetName: preset.name,
    recipes,
    ranges: preset.variations,
    inputs,
    batchCount,
    outputFolder,
  }
  const { jobId, position } = queue.add(plan)
  return {
    jobId,
    status: 'queued',
    inputFiles: inputs.length,
    batchCount,
    totalOperations,
    skipped,
    position,
    drive: null,
  }
}

type ChosenPreset = Pick<Preset, 'name' | 'image' | 'video' | 'variations'>

function choosePreset(name: string | undefined, presets: SubmissionOptions['presets']): ChosenPreset {
  if (name === undefined) return BASIC_DEFAULTS
  const preset = presets.find(name)
  if (!preset) throw new Refusal(400, `There is no preset named "${name}"`)
  return preset
}

/** Section 2, input rules 1 and 2; section 7, status 412. */
async function requireLocal(request: SpoofJobRequest, drive: Drive): Promise<LocalRequest> {
  const paths = [...(request.filePath === undefined ? [] : [request.filePath]), ...(request.files ?? [])]
  const { driveInputFolder, outputFolder, driveOutputFolder } = request
  if (paths.length > 0 === (driveInputFolder !== undefined)) {
    throw new Refusal(400, 'Give exactly one kind of input: filePath and/or files, or driveInputFolder')
  }
  if ((outputFolder !== undefined) === (driveOutputFolder !== undefined)) {
    throw new Refusal(400, 'Give exactly one output: outputFolder or driveOutputFolder')
  }
  if (driveInputFolder !== undefined || outputFolder === undefined) {
    const { notReady } = await drive.readiness()
    throw new Refusal(412, notReady)
  }
  return { paths, outputFolder }
}

/** Section 2, input rule 4: a preset must know every kind of file among the inputs. */
function recipesFor(
  inputs: readonly JobInput[],
  preset: ChosenPreset,
  skipped: readonly FileError[],
): ReadonlyMap<MediaKind, Recipe> {
  const recipes = new Map<MediaKind, Recipe>()
  if (preset.image) recipes.set('image', { kind: 'image', image: preset.image })
  if (preset.video) recipes.set('video', { kind: 'video', video: preset.video })
  const missing = inputs.find((input) => !recipes.has(input.kind))
  if (missing) {
    throw new Refusal(
      400,
      `The preset "${preset.name}" is not for ${missing.kind} files: ${missing.path}`,
      skipped,
    )
  }
  return recipes
}
