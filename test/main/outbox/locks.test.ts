import { chmodSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { asOrdinaryUser } from '../../as-ordinary-user.ts'
import { createEditHolder } from '../../../src/main/outbox/edit-holder.ts'
import {
  claimFile,
  claimSending,
  drainFile,
  isDrainedElsewhere,
} from '../../../src/main/outbox/sending-claim.ts'
import { smallDisk } from '../../e2e/support/small-disk.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let folder: string
const outbox = () => join(folder, 'outbox.db')

beforeEach(() => {
  folder = temporaryFolder()
})

describe('the sender lock', () => {
  it('belongs to one process at a time, however often it is acquired', () => {
    const [one, other] = [claimSending(claimFile(outbox())), claimSending(claimFile(outbox()))]
    expect(one.held()).toBe(false)
    expect([one.take(), one.take(), one.held()]).toEqual([true, true, true])
    expect([other.take(), other.held()]).toEqual([false, false])
    one.release()
    expect([one.held(), other.take()]).toEqual([false, true])
    expect(one.take()).toBe(false)
    other.release()
  })

  it.skipIf(process.platform === 'win32')('can’t be blocked by another user', async () => {
    // An earlier version set permissions that let other users enter the data folder.
    chmodSync(folder, 0o755)
    const file = claimFile(outbox())
    writeFileSync(file, '', { mode: 0o644 })
    const claim = claimSending(file)
    expect(claim.take()).toBe(true)
    claim.release()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    if (process.getuid?.() === 0) await asOrdinaryUser(async () => expect(() => holdShared(file)).toThrow())
    expect(claim.take()).toBe(true)
    claim.release()

    const holder = createEditHolder(outbox())
    const locks = [file, `${outbox()}-editing-${holder.name()}`]
    expect(locks.map((lock) => statSync(lock).mode & 0o777)).toEqual([0o600, 0o600])
    holder.release()
  })

  it('can be acquired on a full disk, by one process at a time', ({ skip }) => {
    using disk = smallDisk(folder, '4k')
    if (disk === undefined) return skip()
    writeFileSync(join(folder, 'everything'), 'x'.repeat(4096))
    const [one, other] = [claimSending(claimFile(outbox())), claimSending(claimFile(outbox()))]
    expect([one.take(), other.take(), other.failure()]).toEqual([true, false, undefined])
    one.release()
    expect(isDrainedElsewhere(outbox())).toBe(false)
  })

  it('doesn’t belong to another process only because its file can’t be used, and names the error', () => {
    for (const file of [claimFile(outbox()), drainFile(outbox())])
      writeFileSync(file, 'not a database '.repeat(99))
    const claim = claimSending(claimFile(outbox()))
    expect(claim.take()).toBe(false)
    expect(claim.failure()).toMatchObject({ message: 'file is not a database' })
    expect(isDrainedElsewhere(outbox())).toBe(false)
    rmSync(claimFile(outbox()))
    expect([claim.take(), claim.failure()]).toEqual([true, undefined])
    claim.release()
  })

  it('can be used to check whether another process sends waiting submissions', () => {
    const app = claimSending(drainFile(outbox()))
    expect(isDrainedElsewhere(outbox())).toBe(false)
    app.take()
    expect(isDrainedElsewhere(outbox())).toBe(true)
    app.release()
    expect(isDrainedElsewhere(outbox())).toBe(false)
  })
})

/** Holds a shared lock on the file, as every reader of a database does. */
function holdShared(file: string): void {
  const reader = new DatabaseSync(file, { readOnly: true })
  onTestFinished(() => reader.close())
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM sqlite_schema').get()
}

describe('the holder of an edited submission', () => {
  it('has one name, under which it counts as alive until it is released', () => {
    const [one, other] = [createEditHolder(outbox()), createEditHolder(outbox())]
    const name = one.name()
    expect(one.name()).toBe(name)
    expect(other.name()).not.toBe(name)
    expect([one.isAlive(name), other.isAlive(name)]).toEqual([true, true])
    one.release()
    expect([one.isAlive(name), other.isAlive(name)]).toEqual([false, false])
    expect(one.name()).not.toBe(name)
    one.release()
    other.release()
    expect(readdirSync(folder)).toEqual([])
  })

  it('doesn’t count as alive just because it was queried', () => {
    const holder = createEditHolder(outbox())
    expect([holder.isAlive('gone'), holder.isAlive('gone')]).toEqual([false, false])
    holder.release()
    expect(readdirSync(folder)).toEqual([])
  })
})
