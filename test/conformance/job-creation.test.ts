import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_JSON_BYTES } from '../../src/shared/api/limits.ts'
import { errorOf, type RunningService, startService } from './running-service.ts'
import { brokenVideoBytes, imageBytes, writeImage } from './sample-files.ts'

let service: RunningService
let photo: string
let other: string
let video: string
let out: string
beforeAll(async () => {
  service = await startService()
  out = join(service.folder, 'out')
  photo = await writeImage(join(service.folder, 'in', 'photo.jpg'))
  other = await writeImage(join(service.folder, 'in', 'other.png'))
  video = join(service.folder, 'in', 'video.mp4')
  await writeFile(video, brokenVideoBytes())
})
afterAll(() => service.stop())

const bodyOfSize = (size: number) => {
  const frame = JSON.stringify({ filePath: photo, outputFolder: out, pad: '' })
  return frame.replace('"pad":""', `"pad":"${'x'.repeat(size - frame.length)}"`)
}
const refusal = async (body: object) => errorOf(await service.submit(body))

describe('section 2: input rules', () => {
  it('processes a path only once if it is given twice', async () => {
    const again = join(service.folder, 'in', '..', 'in', 'photo.jpg').replace('/in/', '/in/./')
    const accepted = await service.accept({ filePath: photo, files: [photo, again], outputFolder: out })
    expect(accepted.inputFiles).toBe(1)
  })

  it('ignores unknown extra fields', async () => {
    const body = `{"filePath":${JSON.stringify(photo)},"outputFolder":${JSON.stringify(out)},"colour":1,"__proto__":{"preset":"x"}}`
    expect((await service.post(body, 'application/json; charset=utf-8')).status).toBe(202)
  })

  it('applies a preset by media type: one for videos alone is refused for images', async () => {
    const refused = await refusal({ filePath: photo, outputFolder: out, preset: 'Audio off' })
    expect(refused).toMatchObject({ status: 400 })
  })

  it.each(['', 'web 720P'])('requires the exact preset name: "%s" gives 400', async (preset) => {
    expect(await refusal({ filePath: photo, outputFolder: out, preset })).toMatchObject({ status: 400 })
  })
})

describe('section 2: AcceptedJob', () => {
  it('lists rejected local inputs in skipped, each with its reason, and processes the rest', async () => {
    const folder = join(service.folder, 'skipped')
    await mkdir(join(folder, 'folder.jpg'), { recursive: true })
    await writeFile(join(folder, 'text.jpg'), 'Just some text, long enough to be looked at.')
    await writeFile(join(folder, 'empty.jpg'), '')
    await writeFile(join(folder, 'photo.mp4'), await imageBytes('jpeg'))
    await writeFile(join(folder, 'video.png'), brokenVideoBytes())
    await symlink(join(folder, 'nowhere'), join(folder, 'dangling.jpg'))
    await writeFile(join(folder, 'notes.txt'), 'x')
    const bad = [
      'relative.jpg',
      join(folder, 'missing.jpg'),
      ...(await readdir(folder)).map((name) => join(folder, name)),
      `${photo}/below.jpg`,
      `${folder}/a\0b.jpg`,
      `/${'long'.repeat(2_000)}.jpg`,
    ]
    const accepted = await service.accept({ filePath: photo, files: bad, outputFolder: out })
    expect(accepted.skipped.map(({ file }) => file)).toEqual(bad)
    expect(accepted.skipped.every(({ error }) => error.length > 10)).toBe(true)
    expect(await service.finished(accepted.jobId)).toMatchObject({ status: 'completed', type: 'single' })
  })

  it('accepts an image with the extension of another image type', async () => {
    const path = join(service.folder, 'in', 'really-a-jpeg.png')
    await writeFile(path, await imageBytes('jpeg'))
    const { jobId } = await service.accept({ filePath: path, outputFolder: out })
    expect(await service.finished(jobId)).toMatchObject({ status: 'completed' })
  })
})

describe('section 2: outputFolder', () => {
  it.each([
    ['an empty path', () => ''],
    ['a path with a zero byte', () => '/tmp/a\0b'],
    ['a file', () => photo],
    ['a folder below a file', () => join(photo, 'out')],
    ['a location that is not writable', () => '/proc/mediatray'],
    ['a name that is too long', () => `/tmp/${'x'.repeat(300)}`],
  ])('gives 400 for %s', async (_what, outputFolder) => {
    const refused = await refusal({ filePath: photo, outputFolder: outputFolder() })
    expect(refused).toMatchObject({ status: 400 })
  })
})

describe('sections 4 and 7: refusals of POST /jobs', () => {
  it.each([null, 1e300, Number.MAX_SAFE_INTEGER])(
    'gives 400 unless batchCount is an integer of at least 1: %s',
    async (batchCount) => {
      const refused = await refusal({ files: [photo, other], outputFolder: out, batchCount })
      expect(refused).toMatchObject({ status: 400 })
    },
  )

  it.each(['null', '"text"', '{"files":"x"}', '\ufeff', '{}{}'])(
    'an invalid body gives 400: %s',
    async (body) => {
      expect(await errorOf(await service.post(body))).toMatchObject({ status: 400 })
    },
  )

  it.each(['text/plain', 'application/octet-stream', 'multipart/form-data; boundary=x', 'nonsense'])(
    'a body that is not application/json gives 400: %s',
    async (type) => {
      const body = JSON.stringify({ filePath: photo, outputFolder: out })
      expect(await errorOf(await service.post(body, type))).toMatchObject({ status: 400 })
    },
  )
})

describe('section 8: 64 KiB of JSON', () => {
  it('accepts 65536 bytes', async () => {
    expect((await service.post(bodyOfSize(MAX_JSON_BYTES))).status).toBe(202)
  })

  it('refuses one byte more, whether or not the length was announced', async () => {
    const announced = await service.post(bodyOfSize(MAX_JSON_BYTES + 1))
    expect(await errorOf(announced)).toMatchObject({ status: 400, error: 'The body is larger than 64 KiB.' })
    const streamed = await service.post(new Blob([bodyOfSize(MAX_JSON_BYTES + 1)]).stream())
    expect(await errorOf(streamed)).toMatchObject({ status: 400, error: 'The body is larger than 64 KiB.' })
  })
})
