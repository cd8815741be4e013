import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEditHolder } from '../../../src/main/outbox/edit-holder.ts'
import { claimFile, claimSending, isSendingElsewhere } from '../../../src/main/outbox/sending-claim.ts'

let folder: string
const outbox = () => join(folder, 'outbox.db')

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mediatray-locks-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('the claim to send', () => {
  it('is one process’s at a time, however often it takes it', () => {
    const [one, other] = [claimSending(claimFile(outbox())), claimSending(claimFile(outbox()))]
    expect([one.held(), isSendingElsewhere(outbox())]).toEqual([false, false])
    expect([one.take(), one.take(), one.held()]).toEqual([true, true, true])
    expect([other.take(), other.held(), isSendingElsewhere(outbox())]).toEqual([false, false, true])
    one.release()
    expect([one.held(), isSendingElsewhere(outbox()), other.take()]).toEqual([false, false, true])
    expect(one.take()).toBe(false)
    other.release()
  })
})

describe('who holds submissions back', () => {
  it('has one name, under which everybody finds it alive until it lets go', () => {
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

  it('is not made alive by being asked about', () => {
    const holder = createEditHolder(outbox())
    expect([holder.isAlive('gone'), holder.isAlive('gone')]).toEqual([false, false])
    holder.release()
    expect(readdirSync(folder)).toEqual([])
  })
})
