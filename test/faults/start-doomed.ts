/** Starts doomed-process.ts. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'

export function startDoomed(folder: string, baseUrl: string, dieAt: number, names: readonly string[]) {
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      join(import.meta.dirname, 'doomed-process.ts'),
      folder,
      baseUrl,
      String(dieAt),
      ...names,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let said = ''
  let complained = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (complained += chunk.toString()))
  const ended = new Promise<{ lines: string[]; killed: boolean }>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (signal !== 'SIGKILL' && code !== 0) reject(new Error(`It failed: ${complained}`))
      else resolve({ lines: said.split('\n').filter((line) => line !== ''), killed: signal === 'SIGKILL' })
    })
  })
  return { ended, kill: () => void child.kill('SIGKILL') }
}
