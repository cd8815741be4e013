#!/usr/bin/env node
/** skeleton: `mediatray-cli` as a client: passes the command to the owner of the data folder and its output to the terminal. */
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createFrameReader, frameOf } from '../node/message-frames.ts'
import { dataFolder } from '../main/cli/environment.ts'
import { isProof, newChallenge, proofOf, readSecret } from './proof.ts'
import { socketPlace } from './socket-place.ts'

const place = { env: process.env, cwd: process.cwd(), home: homedir(), platform: process.platform }
const dataDir = dataFolder(place)
mkdirSync(dataDir, { recursive: true, mode: 0o700 })
const path = socketPlace(dataDir, place)

function open(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(socket)).once('error', reject)
  })
}

async function openOrStart(): Promise<Socket> {
  const first = await open().catch(() => undefined)
  if (first !== undefined) return first
  const entry = join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? 'host.ts' : 'host.js')
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    cwd: '/',
  })
  await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()).once('close', () => resolve()))
  child.stdout.destroy()
  child.unref()
  return open()
}

const socket = await openOrStart()
const send = (message: object) => {
  for (const part of frameOf(message)) socket.write(part)
}
const mine = newChallenge()
const read = createFrameReader((message) => {
  const heard = message as Record<string, any>
  switch (heard['type']) {
    case 'proof': {
      const secret = readSecret(dataDir)
      if (!isProof(heard['proof'], proofOf(secret, 'owner', [mine, heard['challenge']]))) {
        process.stderr.write('Another program listens at the owner’s address.\n')
        process.exit(4)
      }
      send({ type: 'proof', proof: proofOf(secret, 'client', [heard['challenge'], mine]) })
      send({
        type: 'run',
        argv: process.argv.slice(2),
        env: Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(MEDIATRAY_|LANG$|LC_|TERM$|NO_COLOR$|XDG_)/.test(name))),
        cwd: place.cwd,
        home: place.home,
        columns: process.stdout.columns,
        isTerminal: process.stdout.isTTY === true,
      })
      break
    }
    case 'out':
      process.stdout.write(heard['text'])
      break
    case 'err':
      process.stderr.write(heard['text'])
      break
    case 'exit':
      process.exitCode = heard['code']
      socket.end()
      break
  }
})
socket.on('data', read).on('error', () => process.exit(4))
process.on('SIGINT', () => send({ type: 'interrupt', byUser: true })).on('SIGTERM', () => send({ type: 'interrupt', byUser: false }))
send({ type: 'hello', challenge: mine })
