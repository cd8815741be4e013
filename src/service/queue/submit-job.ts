import { DEFAULT_BATCH_COUNT } from '../../shared/api/limits.ts'
import type { AcceptedJob, FileError, SpoofJobRequest } from '../../shared/api/resources.ts'
import type { MediaKind } from '../../shared/media-types.ts'
import { FOLDER_ID_PROBLEMS, folderIdProblem } from '../../shared/drive-folder.ts'
import type { Drive, DriveFolder } from '../drive/index.ts'
import { basicDefaults, type Preset, type ResultRules } from '../../shared/preset/preset.ts'
import type { Recipe } from '../../media/protocol.ts'
import { HttpError } from './http-error.ts'
import { MAX_OPERATIONS, TOO_MANY_OPERATIONS } from './job-plan.ts'
import type { JobInput, JobPlan, JobSource, JobTarget } from './job-plan.ts'
import { checkLocalInputs } from './local-inputs.ts'
import type { Queue } from './queue.ts'
import { FLAT, type Subfolders, subfoldersOf } from './subfolders.ts'
import { prepareOutputFolder } from './work-folders.ts'

export type SubmissionOptions = {
  readonly queue: Queue
  readonly temporaryName: (folder: string) => Promise<string>
  /** Whether whoever sent the request still waits for its answer. */
  readonly isClientThere: () => boolean
  readonly presets: { find(name: string): Preset | undefined }
  readonly drive: Drive
  /** Where uploads lie; absolute. */
  readonly uploadFolder: string
}

/** What a request names: local files and folders, or folders of the drive. */
type SourceAndTarget = {
  readonly input: { readonly paths: readonly string[] } | { readonly drive: string }
  readonly output: { readonly folder: string } | { readonly drive: string }
}

/**
 * Section 4, `POST /jobs`: checks a request and puts it into the queue. The cheap checks come first; a folder is
 * created only for a job that would otherwise be accepted. What lies in a drive is looked at when the job runs.
 * @throws HttpError 400, 412 or 429
 */
export async function submitJob(request: SpoofJobRequest, options: SubmissionOptions): Promise<AcceptedJob> {
  const { queue, presets, drive, isClientThere } = options
  const preset = choosePreset(request.preset, presets)
  const batchCount = request.batchCount ?? DEFAULT_BATCH_COUNT
  const named = sourceAndTargetOf(request)
  const openFolder = await openDrive(named, drive)
  queue.requireSpace()

  const { source, skipped } = await sourceOf(named.input, openFolder)
  const totalOperations = source.kind === 'files' ? source.inputs.length * batchCount : null
  if ((totalOperations ?? batchCount) > MAX_OPERATIONS) {
    throw new HttpError(400, `batchCount is too large: ${TOO_MANY_OPERATIONS}`, skipped)
  }
  const recipes = recipesOf(preset)
  if (source.kind === 'files') requireRecipes(source.inputs, recipes, preset, skipped)
  const target: JobTarget =
    'drive' in named.output
      ? { kind: 'drive', folder: openFolder(named.output.drive) }
      : { kind: 'folder', path: await prepareOutputFolder(named.output.folder, options.temporaryName) }

  // A client that never reads the job's id has to take the request for lost, and sends it again.
  if (!isClientThere()) throw new HttpError(400, 'The client has gone before the job was created')
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

/** A drive has no folders for what goes there, and what comes from one lies in a single folder. */
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

function choosePreset(name: string | undefined, presets: SubmissionOptions['presets']): ChosenPreset {
  if (name === undefined) return basicDefaults()
  const preset = presets.find(name)
  if (!preset) throw new HttpError(400, `There is no preset named "${name}"`)
  return preset
}

/** Section 2, input rules 1 and 2. */
function sourceAndTargetOf(request: SpoofJobRequest): SourceAndTarget {
  const paths = [...(request.filePath === undefined ? [] : [request.filePath]), ...(request.files ?? [])]
  const { driveInputFolder, outputFolder, driveOutputFolder } = request
  if (paths.length > 0 === (driveInputFolder !== undefined)) {
    throw new HttpError(400, 'Give exactly one kind of input: filePath and/or files, or driveInputFolder')
  }
  if ((outputFolder !== undefined) === (driveOutputFolder !== undefined)) {
    throw new HttpError(400, 'Give exactly one output: outputFolder or driveOutputFolder')
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
  if (problem !== undefined) throw new HttpError(400, `${field}: ${FOLDER_ID_PROBLEMS[problem]}`)
}

/** Section 7, status 412. @returns what opens the folders of the drive */
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
    if (!opening.ok) throw new HttpError(400, opening.problem)
    return opening.folder
  }
}

async function sourceOf(
  input: SourceAndTarget['input'],
  openFolder: (id: string) => DriveFolder,
): Promise<{ readonly source: JobSource; readonly skipped: readonly FileError[] }> {
  if ('drive' in input) return { source: { kind: 'drive', folder: openFolder(input.drive) }, skipped: [] }
  const { inputs, skipped } = await checkLocalInputs(input.paths)
  if (inputs.length === 0) throw new HttpError(400, 'None of the files can be processed', skipped)
  return { source: { kind: 'files', inputs }, skipped }
}

function recipesOf(preset: ChosenPreset): ReadonlyMap<MediaKind, Recipe> {
  const recipes = new Map<MediaKind, Recipe>()
  if (preset.image) recipes.set('image', { kind: 'image', image: preset.image })
  if (preset.video) recipes.set('video', { kind: 'video', video: preset.video })
  return recipes
}

/** Section 2, input rule 4: a preset must know every kind of file among the inputs. */
function requireRecipes(
  inputs: readonly JobInput[],
  recipes: ReadonlyMap<MediaKind, Recipe>,
  preset: ChosenPreset,
  skipped: readonly FileError[],
): void {
  const missing = inputs.find((input) => !recipes.has(input.kind))
  if (missing) {
    throw new HttpError(
      400,
      `The preset "${preset.name}" is not for ${missing.kind} files: ${missing.path}`,
      skipped,
    )
  }
}
