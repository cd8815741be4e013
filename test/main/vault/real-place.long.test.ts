/** Originals whose folder was named through the user's own link, which leads elsewhere later. */
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { acceptFile } from '../../../src/node/file-identity.ts'
import { isGood, openTestVault } from '../../faults/vault/test-vault.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const ORIGINAL = 'the original '.repeat(20)
const RESULT = 'the result'
const OTHER = 'another photo with the same name'

function createWorld() {
  const root = temporaryFolder()
  const [home, link, first, second] = ['home', 'current', '2025', '2026'].map((name) => join(root, name)) as [
    string,
    string,
    string,
    string,
  ]
  for (const folder of [home, first, second]) mkdirSync(folder)
  symlinkSync(first, link)
  writeFileSync(join(first, 'a.jpg'), ORIGINAL)
  writeFileSync(join(second, 'a.jpg'), OTHER)
  const vault = openTestVault({
    file: join(home, 'data', 'state.db'),
    home,
    clock: () => Date.UTC(2026, 10, 25),
  })
  onTestFinished(() => vault.close())
  const path = join(link, 'a.jpg')
  async function finish(output: string): Promise<string> {
    writeFileSync(join(output, 'a.jpg'), RESULT)
    await vault.replaceAll(output, new Map([[path, join(output, 'a.jpg')]]), isGood)
    return output
  }
  return {
    vault,
    root,
    link,
    first,
    second,
    path,
    finish,
    replace: async () => finish(await vault.prepare([path])),
    relink(to: string): void {
      rmSync(link)
      symlinkSync(to, link)
    },
  }
}

const contentsIn = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))

describe('an original in a folder that the user named through their own link', () => {
  it('is restored to its folder after the link was changed to another one', async () => {
    const world = createWorld()
    const output = await world.replace()
    world.relink(world.second)
    const place = join(world.first, 'a.jpg')
    await expect(world.vault.undo(output)).resolves.toEqual([{ path: world.path, kind: 'restored', place }])
    expect(contentsIn(world.first)).toEqual({ 'a.jpg': ORIGINAL })
    expect(contentsIn(world.second)).toEqual({ 'a.jpg': OTHER })
    await expect(world.vault.redo(output)).resolves.toMatchObject([{ kind: 'restored' }])
    expect(contentsIn(world.first)).toEqual({ 'a.jpg': RESULT })
  })

  it('is restored to its folder after the link was removed', async () => {
    const world = createWorld()
    const output = await world.replace()
    rmSync(world.link)
    await world.vault.undo(output)
    expect(contentsIn(world.first)).toEqual({ 'a.jpg': ORIGINAL })
    expect(readdirSync(world.root)).not.toContain('current')
  })

  it('is shown by the path that the user named while that leads to it', async () => {
    const world = createWorld()
    const output = await world.replace()
    const { path } = world
    expect(world.vault.of(output)).toMatchObject([{ path, state: { kind: 'replaced', place: path } }])
    await expect(world.vault.undo(output)).resolves.toEqual([{ path, kind: 'restored', place: path }])
    expect(world.vault.of(output)).toMatchObject([{ path, state: { kind: 'restored', place: path } }])
  })

  it('is restored to a folder that was renamed together with the link', async () => {
    const world = createWorld()
    const output = await world.replace()
    const renamed = join(world.root, 'the year 2025')
    renameSync(world.first, renamed)
    world.relink(renamed)
    await world.vault.undo(output)
    expect(contentsIn(renamed)).toEqual({ 'a.jpg': ORIGINAL })
    expect(readdirSync(world.root)).not.toContain('2025')
  })

  it('isn’t found by the name of the folder that the link leads to later', async () => {
    const world = createWorld()
    const output = await world.replace()
    world.relink(world.second)
    await expect(world.vault.inFolder(world.second, 'replaced')).resolves.toEqual([])
    const found = [{ output, paths: [world.path] }]
    await expect(world.vault.inFolder(world.first, 'replaced')).resolves.toEqual(found)
    await expect(world.vault.inFolder(world.link, 'replaced')).resolves.toEqual(found)
  })

  it('is the one that was accepted, even if the link was changed before the job was prepared', async () => {
    const world = createWorld()
    await using accepted = await acceptFile(world.path)
    world.relink(world.second)
    const output = await world.vault.prepare([world.path], new Map([[world.path, accepted.identity]]))
    await world.finish(output)
    expect(contentsIn(world.first)).toEqual({ 'a.jpg': RESULT })
    expect(contentsIn(world.second)).toEqual({ 'a.jpg': OTHER })
  })

  it('is restored to the folder where it was replaced again after a move', async () => {
    const world = createWorld()
    const path = join(world.first, 'a.jpg')
    const output = await world.vault.prepare([path])
    writeFileSync(join(output, 'a.jpg'), RESULT)
    await world.vault.replaceAll(output, new Map([[path, join(output, 'a.jpg')]]), isGood)
    await world.vault.undo(output)
    const moved = join(world.root, 'moved')
    renameSync(world.first, moved)
    symlinkSync(moved, world.first)
    await world.vault.redo(output)
    rmSync(world.first)
    symlinkSync(world.second, world.first)
    await world.vault.undo(output)
    expect(contentsIn(moved)).toEqual({ 'a.jpg': ORIGINAL })
    expect(contentsIn(world.second)).toEqual({ 'a.jpg': OTHER })
  })
})
