import { failure } from '../../../src/shared/failure/failure.ts'
import { because } from '../../../src/shared/service-error.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createUploads,
  prepareInputs,
  type PreparationDeps,
} from '../../../src/main/outbox/prepare-inputs.ts'
import { MAX_UPLOAD_BYTES } from '../../../src/shared/api/limits.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { httpServer, json, type Scripted } from '../service-api/scripted-server.ts'
import { aliasesIn } from '../aliases/test-aliases.ts'
import { planOfFiles } from './drafts.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let folder = ''
let server: Scripted
let shares: { sent: number; total: number }[] = []
/** Simulated sizes of files that are too large for a test, or null for missing files. */
let sizes: Record<string, number | null> = {}

beforeEach(async () => {
  folder = temporaryFolder()
  shares = []
  sizes = {}
  let uploads = 0
  server = await httpServer((request, response) => {
    uploads += 1
    const filePath = `/up/${uploads}.jpg`
    request.resume().on('end', () => json(response, 200, { filePath, originalName: 'x.jpg', size: 4 }))
  })
})

const ID = asRecordId('r1')
const file = (name: string): string => {
  const path = join(folder, name)
  writeFileSync(path, 'four')
  return path
}

const deps = (seesFiles: boolean): PreparationDeps => ({
  api: server.api,
  aliases: aliasesIn(folder),
  isBuiltIn: false,
  seesFiles,
  sizeOf: async (path) => (path in sizes ? (sizes[path] ?? null) : 4),
  onUpload: (share) => shares.push(share),
  uploads: new Map(),
  signal: new AbortController().signal,
})
const refusedFor = (why: 'inputsGone' | 'tooLarge') => ({
  kind: 'refused',
  refusal: {
    why,
    skipped: [],
    ...because(failure(why === 'inputsGone' ? 'originalsGone' : 'originalsTooLarge')),
  },
})

describe('uploads of a submission that could not be sent', () => {
  const id = asRecordId('r1')
  const uploaded = { filePath: '/up/1.jpg', size: 4 }

  it('are reused by the next attempt with the same service', () => {
    const uploads = createUploads()
    uploads.of(id, 'one').set('/in/a.jpg', uploaded)
    expect([...uploads.of(id, 'one')]).toEqual([['/in/a.jpg', uploaded]])
    expect(uploads.forget(id)).toBe(true)
    expect(uploads.of(id, 'one').size).toBe(0)
  })

  it('are not reused by a first attempt, or with another service', () => {
    const uploads = createUploads()
    uploads.of(id, 'one').set('/in/a.jpg', uploaded)
    expect(uploads.forget(id)).toBe(false)
    uploads.of(id, 'one').set('/in/a.jpg', uploaded)
    expect(uploads.of(id, 'two').size).toBe(0)
    expect(uploads.forget(id)).toBe(false)
    expect(uploads.forget(id)).toBe(false)
  })
})

const output = () => ({ kind: 'folder', path: join(folder, 'out') }) as const

describe('inputs whose output folder is on another disk', () => {
  it('are refused once that disk is removed, and not uploaded', async () => {
    const plan = { ...planOfFiles([file('a.jpg')], { output: output() }), mount: folder }
    expect(await prepareInputs(ID, plan, deps(false))).toEqual({
      kind: 'refused',
      refusal: { why: 'invalid', skipped: [], ...because(failure('diskRemoved', { folder: output().path })) },
    })
    expect(server.seen.requests).toEqual([])
  })

  it('are sent while that disk is mounted', async () => {
    const plan = { ...planOfFiles([file('a.jpg')], { output: output() }), mount: '/proc' }
    expect(await prepareInputs(ID, plan, deps(true))).toMatchObject({ kind: 'ready' })
  })
})

describe('inputs for a service that can read this computer’s files', () => {
  it('are sent by path, even if one of several is missing', async () => {
    sizes = { '/in/b.jpg': null }
    const paths = ['/in/a.jpg', '/in/b.jpg']
    expect(await prepareInputs(ID, planOfFiles(paths), deps(true))).toEqual({
      kind: 'ready',
      paths,
      identities: paths.map(() => ''),
      uploaded: null,
      names: [],
      unsent: [],
    })
    expect(server.seen.requests).toEqual([])
  })
})

describe('inputs for a service that can’t read them', () => {
  it('are uploaded one after the other, with progress for all of them', async () => {
    const plan = planOfFiles([file('a.jpg'), file('b.jpg')])
    const uploaded = ['/up/1.jpg', '/up/2.jpg']
    expect(await prepareInputs(ID, plan, deps(false))).toEqual({
      kind: 'ready',
      paths: uploaded,
      identities: [],
      uploaded,
      names: [],
      unsent: [],
    })
    expect(new Set(shares.map(({ total }) => total))).toEqual(new Set([8]))
    expect(shares[0]?.sent).toBe(0)
    expect(shares.at(-1)?.sent).toBe(8)
    expect(shares.map(({ sent }) => sent)).toEqual(shares.map(({ sent }) => sent).toSorted((a, b) => a - b))
  })

  it('are refused before anything is sent if one is missing, or too large to upload', async () => {
    const paths = [file('a.jpg'), '/in/b.jpg']
    sizes = { '/in/b.jpg': null }
    expect(await prepareInputs(ID, planOfFiles(paths), deps(false))).toEqual(refusedFor('inputsGone'))
    sizes = { '/in/b.jpg': MAX_UPLOAD_BYTES + 1 }
    expect(await prepareInputs(ID, planOfFiles(paths), deps(false))).toEqual(refusedFor('tooLarge'))
    expect(server.seen.requests).toEqual([])
  })

  it('may be exactly as large as the upload limit', async () => {
    const path = file('a.jpg')
    sizes = { [path]: MAX_UPLOAD_BYTES }
    expect(await prepareInputs(ID, planOfFiles([path]), deps(false))).toMatchObject({ kind: 'ready' })
  })
})

it('a Drive folder needs no preparation', async () => {
  const plan = { ...planOfFiles([]), driveInput: 'folder-1' }
  expect(await prepareInputs(ID, plan, deps(false))).toEqual({
    kind: 'ready',
    paths: [],
    identities: [],
    uploaded: null,
    names: [],
    unsent: [],
  })
})
