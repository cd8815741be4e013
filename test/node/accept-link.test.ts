import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { listenForLinks } from '../../src/node/owner-link/accept-link.ts'
import { readAddress } from '../../src/node/owner-link/proof.ts'
import { temporaryFolder } from '../temporary-folder.ts'

it.runIf(process.platform !== 'win32')(
  'restores an address that was deleted, changed or touched, or that names an earlier path of the folder',
  async () => {
    const home = temporaryFolder()
    const [folder, moved, link] = ['one', 'two', 'link'].map((name) => join(home, name)) as [
      string,
      string,
      string,
    ]
    mkdirSync(folder)
    symlinkSync(folder, link)
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const listener = await listenForLinks(link, process, (socket) => socket.destroy(), { owns: () => true })
    onTestFinished(() => listener.close())
    const address = readAddress(link)
    expect(address?.folder).toBe(folder)

    const key = join(link, 'owner.key')
    for (const change of [
      () => rmSync(key),
      () => writeFileSync(key, JSON.stringify({ ...address, secret: 'other' })),
      () => utimesSync(key, 1, 1),
    ]) {
      change()
      await check()
      expect(readAddress(link)).toEqual(address)
    }

    renameSync(folder, moved)
    rmSync(link)
    symlinkSync(moved, link)
    expect(readAddress(link)).toBeUndefined()
    await check()
    expect(readAddress(link)).toEqual({ ...address, folder: moved })
  },
)

const check = () => vi.advanceTimersByTimeAsync(5_000)
