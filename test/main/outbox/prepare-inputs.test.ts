import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createUploads,
  prepareInputs,
  type PreparationDeps,
} from '../../../src/main/outbox/prepare-inputs.ts'
import { MAX_UPLOAD_BYTES } from '../../../src/shared/api/limits.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { httpServer, json, type Scripted } from '../service-api/scripted-server.ts'
import { planOfFiles } from './drafts.ts'

let folder = ''
let server: Scripted
let shares: { sent: number; total: number }[] = []
/** Sizes of files that are too large for a test, or that are not there. */
let sizes: Record<string, number | null> = {}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mediatray-prepare-'))
  shares = []
  sizes = {}
  let uploads = 0
  server = await httpServer((request, response) => {
    uploads += 1
    const filePath = `/up/${uploads}.jpg`
    request.resume().on('end', () => json(response, 200, { filePath, originalName: 'x.jpg', size: 4 }))
  })
})
afterEach(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

const file = (name: string): string => {
  const path = join(folder, name)
  writeFileSync(path, 'four')
  return path
}

const deps = (seesFiles: boolean): PreparationDeps => ({
  api: server.api,
  seesFiles,
  sizeOf: async (path) => (path in sizes ? (sizes[path] ?? null) : 4),
  onUpload: (share) => shares.push(share),
  uploads: new Map(),
  signal: new AbortController().signal,
})
const refusedFor = (why: string) => ({ kind: 'refused', refusal: { why, message: '', skipped: [] } })

describe('what was uploaded for one that could not be sent', () => {
  const id = asRecordId('r1')
  const uploaded = { filePath: '/up/1.jpg', size: 4 }

  it('is there for the next attempt at the same service, which relies on it', () => {
    const uploads = createUploads()
    uploads.of(id, 'one').set('/in/a.jpg', uploaded)
    expect([...uploads.of(id, 'one')]).toEqual([['/in/a.jpg', uploaded]])
    expect(uploads.forget(id)).toBe(true)
    expect(uploads.of(id, 'one').size).toBe(0)
  })

  it('is not relied on by the first attempt, nor by one at another service', () => {
    const uploads = createUploads()
    uploads.of(id, 'one').set('/in/a.jpg', uploaded)
    expect(uploads.forget(id)).toBe(false)
    uploads.of(id, 'one').set('/in/a.jpg', uploaded)
    expect(uploads.of(id, 'two').size).toBe(0)
    expect(uploads.forget(id)).toBe(false)
    expect(uploads.forget(id)).toBe(false)
  })
})

describe('inputs for a service that sees this computer’s files', () => {
  it('are named as they are, also where one of several is missing', async () => {
    sizes = { '/in/b.jpg': null }
    const paths = ['/in/a.jpg', '/in/b.jpg']
    expect(await prepareInputs(planOfFiles(paths), deps(true))).toEqual({
      kind: 'ready',
      paths,
      uploaded: null,
    })
    expect(server.seen.requests).toEqual([])
  })

  it('are refused where none is there any more', async () => {
    sizes = { '/in/a.jpg': null }
    expect(await prepareInputs(planOfFiles(['/in/a.jpg']), deps(true))).toEqual(refusedFor('inputsGone'))
  })
})

describe('inputs for a service that does not see them', () => {
  it('are uploaded one after the other, and how far that is is said for all together', async () => {
    const plan = planOfFiles([file('a.jpg'), file('b.jpg')])
    const uploaded = ['/up/1.jpg', '/up/2.jpg']
    expect(await prepareInputs(plan, deps(false))).toEqual({ kind: 'ready', paths: uploaded, uploaded })
    expect(new Set(shares.map(({ total }) => total))).toEqual(new Set([8]))
    expect(shares[0]?.sent).toBe(0)
    expect(shares.at(-1)?.sent).toBe(8)
    expect(shares.map(({ sent }) => sent)).toEqual(shares.map(({ sent }) => sent).toSorted((a, b) => a - b))
  })

  it('are refused before anything is sent where one is missing, or larger than can be uploaded', async () => {
    const paths = [file('a.jpg'), '/in/b.jpg']
    sizes = { '/in/b.jpg': null }
    expect(await prepareInputs(planOfFiles(paths), deps(false))).toEqual(refusedFor('inputsGone'))
    sizes = { '/in/b.jpg': MAX_UPLOAD_BYTES + 1 }
    expect(await prepareInputs(planOfFiles(paths), deps(false))).toEqual(refusedFor('tooLarge'))
    expect(server.seen.requests).toEqual([])
  })

  it('may have just the size that can be uploaded', async () => {
    const path = file('a.jpg')
    sizes = { [path]: MAX_UPLOAD_BYTES }
    expect(await prepareInputs(planOfFiles([path]), deps(false))).toMatchObject({ kind: 'ready' })
  })
})

it('a folder of the drive needs no preparation', async () => {
  const plan = { ...planOfFiles([]), driveInput: 'folder-1' }
  expect(await prepareInputs(plan, deps(false))).toEqual({ kind: 'ready', paths: [], uploaded: null })
})
