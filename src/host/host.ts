/** skeleton of the host */
import { createServer, type Socket } from 'node:net'
import { rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { createFrameReader, frameOf } from '../node/message-frames.ts'
import { systemTiming } from '../node/timing.ts'
import { dataFolder, USER_CANCEL, type Environment } from '../main/cli/environment.ts'
import { isProof, newChallenge, proofOf, writeSecret } from './proof.ts'
import { socketPlace } from './socket-place.ts'

z.config({ jitless: true })
const { runCli, createOwner, ownerService } = await import('../main/cli/index.ts')
const { POWER_SUPPLIES } = await import('../main/quiet/index.ts')

const LINGER_MS = Number(process.env['MEDIATRAY_LINGER_MS'] ?? 10_000)
const place = { env: process.env, cwd: process.cwd(), home: homedir(), platform: process.platform }
const dataDir = dataFolder(place)
const secret = writeSecret(dataDir)
const path = socketPlace(dataDir, place)
const isSource = import.meta.filename.endsWith('.ts')
const builtInEntry = isSource ? join(import.meta.dirname, '../service/main.ts') : join(import.meta.dirname, '../service/main.js')
const fixed = { timing: systemTiming, builtInEntry, noticesFile: '', powerSupplies: POWER_SUPPLIES, readKey: async () => undefined, confirm: null, startDetached: () => undefined, stdin: null }
const base = { ...place, ...fixed, argv: [], stdout: silent(), stderr: silent(), interrupted: new AbortController().signal } as Environment
const owner = createOwner(base, await ownerService(base))
function silent() {
  return { write: () => undefined, columns: undefined, binary: null, closed: new AbortController().signal }
}
let clients = 0
let ending: NodeJS.Timeout | undefined
function left() {
  clients--
  if (clients === 0) ending = setTimeout(() => void end(), LINGER_MS)
}
async function end() {
  if (clients > 0) return
  if (owner.busy()) return void (ending = setTimeout(() => void end(), LINGER_MS))
  server.close()
  await owner.close()
  process.exit(0)
}
function serve(socket: Socket) {
  clients++
  clearTimeout(ending)
  const own = newChallenge()
  let theirs = ''
  let isProven = false
  const interruption = new AbortController()
  const send = (message: object) => {
    if (socket.writable) for (const part of frameOf(message)) socket.write(part)
  }
  const read = createFrameReader((message) => {
    const heard = message as Record<string, any>
    if (heard['type'] === 'hello') {
      theirs = heard['challenge']
      send({ type: 'proof', challenge: own, proof: proofOf(secret, 'owner', [theirs, own]) })
    } else if (heard['type'] === 'proof') {
      isProven = isProof(heard['proof'], proofOf(secret, 'client', [own, theirs]))
      if (!isProven) socket.destroy()
    } else if (isProven && heard['type'] === 'run') void run(heard)
    else if (isProven && heard['type'] === 'interrupt') interruption.abort(heard['byUser'] ? USER_CANCEL : undefined)
  })
  async function run(heard: Record<string, any>) {
    const code = await runCli({
      ...fixed,
      argv: heard['argv'],
      env: heard['env'],
      cwd: heard['cwd'],
      home: heard['home'],
      platform: process.platform,
      stdout: { write: (text) => send({ type: 'out', text }), columns: heard['columns'], binary: null, closed: new AbortController().signal },
      stderr: { write: (text) => send({ type: 'err', text }), columns: heard['columns'] },
      interrupted: interruption.signal,
      owner,
    } as Environment)
    send({ type: 'exit', code })
  }
  socket.on('data', (chunk) => { try { read(chunk) } catch { socket.destroy() } })
  socket.on('error', () => undefined).on('close', () => { interruption.abort(); left() })
}
const server = createServer(serve)
rmSync(path, { force: true })
server.listen(path, () => {
  process.stdout.write('listening\n')
  process.stdout.on('error', () => undefined)
})
