import { chmod, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createUnusableEntries } from '../../../src/main/watch/unusable-entries.ts'
import { asOrdinaryUser } from '../../as-ordinary-user.ts'
import { openScanned, until } from './watched.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

/** `ä.jpg` in Latin-1. */
const LATIN = Buffer.from('\xe4.jpg', 'latin1')
const inside = (root: string, name: Buffer): Buffer => Buffer.concat([Buffer.from(`${root}/`), name])

test.runIf(process.platform === 'linux')(
  'subfolders that can’t be read and names that aren’t UTF-8 are found, but no ignored or other files',
  async () => {
    const root = temporaryFolder()
    await chmod(root, 0o755)
    await writeFile(inside(root, LATIN), 'x')
    await writeFile(inside(root, Buffer.from('\xe4.txt', 'latin1')), 'x')
    await writeFile(inside(root, Buffer.from('.\xe4.jpg', 'latin1')), 'x')
    await writeFile(join(root, 'ü.jpg'), 'x')
    await mkdir(join(root, 'sub', 'locked'), { recursive: true })
    await chmod(join(root, 'sub', 'locked'), 0)
    let changes = 0
    const entries = createUnusableEntries({
      folder: () => ({ recursive: true }),
      onChange: () => (changes += 1),
    })
    await asOrdinaryUser(() => entries.search(root))
    expect([entries.paths(), changes]).toEqual([[join(root, '\\xe4.jpg'), join(root, 'sub', 'locked')], 1])
    await chmod(join(root, 'sub', 'locked'), 0o755)
    expect(await asOrdinaryUser(() => entries.recheck(root))).toBe(true)
    expect(entries.paths()).toEqual([join(root, '\\xe4.jpg')])
  },
)

test.runIf(process.platform === 'linux')(
  'a watched folder reports a new file whose name isn’t UTF-8, until it is renamed',
  async () => {
    const watched = await openScanned()
    const { watch, inbox, troubles } = watched
    await writeFile(inside(inbox, LATIN), 'x')
    await until('it is reported', () => watch.list()[0]?.unprocessed.count === 1)
    expect(watch.list()[0]).toMatchObject({
      trouble: 'unreadable',
      unprocessed: { paths: [join(inbox, '\\xe4.jpg')] },
    })
    expect(troubles).toMatchObject([{ kind: 'unreadable' }])
    await rename(inside(inbox, LATIN), join(inbox, 'a.jpg'))
    await until(
      'nothing is left',
      () => watch.list()[0]?.trouble === null && watched.submitted().length === 1,
    )
  },
)
