import { failure, reason } from '../../shared/failure/failure.ts'
import { DEFAULT_BATCH_COUNT } from '../../shared/api/limits.ts'
import type { AcceptedJob, FileError, SpoofJobRequest } from '../../shared/api/resources.ts'
import type { MediaKind } from '../../shared/media-types.ts'
import { folderIdProblem } from '../../shared/drive-folder.ts'
import type { Drive, DriveFolder } from '../drive/index.ts'
import { basicDefaults, type Preset, type ResultRules } from '../../shared/preset/preset.ts'
import type { Recipe } from '../../media/protocol.ts'
import { predictWork } from '../processing/processing.ts'
import { HttpError } from './http-error.ts'
import { type JobInput, type JobPlan, type JobSource, type JobTarget, MAX_OPERATIONS } from './job-plan.ts'
import { wholeIdentities } from '../../node/identity-list.ts'
import { checkLocalInputs } from './local-inputs.ts'
import type { PresetStore } from '../presets/presets.ts'
import type { Queue } from './queue.ts'
import { FLAT, type Subfolders, subfoldersOf } from './subfolders.ts'
import { prepareOutputFolder } from './work-folders.ts'
import { mountPointOf } from '../../node/mounted-disk.ts'

export type SubmissionOptions = {
  readonly queue: Queue
  readonly temporaryName: (folder: string) => Promise<string>
  /** Whether the client that sent the request is still connected. */
  readonly isClientThere: () => boolean
  readonly presets: Pick<PresetStore, 'find' | 'findAs'>
  readonly drive: Drive
  /** The absolute folder of uploads. */
  readonly uploadFolder: string
}

/** The input and the output of a request, each on this computer or in the drive. */
type SourceAndTarget = {
  readonly input: { readonly paths: readonly string[] } | { readonly drive: string }
  readonly output: { readonly folder: string } | { readonly drive: string }
}

/**
 * Validates a request and queues its job (section 4, `POST /jobs`). Cheap checks come first. A folder is created only for a job that would
 * otherwise be accepted. The contents of a drive folder are checked when the job runs.
 * @throws HttpError 400, 412 or 429
 */
export async function submitJob(request: SpoofJobRequest, options: SubmissionOptions): Promise<AcceptedJob> {
  const { queue, presets, drive, isClientThere } = options
  const preset = await choosePreset(request, presets)
  const batchCount = request.batchCount ?? DEFAULT_BATCH_COUNT
  const named = sourceAndTargetOf(request)
  const openFolder = await openDrive(named, drive)
  queue.requireSpace()

  const recipes = recipesOf(preset)
  const { source, skipped } = await sourceOf(named.input, openFolder, request, recipes)
  const totalOperations = source.kind === 'files' ? source.inputs.length * batchCount : null
  if ((totalOperations ?? batchCount) > MAX_OPERATIONS) {
    throw new HttpError(400, failure('jobTooLarge', { limit: MAX_OPERATIONS }), skipped)
  }
  if (source.kind === 'files') requireRecipes(source.inputs, recipes, preset, skipped)
  const target: JobTarget =
    'drive' in named.output
      ? { kind: 'drive', folder: openFolder(named.output.drive) }
      : await outputTarget(named.output.folder, options.temporaryName)

  // Rejects the request if the client is gone. A client that never receives the job's ID would consider the request lost and send
  // it again.
  if (!isClientThere()) throw new HttpError(400, failure('clientGone'))
  const plan: JobPlan = {
    type: totalOperations === 1 ? 'single' : 'batch',
    presetName: preset.name,
    recipes,
    ranges: preset.variations,
    rules: preset.results,
    subfolders: subfoldersFor(preset.results, source, target, options.uploadFolder),
    source,
    batchCount,
    target,
  }
  const { jobId, position } = queue.add(plan)
  return {
    jobId,
    status: 'queued',
    inputFiles: source.kind === 'files' ? source.inputs.length : null,
    batchCount,
    totalOperations,
    skipped: [...skipped],
    position,
    drive: usesDrive(named) ? { input: source.kind === 'drive', output: target.kind === 'drive' } : null,
  }
}

/**
 * Returns the subfolders of results if the preset preserves the folder structure. There are none for a drive target, or for inputs from a
 * drive, which come from a single folder.
 */
function subfoldersFor(
  { folders }: ResultRules,
  source: JobSource,
  target: JobTarget,
  uploadFolder: string,
): Subfolders {
  const isKept = folders === 'keep' && source.kind === 'files' && target.kind === 'folder'
  return isKept ? subfoldersOf(source.inputs, uploadFolder) : FLAT
}

const usesDrive = ({ input, output }: SourceAndTarget): boolean => 'drive' in input || 'drive' in output

type ChosenPreset = Pick<Preset, 'name' | 'image' | 'video' | 'results' | 'variations'>

async function choosePreset(
  { preset: name, presetKey }: SpoofJobRequest,
  presets: SubmissionOptions['presets'],
): Promise<ChosenPreset> {
  if (name === undefined) return basicDefaults()
  const preset = presetKey === undefined ? presets.find(name) : await presets.findAs(name, presetKey)
  if (preset !== undefined) return preset
  throw new HttpError(400, failure(presets.find(name) ? 'presetChanged' : 'presetUnknown', { preset: name }))
}

/**
 * Checks that a request has one kind of input and one output (section 2, input rules 1 and 2), and checks its folder IDs.
 * @throws HttpError 400
 */
function sourceAndTargetOf(request: SpoofJobRequest): SourceAndTarget {
  const paths = [...(request.filePath === undefined ? [] : [request.filePath]), ...(request.files ?? [])]
  const { driveInputFolder, outputFolder, driveOutputFolder } = request
  if (paths.length > 0 === (driveInputFolder !== undefined)) {
    throw new HttpError(400, failure('oneInput'))
  }
  if ((outputFolder !== undefined) === (driveOutputFolder !== undefined)) {
    throw new HttpError(400, failure('oneOutput'))
  }
  requireFolderId('driveInputFolder', driveInputFolder)
  requireFolderId('driveOutputFolder', driveOutputFolder)
  return {
    input: driveInputFolder === undefined ? { paths } : { drive: driveInputFolder },
    output: driveOutputFolder === undefined ? { folder: outputFolder ?? '' } : { drive: driveOutputFolder },
  }
}

function requireFolderId(field: string, id: string | undefined): void {
  const problem = id === undefined ? undefined : folderIdProblem(id)
  if (problem !== undefined)
    throw new HttpError(400, failure('folderIdInvalid', { field, reason: reason(problem) }))
}

/**
 * Checks that the drive can be used, if the request uses it (section 7, status 412).
 * @returns a function that opens the drive's folders
 */
async function openDrive(named: SourceAndTarget, drive: Drive): Promise<(id: string) => DriveFolder> {
  if (!usesDrive(named)) {
    return () => {
      throw new Error('A job without a drive has opened one')
    }
  }
  const readiness = await drive.readiness()
  if (!readiness.ready) throw new HttpError(412, readiness.notReady)
  return (id) => {
    const opening = readiness.open(id)
    if (!opening.ok) throw new HttpError(400, failure('cloudDrive', { reason: opening.problem }))
    return opening.folder
  }
}

async function sourceOf(
  input: SourceAndTarget['input'],
  openFolder: (id: string) => DriveFolder,
  { identities, originals = {} }: Pick<SpoofJobRequest, 'identities' | 'originals'>,
  recipes: ReadonlyMap<MediaKind, Recipe>,
): Promise<{ readonly source: JobSource; readonly skipped: readonly FileError[] }> {
  if ('drive' in input) return { source: { kind: 'drive', folder: openFolder(input.drive) }, skipped: [] }
  const checked = await checkLocalInputs(input.paths, identities && wholeIdentities(identities))
  const { skipped } = checked
  if (checked.inputs.length === 0) throw new HttpError(400, failure('nothingToProcess'), skipped)
  const inputs = checked.inputs.map(({ facts, ...input }) => {
    const recipe = recipes.get(input.kind)
    return {
      ...input,
      work: recipe === undefined ? 0 : predictWork(facts, recipe),
      ...(Object.hasOwn(originals, input.path) && { original: originals[input.path] }),
    }
  })
  return { source: { kind: 'files', inputs }, skipped }
}

function recipesOf(preset: ChosenPreset): ReadonlyMap<MediaKind, Recipe> {
  const recipes = new Map<MediaKind, Recipe>()
  if (preset.image) recipes.set('image', { kind: 'image', image: preset.image })
  if (preset.video) recipes.set('video', { kind: 'video', video: preset.video })
  return recipes
}

/**
 * Checks that the preset supports every kind of file among the inputs (section 2, input rule 4).
 * @throws HttpError 400
 */
function requireRecipes(
  inputs: readonly JobInput[],
  recipes: ReadonlyMap<MediaKind, Recipe>,
  preset: ChosenPreset,
  skipped: readonly FileError[],
): void {
  const missing = inputs.find((input) => !recipes.has(input.kind))
  if (missing) {
    const code = missing.kind === 'image' ? 'photoNotForPreset' : 'videoNotForPreset'
    throw new HttpError(400, failure(code, { preset: preset.name, path: missing.path }), skipped)
  }
}

async function outputTarget(
  given: string,
  temporaryName: SubmissionOptions['temporaryName'],
): Promise<JobTarget> {
  const path = await prepareOutputFolder(given, temporaryName)
  return { kind: 'folder', path, mount: await mountPointOf(path) }
}
