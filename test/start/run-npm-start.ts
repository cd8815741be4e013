/** Runs the real `npm start`, with only Node, npm and a shell on the PATH. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { onPath } from '../../scripts/on-path.ts'
import { ORDINARY } from '../as-ordinary-user.ts'

export const root = resolve(import.meta.dirname, '../..')

export type Bare = {
  /** Readable by everyone; removed at the end. */
  readonly folder: string
  run(env?: Readonly<Record<string, string>>): Promise<Run>
  [Symbol.dispose](): void
}

export type Run = { readonly code: number | null; readonly said: string; readonly complained: string }

export function bareComputer(): Bare {
  const folder = mkdtempSync(join(tmpdir(), 'mediatray-bare-'))
  const commands = join(folder, 'commands')
  const temporary = join(folder, 'temporary')
  mkdirSync(commands)
  mkdirSync(temporary)
  for (const path of [folder, commands]) chmodSync(path, 0o755)
  chmodSync(temporary, 0o777)
  const programs = { node: process.execPath, npm: found('npm'), sh: found('sh') }
  for (const [name, path] of Object.entries(programs)) symlinkSync(realpathSync(path), join(commands, name))
  const npm = join(commands, 'npm')

  return {
    folder,
    async run(env = {}) {
      const child = spawn(npm, ['start'], {
        cwd: root,
        env: { PATH: commands, TMPDIR: temporary, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        ...ordinaryUser(npm),
      })
      let [said, complained] = ['', '']
      child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
      child.stderr.setEncoding('utf8').on('data', (text: string) => (complained += text))
      await once(child, 'close')
      return { code: child.exitCode, said, complained }
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function found(command: string): string {
  const path = onPath(command)
  if (path === undefined) throw new Error(`${command} not found`)
  return path
}

/** Root may write anywhere, so this switches to an ordinary user if that user can read the project. */
function ordinaryUser(npm: string): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const user = { uid: ORDINARY, gid: ORDINARY }
  const mayRead = `test -r '${join(root, 'package.json')}' && test -x '${process.execPath}' && test -r '${npm}'`
  return spawnSync('sh', ['-c', mayRead], user).status === 0 ? user : {}
}
