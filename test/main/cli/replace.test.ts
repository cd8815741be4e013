/** Replacing originals on the command line, with the built-in service: what the commands report, and that every original comes back. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import sharp from 'sharp'
import { beforeEach, expect, test } from 'vitest'
import { ownerInApp } from '../../../src/main/cli/index.ts'
import type { Core } from '../../../src/main/core/index.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { smallDisk } from '../../e2e/support/small-disk.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import { openTestApp } from '../core/open-core.ts'
import { jsonLines, keepOwner, run, runHere, temporaryFolder } from './command.ts'

const SAMPLE = resolve(import.meta.dirname, '../../../assets/samples/dawn-upright.jpg')
let folder = ''
beforeEach(async () => {
  folder = temporaryFolder()
  await mkdir(join(folder, 'photos'))
})

const photo = (name: string) => join(folder, 'photos', name)
const held = () => ({ env: { MEDIATRAY_DATA_DIR: join(folder, 'data') }, cwd: folder })

async function json(...argv: string[]) {
  const { code, stdout } = await runHere(['--json', ...argv], held())
  return { code, events: jsonLines(stdout).filter(({ event }) => event !== 'waiting') }
}

async function text(...argv: string[]) {
  const { code, stdout, stderr } = await runHere(argv, held())
  return { code, text: `${stdout}${stderr}` }
}

test('replaces originals, keeps one that is read-only, restores them one by one, and replaces them again', async () => {
  const original = await readFile(SAMPLE)
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) await copyFile(SAMPLE, photo(name))
  await chmod(photo('c.jpg'), 0o444)

  const submitted = await json('submit', 'photos', '--preset', 'Thumbnail', '--replace')
  expect(submitted.code).toBe(3)
  const done = submitted.events.find(({ event }) => event === 'originals')
  expect(done).toMatchObject({
    counts: { replaced: 2, kept: 1, restored: 0 },
    files: [
      { path: photo('a.jpg'), state: { kind: 'replaced', place: photo('a.jpg') } },
      { path: photo('b.jpg'), state: { kind: 'replaced' } },
      { path: photo('c.jpg'), state: { kind: 'kept', why: 'readOnly', result: photo('c (2).jpg') } },
    ],
  })
  expect((await readdir(join(folder, 'photos'))).filter((name) => !name.startsWith('.')).toSorted()).toEqual([
    'a.jpg',
    'b.jpg',
    'c (2).jpg',
    'c.jpg',
  ])
  const small = await readFile(photo('a.jpg'))
  expect(small.length).toBeLessThan(original.length)
  expect(await readFile(photo('c.jpg'))).toEqual(original)
  const id = String(done?.['id'])

  expect((await json('undo', id, 'photos/a.jpg')).events).toMatchObject([
    { event: 'restored', file: { kind: 'restored', place: photo('a.jpg') }, failure: null },
  ])
  expect(await readFile(photo('a.jpg'))).toEqual(original)
  expect((await readFile(photo('b.jpg'))).equals(original)).toBe(false)
  expect(await text('history')).toMatchObject({
    text: expect.stringContaining('1 replaced, 1 kept, 1 restored'),
  })
  expect(await text('vault')).toMatchObject({ code: 0, text: expect.stringContaining('30 days') })

  expect((await json('redo', id)).events).toMatchObject([
    { event: 'replacedAgain', file: { kind: 'restored', place: photo('a.jpg') } },
  ])
  expect(await readFile(photo('a.jpg'))).toEqual(small)

  await writeFile(photo('b.jpg'), 'edited')
  const undone = await json('undo', id)
  expect(undone.code).toBe(0)
  expect(undone.events).toMatchObject([
    { event: 'restored', file: { path: photo('a.jpg'), kind: 'restored' } },
    { event: 'restored', file: { path: photo('b.jpg'), kind: 'both' } },
  ])
  expect(await readFile(photo('b.jpg'), 'utf8')).toBe('edited')
  expect(await readFile(photo('b (original).jpg'))).toEqual(original)
})

itInLongSuite(
  'keeps a photo whose result lost something, and the result next to it, even if an earlier job replaced that photo',
  async () => {
    const page = await sharp(SAMPLE)
      .resize(400)
      .withExif({ IFD3: { GPSLatitudeRef: 'N' } })
      .toBuffer()
    const path = photo('scan.tif')
    await sharp([page, page], { join: { animated: true } })
      .keepMetadata()
      .tiff()
      .toFile(path)
    const before = await readFile(path)
    expect(
      (await json('submit', 'photos', '--preset', 'Remove location', '--replace')).events,
    ).toContainEqual(expect.objectContaining({ counts: { replaced: 1, kept: 0, restored: 0 } }))
    const replaced = await readFile(path)
    expect(replaced.equals(before)).toBe(false)

    const { events } = await json('submit', 'photos', '--preset', 'For the web', '--replace')
    const result = photo('scan.jpg')
    expect(events.find(({ event }) => event === 'originals')).toMatchObject({
      files: [{ path, state: { kind: 'kept', why: 'lost', result } }],
    })
    expect(events.find(({ event }) => event === 'finished')).toMatchObject({
      outcome: { kind: 'done', results: 1, lost: [{ codes: ['pages'], results: 1 }] },
      results: [{ outputPath: result, losses: [{ code: 'pages' }] }],
    })
    expect(await readFile(path)).toEqual(replaced)
    expect((await sharp(path).metadata()).pages).toBe(2)
    expect((await sharp(result).metadata()).format).toBe('jpeg')

    await text('undo', 'photos')
    expect(await readFile(path)).toEqual(before)
    expect((await sharp(result).metadata()).format).toBe('jpeg')
  },
)

itInLongSuite(
  'restores all originals in a folder, and only those in a folder of a job, even while the disk with the data is full',
  async () => {
    using disk = smallDisk(join(folder, 'data'), '16m')
    const original = await readFile(SAMPLE)
    await mkdir(join(folder, 'photos', 'sea'))
    for (const name of ['a.jpg', 'sea/b.jpg']) await copyFile(SAMPLE, photo(name))
    const submitted = await json('submit', 'photos', '--preset', 'Thumbnail', '--replace')
    expect(submitted.events.filter(({ event }) => event === 'originals')).toMatchObject([
      { counts: { replaced: 2, kept: 0, restored: 0 } },
    ])
    const id = String(submitted.events.find(({ event }) => event === 'originals')?.['id'])
    disk?.fill()
    expect((await json('history')).events).toMatchObject([{ event: 'record', record: { id } }, { shown: 1 }])
    expect((await json('vault')).events).toMatchObject([{ event: 'vault' }])

    expect((await json('undo', id, 'photos/sea')).events).toMatchObject([
      { event: 'restored', id, file: { path: photo('sea/b.jpg'), kind: 'restored' } },
    ])
    expect((await readFile(photo('a.jpg'))).equals(original)).toBe(false)
    expect((await json('undo', 'photos')).events).toMatchObject([
      { event: 'restored', file: { path: photo('a.jpg'), kind: 'restored' } },
    ])
    expect(await readFile(photo('a.jpg'))).toEqual(original)
    expect(await text('undo', 'photos')).toMatchObject({
      code: 0,
      text: expect.stringContaining('already restored'),
    })
    expect(await text('undo', 'data')).toMatchObject({
      code: 4,
      text: expect.stringContaining(`The vaults have no originals from ${join(folder, 'data')}.`),
    })
    expect((await json('redo', 'photos')).events).toHaveLength(2)
    // Two commands at once: each file is restored once, and both commands report it.
    const both = await Promise.all([json('undo', 'photos'), json('undo', id)])
    expect(both.map(({ code }) => code)).toEqual([0, 0])
    for (const name of ['a.jpg', 'sea/b.jpg']) expect(await readFile(photo(name))).toEqual(original)
    expect((await readdir(join(folder, 'photos'))).toSorted()).toEqual(['a.jpg', 'sea'])
    expect((await json('vault', 'empty', '--yes')).events).toMatchObject([{ event: 'vaultEmptied', left: 0 }])
  },
)

itInLongSuite(
  'replaces an original with a result without its location, even if that isn’t smaller',
  async () => {
    const xmp =
      '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
      '<rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="48,51.5N" exif:Flash="0"/></rdf:RDF></x:xmpmeta>'
    await sharp(SAMPLE).resize(100).withXmp(xmp).tiff({ compression: 'lzw' }).toFile(photo('a.tiff'))
    const original = await readFile(photo('a.tiff'))
    const { code, events } = await json('submit', 'photos', '--preset', 'Remove location', '--replace')
    expect([code, events.find(({ event }) => event === 'originals')]).toMatchObject([
      0,
      { files: [{ state: { kind: 'replaced' } }] },
    ])
    const cleaned = await readFile(photo('a.tiff'))
    expect(cleaned.length).toBeGreaterThanOrEqual(original.length)
    expect([original, cleaned].map((file) => file.includes('48,51.5N'))).toEqual([true, false])
  },
)

test('prints in Arabic what can be copied: the command that restores, and accepts an ID with marks of direction', async () => {
  await copyFile(SAMPLE, photo('a.jpg'))
  const original = await readFile(photo('a.jpg'))
  const inArabic = { ...held(), env: { ...held().env, LANG: 'ar_EG.UTF-8' } }
  const { stdout, stderr } = await runHere(
    ['submit', 'photos', '--preset', 'Thumbnail', '--replace'],
    inArabic,
  )
  const printed = `${stdout}${stderr}`
  expect(printed).not.toMatch(/[\p{Bidi_Control}\uFFFD]/u)
  const [, undo = '', id = ''] = /mediatray-cli (undo) (r_\w+)$/m.exec(printed) ?? []
  expect(original.equals(await readFile(photo('a.jpg')))).toBe(false)
  expect(await runHere([undo, id], inArabic)).toMatchObject({ code: 0 })
  expect(await readFile(photo('a.jpg'))).toEqual(original)
  expect(await runHere(['redo', `\u2068${id}\u2069`, '\u2068photos/a.jpg\u2069'], inArabic)).toMatchObject({
    code: 0,
  })
})

itInLongSuite(
  'says how to undo, and which originals an emptied vault or one that expired no longer restores',
  async () => {
    for (const name of ['a.jpg', 'b.jpg']) await copyFile(SAMPLE, photo(name))
    const submitted = await text('submit', 'photos', '--preset', 'Thumbnail', '--replace')
    expect(submitted).toMatchObject({ code: 0, text: expect.stringContaining('2 replaced') })
    const id = /mediatray-cli undo (\S+)/.exec(submitted.text)?.[1] ?? ''
    const { stdout } = await runHere(['vault'], held())
    const vault = /^ {2}(.+)$/m.exec(stdout)?.[1] ?? ''
    for (const name of await readdir(vault, { recursive: true }))
      if (name.endsWith('originals/b.jpg')) await rm(join(vault, name))
    const expired = '{"kind":"expired","at":1,"was":"replaced","place":null,"version":null}'
    inData(
      'state.db',
      `UPDATE replacements SET kind = 'expired', state = '${expired}' WHERE path LIKE '%b.jpg'`,
    )
    keepOwner(held())
    const undone = await text('undo', id)
    expect(undone.code).toBe(3)
    expect(undone.text).toMatch(/restored .*a\.jpg\n1 file can’t be restored: .* expired/)
    expect(await text('redo', id)).toMatchObject({ code: 0 })
    const inFolder = await text('undo', 'photos')
    expect([inFolder.code, inFolder.text]).toEqual([
      3,
      expect.stringMatching(/1 file can’t be restored: .* expired/),
    ])
    expect(await text('redo', 'photos')).toMatchObject({ code: 0 })
    expect(await text('vault', 'empty')).toMatchObject({ code: 4, text: expect.stringContaining('--yes') })
    expect((await json('vault', 'empty', '--yes')).events).toMatchObject([
      { event: 'vaultEmptied', files: 1 },
    ])
    expect(await text('undo', id)).toMatchObject({
      code: 4,
      text: '2 files can’t be restored: the originals have expired, or the vault was emptied.\n',
    })
    expect((await json('vault')).events).toMatchObject([{ event: 'vault', files: 0 }])
    expect(await text('undo', id, 'photos/other.jpg')).toMatchObject({
      code: 4,
      text: expect.stringContaining('isn’t one of this record’s originals'),
    })
  },
)

itInLongSuite('restores originals after the record of replaced originals was damaged', async () => {
  await copyFile(SAMPLE, photo('a.jpg'))
  const original = await readFile(photo('a.jpg'))
  const submitted = await text('submit', 'photos', '--preset', 'Thumbnail', '--replace')
  const id = /mediatray-cli undo (\S+)/.exec(submitted.text)?.[1] ?? ''
  await writeFile(join(folder, 'data', 'state.db'), 'garbage '.repeat(1_000))
  const { text: shown } = await text('vault')
  expect(shown).toContain('It’s being rebuilt.')
  expect(shown).toContain('1 file')
  expect(await text('undo', id)).toMatchObject({ code: 0 })
  expect(await readFile(photo('a.jpg'))).toEqual(original)
})

itInLongSuite('never deletes an original that a program changed in the vault', async () => {
  await copyFile(SAMPLE, photo('a.jpg'))
  await json('submit', 'photos', '--preset', 'Thumbnail', '--replace')
  const { stdout } = await runHere(['vault'], held())
  const vault = /^ {2}(.+)$/m.exec(stdout)?.[1] ?? ''
  const all = await readdir(vault, { withFileTypes: true, recursive: true })
  const original = all.find(({ parentPath }) => parentPath.endsWith('originals'))
  await writeFile(join(original?.parentPath ?? '', 'a.jpg'), 'saved once more')
  const emptied = await text('vault', 'empty', '--yes')
  expect(emptied.text).toContain(`${photo('a (original).jpg')} was not deleted`)
  expect(emptied.text).toContain('0 files deleted')
  expect(await readFile(photo('a (original).jpg'), 'utf8')).toBe('saved once more')
})

itInLongSuite('reports how many files couldn’t be deleted from the vault', async () => {
  await copyFile(SAMPLE, photo('a.jpg'))
  await copyFile(SAMPLE, photo('b.jpg'))
  await json('submit', 'photos', '--preset', 'Thumbnail', '--replace')
  const { stdout } = await runHere(['vault'], held())
  const vault = /^ {2}(.+)$/m.exec(stdout)?.[1] ?? ''
  const all = await readdir(vault, { withFileTypes: true, recursive: true })
  const original = join(all.find(({ name }) => name === 'a.jpg')?.parentPath ?? '', 'a.jpg')
  await rm(original)
  await mkdir(original)
  expect(await text('vault', 'empty', '--yes')).toMatchObject({
    code: 3,
    text: expect.stringMatching(/^1 file deleted, .* 1 file couldn’t be deleted: check/),
  })
})

itInLongSuite.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'where originals can’t be replaced, nothing starts, and the output names each such folder and the reason',
  async () => {
    await copyFile(SAMPLE, photo('a.jpg'))
    const disk = smallDisk(photo('card'), '1m')
    try {
      await copyFile(SAMPLE, photo('card/b.jpg'))
      disk?.makeReadOnly()
      expect(await text('submit', 'photos', '--preset', 'Thumbnail', '--replace')).toEqual({
        code: 4,
        text: expect.stringContaining(`${photo('card')} can’t be replaced: the disk is read-only.`),
      })
    } finally {
      disk?.[Symbol.dispose]()
    }
    expect((await readdir(folder)).filter((name) => !name.startsWith('.')).toSorted()).toEqual([
      'data',
      'photos',
    ])
    expect(await readFile(photo('a.jpg'))).toEqual(await readFile(SAMPLE))
  },
  60_000,
)

itInLongSuite.each([
  ['edited', (text: string) => text.replace('"width": 320', '"width": 16')],
  ['deleted', () => null],
])(
  'results are checked against the preset that their job used, even if it is %s meanwhile',
  async (_, change) => {
    const original = await readFile(SAMPLE)
    await copyFile(SAMPLE, photo('a.jpg'))
    await text('presets')
    const preset = join(folder, 'data', 'service', 'presets', 'thumbnail.json')
    let isChanged = false
    const { code, stdout, stderr } = await runHere(
      ['submit', 'photos', '--preset', 'Thumbnail', '--replace'],
      {
        ...held(),
        onWrite(written) {
          if (isChanged || !written.includes('accepted')) return
          isChanged = true
          const before = readFileSync(preset, 'utf8')
          const after = change(before)
          expect(after).not.toBe(before)
          if (after === null) rmSync(preset)
          else writeFileSync(preset, after)
        },
      },
    )
    expect({ code, text: `${stdout}${stderr}` }).toEqual({
      code: 0,
      text: expect.stringContaining('1 replaced'),
    })
    expect(isChanged).toBe(true)
    expect((await readFile(photo('a.jpg'))).length).toBeLessThan(original.length)
    const data = join(folder, 'data', 'service', 'presets', '.used')
    expect(await readdir(data)).toHaveLength(1)
  },
  60_000,
)

function inData(file: string, sql: string): void {
  const database = new DatabaseSync(join(folder, 'data', file))
  database.exec(sql)
  database.close()
}

/** Changes rows of originals. Their results would show in the vault that they were restored. */
async function forgetRestored(sql: string): Promise<void> {
  for (const path of await readdir(folder, { recursive: true }))
    if (basename(dirname(path)) === 'replaced') await rm(join(folder, path))
  inData('state.db', sql)
}

itInLongSuite(
  'undo names the job whose other originals are still to be replaced, such as after a full disk',
  async () => {
    for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) await copyFile(SAMPLE, photo(name))
    const submitted = await json('submit', 'photos', '--preset', 'Thumbnail', '--replace')
    const id = asRecordId(String(submitted.events.find(({ event }) => event === 'originals')?.['id']))
    const { core, ...parts } = openTestApp(join(folder, 'data'))
    const record = core.history.details(id)
    const replacing: Core['replacing'] = {
      ...core.replacing,
      pending: () => (record === undefined ? [] : [record]),
      of: () => ['b.jpg', 'c.jpg'].map((name) => ({ path: photo(name), state: { kind: 'waiting' } })),
    }
    const owner = ownerInApp({ ...core, replacing }, parts)
    const undone = async (...of: string[]) => {
      const { stdout, stderr } = await runHere(['undo', ...of], { ...held(), owner })
      return `${stdout}${stderr}`
    }
    const expected = `2 originals of ${id} are still waiting to be replaced. The app or “outbox send” replaces them.`
    expect(await undone('photos')).toContain(expected)
    expect(await undone('photos/b.jpg')).toContain(
      expected
        .replace('2 originals', '1 original')
        .replace(' are ', ' is ')
        .replace('replaces them', 'replaces it'),
    )
    expect(await undone(id)).toContain(expected)
    expect(await undone('photos/a.jpg')).not.toContain('to be replaced.')
    await owner.close()
    await core.close()
  },
)

itInLongSuite(
  'cancel ends at once what a killed owner left, with the ID of the record or of the job, and reports it again',
  async () => {
    for (const name of ['a.jpg', 'b.jpg']) await copyFile(SAMPLE, photo(name))
    const submitted = await json('submit', 'photos', '--preset', 'Thumbnail', '--replace')
    const { id, jobId } = Object(submitted.events.find(({ event }) => event === 'accepted'))
    await json('undo', id)
    const waits = `UPDATE replacements SET kind = 'waiting', state = '{"kind":"waiting"}', isTold = 0`
    // The job has ended, but not all originals were replaced.
    await json('redo', id, 'photos/a.jpg')
    await forgetRestored(`${waits} WHERE path LIKE '%b.jpg'`)
    inData('history.db', 'UPDATE records SET replaced = NULL')
    expect(await text('cancel', id)).toEqual({
      code: 0,
      text: expect.stringMatching(/canceled\. .*\n.*Canceled after 1 of 2\. .* 1 replaced, 1 kept\./),
    })
    expect((await text('history')).text).toContain('Canceled after 1 of 2')
    expect((await text('undo', id)).text).not.toContain('to be replaced.')
    expect((await text('cancel', jobId)).text).toContain('has already ended: Canceled after 1 of 2.')
    // The job hadn't ended.
    const isRunning =
      'UPDATE records SET replaced = NULL, outcome = NULL, endedAt = NULL, wholeOutcome = NULL'
    await forgetRestored(waits)
    inData('history.db', isRunning)
    expect(await text('cancel', id)).toEqual({
      code: 0,
      text: expect.stringContaining('was removed from the outbox'),
    })
    expect((await text('history')).text).toMatch(/Canceled after 0 of 2: .*, 2 kept/)
    expect(await text('cancel', 'nothing')).toEqual({
      code: 4,
      text: expect.stringContaining('no job or record'),
    })
  },
)

itInLongSuite('undo RECORD FILE follows links to folders', async () => {
  await copyFile(SAMPLE, photo('a.jpg'))
  const submitted = await json('submit', 'photos', '--preset', 'Thumbnail', '--replace')
  const id = String(submitted.events.find(({ event }) => event === 'originals')?.['id'])
  await symlink(join(folder, 'photos'), join(folder, 'link'))
  expect(await text('undo', id, 'link/a.jpg')).toEqual({ code: 0, text: expect.stringContaining('restored') })
  expect(await text('redo', id, 'link')).toEqual({
    code: 0,
    text: expect.stringMatching(/replaced .*a\.jpg again/),
  })
})

itInLongSuite(
  'retry processes the files that are at their paths now, also if their folder moved and left a link',
  async () => {
    await copyFile(SAMPLE, photo('a.jpg'))
    await writeFile(photo('b.jpg'), (await readFile(SAMPLE)).subarray(0, 2_000))
    const submitted = await json('submit', 'photos', '--preset', 'Thumbnail', '--replace')
    const done = submitted.events.find(({ event }) => event === 'originals')
    expect(done).toMatchObject({ counts: { replaced: 1, kept: 1 } })
    const moved = join(folder, 'moved')
    await rename(join(folder, 'photos'), moved)
    await symlink(moved, join(folder, 'photos'))
    await copyFile(SAMPLE, photo('new.jpg'))
    await rename(photo('new.jpg'), photo('b.jpg'))

    const again = await json('retry', String(done?.['id']))
    expect(again.events.find(({ event }) => event === 'originals')).toMatchObject({
      counts: { replaced: 1, kept: 0 },
      files: [{ state: { kind: 'replaced' } }],
    })
    expect(again.code).toBe(0)
    expect((await text('undo', 'photos')).code).toBe(0)
    for (const name of ['a.jpg', 'b.jpg'])
      expect(await readFile(join(moved, name))).toEqual(await readFile(SAMPLE))
  },
)

test.each(['undo', 'redo'])('%s with an unknown id points to the history', async (command) => {
  const { code, stderr } = await run([command, 'nothing'])
  expect({ code, stderr }).toEqual({
    code: 4,
    stderr: 'There is no record “nothing”. “history” lists the records.\n',
  })
})

test.each(
  firstOf(
    [
      [['--output', 'x'], 2, 'cannot be used with'],
      [['--drive-output', 'x'], 2, 'cannot be used with'],
      [['--count', '2'], 4, 'can’t be replaced by several variations'],
    ],
    2,
  ),
)(
  '--replace with %j explains why originals can’t be replaced',
  async (flags, code, words) => {
    await copyFile(SAMPLE, photo('a.jpg'))
    const ran = await text('submit', 'photos', '--replace', ...flags)
    expect(ran).toEqual({ code, text: expect.stringContaining(words) })
    expect(await readFile(photo('a.jpg'))).toEqual(await readFile(SAMPLE))
  },
  60_000,
)

/** A photo that isn't like the others. @param hue 0 to 360 */
const makePhoto = (path: string, hue: number) =>
  sharp(SAMPLE).modulate({ hue }).jpeg({ quality: 95 }).toFile(path)

const replacedPlaces = (events: readonly Record<string, unknown>[]) =>
  events.flatMap(({ event, files }) =>
    event === 'originals'
      ? (files as readonly { state: { kind: string; place?: string } }[]).flatMap(({ state }) =>
          state.kind === 'replaced' ? [state.place] : [],
        )
      : [],
  )

itInLongSuite(
  'a new photo is processed even if it has the name of a result that was moved away, also after an undo',
  async () => {
    for (const [index, name] of ['a.jpg', 'b.jpg', 'c.jpg'].entries())
      await makePhoto(photo(name), 40 * index)
    await chmod(photo('c.jpg'), 0o444)
    const job = ['submit', 'photos', '--preset', 'Thumbnail', '--replace']
    await json(...job)
    for (const [index, name] of ['a.jpg', 'c (2).jpg'].entries()) {
      await rename(photo(name), join(folder, name))
      await makePhoto(photo(name), 180 + 40 * index)
    }
    expect((await json('undo', 'photos/b.jpg')).code).toBe(0)
    expect(replacedPlaces((await json(...job, '--skip-done')).events)).toEqual(
      ['a.jpg', 'b.jpg', 'c (2).jpg'].map(photo),
    )
  },
)

itInLongSuite(
  'photos are processed even if their folder has the path at which results were, because a link was changed',
  async () => {
    const [october, november, link] = ['october', 'november', 'current'].map((name) => join(folder, name))
    for (const [index, month] of [october, november].entries()) {
      await mkdir(month ?? '')
      await makePhoto(join(month ?? '', 'a.jpg'), 90 * index)
    }
    await symlink(october ?? '', link ?? '')
    const job = ['submit', 'current', '--preset', 'Thumbnail', '--replace', '--skip-done']
    await json(...job)
    await json('undo', 'current')
    await rm(link ?? '')
    await symlink(november ?? '', link ?? '')
    expect((await json('redo', 'october')).code).toBe(0)
    expect(replacedPlaces((await json(...job)).events)).toEqual([join(link ?? '', 'a.jpg')])
  },
)

itInLongSuite('retry leaves out originals that the user has restored, and names them', async () => {
  await makePhoto(photo('a.jpg'), 0)
  // Its result isn't smaller, so it is kept.
  await sharp(SAMPLE).resize(8, 8).jpeg({ quality: 1 }).toFile(photo('b.jpg'))
  const done = (await json('submit', 'photos', '--preset', 'Thumbnail', '--replace')).events
  const id = String(done.find(({ event }) => event === 'originals')?.['id'])
  await json('undo', id)
  // A canceled job has replaced only some of its originals.
  const history = new DatabaseSync(join(folder, 'data', 'history.db'))
  history.prepare(`UPDATE records SET outcome = '{"kind":"cancelled","results":1}'`).run()
  history.close()
  const restored = await readFile(photo('a.jpg'))
  const { events } = await json('retry', id)
  expect(events).toContainEqual(
    expect.objectContaining({
      event: 'notTaken',
      item: expect.objectContaining({ path: photo('a.jpg'), reason: 'restored' }),
    }),
  )
  expect(await readFile(photo('a.jpg'))).toEqual(restored)
  expect(events.find(({ event }) => event === 'originals')?.['files']).toMatchObject([
    { path: photo('b.jpg') },
  ])
})
