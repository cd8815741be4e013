import { fileError } from '../../../src/shared/api/reported.ts'
import { failure, reason } from '../../../src/shared/failure/failure.ts'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Drive, DriveFolder } from '../../../src/service/drive/index.ts'
import { Preset } from '../../../src/shared/preset/preset.ts'
import { type JobPlan, submitJob } from '../../../src/service/queue/index.ts'
import type { SpoofJobRequest } from '../../../src/shared/api/resources.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { unconfiguredDrive } from '../drive/unconfigured-drive.ts'
import { queueBelow } from './queue-below.ts'
import { scriptedProcessing } from './scripted-processing.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d', 'hex')
const MP4 = Buffer.from('\0\0\0\x20ftypisom', 'latin1')

let folder: string
let photo: string
let video: string
let accepted: JobPlan[]
let drive: Drive
let full: boolean
let isClientThere: boolean

beforeEach(async () => {
  folder = temporaryFolder()
  photo = join(folder, 'a.png')
  video = join(folder, 'b.mp4')
  await writeFile(photo, PNG)
  await writeFile(video, MP4)
  accepted = []
  drive = unconfiguredDrive
  full = false
  isClientThere = true
})

const presets = {
  find: (name: string) => {
    if (name === 'Photos') return Preset.parse({ name, image: { quality: 7 } })
    return name === 'Folders' ? Preset.parse({ name, image: {}, results: { folders: 'keep' } }) : undefined
  },
  findAs: async (name: string, key: string) => (key === 'current' ? presets.find(name) : undefined),
}

async function submit(request: SpoofJobRequest) {
  const noting = {
    ...queueBelow(folder, { processing: scriptedProcessing(1), now: () => 0, newId: () => 'job' }),
    requireSpace: () => {
      if (full) throw new Error('full')
    },
    add(plan: JobPlan) {
      accepted.push(plan)
      return { jobId: 'job', position: 3 }
    },
  }
  return submitJob(request, {
    queue: noting,
    presets,
    drive,
    temporaryName: () => Promise.resolve('.a-hidden-name'),
    isClientThere: () => isClientThere,
    uploadFolder: join(folder, 'uploads'),
  })
}

async function expectRefusal(
  request: SpoofJobRequest,
  status: number,
  message: string,
  skipped?: readonly unknown[],
): Promise<void> {
  const refusal = { status, message: expect.stringContaining(message), ...(skipped && { skipped }) }
  await expect(submit(request)).rejects.toEqual(expect.objectContaining(refusal))
}

const openFolder = (id: string) =>
  id === 'gone'
    ? ({ ok: false, problem: reason('idIsLink') } as const)
    : ({ ok: true, folder: { id } as DriveFolder } as const)

/** A drive that has every folder but one. */
function connectedDrive(): Drive {
  const status = { clientConfigured: true, connected: true, email: null, scope: null }
  return {
    readiness: () => Promise.resolve({ status, ready: true, open: openFolder }),
    close: () => Promise.resolve(),
  }
}

const MISSING = failure('fileUnreadable', { reason: reason('missing') })

describe('a submission of local files', () => {
  it('is accepted with its usable files, and reports the others', async () => {
    const outputFolder = join(folder, 'out')
    const gone = join(folder, 'gone.png')
    expect(await submit({ filePath: photo, files: [video, gone], batchCount: 2, outputFolder })).toEqual({
      jobId: 'job',
      status: 'queued',
      inputFiles: 2,
      batchCount: 2,
      totalOperations: 4,
      skipped: [fileError(gone, MISSING)],
      position: 3,
      drive: null,
    })
    const target = { kind: 'folder', path: outputFolder }
    expect(accepted[0]).toMatchObject({ type: 'batch', batchCount: 2, source: { kind: 'files' }, target })
    expect([...(accepted[0]?.recipes.keys() ?? [])]).toEqual(['image', 'video'])
    const { source } = accepted[0] ?? {}
    const inputs = source?.kind === 'files' ? source.inputs : []
    expect(inputs.flatMap(({ path, kind }) => [path, kind])).toEqual([photo, 'image', video, 'video'])
    expect(inputs.filter(({ work }) => work <= 0)).toEqual([])
  })

  it('is a single job if it creates one file, and a batch if it creates two', async () => {
    const outputFolder = folder
    await submit({ filePath: photo, outputFolder })
    await submit({ files: [photo], batchCount: 2, outputFolder })
    await submit({ files: [photo, video], outputFolder })
    const types = accepted.map(({ type, batchCount }) => `${type} of ${batchCount}`)
    expect(types).toEqual(['single of 1', 'batch of 2', 'batch of 1'])
  })

  it('with a preset uses its recipe, and is refused for files of a kind that the preset doesn’t cover', async () => {
    const outputFolder = join(folder, 'out')
    await expectRefusal(
      { preset: 'Missing', filePath: photo, outputFolder },
      400,
      'There is no preset named “Missing”',
    )
    await expectRefusal(
      { preset: 'Photos', files: [photo, video, '/x.png'], outputFolder },
      400,
      `The preset “Photos” isn’t for videos: ${video}`,
      [fileError('/x.png', MISSING)],
    )
    expect(await readdir(folder)).not.toContain('out')
    await submit({ preset: 'Photos', filePath: photo, outputFolder })
    expect(accepted[0]).toMatchObject({ presetName: 'Photos' })
    expect(accepted[0]?.recipes.get('image')).toMatchObject({ image: { quality: 7 } })
    expect(accepted[0]?.recipes.has('video')).toBe(false)
  })

  it('is refused if none of its files is usable', async () => {
    await expectRefusal(
      { filePath: '/gone.png', outputFolder: folder },
      400,
      'None of the files can be processed.',
      [fileError('/gone.png', MISSING)],
    )
  })

  it('is refused while the queue is full, without checking any file or creating a folder', async () => {
    full = true
    const outputFolder = join(folder, 'out')
    await expect(submit({ filePath: '/gone.png', outputFolder })).rejects.toThrow('full')
    expect(await readdir(folder)).toEqual(['a.png', 'b.mp4'])
  })
})

describe('the locations of a submission', () => {
  it.each([
    ['no input', {}],
    ['two kinds of input', { filePath: '/a.png', driveInputFolder: 'album' }],
    ['an empty list and a folder of the drive with a file', { files: ['/a.png'], driveInputFolder: 'album' }],
    ['an empty list alone', { files: [] }],
  ])('may not be %s', async (_name, input) => {
    await expectRefusal({ ...input, outputFolder: folder }, 400, 'Give exactly one kind of input')
  })

  it.each([{}, { outputFolder: '/out', driveOutputFolder: 'outbox' }])(
    'may not be the outputs %j',
    async (output) => {
      await expectRefusal({ filePath: photo, ...output }, 400, 'Give exactly one output')
    },
  )

  it('in a drive need valid IDs, then a connected drive, then usable folders', async () => {
    const output = { outputFolder: folder }
    await expectRefusal({ driveInputFolder: 'a/../..', ...output }, 400, 'driveInputFolder: ')
    await expectRefusal({ filePath: photo, driveOutputFolder: '' }, 400, 'driveOutputFolder: ')
    await expectRefusal({ driveInputFolder: 'album', ...output }, 412, 'No cloud drive is configured')
    await expectRefusal({ filePath: photo, driveOutputFolder: 'outbox' }, 412, 'No cloud drive is configured')
    drive = connectedDrive()
    await expectRefusal({ driveInputFolder: 'gone', ...output }, 400, 'This is a link')
    await expectRefusal({ filePath: photo, driveOutputFolder: 'gone' }, 400, 'This is a link')
    expect(accepted).toEqual([])
  })
})

const subfolders = () => accepted[0]?.subfolders
const photoIn = async (...names: string[]) => {
  const path = join(folder, ...names)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, PNG)
  return path
}

describe('the folders of the inputs', () => {
  it('are kept below their common ancestor if the preset requires that', async () => {
    const files = [
      await photoIn('trip', 'a.png'),
      await photoIn('trip', 'day 1', 'a.png'),
      await photoIn('trip', 'day 1', 'night', 'b.png'),
      await photoIn('uploads', 'some-id', 'pasted.png'),
    ]
    await submit({ files, outputFolder: join(folder, 'out'), preset: 'Folders' })
    const places = files.map((file) => subfolders()?.get(file)?.join('/'))
    expect(places).toEqual(['', 'day 1', 'day 1/night', undefined])
  })

  it('are those of the files that aliases stand for', async () => {
    const [alias, other] = [await photoIn('aliases', 'a.png'), await photoIn('trip', 'b.png')]
    const original = join(folder, 'trip', 'day 1', 'a.gif')
    const originals = { [alias]: original }
    await submit({ files: [alias, other], originals, outputFolder: join(folder, 'out'), preset: 'Folders' })
    expect(subfolders()?.get(alias)).toEqual(['day 1'])
    expect(accepted[0]?.source).toMatchObject({ inputs: [{ original }, { path: other }] })
  })

  it('are ignored by other presets and for a drive', async () => {
    const files = [await photoIn('trip', 'a.png'), await photoIn('trip', 'day 1', 'a.png')]
    await submit({ files, outputFolder: join(folder, 'out'), preset: 'Photos' })
    drive = connectedDrive()
    await submit({ files, driveOutputFolder: 'outbox', preset: 'Folders' })
    expect(accepted.map((plan) => plan.subfolders.size)).toEqual([0, 0])
  })
})

it.each([
  [1, 100_001],
  [2, 50_001],
  [2, Number.MAX_SAFE_INTEGER],
])(
  'a submission of %s files is refused if %s variations of each could never be processed',
  async (files, batchCount) => {
    const request = { files: [photo, video].slice(0, files), batchCount, outputFolder: join(folder, 'out') }
    await expectRefusal(request, 400, 'at most 100,000 files', [])
    expect(accepted).toEqual([])
    await submit({ ...request, batchCount: 100_000 / files })
    expect(accepted).toHaveLength(1)
  },
)

it('a submission of a Drive folder is refused if not even one file could be processed', async () => {
  drive = connectedDrive()
  const request = { driveInputFolder: 'album', outputFolder: join(folder, 'out'), batchCount: 100_001 }
  await expectRefusal(request, 400, 'batchCount is too large')
})

it('a preset whose key differs from the client’s is refused', async () => {
  const request = { filePath: photo, outputFolder: join(folder, 'out'), preset: 'Photos' }
  await submit({ ...request, presetKey: 'current' })
  await expect(submit({ ...request, presetKey: 'old' })).rejects.toMatchObject({
    failure: failure('presetChanged', { preset: 'Photos' }),
  })
  expect(accepted).toHaveLength(1)
})
