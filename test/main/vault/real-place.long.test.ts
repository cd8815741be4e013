/** Originals whose folder was named through the user's own link, which leads elsewhere later. */
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it as base } from 'vitest'
import { acceptFile } from '../../../src/node/file-identity.ts'
import { isGood } from '../../faults/vault/test-vault.ts'
import { contentsIn, createWorld, ORIGINAL, RESULT } from './vault-fixture.ts'

const OTHER = 'another photo with the same name'

const it = base.extend('world', () => {
  const { root, vault: opened } = createWorld()
  const vault = opened()
  const [link, first, second] = [join(root, 'current'), join(root, '2025'), join(root, '2026')]
  for (const folder of [first, second]) mkdirSync(folder)
  symlinkSync(first, link)
  writeFileSync(join(first, 'a.jpg'), ORIGINAL)
  writeFileSync(join(second, 'a.jpg'), OTHER)
  const path = join(link, 'a.jpg')
  async function finish(output: string, original = path): Promise<string> {
    writeFileSync(join(output, 'a.jpg'), RESULT)
    await vault.replaceAll(output, new Map([[original, join(output, 'a.jpg')]]), isGood)
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
    replace: async (original = path) => finish(await vault.prepare([original]), original),
    relink(to: string): void {
      rmSync(link)
      symlinkSync(to, link)
    },
  }
})

describe('an original in a folder that the user named through their own link', () => {
  it('is restored to its folder after the link was changed to another one', async ({ world }) => {
    const output = await world.replace()
    world.relink(world.second)
    const place = join(world.first, 'a.jpg')
    await expect(world.vault.undo(output)).resolves.toEqual([{ path: world.path, kind: 'restored', place }])
    expect(contentsIn(world.first)).toEqual({ 'a.jpg': ORIGINAL })
    expect(contentsIn(world.second)).toEqual({ 'a.jpg': OTHER })
    await expect(world.vault.redo(output)).resolves.toMatchObject([{ kind: 'restored' }])
    expect(contentsIn(world.first)).toEqual({ 'a.jpg': RESULT })
  })

  it('is restored to its folder after the link was removed', async ({ world }) => {
    const output = await world.replace()
    rmSync(world.link)
    await world.vault.undo(output)
    expect(contentsIn(world.first)).toEqual({ 'a.jpg': ORIGINAL })
    expect(readdirSync(world.root)).not.toContain('current')
  })

  it('is shown by the path that the user named while that leads to it', async ({ world }) => {
    const output = await world.replace()
    const { path } = world
    expect(world.vault.of(output)).toMatchObject([{ path, state: { kind: 'replaced', place: path } }])
    await expect(world.vault.undo(output)).resolves.toEqual([{ path, kind: 'restored', place: path }])
    expect(world.vault.of(output)).toMatchObject([{ path, state: { kind: 'restored', place: path } }])
  })

  it('is restored to a folder that was renamed together with the link', async ({ world }) => {
    const output = await world.replace()
    const renamed = join(world.root, 'the year 2025')
    renameSync(world.first, renamed)
    world.relink(renamed)
    await world.vault.undo(output)
    expect(contentsIn(renamed)).toEqual({ 'a.jpg': ORIGINAL })
    expect(readdirSync(world.root)).not.toContain('2025')
  })

  it('isn’t found by the name of the folder that the link leads to later', async ({ world }) => {
    const output = await world.replace()
    world.relink(world.second)
    await expect(world.vault.inFolder(world.second, 'replaced')).resolves.toEqual([])
    const found = [{ output, paths: [world.path] }]
    await expect(world.vault.inFolder(world.first, 'replaced')).resolves.toEqual(found)
    await expect(world.vault.inFolder(world.link, 'replaced')).resolves.toEqual(found)
  })

  it('is the one that was accepted, even if the link was changed before the job was prepared', async ({
    world,
  }) => {
    await using accepted = await acceptFile(world.path)
    world.relink(world.second)
    const output = await world.vault.prepare([world.path], new Map([[world.path, accepted.identity]]))
    await world.finish(output)
    expect(contentsIn(world.first)).toEqual({ 'a.jpg': RESULT })
    expect(contentsIn(world.second)).toEqual({ 'a.jpg': OTHER })
  })

  it('is restored to the folder where it was replaced again after a move', async ({ world }) => {
    const output = await world.replace(join(world.first, 'a.jpg'))
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
