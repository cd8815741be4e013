/** Aliases on real files. The other volume is the system's memory file system, if there is one. */
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { WAYS, type Ways } from '../../../src/main/aliases/create-alias.ts'
import { openAliases, type Aliases } from '../../../src/main/aliases/index.ts'
import { openIdentified } from '../../../src/node/file-identity.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import type { MediaItem } from '../../../src/shared/model/media-item.ts'
import { asOrdinaryUser } from '../../as-ordinary-user.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const SHM = '/dev/shm'
const ID = asRecordId('r1')
const JPEG = Buffer.from('\xff\xd8\xff\xe0 a photo', 'latin1')
const GIF = Buffer.from('GIF89a a drawing', 'latin1')
const fails = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }))

let root = ''
let data = ''
let open = new Set([ID])

beforeEach(() => {
  root = temporaryFolder()
  data = join(root, 'data', 'staged')
  open = new Set([ID])
})

const openHere = (ways: Partial<Ways> = {}): Aliases =>
  openAliases({
    folder: data,
    isOpen: (id) => open.has(id),
    log: () => undefined,
    beforeLinkChange: () => Promise.resolve(),
    ways: { ...WAYS, ...ways },
  })

async function photo(name: string, content = JPEG, folder = join(root, 'photos')): Promise<MediaItem> {
  const path = join(folder, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
  const format = content === GIF ? 'gif' : 'jpg'
  return { path, name: basename(name), kind: 'image', size: content.length, format }
}

/** As the user adds it. */
async function accepted(item: MediaItem): Promise<MediaItem> {
  await using file = await openIdentified(item.path)
  return { ...item, identity: file.identity }
}

const create = (aliases: Aliases, items: readonly MediaItem[], isBuiltIn = false) =>
  aliases.create(ID, items, { isBuiltIn, signal: new AbortController().signal })

const codesOf = (named: Awaited<ReturnType<typeof create>>) =>
  named.unsent.map(({ failure }) => failure?.code)

const left = async (): Promise<string[]> => (existsSync(data) ? await readdir(data, { recursive: true }) : [])

function otherFolder(mode: number): string {
  const folder = mkdtempSync(join(SHM, 'mediatray-volume-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  // `chmod` ignores the umask.
  void chmod(folder, mode)
  return folder
}

describe('an alias', () => {
  it('is a hard link under an accepted name, in a folder that only the user can enter', async () => {
    const item = await photo('holiday.jpe')
    const { files, names } = await create(openHere(), [item])
    const alias = files[0]?.as ?? ''
    expect(basename(alias)).toBe('holiday.jpg')
    expect(names).toEqual([{ path: item.path, as: alias }])
    expect((await stat(alias)).ino).toBe((await stat(item.path)).ino)
    if (process.platform !== 'win32') expect((await stat(dirname(alias))).mode & 0o777).toBe(0o700)
  })

  it('isn’t created for a file whose name fits, or for a missing one that the service reports', async () => {
    const { format: _format, ...plain } = await photo('plain.jpg')
    const missing = { ...plain, path: join(root, 'gone.jpg'), name: 'gone.jpg' }
    const { files, unsent } = await create(openHere(), [plain, missing])
    expect(files.map(({ as }) => as)).toEqual([plain.path, missing.path])
    expect(unsent).toEqual([])
    expect(existsSync(data)).toBe(false)
  })

  it('keeps its name if another file in the job gets the same one', async () => {
    const items = [
      await photo('a.jpe'),
      await photo('a.jfif'),
      await photo('other/a.dat'),
      await photo('A.hif'),
    ]
    const { files } = await create(openHere(), items)
    expect(new Set(files.map(({ as }) => as)).size).toBe(4)
    expect(files.map(({ as }) => basename(as))).toEqual(['a.jpg', 'a.jpg', 'a.jpg', 'A.jpg'])
    for (const [n, { as }] of files.entries()) {
      expect((await stat(as)).ino).toBe((await stat(items[n]?.path ?? '')).ino)
    }
  })

  it('has a shorter name if the accepted extension makes it too long, and stays apart from similar ones', async () => {
    const stem = 'ä'.repeat(125)
    const items = [await photo(`${stem}.jpe`), await photo(`${stem}abcd`), await photo(`${stem}abba`)]
    const { files, unsent } = await create(openHere(), items)
    expect(unsent).toEqual([])
    expect(files.map(({ as }) => basename(as))).toEqual([`${stem}.jpg`, `${stem}a.jpg`, `${stem}a.jpg`])
    expect(new Set(files.map(({ as }) => as)).size).toBe(3)
  })

  it('is a copy with the original’s date if the file system has neither links nor reflinks', async () => {
    const item = await photo('a.jpe')
    await utimes(item.path, 1_000_000, 2_000_000)
    const { files } = await create(openHere({ hardLink: fails('EPERM'), reflink: fails('ENOTSUP') }), [item])
    const alias = files[0]?.as ?? ''
    expect(await readFile(alias)).toEqual(JPEG)
    const { mtimeMs, ino, mode } = await stat(alias)
    expect(mtimeMs).toBe(2_000_000_000)
    expect(ino).not.toBe((await stat(item.path)).ino)
    if (process.platform !== 'win32') expect(mode & 0o777).toBe((await stat(item.path)).mode & 0o666)
  })

  it('is used again by the next attempt, also after a restart', async () => {
    const item = await photo('a.jpe')
    const first = await create(openHere({ hardLink: fails('EPERM'), reflink: fails('ENOTSUP') }), [item])
    const again = await create(openHere(), [item])
    expect(again.files).toEqual(first.files)
    await writeFile(item.path, Buffer.concat([JPEG, JPEG]))
    const changed = await create(openHere(), [item])
    expect(changed.files).not.toEqual(first.files)
  })

  it('changes neither the dates nor the permissions of the original', async () => {
    const item = await photo('a.jpe')
    await chmod(item.path, 0o640)
    await utimes(item.path, 1_000_000, 2_000_000)
    const aliases = openHere()
    await create(aliases, [item])
    open.clear()
    await aliases.close()
    const { mode, mtimeMs } = await stat(item.path)
    expect(mtimeMs).toBe(2_000_000_000)
    if (process.platform !== 'win32') expect(mode & 0o777).toBe(0o640)
    expect(await readFile(item.path)).toEqual(JPEG)
  })
})

describe('a file that can’t get an alias', () => {
  it('is named with the reason when the disk is full, and the others are submitted', async () => {
    const items = [await photo('a.jpe'), await photo('b.jpe')]
    let copies = 0
    const copy: Ways['copy'] = (...how) => (++copies === 1 ? fails('ENOSPC')() : WAYS.copy(...how))
    const aliases = openHere({ hardLink: fails('EPERM'), reflink: fails('ENOTSUP'), copy })
    const { files, unsent } = await create(aliases, items)
    expect(files.map(({ item }) => item.name)).toEqual(['b.jpe'])
    expect(unsent).toMatchObject([
      { file: items[0]?.path, error: 'Couldn’t make a copy for the service: the disk is full.' },
    ])
  })

  it('is named if the format works only with the built-in service, which gets an alias', async () => {
    const item = await photo('a.gif', GIF)
    expect(await create(openHere(), [item])).toMatchObject({
      files: [],
      unsent: [{ file: item.path, error: 'GIF works only with the built-in service.' }],
    })
    const { files } = await create(openHere(), [item], true)
    expect(basename(files[0]?.as ?? '')).toBe('a.png')
  })

  it('is named if it is gone or changed into something else', async () => {
    const [gone, text] = [await photo('gone.jpe'), await photo('text.jpe')]
    await rm(gone.path)
    await writeFile(text.path, 'now a text')
    expect(codesOf(await create(openHere(), [gone, text]))).toEqual(['fileUnreadable', 'originalChanged'])
  })

  it('is refused if someone replaced it with a link after it was added', async () => {
    const secret = await photo('secret.jpg')
    const item = await accepted(await photo('shared/a.jpe'))
    await rm(item.path)
    await symlink(secret.path, item.path)
    expect(codesOf(await create(openHere(), [item]))).toEqual(['fileReplaced'])
    // A link that the user added is followed.
    const { files } = await create(openHere(), [await accepted(item)])
    expect((await lstat(files[0]?.as ?? '')).ino).toBe((await lstat(secret.path)).ino)
  })

  it('is refused if its folder now leads to another one', async () => {
    await photo('secret/a.jpe')
    const item = await accepted(await photo('shared/a.jpe'))
    await rename(dirname(item.path), join(root, 'away'))
    await symlink(join(root, 'photos/secret'), dirname(item.path))
    const { files, unsent } = await create(openHere(), [item])
    expect(files).toEqual([])
    expect(unsent).toMatchObject([{ file: item.path, failure: { code: 'fileReplaced' } }])
  })

  it('is refused if it is replaced between being checked and being linked', async () => {
    const secret = await photo('secret.jpg')
    const item = await photo('shared/a.jpe')
    const hardLink: Ways['hardLink'] = async (original, alias) => {
      await rename(secret.path, item.path)
      return WAYS.hardLink(original, alias)
    }
    const aliases = openHere({ hardLink })
    expect(codesOf(await create(aliases, [item]))).toEqual(['fileReplaced'])
    expect((await readdir(data, { recursive: true })).filter((name) => name.endsWith('.jpg'))).toEqual([])
  })

  it.skipIf(process.platform === 'win32')(
    'is named if it belongs to another user and can’t be read',
    async () => {
      const item = await photo('a.jpe')
      await chmod(item.path, 0o600)
      for (const folder of [root, dirname(item.path)]) await chmod(folder, 0o777)
      expect(codesOf(await asOrdinaryUser(() => create(openHere(), [item])))).toEqual(
        process.getuid?.() === 0 ? ['fileUnreadable'] : [],
      )
    },
  )
})

describe('aliases', () => {
  it('exist while their record is open, and are removed with their notes when it has ended', async () => {
    const aliases = openHere()
    const item = await photo('a.jpe')
    await create(aliases, [item, await photo('a.jfif')])
    aliases.sweepSoon()
    await aliases.close()
    expect((await left()).length).toBeGreaterThan(3)
    expect(openHere().namesOf(ID)).toHaveLength(2)
    open.clear()
    const later = openHere()
    await later.close()
    expect(await left()).toEqual([])
    expect(await readFile(item.path)).toEqual(JPEG)
  })

  it('are removed without following a link that someone put into their folder', async () => {
    const precious = await photo('precious/a.jpg')
    const { files } = await create(openHere(), [await photo('a.jpe')])
    await symlink(dirname(precious.path), join(dirname(files[0]?.as ?? ''), '2'))
    open.clear()
    await openHere().close()
    expect(await left()).toEqual([])
    expect(await readFile(precious.path)).toEqual(JPEG)
  })
})

const hasOtherVolume = existsSync(SHM) && statSync(SHM).dev !== statSync(tmpdir()).dev

describe.skipIf(!hasOtherVolume)('a file on another volume', () => {
  it('gets a hard link in a hidden folder of that volume, which disappears with the record', async () => {
    const item = await photo('a.jpe', JPEG, otherFolder(0o700))
    const aliases = openHere()
    const { files } = await create(aliases, [item])
    const alias = files[0]?.as ?? ''
    expect((await stat(alias)).ino).toBe((await stat(item.path)).ino)
    expect(dirname(alias)).toMatch(/\/\.mediatray-staging-[0-9a-f]{32}$/)
    open.clear()
    await aliases.close()
    expect(existsSync(dirname(alias))).toBe(false)
    expect(existsSync(item.path)).toBe(true)
  })

  it('is copied to the app’s folder if the volume has no folder that other users can’t change', async () => {
    const isSticky = (statSync(SHM).mode & 0o1000) !== 0
    const folder = otherFolder(0o777)
    const item = await photo('a.jpe', JPEG, folder)
    await chmod(folder, 0o777)
    const aliases = openHere()
    const { files } = await create(aliases, [item])
    const alias = files[0]?.as ?? ''
    expect(await readFile(alias)).toEqual(JPEG)
    // The volume's root is shared, but has the sticky bit.
    expect(dirname(dirname(alias))).toBe(isSticky ? SHM : data)
    open.clear()
    await aliases.close()
    expect(existsSync(dirname(alias))).toBe(false)
  })
})
