/** Contents and names of folders in a drive. */
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isInProgress } from '../../../src/shared/api/job-status.ts'
import { startService } from '../../conformance/running-service.ts'
import { imageBytes } from '../../conformance/sample-files.ts'
import { describeInLongSuite, firstOf, isLongSuite, itInLongSuite } from '../../faults/long-suite.ts'
import { type DriveService, startDriveService } from './drive-service.ts'

const ODD_NAMES = [
  '-dash.png',
  '--drive-root-folder-id=x.png',
  ' leading space.png',
  `it's "quoted".png`,
  '$(touch x) `y` ; & | > .png',
  '*?[a-z]{x,y}.png',
  'Grüße 🌸 日本語.png',
  'percent %2F %s.png',
  'colon: and, comma.png',
  'UPPER.PNG',
]

let drive: DriveService
let out: string
beforeAll(async () => {
  drive = await startDriveService('disk')
  out = join(drive.service.folder, 'out')
  await drive.connected(true)
})
afterAll(() => drive.stop())

const ended = (jobId: string) => drive.until(jobId, ({ status }) => !isInProgress(status))

const isPhoto = (name: string) => /\.(png|jpeg)$/.test(name)

const EACH = isLongSuite ? 50 : 5

describe(`a folder of ${4 * EACH} mixed files`, () => {
  it('has every photo processed in name order and every other file reported', async () => {
    const png = await imageBytes('png', { width: 8, height: 8 })
    const jpeg = await imageBytes('jpeg', { width: 8, height: 8 })
    const files: Record<string, Uint8Array> = {}
    for (let number = 0; number < EACH; number++) {
      files[`photo ${number}.png`] = png
      files[`Foto ${number}.jpeg`] = jpeg
      files[`note ${number}.txt`] = Buffer.from('text')
      files[`raw ${number}.dng`] = Buffer.from('raw')
    }
    const driveInputFolder = await drive.folder('mixed', files)
    const { jobId } = await drive.service.accept({
      driveInputFolder,
      outputFolder: out,
      preset: 'Thumbnail',
    })
    const job = await ended(jobId)
    const names = Object.keys(files).toSorted()
    expect(job.results?.map(({ file }) => file)).toEqual(names.filter(isPhoto))
    expect(job.errors?.map(({ file }) => file)).toEqual(names.filter((name) => !isPhoto(name)))
    await expect.poll(() => drive.leftovers()).toEqual([])
  })
})

describe('names', () => {
  itInLongSuite(
    'of files may contain any character that the drive allows, for both inputs and results',
    async () => {
      const driveInputFolder = await drive.folder('odd', ODD_NAMES)
      const driveOutputFolder = await drive.folder('odd out')
      const { jobId } = await drive.service.accept({
        driveInputFolder,
        driveOutputFolder,
        preset: 'Grayscale',
      })
      const job = await drive.delivered(jobId)
      expect(job.errors).toEqual([])
      expect(job.results?.map(({ file }) => file)).toEqual(ODD_NAMES.toSorted())
      expect(job.drive?.uploadResult).toEqual({ uploaded: ODD_NAMES.length, errors: [] })
      expect(await drive.names(driveOutputFolder)).toHaveLength(ODD_NAMES.length)
    },
  )

  const options = [
    '-folder',
    '--max-depth=0',
    `fol'der "x"`,
    'Grüße 🌸',
    'a/b c',
    '$(x)',
    '/slash first',
    'colon:x',
  ]
  it.each(firstOf(options))('of folders never become options, addresses or commands: %s', async (name) => {
    await drive.folder(name, ['a.png'])
    const { jobId } = await drive.service.accept({ driveInputFolder: name, outputFolder: out })
    const job = await ended(jobId)
    expect(job).toMatchObject({ status: 'completed', errors: [], results: [{ file: 'a.png' }] })
  })

  it.each(firstOf(['/etc', ':local:/etc', 'disk:/etc', 'disk,type=local:/'], 2))(
    'of folders never lead out of the remote: %s doesn’t exist',
    async (driveInputFolder) => {
      const { jobId } = await drive.service.accept({ driveInputFolder, outputFolder: out })
      expect(await ended(jobId)).toMatchObject({
        status: 'failed',
        error: expect.stringContaining('there is no folder'),
      })
    },
  )
})

describeInLongSuite('a restart', () => {
  it('keeps the chosen drive, and removes a killed service’s transfers', async () => {
    const left = join('drive-work', '4194304999-left')
    const restarted = await startService([], async (dataDir) => {
      await mkdir(join(dataDir, left, 'out'), { recursive: true })
      await writeFile(join(dataDir, left, 'out', 'half.png'), 'x')
      await writeFile(join(dataDir, 'drive.json'), JSON.stringify({ remote: 'disk' }))
    })
    try {
      await expect(stat(join(restarted.folder, 'data', left))).rejects.toThrow('ENOENT')
      const driveInputFolder = await drive.folder('after the restart', ['a.png'])
      while ((await restarted.submit({ driveInputFolder, outputFolder: out })).status === 412) await sleep(50)
      const [job] = (await restarted.list()).jobs
      expect((await restarted.finished(job?.jobId ?? '')).results).toHaveLength(1)
    } finally {
      await restarted.stop()
    }
  })
})
