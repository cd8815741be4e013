import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createDraftFacts } from '../../../src/main/drafts/draft-facts.ts'
import { unwritableFolders } from '../../../src/main/drafts/original-folders.ts'
import type { DraftFacts } from '../../../src/shared/model/draft.ts'
import { asOrdinaryUser } from '../../as-ordinary-user.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { draftOfFiles, mediaItem } from '../outbox/drafts.ts'

describe('folders of originals', () => {
  it('can be written unless something is in the way of the subfolder, and nothing is left behind', async () => {
    const [free, taken] = ['free', 'taken'].map((name) => join(temporaryFolder(), name))
    if (free === undefined || taken === undefined) throw new Error('no folders')
    for (const folder of [free, taken]) mkdirSync(folder)
    writeFileSync(join(taken, 'web'), 'a file')
    const items = [mediaItem(join(free, 'a.jpg')), mediaItem(join(taken, 'b.jpg'))]
    expect(await unwritableFolders(items, null)).toEqual(new Set())
    expect(await unwritableFolders(items, 'web')).toEqual(new Set([taken]))
    expect([readdirSync(free), readdirSync(taken)]).toEqual([[], ['web']])
  })

  it('can’t be written if they don’t exist', async () => {
    const gone = join(temporaryFolder(), 'gone')
    expect(await unwritableFolders([mediaItem(join(gone, 'a.jpg'))], 'web')).toEqual(new Set([gone]))
  })

  it.skipIf(process.platform === 'win32')('can’t be written without permission', async () => {
    const folder = temporaryFolder()
    chmodSync(folder, 0o555)
    try {
      const found = await asOrdinaryUser(() => unwritableFolders([mediaItem(join(folder, 'a.jpg'))], null))
      expect(found).toEqual(new Set([folder]))
    } finally {
      chmodSync(folder, 0o700)
    }
  })
})

function facts() {
  const seen: DraftFacts[] = []
  const due: (() => void)[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const found = createDraftFacts({
    timing: { after: (_ms, run) => (due.push(run), () => void due.splice(due.indexOf(run), 1)) },
    onFacts(read) {
      seen.push(read)
      resolve()
    },
    log: () => undefined,
  })
  return { seen, due, found, read: promise }
}

describe('facts about a draft’s folders', () => {
  it('name the folders that can’t be written, once the draft stops changing', async () => {
    const root = temporaryFolder()
    for (const name of ['1', '2']) mkdirSync(join(root, name))
    writeFileSync(join(root, '2', 'web'), '')
    const paths = ['1/a.jpg', '2/b.jpg', '2/c.jpg'].map((name) => join(root, name))
    const { seen, due, found, read } = facts()
    found.draftChanged(draftOfFiles(paths, { output: { kind: 'beside', subfolder: 'w' } }))
    found.draftChanged(draftOfFiles(paths, { output: { kind: 'beside', subfolder: 'web' } }))
    expect(due).toHaveLength(1)
    due[0]?.()
    await read
    expect(seen).toEqual([{ unwritable: [join(root, '2')] }])
    found.draftChanged(draftOfFiles(paths))
    expect(seen.at(-1)).toEqual({ unwritable: [] })
  })
})
